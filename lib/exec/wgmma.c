/* Warpgroup products (see wgmma.h). */
#include "exec/wgmma.h"

enum { CHUNK = 16, MAX_N = 256, MAX_K = 256, WARP_ROWS = 16 };

rf_wgmma_descriptor rf_wgmma_decode(uint64_t bits)
{
    static const uint32_t widths[] = { 1, 8, 4, 2 };
    return (rf_wgmma_descriptor){ .start = (bits & 0x3fff) << 4,
                                  .leading = (bits >> 16 & 0x3fff) << 4,
                                  .stride = (bits >> 32 & 0x3fff) << 4,
                                  .base = bits >> 49 & 7,
                                  .width = widths[bits >> 62] };
}

uint32_t rf_swizzle(uint32_t address, uint32_t width, uint32_t base)
{
    return address ^ (((address >> 7) - base) & (width - 1)) << 4;
}

uint32_t rf_wgmma_chunk(const rf_wgmma_descriptor *d, bool row_contiguous,
                        int bits, int r, int k)
{
    uint32_t t = CHUNK * 8 / bits, w = d->width, row = r, step = k, at;
    if (!row_contiguous) {
        at = row % 8 * CHUNK * w + row / 8 * d->stride;
        at += step / t * (w > 1 ? CHUNK : d->leading);
    } else if (w > 1) {
        at = row / t % w * CHUNK + row / (t * w) * d->leading;
        at += step % 8 * CHUNK * w + step / 8 * d->stride;
    } else {
        at = row / t * d->stride + step % 8 * CHUNK + step / 8 * d->leading;
    }
    return rf_swizzle(d->start + at, w, d->base);
}

static int element_bits(rf_type type)
{
    return type == RF_T_B1 ? 1 : 8 * (int)rf_type_bytes(type);
}

static uint64_t element(const uint8_t *chunk, int bits, int i)
{
    uint64_t value = 0;
    if (bits == 1)
        return chunk[i / 8] >> i % 8 & 1;
    memcpy(&value, chunk + i * bits / 8, bits / 8);
    return value;
}

/* Read rows first .. first + rows - 1 of the operand behind "bits"; into a
 * matrix without memory: only read them. */
static void load(uint64_t bits, rf_type type, bool row_contiguous, int first,
                 int rows, int cols, const rf_access *access, rf_matrix to)
{
    rf_wgmma_descriptor d = rf_wgmma_decode(bits);
    int width = element_bits(type), t = CHUNK * 8 / width;
    int row_step = row_contiguous ? t : 1, col_step = row_contiguous ? 1 : t;
    for (int r = 0; r < rows; r += row_step)
        for (int k = 0; k < cols; k += col_step) {
            uint8_t chunk[CHUNK];
            uint32_t at =
                rf_wgmma_chunk(&d, row_contiguous, width, first + r, k);
            access->read(access->context, RF_SPACE_SHARED, at, chunk, CHUNK);
            for (int i = 0; to.at && i < t; i++) {
                int row = row_contiguous ? r + i : r;
                int col = row_contiguous ? k : k + i;
                to.at[row * to.row + col * to.col] =
                    rf_matrix_decode(type, element(chunk, width, i));
            }
        }
}

static void load_a(const rf_wgmma *g, int warp, const rf_access *access,
                   uint64_t *const *a, double *to)
{
    rf_matrix matrix = { to, g->shape.k, 1 };
    if (!a) {
        load(g->a_descriptor, g->type, g->transpose_a, warp * WARP_ROWS,
             WARP_ROWS, g->shape.k, access, matrix);
        return;
    }
    rf_mma_shape rows = { WARP_ROWS, g->shape.n, g->shape.k };
    rf_fragment f = rf_fragment_of(RF_OPERAND_A, rows, g->type, 0);
    rf_fragment_unpack(&f, a, matrix);
}

void rf_wgmma_run(const rf_wgmma *g, int warp, const rf_access *access,
                  uint64_t *const *a, uint64_t *const *d)
{
    rf_mma_shape s = { WARP_ROWS, g->shape.n, g->shape.k };
    double right[MAX_K * MAX_N], left[WARP_ROWS * MAX_K];
    double sum[WARP_ROWS * MAX_N] = { 0 };
    rf_fragment fd = rf_fragment_of(RF_OPERAND_C, s, g->d, 0);
    rf_matrix result = { sum, s.n, 1 };
    load_a(g, warp, access, a, left);
    load(g->b_descriptor, g->b, g->transpose_b, 0, s.n, s.k, access,
         (rf_matrix){ right, 1, s.n });
    if (g->accumulate)
        rf_fragment_unpack(&fd, d, result);
    if (g->negate_a != g->negate_b)
        for (int i = 0; i < s.m * s.k; i++)
            left[i] = -left[i];
    rf_matrix_multiply(s, RF_MMA_SUM, left, right, sum);
    rf_fragment_pack(&fd, result, g->satfinite, g->round, d);
}

void rf_wgmma_touch(const rf_wgmma *g, int warp, bool a_in_registers,
                    const rf_access *access)
{
    rf_matrix nothing = { NULL, 0, 0 };
    if (!a_in_registers)
        load(g->a_descriptor, g->type, g->transpose_a, warp * WARP_ROWS,
             WARP_ROWS, g->shape.k, access, nothing);
    load(g->b_descriptor, g->b, g->transpose_b, 0, g->shape.n, g->shape.k,
         access, nothing);
}
