/* Special registers: identifier, name, value. In "value" the names are those
 * of rf_special_fill (launch.c): T thread index, i lane, B block dimensions, b
 * block index, G grid, C cluster dimensions, K the kernel. */
#ifndef RF_EXEC_SPECIAL_H
#define RF_EXEC_SPECIAL_H

#define RF_SPECIALS(X)                                                         \
    X(TID_X, "%tid.x", t % B.x)                                                \
    X(TID_Y, "%tid.y", t / B.x % B.y)                                          \
    X(TID_Z, "%tid.z", t / B.x / B.y)                                          \
    X(NTID_X, "%ntid.x", B.x)                                                  \
    X(NTID_Y, "%ntid.y", B.y)                                                  \
    X(NTID_Z, "%ntid.z", B.z)                                                  \
    X(CTAID_X, "%ctaid.x", b.x)                                                \
    X(CTAID_Y, "%ctaid.y", b.y)                                                \
    X(CTAID_Z, "%ctaid.z", b.z)                                                \
    X(NCTAID_X, "%nctaid.x", G.x)                                              \
    X(NCTAID_Y, "%nctaid.y", G.y)                                              \
    X(NCTAID_Z, "%nctaid.z", G.z)                                              \
    X(LANEID, "%laneid", i)                                                    \
    X(WARPID, "%warpid", w->id)                                                \
    X(NWARPID, "%nwarpid", 64)                                                 \
    X(SMID, "%smid", (b.x + b.y * G.x) % 132)                                  \
    X(NSMID, "%nsmid", 132)                                                    \
    X(LANEMASK_EQ, "%lanemask_eq", 1u << i)                                    \
    X(LANEMASK_LT, "%lanemask_lt", (1u << i) - 1)                              \
    X(LANEMASK_LE, "%lanemask_le", (2u << i) - 1)                              \
    X(LANEMASK_GT, "%lanemask_gt", ~((2u << i) - 1))                           \
    X(LANEMASK_GE, "%lanemask_ge", ~((1u << i) - 1))                           \
    X(CLUSTERID_X, "%clusterid.x", b.x / C.x)                                  \
    X(CLUSTERID_Y, "%clusterid.y", b.y / C.y)                                  \
    X(CLUSTERID_Z, "%clusterid.z", b.z / C.z)                                  \
    X(NCLUSTERID_X, "%nclusterid.x", G.x / C.x)                                \
    X(NCLUSTERID_Y, "%nclusterid.y", G.y / C.y)                                \
    X(NCLUSTERID_Z, "%nclusterid.z", G.z / C.z)                                \
    X(CLUSTER_CTAID_X, "%cluster_ctaid.x", b.x % C.x)                          \
    X(CLUSTER_CTAID_Y, "%cluster_ctaid.y", b.y % C.y)                          \
    X(CLUSTER_CTAID_Z, "%cluster_ctaid.z", b.z % C.z)                          \
    X(CLUSTER_NCTAID_X, "%cluster_nctaid.x", C.x)                              \
    X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y", C.y)                              \
    X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z", C.z)                              \
    X(CLUSTER_CTARANK, "%cluster_ctarank", w->block->rank)                     \
    X(CLUSTER_NCTARANK, "%cluster_nctarank", C.x *C.y *C.z)                    \
    X(DYNAMIC_SMEM, "%dynamic_smem_size", g->dynamic_shared)                   \
    X(TOTAL_SMEM, "%total_smem_size", g->shared_size)                          \
    X(ENVREG1, "%envreg1", (uint32_t)(g->workspace >> 32))                     \
    X(ENVREG2, "%envreg2", (uint32_t)g->workspace)                             \
    X(GRIDID, "%gridid", g->serial)                                            \
    X(EXPLICIT_CLUSTER, "%is_explicit_cluster", 0)                             \
    X(RESERVED_OFFSET_0, "%reserved_smem_offset_0", 0)                         \
    X(RESERVED_OFFSET_1, "%reserved_smem_offset_1", 0)                         \
    X(RESERVED_CAP, "%reserved_smem_offset_cap", RF_SHARED_START)              \
    X(RESERVED_BEGIN, "%reserved_smem_offset_begin", 0)                        \
    X(RESERVED_END, "%reserved_smem_offset_end", RF_SHARED_START)

enum {
#define X(id, name, value) RF_SPECIAL_##id,
    RF_SPECIALS(X)
#undef X
        RF_SPECIAL_COUNT
};

#endif
