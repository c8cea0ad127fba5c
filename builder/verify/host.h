// Runs the C++ and the CUDA text of kernels on this machine's CPU. Stands below Warp's CPU preamble.
extern "C" int fesetround(int);

// What CUDA text has around it.
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define WP_CLUSTER_DIMS(x, y, z)
#define WP_MAXNREG(n)
struct host_dim3 {
    unsigned int x, y, z;
};
static host_dim3 host_block = { 0, 0, 0 }, host_grid = { 1, 1, 1 };
static unsigned int host_thread = 0;
static bool host_fibers = false;
static inline host_dim3 host_thread_index()
{
    return { host_fibers ? unsigned(wp_cpu_get_thread_idx()) : host_thread, 0, 0 };
}
#define threadIdx host_thread_index()
#define blockIdx host_block
#define gridDim host_grid
static unsigned int host_block_size = WP_TILE_BLOCK_DIM;
#define blockDim (host_dim3 { host_block_size, 1, 1 })

namespace wp {
typedef double host_wide;
inline double host_rounded(float value) { return value; }
// Snippets write 0.0f beside what is double in the twin.
inline double max(double a, float b) { return a > b ? a : b; }
inline double max(float a, double b) { return a > b ? a : b; }
inline double min(double a, float b) { return a < b ? a : b; }
inline double min(float a, double b) { return a < b ? a : b; }
// Each CUDA thread declares the storage of its block; here the block's runner does.
struct host_storage {
    static void init() { }
};
}  // namespace wp
typedef double host_wide;

// Threads of a block that wait for each other. All that have not ended go from round to round together.
static const unsigned int host_lanes = WP_TILE_BLOCK_DIM;
static unsigned int host_finished, host_barrier[host_lanes], host_arrived[4], host_round[host_lanes];
static unsigned int host_stamps[2][host_lanes];
static unsigned long long host_slots[2][host_lanes];
static unsigned int host_votes[4];

static inline void host_wait(unsigned int lane)
{
    wp_cpu_tile_sync();
    ++host_round[lane];
}
#define HOST_LANE threadIdx.x
#define HOST_LIVE host_lanes
static inline int __popc(unsigned int value) { return __builtin_popcount(value); }
static inline int __ffs(int value) { return __builtin_ffs(value); }
static inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz((unsigned int)value); }
template <typename T, typename U> static T atomicAdd(T* at, U value)
{
    const T old = *at;
    *at += value;
    return old;
}

struct host_call {
    void (*one)(void* dim, size_t index, void* args, void* adj);
    void *dim, *args, *adj;
    int rounding;
    size_t first;
    wp::tile_shared_storage_t* storage;
};

static void host_lane(void* dim, size_t, int lane, void* payload)
{
    host_call* call = (host_call*)payload;
    fesetround(call->rounding);  // each fiber has a rounding mode of its own
    wp::tile_shared_storage_t::bind(call->storage);
    call->one(dim, call->first + size_t(lane), call->args, call->adj);
    ++host_finished;
}

// Run a grid of one small block. The text of a loop over the grid is called once a thread; text for one index (`single`) is
// called for each in the same order.
static void host_run_few(host_call call, size_t size, bool single)
{
    const size_t block = host_block_size = 4;
    host_grid.x = 1;
    host_block.x = 0;
    for (host_thread = 0; host_thread < block && host_thread < size; ++host_thread)
        for (size_t at = host_thread; at < (single ? size : host_thread + 1); at += block)
            call.one(call.dim, at, call.args, call.adj);
    host_block_size = WP_TILE_BLOCK_DIM;
}

// Run a grid, block after block: the threads of a block one after another, or, with fibers (bit 0 of `how`), so that
// they can wait for each other; or a grid of one block (bit 1).
static void host_run_grid(host_call call, size_t size, int how, bool single)
{
    const size_t block = WP_TILE_BLOCK_DIM;
    host_grid.x = unsigned((size + block - 1) / block);
    const bool fibers = how & 1;
    host_fibers = fibers;
    fesetround(call.rounding);
    if (how & 2) {
        host_run_few(call, size, single);
        fesetround(0);
        return;
    }
    for (size_t id = 0; id * block < size; ++id) {
        const size_t left = size - id * block, active = left < block ? left : block;
        host_finished = 0;
        memset(host_barrier, 0, sizeof host_barrier);
        memset(host_arrived, 0, sizeof host_arrived);
        memset(host_votes, 0, sizeof host_votes);
        memset(host_round, 0, sizeof host_round);
        memset(host_stamps, 255, sizeof host_stamps);
        host_block.x = unsigned(id);
        call.first = id * block;
        if (fibers) {
            wp::tile_shared_storage_t storage;
            call.storage = &storage;
            wp_cpu_run_block((int)block, (int)block, &host_lane, call.dim, id, &call);
        } else {
            for (host_thread = 0; host_thread < active; ++host_thread)
                call.one(call.dim, call.first + host_thread, call.args, call.adj);
        }
    }
    fesetround(0);
}

// Where a thread that ends the process (a failed check, memory that is not there) returns to, if that is asked for.
extern "C" int _setjmp(void*) __attribute__((returns_twice));
extern "C" void longjmp(void*, int) __attribute__((noreturn));
extern "C" void (*__sysv_signal(int, void (*)(int)))(int);
static char host_place[512] __attribute__((aligned(16)));
static void host_caught(int) { longjmp(host_place, 1); }

// As host_run_grid; with bit 2 of `how`, 1 where the process would have ended. Not for fibers.
static int host_run(host_call call, size_t size, int how, bool single)
{
    if (how & 4) {
        const int numbers[] = { 4, 5, 6, 7, 8, 11 };  // SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
        for (int n = 0; n < 6; ++n)
            __sysv_signal(numbers[n], host_caught);
        if (_setjmp(host_place)) {
            host_block_size = WP_TILE_BLOCK_DIM;
            fesetround(0);
            return 1;
        }
    }
    host_run_grid(call, size, how, single);
    return 0;
}

// Call a function whose parameters after the launch bounds lie at the places given.
template <typename T, T... I> struct host_places { };
template <typename B, typename... A, size_t... I>
static void host_spread(void (*function)(B, A...), void* dim, void** at, host_places<size_t, I...>)
{
    function(*(B*)dim, *(A*)at[I]...);
}
template <typename B, typename... A> static void host_cuda(void (*function)(B, A...), void* dim, void** at)
{
    host_spread(function, dim, at, __make_integer_seq<host_places, size_t, sizeof...(A)> {});
}
