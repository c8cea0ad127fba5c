// Runs the C++ and the CUDA text of kernels on this machine's CPU. Stands below Warp's CPU preamble.
extern "C" int fesetround(int);

// What CUDA text has around it.
#define __global__
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
#define blockDim (host_dim3 { WP_TILE_BLOCK_DIM, 1, 1 })

namespace wp {
typedef double host_wide;
inline double host_rounded(float value) { return value; }
// Each CUDA thread declares the storage of its block; here the block's runner does.
struct host_storage {
    static void init() { }
};
}  // namespace wp
typedef double host_wide;

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
}

// Run a grid, block after block: the threads of a block one after another, or, with fibers, so that they can wait for
// each other.
static void host_run(host_call call, size_t size, bool fibers)
{
    const size_t block = WP_TILE_BLOCK_DIM;
    host_grid.x = unsigned((size + block - 1) / block);
    host_fibers = fibers;
    fesetround(call.rounding);
    for (size_t id = 0; id * block < size; ++id) {
        const size_t left = size - id * block, active = left < block ? left : block;
        host_block.x = unsigned(id);
        call.first = id * block;
        if (fibers) {
            wp::tile_shared_storage_t storage;
            call.storage = &storage;
            wp_cpu_run_block((int)block, (int)active, &host_lane, call.dim, id, &call);
        } else {
            for (host_thread = 0; host_thread < active; ++host_thread)
                call.one(call.dim, call.first + host_thread, call.args, call.adj);
        }
    }
    fesetround(0);
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
