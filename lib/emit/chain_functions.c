/* The device functions that chains call, each written once into a file, before
 * the first kernel that calls it. Where the device's way takes assembly, the
 * branch for older devices says in plain words what it does; it is what the
 * proof reads, and what -DRF_PLAIN builds. */
#include "emit/chain.h"

#include <string.h>

static const char sync[] =
    "// The blocks of a cluster meet: what they wrote before is seen after.\n"
    "static __device__ inline void rf_cluster_sync()\n"
    "{\n"
    "    __cluster_barrier_arrive();\n"
    "    __cluster_barrier_wait();\n"
    "}\n"
    "\n";

static const char gate[] =
    "// Two barriers in shared memory for groups of `size` blocks: all "
    "threads\n"
    "// of a block arrive at its own, and one of each of the others.\n"
    "static __device__ inline void rf_cluster_gate(unsigned long long *gate,\n"
    "                                              int size)\n"
    "{\n"
    "#if __CUDA_ARCH__ >= 900 && !defined(RF_PLAIN)\n"
    "    for (int i = 0; i < 2 && threadIdx.x == 0; i++)\n"
    "        asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\\n\"\n"
    "                     \"fence.mbarrier_init.release.cluster;\" ::\"r\"(\n"
    "                         (unsigned)__cvta_generic_to_shared(gate + i)),\n"
    "                     \"r\"((unsigned)(blockDim.x + size - 1))\n"
    "                     : \"memory\");\n"
    "#endif\n"
    "}\n"
    "\n";

static const char meet[] =
    "// Blocks that are `step` apart in the cluster, `size` of them, meet; "
    "this\n"
    "// one is number `own`. Other groups do not wait.\n"
    "static __device__ inline void rf_cluster_meet(unsigned long long *gate,\n"
    "                                              int own, int step, int "
    "size)\n"
    "{\n"
    "#if __CUDA_ARCH__ >= 900 && !defined(RF_PLAIN)\n"
    "    const unsigned at = (unsigned)__cvta_generic_to_shared(gate);\n"
    "    const int first = __clusterRelativeBlockRank() - own * step;\n"
    "    unsigned long long phase;\n"
    "    __syncthreads();\n"
    "    asm volatile(\"mbarrier.arrive.release.cluster.shared::cta.b64 %0, "
    "[%1];\"\n"
    "                 : \"=l\"(phase)\n"
    "                 : \"r\"(at)\n"
    "                 : \"memory\");\n"
    "    for (int q = threadIdx.x; q < size; q += blockDim.x)\n"
    "        if (q != own)\n"
    "            asm volatile(\n"
    "                \"{ .reg .b32 to;\\n\"\n"
    "                \"mapa.shared::cluster.u32 to, %0, %1;\\n\"\n"
    "                \"mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
    "[to]; }\"\n"
    "                ::\"r\"(at), \"r\"(first + q * step)\n"
    "                : \"memory\");\n"
    "    int open = 0;\n"
    "    while (!open)\n"
    "        asm volatile(\n"
    "            \"{ .reg .pred p;\\n\"\n"
    "            \"mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [%1], "
    "%2;\\n\"\n"
    "            \"selp.b32 %0, 1, 0, p; }\"\n"
    "            : \"=r\"(open)\n"
    "            : \"r\"(at), \"l\"(phase)\n"
    "            : \"memory\");\n"
    "#else\n"
    "    rf_cluster_sync();\n"
    "#endif\n"
    "}\n"
    "\n";

static const char scatter[] =
    "// Reduce-scatter, first half: block q of the group receives part q of\n"
    "// the n elements of every block's tile, block r's in slot r of its "
    "inbox.\n"
    "template <class T>\n"
    "static __device__ void rf_cluster_scatter(const T *tile, T *inbox, int "
    "n,\n"
    "                                          int own, int step, int size,\n"
    "                                          unsigned long long *gate)\n"
    "{\n"
    "    const int part = n / size;\n"
    "    const int first = __clusterRelativeBlockRank() - own * step;\n"
    "    rf_cluster_meet(&gate[0], own, step, size); // the inboxes are free\n"
    "    for (int t = threadIdx.x; t < n; t += blockDim.x) {\n"
    "        const int q = first + t / part * step;\n"
    "        T *to = (T *)__cluster_map_shared_rank(inbox, q);\n"
    "        to[own * part + t % part] = tile[t];\n"
    "    }\n"
    "    rf_cluster_meet(&gate[1], own, step, size);\n"
    "}\n"
    "\n";

static const char exchange[] =
    "// All-exchange: block r's n elements go to slot r of every inbox of the\n"
    "// group.\n"
    "template <class T>\n"
    "static __device__ void rf_cluster_exchange(const T *tile, T *inbox, int "
    "n,\n"
    "                                           int own, int step, int size,\n"
    "                                           unsigned long long *gate)\n"
    "{\n"
    "    const int first = __clusterRelativeBlockRank() - own * step;\n"
    "    rf_cluster_meet(&gate[0], own, step, size); // the inboxes are free\n"
    "    for (int q = 0; q < size; q++) {\n"
    "        T *to = (T *)__cluster_map_shared_rank(inbox, first + q * step);\n"
    "        for (int t = threadIdx.x; t < n; t += blockDim.x)\n"
    "            to[own * n + t] = tile[t];\n"
    "    }\n"
    "    rf_cluster_meet(&gate[1], own, step, size);\n"
    "}\n"
    "\n";

static const char pass[] =
    "// A ring: every block gives its tile to the block before it.\n"
    "template <class T>\n"
    "static __device__ void rf_cluster_pass(T *tile, T *next, int n, int own,\n"
    "                                       int step, int size,\n"
    "                                       unsigned long long *gate)\n"
    "{\n"
    "    const int first = __clusterRelativeBlockRank() - own * step;\n"
    "    const int before = first + (own + size - 1) % size * step;\n"
    "    T *to = (T *)__cluster_map_shared_rank(next, before);\n"
    "    rf_cluster_meet(&gate[0], own, step, size); // the inboxes are free\n"
    "    for (int t = threadIdx.x; t < n; t += blockDim.x)\n"
    "        to[t] = tile[t];\n"
    "    rf_cluster_meet(&gate[1], own, step, size);\n"
    "    for (int t = threadIdx.x; t < n; t += blockDim.x)\n"
    "        tile[t] = next[t];\n"
    "    __syncthreads();\n"
    "}\n"
    "\n";

static const char sum_of[] =
    "// What the blocks of a group gave, summed in their order, so that two "
    "runs\n"
    "// give the same bits.\n"
    "template <class T>\n"
    "static __device__ T rf_cluster_sum(const T *inbox, int part, int t, int "
    "size)\n"
    "{\n"
    "    T sum = inbox[t];\n"
    "    for (int r = 1; r < size; r++)\n"
    "        sum += inbox[r * part + t];\n"
    "    return sum;\n"
    "}\n"
    "\n";

static const char copy[] =
    "// To shared memory from global memory; it is there after "
    "rf_copy_wait().\n"
    "static __device__ inline void rf_copy_async(float *to, const float "
    "*from)\n"
    "{\n"
    "#if __CUDA_ARCH__ >= 800 && !defined(RF_PLAIN)\n"
    "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" ::\"r\"(\n"
    "                     (unsigned)__cvta_generic_to_shared(to)),\n"
    "                 \"l\"(from)\n"
    "                 : \"memory\");\n"
    "#else\n"
    "    *to = *from;\n"
    "#endif\n"
    "}\n"
    "\n"
    "// The copies of this thread are there; those of others after a barrier.\n"
    "static __device__ inline void rf_copy_wait()\n"
    "{\n"
    "#if __CUDA_ARCH__ >= 800 && !defined(RF_PLAIN)\n"
    "    asm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n"
    "#endif\n"
    "}\n"
    "\n";

static const char place[] =
    "// Row and column of sum v of this lane, of 16 x 32 that a warp has.\n"
    "static __device__ inline int rf_mma_row(int v)\n"
    "{\n"
    "    return threadIdx.x % 32 / 4 + v / 2 % 2 * 8;\n"
    "}\n"
    "static __device__ inline int rf_mma_column(int v)\n"
    "{\n"
    "    return v / 4 * 8 + threadIdx.x % 4 * 2 + v % 2;\n"
    "}\n"
    "\n";

/* The product of a warp on tensor cores, for a type of 16 bits: "word" in the
 * instruction, "to_float" to convert it. */
#define RF_MMA(type, word, to_float)                                           \
    "// By a warp: sums += a[16][16] * b[16][32], whose rows are lda and ldb " \
    "apart.\n"                                                                 \
    "static __device__ inline void rf_mma_" word "(float *sums, const " type   \
    " *a, int lda,\n"                                                          \
    "                                 const " type " *b, int ldb)\n"           \
    "{\n"                                                                      \
    "#if __CUDA_ARCH__ >= 800 && !defined(RF_PLAIN)\n"                         \
    "    const int lane = threadIdx.x % 32;\n"                                 \
    "    unsigned x[4], y[2];\n"                                               \
    "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 \"\n"         \
    "                 \"{%0, %1, %2, %3}, [%4];\"\n"                           \
    "                 : \"=r\"(x[0]), \"=r\"(x[1]), \"=r\"(x[2]), "            \
    "\"=r\"(x[3])\n"                                                           \
    "                 : \"r\"((unsigned)__cvta_generic_to_shared(\n"           \
    "                     a + lane % 16 * lda + lane / 16 * 8))\n"             \
    "                 : \"memory\");\n"                                        \
    "#pragma unroll\n"                                                         \
    "    for (int v = 0; v < 16; v += 4) {\n"                                  \
    "        asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "   \
    "\"\n"                                                                     \
    "                     \"{%0, %1}, [%2];\"\n"                               \
    "                     : \"=r\"(y[0]), \"=r\"(y[1])\n"                      \
    "                     : \"r\"((unsigned)__cvta_generic_to_shared(\n"       \
    "                         b + lane % 16 * ldb + v * 2))\n"                 \
    "                     : \"memory\");\n"                                    \
    "        asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32." word       \
    "." word ".f32 \"\n"                                                       \
    "                     \"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "    \
    "\"\n"                                                                     \
    "                     \"{%0, %1, %2, %3};\"\n"                             \
    "                     : \"+f\"(sums[v]), \"+f\"(sums[v + 1]), "            \
    "\"+f\"(sums[v + 2]),\n"                                                   \
    "                       \"+f\"(sums[v + 3])\n"                             \
    "                     : \"r\"(x[0]), \"r\"(x[1]), \"r\"(x[2]), "           \
    "\"r\"(x[3]), \"r\"(y[0]),\n"                                              \
    "                       \"r\"(y[1]));\n"                                   \
    "    }\n"                                                                  \
    "#else\n"                                                                  \
    "    for (int v = 0; v < 16; v++)\n"                                       \
    "        for (int k = 0; k < 16; k++)\n"                                   \
    "            sums[v] += " to_float "(a[rf_mma_row(v) * lda + k]) *\n"      \
    "                       " to_float "(b[k * ldb + rf_mma_column(v)]);\n"    \
    "#endif\n"                                                                 \
    "}\n"                                                                      \
    "\n"

static const char consent[] =
    "// Clusters of more than 8 blocks: clang's attribute has no room for "
    "them;\n"
    "// elsewhere they need the kernel's consent.\n"
    "#ifdef __clang__\n"
    "#define RF_LARGE_CLUSTER(blocks)\n"
    "#else\n"
    "#define RF_LARGE_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)\n"
    "#endif\n"
    "\n"
    "template <class Kernel>\n"
    "static unsigned rf_large_grid(Kernel *kernel, unsigned blocks)\n"
    "{\n"
    "#ifdef __clang__\n"
    "    __builtin_trap(); // built without clusters\n"
    "#endif\n"
    "    cudaFuncSetAttribute(\n"
    "        kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);\n"
    "    return blocks;\n"
    "}\n"
    "\n";

const char *rf_emit_chain_consent(void)
{
    return consent;
}

/* Text, and the calls that need it. */
static const struct {
    const char *text, *calls[2];
} functions[] = {
    { sync, { "rf_cluster_sync(", NULL } },
    { gate, { "rf_cluster_gate(", NULL } },
    { meet, { "rf_cluster_gate(", NULL } },
    { scatter, { "rf_cluster_scatter(", NULL } },
    { exchange, { "rf_cluster_exchange(", NULL } },
    { pass, { "rf_cluster_pass(", NULL } },
    { sum_of, { "rf_cluster_sum(", NULL } },
    { copy, { "rf_copy_async(", NULL } },
    { place, { "rf_mma_f16(", "rf_mma_bf16(" } },
    { RF_MMA("__half", "f16", "__half2float"), { "rf_mma_f16(", NULL } },
    { RF_MMA("__nv_bfloat16", "bf16", "__bfloat162float"),
      { "rf_mma_bf16(", NULL } },
};

const char *rf_emit_chain_function(unsigned i)
{
    return i < RF_COUNTOF(functions) ? functions[i].text : NULL;
}

bool rf_emit_chain_calls(const char *kernel, unsigned i)
{
    for (unsigned k = 0; k < 2 && functions[i].calls[k]; k++)
        if (strstr(kernel, functions[i].calls[k]))
            return true;
    return false;
}
