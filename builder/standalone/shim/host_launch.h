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
  // What threads do between two barriers may not depend on their order: HOST_ORDER=reversed has the last go first.
  static const bool reversed = std::getenv("HOST_ORDER") != nullptr;
  while (host_finished < host_live)
    for (unsigned int turn = 0; turn < host_live; ++turn) {
      const unsigned int lane = reversed ? host_live - 1 - turn : turn;
      if (!host_fibers[lane].ended) {
        host_enter(lane);
        host_finished += host_fibers[lane].ended;
      }
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
#define HOST_LANE host_lane
#define HOST_LIVE host_live
#include "lanes.h"
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
