// What threads of a block do together, when each is a fiber that the others wait for. Stands below host_wait(lane) and the arrays
// host_barrier, host_arrived, host_votes, host_round, host_stamps and host_slots; HOST_LANE is the thread's place in its
// block, HOST_LIVE how many threads the block has.
static inline void __syncthreads()
{
    const unsigned int lane = HOST_LANE, mine = ++host_barrier[lane];
    ++host_arrived[mine & 3];
    do
        host_wait(lane);
    while (host_arrived[mine & 3] + host_finished < HOST_LIVE);
    host_arrived[(mine + 2) & 3] = host_votes[(mine + 2) & 3] = 0;
}
static inline int __syncthreads_count(int test)
{
    const unsigned int turn = (host_barrier[HOST_LANE] + 1) & 3;
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
    const unsigned int lane = HOST_LANE, first = lane & ~31u, round = host_round[lane], turn = round & 1;
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
    memcpy(&bits, &value, sizeof(T));
    bits = host_exchange(bits).slots[lane & 31];
    memcpy(&value, &bits, sizeof(T));
    return value;
}
template <typename T> static T __shfl_sync(unsigned int, T value, int lane, int width = 32)
{
    const int own = HOST_LANE & 31;
    return host_take(value, (own & ~(width - 1)) | (lane & (width - 1)));
}
template <typename T> static T __shfl_xor_sync(unsigned int, T value, int mask, int width = 32)
{
    const int own = HOST_LANE & 31, to = own ^ mask;
    return host_take(value, (to & ~(width - 1)) <= (own & ~(width - 1)) ? to : own);
}
template <typename T> static T __shfl_down_sync(unsigned int, T value, int by, int width = 32)
{
    const int own = HOST_LANE & 31;
    return host_take(value, (own & (width - 1)) + by < width ? own + by : own);
}
template <typename T> static T __shfl_up_sync(unsigned int, T value, int by, int width = 32)
{
    const int own = HOST_LANE & 31;
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
