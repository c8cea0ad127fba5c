// One block of threads on the CPU, so that native snippets can be run as a GPU runs them: every thread is a coroutine,
// a barrier or a shuffle is where it waits for the others. Numbers are double throughout.
#include <ucontext.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#define __CUDA_ARCH__ 800
#define __device__
#define __shared__ static
#define float double

constexpr int BLOCK = 256;
struct dim3 { int x; };
static dim3 threadIdx, blockIdx{0}, blockDim{BLOCK}, gridDim{1};

struct Coroutine {
    ucontext_t context;
    std::vector<char> stack = std::vector<char>(1 << 16);
    bool done = false;
    int turn = 0, barrier = 0;
};
static std::vector<Coroutine> coroutines(BLOCK);
static ucontext_t scheduler;
static std::function<void(int)>* body;
static int arrived = 0;
static double slots[2][BLOCK], votes[2][BLOCK];

static void wait() {
    const int t = threadIdx.x;
    swapcontext(&coroutines[t].context, &scheduler);
    threadIdx.x = t;
}

static void enter(int t) {
    (*body)(t);
    coroutines[t].done = true;
}

// Run one block; false if it hangs.
static bool run(std::function<void(int)> work) {
    body = &work;
    arrived = 0;
    for (int t = 0; t < BLOCK; ++t) {
        Coroutine& c = coroutines[t];
        c.done = false;
        c.turn = c.barrier = 0;
        getcontext(&c.context);
        c.context.uc_stack.ss_sp = c.stack.data();
        c.context.uc_stack.ss_size = c.stack.size();
        c.context.uc_link = &scheduler;
        makecontext(&c.context, reinterpret_cast<void (*)()>(enter), 1, t);
    }
    for (int round = 0; round < 100000; ++round) {
        bool all = true;
        for (int t = 0; t < BLOCK; ++t)
            if (!coroutines[t].done) {
                all = false;
                threadIdx.x = t;
                swapcontext(&scheduler, &coroutines[t].context);
            }
        if (all) return true;
    }
    return false;
}

static void __syncthreads() {
    const int mine = ++coroutines[threadIdx.x].barrier;
    ++arrived;
    while (arrived < mine * BLOCK) wait();
}
static int count_block(int test) {
    const int t = threadIdx.x, turn = coroutines[t].turn++ & 1;
    votes[turn][t] = test != 0;
    __syncthreads();
    int n = 0;
    for (double v : votes[turn]) n += int(v);
    return n;
}
static int __syncthreads_count(int test) { return count_block(test); }
static int __syncthreads_and(int test) { return count_block(test) == BLOCK; }
static int __syncthreads_or(int test) { return count_block(test) > 0; }

// Leave a value for the other lanes and wait until they have left theirs; where the values lie.
static double* exchange(double v) {
    const int t = threadIdx.x, turn = coroutines[t].turn++ & 1;
    slots[turn][t] = v;
    wait();
    return slots[turn] + (t & ~31);
}
static void __syncwarp(unsigned int = 0xffffffffu) { exchange(0); }
template <typename T> T take(T v, int lane) { return T(exchange(double(v))[lane & 31]); }
template <typename T> T __shfl_sync(unsigned int, T v, int lane, int width = 32) {
    const int own = threadIdx.x & 31;
    return take(v, (own & ~(width - 1)) | (lane & (width - 1)));
}
template <typename T> T __shfl_xor_sync(unsigned int, T v, int mask, int width = 32) {
    const int own = threadIdx.x & 31, to = own ^ mask;
    return take(v, (to & ~(width - 1)) == (own & ~(width - 1)) ? to : own);
}
template <typename T> T __shfl_down_sync(unsigned int, T v, int by, int width = 32) {
    const int own = threadIdx.x & 31;
    return take(v, (own & (width - 1)) + by < width ? own + by : own);
}
template <typename T> T __shfl_up_sync(unsigned int, T v, int by, int width = 32) {
    const int own = threadIdx.x & 31;
    return take(v, (own & (width - 1)) >= by ? own - by : own);
}
static unsigned int __ballot_sync(unsigned int mask, int test) {
    const int t = threadIdx.x, turn = coroutines[t].turn++ & 1;
    slots[turn][t] = test != 0;
    wait();
    unsigned int bits = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (((mask >> lane) & 1u) && slots[turn][(t & ~31) + lane] != 0) bits |= 1u << lane;
    return bits;
}
static int __any_sync(unsigned int mask, int test) { return __ballot_sync(mask, test) != 0; }
static int __all_sync(unsigned int mask, int test) { return __ballot_sync(mask, !test) == 0; }
static unsigned int __match_any_sync(unsigned int, int key) {
    const double* keys = exchange(key);
    unsigned int bits = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (keys[lane] == key) bits |= 1u << lane;
    return bits;
}
static int __popc(unsigned int v) { return __builtin_popcount(v); }
static int __ffs(int v) { return __builtin_ffs(v); }
static int __clz(int v) { return v == 0 ? 32 : __builtin_clz(unsigned(v)); }
template <typename T, typename U> T atomicAdd(T* at, U v) {
    const T old = *at;
    *at += v;
    return old;
}

struct array : std::vector<double> {
    using std::vector<double>::vector;
};
namespace wp {
template <typename T, typename U> auto min(T a, U b) { return a < b ? a : b; }
template <typename T, typename U> auto max(T a, U b) { return a > b ? a : b; }
static double exp(double v) { return std::exp(v); }
static double sqrt(double v) { return std::sqrt(v); }
template <typename T> double atomic_add(array& a, int i, T v) { return atomicAdd(&a[i], double(v)); }
}  // namespace wp
