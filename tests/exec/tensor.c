/* Tensor maps, swizzles and wgmma descriptors as pure functions, over memory
 * that is an array. */
#include "exec/tma.h"
#include "exec/wgmma.h"

#include <criterion/criterion.h>
#include <string.h>

/* ---- memory ---- */

typedef struct {
    uint8_t shared[32768], global[32768];
} memory;

static uint8_t *place(memory *m, rf_space space, uint64_t address)
{
    return space == RF_SPACE_GLOBAL ? m->global + address : m->shared + address;
}

static void read_memory(void *context, rf_space space, uint64_t address,
                        void *bytes, uint32_t n)
{
    memcpy(bytes, place(context, space, address), n);
}

static void write_memory(void *context, rf_space space, uint64_t address,
                         const void *bytes, uint32_t n)
{
    memcpy(place(context, space, address), bytes, n);
}

static void reduce_memory(void *context, rf_space space, uint64_t address,
                          const void *bytes, uint32_t n, rf_atomic op,
                          rf_type type)
{
    uint8_t *to = place(context, space, address);
    cr_assert_eq(op, RF_ATOM_ADD);
    cr_assert_eq(type, RF_T_U32);
    for (uint32_t i = 0; i < n; i += 4) {
        uint32_t a, b;
        memcpy(&a, to + i, 4);
        memcpy(&b, (const uint8_t *)bytes + i, 4);
        a += b;
        memcpy(to + i, &a, 4);
    }
}

static rf_access access_to(memory *m)
{
    return (rf_access){ m, read_memory, write_memory, reduce_memory };
}

/* ---- maps ---- */

enum { U32 = 2, F32 = 7 }; /* of RF_TENSOR_TYPES */

static rf_tensor_map map_2d(int type, uint64_t cols, uint64_t rows,
                            uint32_t box_cols, uint32_t box_rows, int swizzle)
{
    union {
        rf_tensor_map map;
        uint8_t bytes[128];
    } m;
    uint64_t extent[] = { cols, rows }, stride[] = { cols * 4 };
    uint32_t box[] = { box_cols, box_rows }, element[] = { 1, 1 };
    rf_tensor_args args = { .type = type,
                            .rank = 2,
                            .extent = extent,
                            .stride = stride,
                            .box = box,
                            .element = element,
                            .swizzle = swizzle };
    cr_assert_eq(rf_tensor_map_encode(&args, m.bytes), RF_OK);
    cr_assert(rf_tensor_map_valid(m.bytes));
    return m.map;
}

static uint32_t word(const uint8_t *bytes)
{
    uint32_t w;
    memcpy(&w, bytes, 4);
    return w;
}

/* Words count up from 1 through "bytes". */
static void number(uint8_t *bytes, int words)
{
    for (uint32_t i = 0; i < (uint32_t)words; i++) {
        uint32_t v = i + 1;
        memcpy(bytes + 4 * i, &v, 4);
    }
}

Test(tensor, loads_fill_what_lies_outside)
{
    static memory m;
    rf_access access = access_to(&m);
    rf_tensor_map map = map_2d(U32, 12, 10, 8, 4, 0);
    rf_tensor_copy copy = { .direction = RF_TENSOR_LOAD,
                            .at = { 6, -1 },
                            .space = RF_SPACE_SHARED };
    number(m.global, 120);
    memset(m.shared, 0xee, sizeof m.shared);
    rf_tensor_run(&map, &copy, &access);
    cr_assert_eq(rf_tensor_bytes(&map), 8 * 4 * 4);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 8; c++) {
            int row = r - 1, col = c + 6;
            bool inside = row >= 0 && col < 12;
            cr_assert_eq(word(m.shared + (r * 8 + c) * 4),
                         inside ? (uint32_t)(row * 12 + col + 1) : 0);
        }
}

Test(tensor, stores_leave_what_lies_outside)
{
    static memory m;
    rf_access access = access_to(&m);
    rf_tensor_map map = map_2d(U32, 12, 10, 8, 4, 0);
    rf_tensor_copy copy = { .direction = RF_TENSOR_STORE,
                            .at = { 10, 8 },
                            .space = RF_SPACE_SHARED };
    number(m.shared, 32);
    rf_tensor_run(&map, &copy, &access);
    int written = 0;
    for (int i = 0; i < 4096; i++)
        written += word(m.global + 4 * i) != 0;
    cr_assert_eq(written, 4);
    cr_assert_eq(word(m.global + 4 * (8 * 12 + 10)), 1);
    cr_assert_eq(word(m.global + 4 * (9 * 12 + 11)), 10);
    copy.direction = RF_TENSOR_REDUCE;
    copy.op = RF_ATOM_ADD;
    rf_tensor_run(&map, &copy, &access);
    cr_assert_eq(word(m.global + 4 * (9 * 12 + 11)), 20);
}

Test(tensor, swizzles_permute_chunks)
{
    static memory m;
    rf_access access = access_to(&m);
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        int cols = 4 << swizzle;
        rf_tensor_map map = map_2d(U32, cols, 64, cols, 64, swizzle);
        rf_tensor_copy copy = { .space = RF_SPACE_SHARED, .shared = 2048 };
        number(m.global, cols * 64);
        rf_tensor_run(&map, &copy, &access);
        for (int i = 0; i < cols * 64; i++) {
            uint32_t at = 2048 + i * 4;
            uint32_t row = at / 128 % (1 << swizzle), chunk = at / 16 % 8;
            uint32_t to = at - chunk * 16 + (chunk ^ row) * 16;
            cr_assert_eq(word(m.shared + to), (uint32_t)i + 1,
                         "swizzle %d, word %d", swizzle, i);
        }
    }
}

Test(tensor, elements_are_skipped)
{
    union {
        rf_tensor_map map;
        uint8_t bytes[128];
    } m;
    static memory mem;
    rf_access access = access_to(&mem);
    uint64_t extent[] = { 4, 20, 6 }, stride[] = { 16, 320 };
    uint32_t box[] = { 4, 8, 2 }, element[] = { 1, 3, 2 };
    rf_tensor_args args = { .type = U32,
                            .rank = 3,
                            .extent = extent,
                            .stride = stride,
                            .box = box,
                            .element = element };
    rf_tensor_copy copy = { .at = { 0, 2, 1 }, .space = RF_SPACE_SHARED };
    cr_assert_eq(rf_tensor_map_encode(&args, m.bytes), RF_OK);
    number(mem.global, 480);
    rf_tensor_run(&m.map, &copy, &access);
    cr_assert_eq(rf_tensor_bytes(&m.map), 3 * 1 * 16);
    for (int r = 0; r < 3; r++)
        cr_assert_eq(word(mem.shared + 16 * r),
                     (uint32_t)(80 + (2 + 3 * r) * 4 + 1));
}

/* A 3x3 tap of a convolution over a 4x5 picture, edges padded with zeros. */
Test(tensor, im2col_walks_the_bounding_box)
{
    union {
        rf_tensor_map map;
        uint8_t bytes[128];
    } m;
    static memory mem;
    rf_access access = access_to(&mem);
    enum { C = 4, W = 5, H = 4, N = 2 };
    uint64_t extent[] = { C, W, H, N };
    uint64_t stride[] = { C * 4, C * W * 4, C * W * H * 4 };
    uint32_t element[] = { 1, 1, 1, 1 };
    int lower[] = { -1, -1 }, upper[] = { -1, -1 };
    rf_tensor_args args = { .type = U32,
                            .rank = 4,
                            .extent = extent,
                            .stride = stride,
                            .element = element,
                            .lower = lower,
                            .upper = upper,
                            .channels = C,
                            .pixels = 24 };
    rf_tensor_copy copy = { .at = { 0, 1, -1, 0 },
                            .offset = { 2, 0 },
                            .space = RF_SPACE_SHARED };
    cr_assert_eq(rf_tensor_map_encode(&args, m.bytes), RF_OK);
    number(mem.global, C * W * H * N);
    rf_tensor_run(&m.map, &copy, &access);
    cr_assert_eq(rf_tensor_bytes(&m.map), 24 * 16);
    for (int p = 0; p < 24; p++) {
        int at = p + 2, w = at % W - 1 + 2, h = at / W % H - 1, n = at / W / H;
        bool inside = w < W && h >= 0;
        uint32_t want = ((n * H + h) * W + w) * C + 1;
        cr_assert_eq(word(mem.shared + 16 * p), inside ? want : 0, "pixel %d",
                     p);
    }
}

Test(tensor, bad_maps_are_refused)
{
    uint8_t bytes[128] = { 0 };
    uint64_t extent[] = { 16, 16 }, stride[] = { 64 };
    uint32_t box[] = { 16, 16 }, element[] = { 1, 1 };
    rf_tensor_args good = { .type = F32,
                            .rank = 2,
                            .extent = extent,
                            .stride = stride,
                            .box = box,
                            .element = element };
    rf_tensor_args bad = good;
    cr_assert_eq(rf_tensor_map_encode(&good, bytes), RF_OK);
    bad.rank = 6;
    cr_assert_eq(rf_tensor_map_encode(&bad, bytes), RF_INVALID_VALUE);
    bad = good, bad.address = 8;
    cr_assert_eq(rf_tensor_map_encode(&bad, bytes), RF_INVALID_VALUE);
    bad = good, bad.swizzle = 1;
    cr_assert_eq(rf_tensor_map_encode(&bad, bytes), RF_INVALID_VALUE);
    bad = good, bad.interleave = 1;
    cr_assert_eq(rf_tensor_map_encode(&bad, bytes), RF_NOT_SUPPORTED);
    box[0] = 3;
    cr_assert_eq(rf_tensor_map_encode(&good, bytes), RF_INVALID_VALUE);
    box[0] = 16, stride[0] = 60;
    cr_assert_eq(rf_tensor_map_encode(&good, bytes), RF_INVALID_VALUE);
    memset(bytes, 0, sizeof bytes);
    cr_assert(!rf_tensor_map_valid(bytes));
}

Test(tensor, fields_are_replaced)
{
    rf_tensor_map map = map_2d(F32, 16, 16, 16, 16, 2);
    rf_tensor_map_replace(&map, RF_TENSOR_ADDRESS, 0, 4096);
    rf_tensor_map_replace(&map, RF_TENSOR_EXTENT, 1, 9);
    rf_tensor_map_replace(&map, RF_TENSOR_STRIDE, 0, 128);
    rf_tensor_map_replace(&map, RF_TENSOR_BOX, 1, 4);
    cr_assert_eq(map.address, 4096);
    cr_assert_eq(map.extent[1], 8);
    cr_assert_eq(map.stride[1], 128);
    cr_assert_eq(rf_tensor_bytes(&map), 16 * 4 * 4);
}

/* ---- wgmma ---- */

static uint64_t descriptor(uint32_t start, uint32_t leading, uint32_t stride,
                           int mode)
{
    return (uint64_t)start >> 4 | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | (uint64_t)mode << 62;
}

/* 16-bit elements, k contiguous, 128-byte swizzle: row r of 64 elements lies
 * at 128 r, its chunks permuted by r mod 8. */
Test(wgmma, chunks_of_a_swizzled_tile)
{
    rf_wgmma_descriptor d = rf_wgmma_decode(descriptor(1024, 16, 1024, 1));
    cr_assert_eq(d.width, 8);
    for (int r = 0; r < 64; r++)
        for (int k = 0; k < 64; k += 8)
            cr_assert_eq(rf_wgmma_chunk(&d, false, 16, r, k),
                         (uint32_t)(1024 + 128 * r + (k / 8 ^ r % 8) * 16));
}

/* Without a swizzle: core matrices of 8 rows by 16 bytes. */
Test(wgmma, chunks_of_core_matrices)
{
    rf_wgmma_descriptor d = rf_wgmma_decode(descriptor(0, 2048, 128, 0));
    for (int r = 0; r < 64; r++)
        for (int k = 0; k < 16; k += 8) {
            uint32_t want = r / 8 * 128 + r % 8 * 16 + k / 8 * 2048;
            cr_assert_eq(rf_wgmma_chunk(&d, false, 16, r, k), want);
            want = r / 8 * 128 + k % 8 * 16 + k / 8 * 2048;
            cr_assert_eq(rf_wgmma_chunk(&d, true, 16, r, k), want);
        }
}
