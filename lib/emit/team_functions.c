/* Rows of a cluster: what the blocks need to meet (THEORY 9, Hopper facts).
 *
 * States are pushed: stores to the shared memory of another block are faster
 * than loads. Both ends of the exchange are barriers of the whole cluster: all
 * blocks have begun before the first remote store, and none leaves before the
 * last. Where there are no clusters, the first block folds the row alone. */
#include "emit/emit.h"

static const char dimensions[] =
    "// Clusters that a kernel must be launched with: from sm_90 on.\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900\n"
    "#define RF_TEAM(blocks)\n"
    "#define RF_TEAM_BLOCKS(blocks) 1\n"
    "#else\n"
    "#define RF_TEAM(blocks) __cluster_dims__(blocks, 1, 1)\n"
    "#define RF_TEAM_BLOCKS(blocks) blocks\n"
    "#endif\n"
    "\n";

static const char functions[] =
    "// Blocks that fold a row together: a cluster, from sm_90 on. Elsewhere\n"
    "// the first of them works alone.\n"
    "static __device__ inline unsigned rf_team_blocks()\n"
    "{\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n"
    "    return __clusterSizeInBlocks();\n"
    "#else\n"
    "    return 1;\n"
    "#endif\n"
    "}\n"
    "\n"
    "// What the threads of the team wrote before is seen after.\n"
    "static __device__ inline void rf_team_sync()\n"
    "{\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n"
    "    __cluster_barrier_arrive();\n"
    "    __cluster_barrier_wait();\n"
    "#else\n"
    "    __syncthreads();\n"
    "#endif\n"
    "}\n"
    "\n"
    "// This block's value, in its slot of every block: pushed, not pulled.\n"
    "template <class T>\n"
    "static __device__ void rf_team_push(T *slots, T value)\n"
    "{\n"
    "    const unsigned blocks = rf_team_blocks();\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n"
    "    const unsigned rank = threadIdx.x % blocks; // there is such a block\n"
    "    T *to = (T *)__cluster_map_shared_rank(slots, rank);\n"
    "    if (threadIdx.x < blocks)\n"
    "        to[__clusterRelativeBlockRank()] = value;\n"
    "#else\n"
    "    if (threadIdx.x < blocks)\n"
    "        slots[0] = value;\n"
    "#endif\n"
    "}\n"
    "\n";

static const char consent[] =
    "// Clusters of more than 8 blocks: not with clang, whose attribute has\n"
    "// no room for them; elsewhere they need the kernel's consent.\n"
    "#ifdef __clang__\n"
    "#define RF_LARGE_TEAM(blocks)\n"
    "#define RF_LARGE_TEAM_BLOCKS(blocks) 1\n"
    "#else\n"
    "#define RF_LARGE_TEAM(blocks) RF_TEAM(blocks)\n"
    "#define RF_LARGE_TEAM_BLOCKS(blocks) RF_TEAM_BLOCKS(blocks)\n"
    "#endif\n"
    "\n"
    "template <class Kernel>\n"
    "static unsigned rf_team_grid(Kernel *kernel, unsigned blocks)\n"
    "{\n"
    "    const cudaFuncAttribute large =\n"
    "        cudaFuncAttributeNonPortableClusterSizeAllowed;\n"
    "    if (cudaFuncSetAttribute(kernel, large, 1) != cudaSuccess)\n"
    "        cudaGetLastError(); // no clusters: the first block works alone\n"
    "    return blocks;\n"
    "}\n"
    "\n";

static const char launch[] =
    "// A launch with clusters of \"blocks\" blocks, where the device has "
    "room\n"
    "// for one; elsewhere the first block of each works alone.\n"
    "template <class... P>\n"
    "static void rf_team_launch(void (*kernel)(P...), unsigned blocks,\n"
    "                           dim3 grid, dim3 block, size_t shared,\n"
    "                           cudaStream_t stream,\n"
    "                           typename rf_as_it_is<P>::type... args)\n"
    "{\n"
    "    const cudaFuncAttribute large =\n"
    "        cudaFuncAttributeNonPortableClusterSizeAllowed;\n"
    "    cudaLaunchAttribute cluster = {};\n"
    "    cluster.id = cudaLaunchAttributeClusterDimension;\n"
    "    cluster.val.clusterDim.x = blocks;\n"
    "    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;\n"
    "    cudaLaunchConfig_t config = {};\n"
    "    config.gridDim = grid;\n"
    "    config.blockDim = block;\n"
    "    config.dynamicSmemBytes = shared;\n"
    "    config.stream = stream;\n"
    "    config.attrs = &cluster;\n"
    "    config.numAttrs = 1;\n"
    "    int most = 0;\n"
    "    if ((blocks > 8 &&\n"
    "         cudaFuncSetAttribute(kernel, large, 1) != cudaSuccess) ||\n"
    "        cudaOccupancyMaxActiveClusters(&most, kernel, &config) !=\n"
    "            cudaSuccess ||\n"
    "        most < 1) {\n"
    "        cudaGetLastError(); // no clusters is no failure\n"
    "        config.numAttrs = 0;\n"
    "    }\n"
    "    cudaLaunchKernelEx(&config, kernel, args...);\n"
    "}\n"
    "\n";

const char *rf_emit_team_dimensions(void)
{
    return dimensions;
}

const char *rf_emit_team_launch(void)
{
    return launch;
}

const char *rf_emit_team_consent(void)
{
    return consent;
}

const char *rf_emit_team_functions(void)
{
    return functions;
}
