// Launches of kernels on the CPU, and what threads of a block do together.
#pragma once

template <typename Body> static void host_blocks(dim3 grid, dim3 block, const Body& body)
{
  gridDim = grid;
  blockDim = block;
  for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
        body();
}

#ifndef HOST_FIBERS
template <typename Kernel> static void host_launch(dim3 grid, dim3 block, const Kernel& kernel)
{
  host_blocks(grid, block, [&] {
    for (threadIdx.z = 0; threadIdx.z < block.z; ++threadIdx.z)
      for (threadIdx.y = 0; threadIdx.y < block.y; ++threadIdx.y)
        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x)
          kernel();
  });
}
#else
#include <ucontext.h>
#include <functional>
#include <vector>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

// All threads of a block that have not ended go from round to round together.
static const unsigned int HOST_LANES = 1024;
static const size_t HOST_STACK = 128 << 10;
struct host_fiber {
  ucontext_t context;
  std::vector<char> stack;
  void* fake = nullptr;
  bool ended = false;
};
static std::vector<host_fiber> host_fibers;
static ucontext_t host_main;
static const void* host_main_stack;
static size_t host_main_size;
static unsigned int host_lane, host_live, host_finished;
static std::function<void()> host_kernel;
static unsigned int host_barrier[HOST_LANES], host_arrived[4], host_votes[4], host_round[HOST_LANES];
static unsigned int host_stamps[2][HOST_LANES];
static unsigned long long host_slots[2][HOST_LANES];

static void host_leave(bool ended)
{
  host_fiber& own = host_fibers[host_lane];
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(ended ? nullptr : &own.fake, host_main_stack, host_main_size);
#endif
  if (ended)
    setcontext(&host_main);
  swapcontext(&own.context, &host_main);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(own.fake, &host_main_stack, &host_main_size);
#endif
}
static void host_start()
{
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &host_main_stack, &host_main_size);
#endif
  host_kernel();
  host_fibers[host_lane].ended = true;
  host_leave(true);
}
static void host_enter(unsigned int lane)
{
  host_lane = lane;
  threadIdx = { lane % blockDim.x, lane / blockDim.x % blockDim.y, lane / (blockDim.x * blockDim.y) };
  host_fiber& fiber = host_fibers[lane];
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, fiber.stack.data(), fiber.stack.size());
#endif
  swapcontext(&host_main, &fiber.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}
static void host_block()
{
  host_live = blockDim.x * blockDim.y * blockDim.z;
  host_finished = 0;
  host_fibers.resize(host_live);
  std::memset(host_barrier, 0, sizeof(host_barrier));
  std::memset(host_arrived, 0, sizeof(host_arrived));
  std::memset(host_votes, 0, sizeof(host_votes));
  std::memset(host_round, 0, sizeof(host_round));
  std::memset(host_stamps, 0xff, sizeof(host_stamps));
  for (host_fiber& fiber : host_fibers) {
    fiber.stack.resize(HOST_STACK);
    fiber.ended = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, host_start, 0);
  }
  while (host_finished < host_live)
    for (unsigned int lane = 0; lane < host_live; ++lane)
      if (!host_fibers[lane].ended) {
        host_enter(lane);
        host_finished += host_fibers[lane].ended;
      }
}
template <typename Kernel> static void host_launch(dim3 grid, dim3 block, const Kernel& kernel)
{
  host_kernel = kernel;
  host_blocks(grid, block, host_block);
}

static inline void host_wait(unsigned int lane)
{
  host_leave(false);
  ++host_round[lane];
}
static inline void __syncthreads()
{
  const unsigned int lane = host_lane, mine = ++host_barrier[lane];
  ++host_arrived[mine & 3];
  do
    host_wait(lane);
  while (host_arrived[mine & 3] + host_finished < host_live);
  host_arrived[(mine + 2) & 3] = host_votes[(mine + 2) & 3] = 0;
}
static inline int __syncthreads_count(int test)
{
  const unsigned int turn = (host_barrier[host_lane] + 1) & 3;
  host_votes[turn] += test != 0;
  __syncthreads();
  return (int)host_votes[turn];
}
static inline int __syncthreads_or(int test) { return __syncthreads_count(test) > 0; }
static inline int __syncthreads_and(int test) { return __syncthreads_count(test == 0) == 0; }

// What each lane of a warp leaves for the others in one round.
struct host_warp {
  const unsigned long long* slots;
  unsigned int present;
};
static inline host_warp host_exchange(unsigned long long bits)
{
  const unsigned int lane = host_lane, first = lane & ~31u, round = host_round[lane], turn = round & 1;
  host_slots[turn][lane] = bits;
  host_stamps[turn][lane] = round;
  host_wait(lane);
  host_warp warp = { host_slots[turn] + first, 0 };
  for (unsigned int n = 0; n < 32; ++n)
    if (host_stamps[turn][first + n] == round)
      warp.present |= 1u << n;
  return warp;
}
template <typename T> static T host_take(T value, int lane)
{
  unsigned long long bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = host_exchange(bits).slots[lane & 31];
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <typename T> static T __shfl_sync(unsigned int, T value, int lane, int width = 32)
{
  const int own = host_lane & 31;
  return host_take(value, (own & ~(width - 1)) | (lane & (width - 1)));
}
template <typename T> static T __shfl_xor_sync(unsigned int, T value, int mask, int width = 32)
{
  const int own = host_lane & 31, to = own ^ mask;
  return host_take(value, (to & ~(width - 1)) <= (own & ~(width - 1)) ? to : own);
}
template <typename T> static T __shfl_down_sync(unsigned int, T value, int by, int width = 32)
{
  const int own = host_lane & 31;
  return host_take(value, (own & (width - 1)) + by < width ? own + by : own);
}
template <typename T> static T __shfl_up_sync(unsigned int, T value, int by, int width = 32)
{
  const int own = host_lane & 31;
  return host_take(value, (own & (width - 1)) >= by ? own - by : own);
}
static inline unsigned int __ballot_sync(unsigned int mask, int test)
{
  const host_warp warp = host_exchange(test != 0);
  unsigned int bits = 0;
  for (int n = 0; n < 32; ++n)
    if (((mask & warp.present) >> n & 1) && warp.slots[n])
      bits |= 1u << n;
  return bits;
}
static inline int __any_sync(unsigned int mask, int test) { return __ballot_sync(mask, test) != 0; }
static inline int __all_sync(unsigned int mask, int test) { return __ballot_sync(mask, !test) == 0; }
static inline unsigned int __match_any_sync(unsigned int mask, int key)
{
  const unsigned long long own = (unsigned int)key;
  const host_warp warp = host_exchange(own);
  unsigned int bits = 0;
  for (int n = 0; n < 32; ++n)
    if (((mask & warp.present) >> n & 1) && warp.slots[n] == own)
      bits |= 1u << n;
  return bits;
}
static inline void __syncwarp(unsigned int = 0xffffffffu) { host_exchange(0); }
static inline unsigned int __activemask() { return host_exchange(0).present; }
// What CUDA adds up in one instruction (compute capability 8.0).
template <typename T, typename Change> static T host_reduce(unsigned int mask, T value, const Change& change)
{
  unsigned long long bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const host_warp warp = host_exchange(bits);
  bool first = true;
  for (int n = 0; n < 32; ++n)
    if ((mask & warp.present) >> n & 1) {
      T other;
      std::memcpy(&other, &warp.slots[n], sizeof(T));
      value = first ? other : change(value, other);
      first = false;
    }
  return value;
}
template <typename T> static T __reduce_add_sync(unsigned int mask, T value)
{
  return host_reduce(mask, value, [](T a, T b) { return a + b; });
}
template <typename T> static T __reduce_min_sync(unsigned int mask, T value)
{
  return host_reduce(mask, value, [](T a, T b) { return a < b ? a : b; });
}
template <typename T> static T __reduce_max_sync(unsigned int mask, T value)
{
  return host_reduce(mask, value, [](T a, T b) { return a < b ? b : a; });
}
#endif
