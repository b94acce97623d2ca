// Graph algorithms on a random graph: breadth-first search with a queue that
// warps fill together, PageRank in one cooperative launch with grid-wide
// barriers, shortest paths, triangle counting by intersection, and connected
// components with path halving, each against a plain version on the host.
// Uses managed memory, function pointers, recursion, virtual functions on the
// device, printf and the occupancy calls.
//
// run:
// expect: graph: all results right
// expect: hello from thread 3
#include <algorithm>
#include <climits>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <queue>
#include <set>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,            \
                         cudaGetErrorString(e_));                              \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

static int wrong;

// The larger error; a NaN is the worst of all.
static double worst(double a, double b)
{
    return b <= a ? a : b == b ? b : INFINITY;
}

static void verdict(const char *name, bool good)
{
    std::printf("%-12s %s\n", name, good ? "right" : "WRONG");
    wrong += !good;
}

// ---- the graph: compressed rows in managed memory ----

struct graph {
    int nodes, edges; // edges: both directions
    int *first, *to, *weight;
};

template <class T> T *managed(size_t n)
{
    T *p;
    CHECK(cudaMallocManaged(&p, n * sizeof(T)));
    return p;
}

static graph random_graph(int nodes, int degree, unsigned seed)
{
    std::vector<std::set<int>> next(nodes);
    auto random = [&seed] { return (seed = seed * 69069 + 1) >> 8; };
    for (int v = 0; v < nodes * degree / 2; v++) {
        int a = random() % nodes, b = random() % nodes;
        if (a == b || a % 97 == 0 || b % 97 == 0) // some nodes stay alone
            continue;
        next[a].insert(b);
        next[b].insert(a);
    }
    graph g = { nodes, 0, managed<int>(nodes + 1), nullptr, nullptr };
    g.first[0] = 0;
    for (int v = 0; v < nodes; v++)
        g.first[v + 1] = g.first[v] + (int)next[v].size();
    g.edges = g.first[nodes];
    g.to = managed<int>(g.edges);
    g.weight = managed<int>(g.edges);
    for (int v = 0; v < nodes; v++) {
        std::copy(next[v].begin(), next[v].end(), g.to + g.first[v]);
        for (int e = g.first[v]; e < g.first[v + 1]; e++) {
            int a = std::min(v, g.to[e]), b = std::max(v, g.to[e]);
            g.weight[e] = 1 + (a * 31 + b * 17) % 63;
        }
    }
    return g;
}

// ---- breadth-first search ----

// The lanes that are active reserve their slots with one atomic.
__device__ int reserve(int *counter)
{
    auto active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0)
        first = atomicAdd(counter, (int)active.size());
    return active.shfl(first, 0) + (int)active.thread_rank();
}

__global__ void bfs_level(graph g, const int *queue, int count, int *next,
                          int *next_count, int *level, int depth)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        int v = queue[i];
        for (int e = g.first[v]; e < g.first[v + 1]; e++) {
            int u = g.to[e];
            if (atomicCAS(&level[u], -1, depth) == -1)
                next[reserve(next_count)] = u;
        }
    }
}

static void test_bfs(const graph &g)
{
    int *level = managed<int>(g.nodes), *counter = managed<int>(1);
    int *queue[2] = { managed<int>(g.nodes), managed<int>(g.nodes) };
    std::fill(level, level + g.nodes, -1);
    queue[0][0] = 1;
    level[1] = 0;
    int depth = 0;
    for (int count = 1; count; count = *counter) {
        *counter = 0;
        bfs_level<<<4, 64>>>(g, queue[depth % 2], count,
                             queue[(depth + 1) % 2], counter, level, depth + 1);
        CHECK(cudaDeviceSynchronize());
        depth++;
    }
    std::vector<int> want(g.nodes, -1);
    std::queue<int> q;
    want[1] = 0;
    for (q.push(1); !q.empty(); q.pop()) {
        int v = q.front();
        for (int e = g.first[v]; e < g.first[v + 1]; e++)
            if (want[g.to[e]] < 0) {
                want[g.to[e]] = want[v] + 1;
                q.push(g.to[e]);
            }
    }
    verdict("bfs", std::equal(want.begin(), want.end(), level));
    for (int *p : { level, counter, queue[0], queue[1] })
        CHECK(cudaFree(p));
}

// ---- PageRank: one launch, a barrier over the grid a step ----

__global__ void page_rank(graph g, float *rank, float *share, float *change,
                          int steps)
{
    cg::grid_group grid = cg::this_grid();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int step = 0; step < steps; step++) {
        if (grid.thread_rank() == 0)
            change[step] = 0;
        for (int v = grid.thread_rank(); v < g.nodes; v += grid.size()) {
            int degree = g.first[v + 1] - g.first[v];
            share[v] = degree ? rank[v] / degree : 0;
        }
        grid.sync();
        float moved = 0;
        for (int v = grid.thread_rank(); v < g.nodes; v += grid.size()) {
            float sum = 0;
            for (int e = g.first[v]; e < g.first[v + 1]; e++)
                sum += share[g.to[e]];
            float r = 0.15f / g.nodes + 0.85f * sum;
            moved += fabsf(r - rank[v]);
            rank[v] = r;
        }
        moved = cg::reduce(warp, moved, cg::plus<float>());
        if (warp.thread_rank() == 0)
            atomicAdd(&change[step], moved);
        grid.sync();
    }
}

static void test_page_rank(graph g)
{
    int steps = 12, per_sm = 0, cooperative = 0;
    CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch,
                                 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, page_rank,
                                                        128, 0));
    float *rank = managed<float>(g.nodes), *share = managed<float>(g.nodes);
    float *change = managed<float>(steps);
    std::fill(rank, rank + g.nodes, 1.0f / g.nodes);
    std::vector<double> want(g.nodes, 1.0 / g.nodes);
    void *args[] = { &g, &rank, &share, &change, &steps };
    CHECK(cudaLaunchCooperativeKernel((void *)page_rank, dim3(6), dim3(128),
                                      args, 0, nullptr));
    CHECK(cudaDeviceSynchronize());
    for (int step = 0; step < steps; step++) {
        std::vector<double> next(g.nodes, 0.15 / g.nodes);
        for (int v = 0; v < g.nodes; v++)
            for (int e = g.first[v]; e < g.first[v + 1]; e++)
                next[g.to[e]] +=
                    0.85 * want[v] / (g.first[v + 1] - g.first[v]);
        want = next;
    }
    double error = 0;
    for (int v = 0; v < g.nodes; v++)
        error = worst(error, std::fabs(rank[v] - want[v]) / want[v]);
    verdict("page rank", error < 1e-4 && change[steps - 1] < change[0] &&
                             per_sm > 0 && cooperative);
    for (float *p : { rank, share, change })
        CHECK(cudaFree(p));
}

// ---- shortest paths: relax until nothing changes ----

__global__ void relax(graph g, int *distance, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.nodes)
        return;
    int from = atomicAdd(&distance[v], 0);
    if (from == INT_MAX)
        return;
    for (int e = g.first[v]; e < g.first[v + 1]; e++)
        if (atomicMin(&distance[g.to[e]], from + g.weight[e]) >
            from + g.weight[e])
            atomicOr(changed, 1);
}

static void test_paths(const graph &g)
{
    int *distance = managed<int>(g.nodes), *changed = managed<int>(1);
    std::fill(distance, distance + g.nodes, INT_MAX);
    distance[1] = 0;
    do {
        *changed = 0;
        relax<<<(g.nodes + 127) / 128, 128>>>(g, distance, changed);
        CHECK(cudaDeviceSynchronize());
    } while (*changed);
    std::vector<int> want(g.nodes, INT_MAX);
    std::priority_queue<std::pair<int, int>> q;
    q.push({ 0, 1 });
    want[1] = 0;
    while (!q.empty()) {
        auto [d, v] = q.top();
        q.pop();
        if (-d > want[v])
            continue;
        for (int e = g.first[v]; e < g.first[v + 1]; e++)
            if (want[v] + g.weight[e] < want[g.to[e]]) {
                want[g.to[e]] = want[v] + g.weight[e];
                q.push({ -want[g.to[e]], g.to[e] });
            }
    }
    verdict("paths", std::equal(want.begin(), want.end(), distance));
    CHECK(cudaFree(distance));
    CHECK(cudaFree(changed));
}

// ---- triangles: sorted neighbour lists, a binary search by recursion ----

__device__ bool contains(const int *list, int n, int x)
{
    if (n == 0)
        return false;
    int middle = n / 2;
    if (list[middle] == x)
        return true;
    return x < list[middle]
               ? contains(list, middle, x)
               : contains(list + middle + 1, n - middle - 1, x);
}

__global__ void triangles(graph g, unsigned long long *total)
{
    __shared__ unsigned block_total;
    if (threadIdx.x == 0)
        block_total = 0;
    __syncthreads();
    unsigned mine = 0;
    for (int v = blockIdx.x; v < g.nodes; v += gridDim.x)
        for (int e = g.first[v] + threadIdx.x; e < g.first[v + 1];
             e += blockDim.x) {
            int u = g.to[e];
            if (u < v)
                continue;
            for (int f = g.first[u]; f < g.first[u + 1]; f++)
                if (g.to[f] > u && contains(g.to + g.first[v],
                                            g.first[v + 1] - g.first[v],
                                            g.to[f]))
                    mine++;
        }
    mine = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&block_total, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, (unsigned long long)block_total);
}

static void test_triangles(const graph &g)
{
    unsigned long long *total = managed<unsigned long long>(1), want = 0;
    *total = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    triangles<<<20, 64>>>(g, total);
    CHECK(cudaDeviceSynchronize());
    for (int v = 0; v < g.nodes; v++)
        for (int e = g.first[v]; e < g.first[v + 1]; e++)
            for (int f = g.first[g.to[e]]; f < g.first[g.to[e] + 1]; f++)
                want += v < g.to[e] && g.to[e] < g.to[f] &&
                        std::binary_search(g.to + g.first[v],
                                           g.to + g.first[v + 1], g.to[f]);
    verdict("triangles", *total == want && want > 0);
    CHECK(cudaFree(total));
}

// ---- components: union-find with atomics ----

__device__ int root_of(int *parent, int v)
{
    for (int p = atomicAdd(&parent[v], 0); p != v;) {
        int q = atomicAdd(&parent[p], 0);
        if (q != p)
            atomicCAS(&parent[v], p, q);
        v = q;
        p = atomicAdd(&parent[v], 0);
    }
    return v;
}

__global__ void unite(graph g, int *parent)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.nodes)
        return;
    for (int e = g.first[v]; e < g.first[v + 1]; e++)
        for (;;) {
            int a = root_of(parent, v), b = root_of(parent, g.to[e]);
            if (a == b)
                break;
            if (atomicCAS(&parent[max(a, b)], max(a, b), min(a, b)) ==
                max(a, b))
                break;
        }
}

__global__ void flatten(int *parent, int *roots, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && root_of(parent, v) == v)
        atomicAdd(roots, 1);
}

static void test_components(const graph &g)
{
    int *parent = managed<int>(g.nodes), *roots = managed<int>(1);
    std::iota(parent, parent + g.nodes, 0);
    *roots = 0;
    unite<<<(g.nodes + 63) / 64, 64>>>(g, parent);
    flatten<<<(g.nodes + 63) / 64, 64>>>(parent, roots, g.nodes);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> want(g.nodes, -1);
    int n = 0;
    for (int s = 0; s < g.nodes; s++) {
        std::vector<int> stack;
        if (want[s] < 0) {
            want[s] = n++;
            stack.push_back(s);
        }
        while (!stack.empty()) {
            int v = stack.back();
            stack.pop_back();
            for (int e = g.first[v]; e < g.first[v + 1]; e++)
                if (want[g.to[e]] < 0) {
                    want[g.to[e]] = want[s];
                    stack.push_back(g.to[e]);
                }
        }
    }
    verdict("components", *roots == n && n > 1);
    CHECK(cudaFree(parent));
    CHECK(cudaFree(roots));
}

// ---- function pointers and virtual functions ----

using unary = int (*)(int);
__device__ int twice(int x)
{
    return 2 * x;
}
__device__ int square(int x)
{
    return x * x;
}
__device__ unary table[] = { twice, square };

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape()
    {
    }
};

struct box : shape {
    int a, b;
    __device__ box(int x, int y) : a(x), b(y)
    {
    }
    __device__ int area() const override
    {
        return a * b;
    }
};

struct cube : box {
    __device__ explicit cube(int x) : box(x, x)
    {
    }
    __device__ int area() const override
    {
        return 6 * box::area();
    }
};

__global__ void dispatch(int *out)
{
    int i = threadIdx.x;
    out[i] = table[i % 2](i);
    shape *s = i % 3 ? (shape *)new box(i, 2) : (shape *)new cube(i);
    out[i] += s->area();
    delete s;
    if (i == 3)
        printf("hello from thread %d, %s %.1f\n", i, "pi is near", 3.14159);
}

static void test_dispatch()
{
    int *out = managed<int>(64), bad = 0;
    dispatch<<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        bad += out[i] != (i % 2 ? i * i : 2 * i) + (i % 3 ? 2 * i : 6 * i * i);
    verdict("dispatch", !bad);
    CHECK(cudaFree(out));
}

int main()
{
    graph g = random_graph(600, 8, 2024);
    std::printf("%d nodes, %d edges\n", g.nodes, g.edges / 2);
    test_bfs(g);
    test_page_rank(g);
    test_paths(g);
    test_triangles(g);
    test_components(g);
    test_dispatch();
    for (int *p : { g.first, g.to, g.weight })
        CHECK(cudaFree(p));
    std::printf("graph: %s\n", wrong ? "FAILED" : "all results right");
    return wrong != 0;
}
