/* Tensor maps and the copies that go through them (TMA), bulk copies.
 *
 * A tensor copy moves a box of a tensor in global memory to or from a dense
 * image of the box in shared memory. Dimension 0 is contiguous, so the image
 * is moved in chunks of 16 bytes: a chunk is a run of elements inside the
 * tensor between two runs outside, which loads fill and stores leave alone.
 * The swizzle permutes the chunks of the shared address (wgmma.h).
 *
 * In im2col mode the rows of the image are pixels: they walk the bounding box
 * of the spatial dimensions from the given one on, and each is read at a fixed
 * offset from its place (the tap of a convolution). */
#ifndef RF_EXEC_TMA_H
#define RF_EXEC_TMA_H

#include "exec/machine.h"

enum { RF_TENSOR_DIMS = 5 };

/* What a CUtensorMap holds on this device. */
typedef struct {
    uint64_t magic, address;
    uint64_t stride[RF_TENSOR_DIMS]; /* bytes; [0] is the element's size */
    uint32_t extent[RF_TENSOR_DIMS]; /* elements - 1 */
    uint16_t box[RF_TENSOR_DIMS];    /* im2col: channels, pixels */
    uint8_t element[RF_TENSOR_DIMS]; /* step between elements */
    int8_t lower[3], upper[3];       /* im2col: corners of the box */
    uint8_t rank, type, swizzle, fill, im2col;
} rf_tensor_map;

/* Numbers of CUtensorMapDataType: identifier, type here, floating */
#define RF_TENSOR_TYPES(X)                                                     \
    X(UINT8, U8, false)                                                        \
    X(UINT16, U16, false)                                                      \
    X(UINT32, U32, false)                                                      \
    X(INT32, S32, false)                                                       \
    X(UINT64, U64, false)                                                      \
    X(INT64, S64, false)                                                       \
    X(FLOAT16, F16, true)                                                      \
    X(FLOAT32, F32, true)                                                      \
    X(FLOAT64, F64, true)                                                      \
    X(BFLOAT16, BF16, true)                                                    \
    X(FLOAT32_FTZ, F32, true)                                                  \
    X(TFLOAT32, TF32, true)                                                    \
    X(TFLOAT32_FTZ, TF32, true)

/* The arguments of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col. */
typedef struct {
    int type;
    uint32_t rank;
    uint64_t address;
    const uint64_t *extent;   /* rank of them */
    const uint64_t *stride;   /* rank - 1, bytes */
    const uint32_t *box;      /* tiled: rank of them */
    const uint32_t *element;  /* rank of them */
    const int *lower, *upper; /* im2col: rank - 2 of them; else NULL */
    uint32_t channels, pixels;
    int interleave, swizzle, fill;
} rf_tensor_args;

/* Fill the 128 bytes of a tensor map; RF_INVALID_VALUE for arguments that the
 * driver refuses, RF_NOT_SUPPORTED for interleaved layouts. */
rf_status rf_tensor_map_encode(const rf_tensor_args *args, void *map);
/* Tell whether the 128 bytes at "map" hold a tensor map. */
bool rf_tensor_map_valid(const void *map);

/* Fields that tensormap.replace sets: identifier, spelling */
#define RF_TENSOR_FIELDS(X)                                                    \
    X(ADDRESS, "global_address")                                               \
    X(RANK, "rank")                                                            \
    X(BOX, "box_dim")                                                          \
    X(EXTENT, "global_dim")                                                    \
    X(STRIDE, "global_stride")                                                 \
    X(ELEMENT, "element_stride")                                               \
    X(TYPE, "elemtype")                                                        \
    X(INTERLEAVE, "interleave_layout")                                         \
    X(SWIZZLE, "swizzle_mode")                                                 \
    X(FILL, "fill_mode")

typedef enum {
#define X(id, spelling) RF_TENSOR_##id,
    RF_TENSOR_FIELDS(X)
#undef X
        RF_TENSOR_FIELD_COUNT
} rf_tensor_field;

/* Set field "field" (of dimension "n") of "map". */
void rf_tensor_map_replace(rf_tensor_map *map, rf_tensor_field field,
                           uint32_t n, uint64_t value);

typedef enum { RF_TENSOR_LOAD, RF_TENSOR_STORE, RF_TENSOR_REDUCE } rf_direction;

typedef struct {
    rf_direction direction;
    rf_atomic op; /* of a reduction */
    int32_t at[RF_TENSOR_DIMS];
    uint16_t offset[3]; /* im2col */
    uint64_t shared;    /* address of the image, 128-byte aligned */
    rf_space space;     /* of that address */
} rf_tensor_copy;

/* Bytes of the image of a box: what complete_tx counts. */
uint32_t rf_tensor_bytes(const rf_tensor_map *map);
/* Move the box. */
void rf_tensor_run(const rf_tensor_map *map, const rf_tensor_copy *copy,
                   const rf_access *access);

/* A bulk copy or reduction (cp.async.bulk, cp.reduce.async.bulk). */
typedef struct {
    rf_space to_space, from_space;
    uint64_t to, from;
    uint32_t size;
    bool reduce;
    rf_atomic op;
    rf_type type;
} rf_bulk_copy;

void rf_bulk_run(const rf_bulk_copy *copy, const rf_access *access);

#endif
