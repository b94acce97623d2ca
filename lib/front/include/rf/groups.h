/* Cooperative groups. */
#pragma once
#pragma GCC system_header

namespace cooperative_groups
{
namespace __v1
{

struct thread_group {
    void sync() const;
    unsigned long long size() const;
    unsigned long long num_threads() const;
    unsigned long long thread_rank() const;
    bool is_valid() const;
};

/* What the groups within a warp have in common. */
struct rf_warp_group : thread_group {
    template <class T> T shfl(T, int) const;
    template <class T> T shfl_down(T, unsigned int) const;
    template <class T> T shfl_up(T, unsigned int) const;
    template <class T> T shfl_xor(T, unsigned int) const;
    int any(int) const;
    int all(int) const;
    unsigned int ballot(int) const;
    template <class T> unsigned int match_any(T) const;
    unsigned int meta_group_size() const;
    unsigned int meta_group_rank() const;
    unsigned int size() const;
    unsigned int num_threads() const;
    unsigned int thread_rank() const;
};

struct coalesced_group : rf_warp_group {
};

struct thread_block : thread_group {
    static void sync();
    static unsigned int size();
    static unsigned int num_threads();
    static unsigned int thread_rank();
    static dim3 group_index();
    static dim3 thread_index();
    static dim3 group_dim();
    static dim3 dim_threads();
    struct arrival_token {
    };
    arrival_token barrier_arrive() const;
    void barrier_wait(arrival_token &&) const;
};

struct grid_group : thread_group {
    static void sync();
    static dim3 group_dim();
    static dim3 block_index();
    static dim3 dim_blocks();
    static unsigned long long num_blocks();
    static unsigned long long block_rank();
};

struct cluster_group : thread_group {
    static void sync();
    static unsigned int num_blocks();
    static unsigned int block_rank();
    static unsigned int num_threads();
    static unsigned int thread_rank();
    static dim3 block_index();
    static dim3 dim_blocks();
    static dim3 thread_index();
    static dim3 dim_threads();
    struct arrival_token {
    };
    static arrival_token barrier_arrive();
    static void barrier_wait();
    static void barrier_wait(arrival_token &&);
    template <class T> static T *map_shared_rank(T *, int);
    template <class T> static unsigned int query_shared_rank(const T *);
};

template <unsigned int N, class Parent = void>
struct thread_block_tile : rf_warp_group {
    thread_block_tile() = default;
    template <class Other>
    thread_block_tile(const thread_block_tile<N, Other> &);
};

thread_block this_thread_block();
grid_group this_grid();
cluster_group this_cluster();
coalesced_group coalesced_threads();
thread_block_tile<1> this_thread();

template <unsigned int N, class Group>
thread_block_tile<N, Group> tiled_partition(const Group &);
thread_group tiled_partition(const thread_group &, unsigned int);
coalesced_group labeled_partition(const coalesced_group &, int);
coalesced_group binary_partition(const coalesced_group &, bool);

template <class Group> void sync(const Group &);
template <class Group, class T, class Op>
T reduce(const Group &, T, Op &&);
template <class Group, class T, class Op>
T inclusive_scan(const Group &, T, Op &&);
template <class Group, class T> T inclusive_scan(const Group &, T);
template <class Group, class T, class Op>
T exclusive_scan(const Group &, T, Op &&);
template <class Group, class T> T exclusive_scan(const Group &, T);
template <class Group, class... Args>
void memcpy_async(const Group &, Args &&...);
template <class Group> void wait(const Group &);
template <unsigned int N, class Group> void wait_prior(const Group &);
template <class Group, class F> void invoke_one(const Group &, F &&);

#define RF_OPERATOR(name)                                                      \
    template <class T> struct name {                                           \
        T operator()(T, T) const;                                              \
    };
RF_OPERATOR(plus)
RF_OPERATOR(less)
RF_OPERATOR(greater)
RF_OPERATOR(bit_and)
RF_OPERATOR(bit_or)
RF_OPERATOR(bit_xor)
#undef RF_OPERATOR

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
