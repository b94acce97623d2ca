/* Matrix fragments and products (see mma.h).
 *
 * Products of the narrow types are exact in double and their sums nearly so;
 * the accumulator is rounded once, to nearest. Tensor cores keep fewer bits
 * in between, in an order that is not specified: results agree within the
 * error bound of a sum of k terms, not bit for bit. */
#include "exec/mma.h"
#include "exec/halves.h"

#include <math.h>

/* Bits of an element in a register: rf_type_bytes knows whole bytes only. */
static int type_bits(rf_type type)
{
    switch (type) {
    case RF_T_B1:
        return 1;
    case RF_T_S4:
    case RF_T_U4:
        return 4;
    default:
        return 8 * (int)rf_type_bytes(type);
    }
}

/* Elements in one register. */
static int packed(rf_type type)
{
    return type_bits(type) < 32 ? 32 / type_bits(type) : 1;
}

rf_fragment rf_fragment_of(rf_operand_role role, rf_mma_shape shape,
                           rf_type type, int regs)
{
    bool accumulator = role == RF_OPERAND_C;
    rf_fragment f = { .type = type,
                      .rows = role == RF_OPERAND_B ? shape.n : shape.m,
                      .cols = accumulator ? shape.n : shape.k,
                      .per = accumulator ? 2 : packed(type),
                      .regs = regs };
    if (!regs)
        f.regs = f.rows * f.cols / RF_LANES / packed(type);
    return f;
}

int rf_fragment_elements(const rf_fragment *f)
{
    return f->regs * packed(f->type);
}

rf_element rf_fragment_place(const rf_fragment *f, int lane, int i)
{
    int block = i / f->per, down = f->rows / 8;
    int col = block / down * 4 * f->per + lane % 4 * f->per + i % f->per;
    return (rf_element){ .row = block % down * 8 + lane / 4,
                         .col = col % f->cols };
}

uint64_t rf_fragment_get(const rf_fragment *f, uint64_t *const *regs, int lane,
                         int i)
{
    int n = packed(f->type), bits = type_bits(f->type);
    uint64_t all = regs[i / n][lane];
    return n == 1 ? all : all >> (i % n * bits) & ((1ull << bits) - 1);
}

void rf_fragment_set(const rf_fragment *f, uint64_t *const *regs, int lane,
                     int i, uint64_t bits)
{
    int n = packed(f->type), width = type_bits(f->type);
    uint64_t *reg = &regs[i / n][lane];
    if (n == 1) {
        *reg = bits;
        return;
    }
    int shift = i % n * width;
    uint64_t mask = ((1ull << width) - 1) << shift;
    *reg = (*reg & ~mask) | (bits << shift & mask);
}

double rf_matrix_decode(rf_type type, uint64_t bits)
{
    switch (type) {
    case RF_T_S32:
        return (int32_t)bits;
    case RF_T_S8:
        return (int8_t)bits;
    case RF_T_S4:
        return (int8_t)(bits << 4) >> 4;
    case RF_T_U8:
    case RF_T_U4:
    case RF_T_B1:
        return bits;
    case RF_T_F64:
        return rf_f64(bits);
    case RF_T_F32:
        return rf_f32(bits);
    case RF_T_TF32:
        return rf_f32(bits & ~0x1fffu);
    case RF_T_F16:
        return rf_f16_value((uint32_t)bits);
    case RF_T_BF16:
        return rf_bf16_value((uint32_t)bits);
    case RF_T_E4M3:
        return rf_float_decode(RF_E4M3, bits);
    default:
        return rf_float_decode(RF_E5M2, bits);
    }
}

static uint64_t encode(rf_type type, double x, bool satfinite, rf_round round)
{
    switch (type) {
    case RF_T_F64:
        return rf_f64_bits(x);
    case RF_T_F16:
        return rf_float_encode(RF_F16, x, round, 0);
    case RF_T_F32:
        return rf_float_encode(RF_F32, x, round, 0);
    default:
        if (satfinite)
            x = fmax(fmin(x, INT32_MAX), INT32_MIN);
        return (uint32_t)(int64_t)x;
    }
}

void rf_fragment_unpack(const rf_fragment *f, uint64_t *const *regs,
                        rf_matrix to)
{
    int n = rf_fragment_elements(f);
    for (int lane = 0; lane < RF_LANES; lane++)
        for (int i = 0; i < n; i++) {
            rf_element at = rf_fragment_place(f, lane, i);
            to.at[at.row * to.row + at.col * to.col] =
                rf_matrix_decode(f->type, rf_fragment_get(f, regs, lane, i));
        }
}

void rf_fragment_pack(const rf_fragment *f, rf_matrix from, bool satfinite,
                      rf_round round, uint64_t *const *regs)
{
    int n = rf_fragment_elements(f);
    for (int lane = 0; lane < RF_LANES; lane++)
        for (int i = 0; i < n; i++) {
            rf_element at = rf_fragment_place(f, lane, i);
            double x = from.at[at.row * from.row + at.col * from.col];
            rf_fragment_set(f, regs, lane, i,
                            encode(f->type, x, satfinite, round));
        }
}

static void add_fused(int n, double a, const double *b, double *d)
{
    for (int j = 0; j < n; j++)
        d[j] = fma(a, b[j], d[j]);
}

static void add_xor(int n, double a, const double *b, double *d)
{
    for (int j = 0; j < n; j++)
        d[j] += a != b[j];
}

static void add_product(int n, double a, const double *b, double *d)
{
    for (int j = 0; j < n; j++)
        d[j] += a * b[j];
}

void rf_matrix_multiply(rf_mma_shape shape, rf_mma_kind kind, const double *a,
                        const double *b, double *d)
{
    static void (*const add[])(int, double, const double *,
                               double *) = { [RF_MMA_SUM] = add_product,
                                             [RF_MMA_FUSED] = add_fused,
                                             [RF_MMA_XOR] = add_xor };
    for (int i = 0; i < shape.m; i++)
        for (int k = 0; k < shape.k; k++)
            add[kind](shape.n, a[i * shape.k + k], b + k * shape.n,
                      d + i * shape.n);
}

/* The largest operands: 32 x 16 (wmma) and 16 x 256 bits. */
enum { MAX_OPERAND = 16 * 256 };

void rf_mma_run(const rf_mma *mma, uint64_t *const *a, uint64_t *const *b,
                uint64_t *const *c, uint64_t *const *d)
{
    rf_mma_shape s = mma->shape;
    rf_fragment fa = rf_fragment_of(RF_OPERAND_A, s, mma->a, mma->a_regs);
    rf_fragment fb = rf_fragment_of(RF_OPERAND_B, s, mma->b, mma->b_regs);
    rf_fragment fc = rf_fragment_of(RF_OPERAND_C, s, mma->c, 0);
    rf_fragment fd = rf_fragment_of(RF_OPERAND_C, s, mma->d, 0);
    double left[MAX_OPERAND], right[MAX_OPERAND], sum[32 * 32];
    rf_matrix result = { sum, s.n, 1 };
    rf_fragment_unpack(&fa, a, (rf_matrix){ left, s.k, 1 });
    rf_fragment_unpack(&fb, b, (rf_matrix){ right, 1, s.n });
    rf_fragment_unpack(&fc, c, result);
    rf_mma_kind kind = mma->exclusive_or    ? RF_MMA_XOR
                       : mma->a == RF_T_F64 ? RF_MMA_FUSED
                                            : RF_MMA_SUM;
    rf_matrix_multiply(s, kind, left, right, sum);
    rf_fragment_pack(&fd, result, mma->satfinite, mma->round, d);
}

uint64_t rf_wmma_offset(const rf_fragment *f, rf_operand_role role,
                        bool row_major, uint64_t ld, rf_element at)
{
    bool contiguous = row_major != (role == RF_OPERAND_B);
    uint64_t row = at.row, col = at.col;
    uint64_t element = contiguous ? row * ld + col : col * ld + row;
    return element * type_bits(f->type);
}

rf_matrix_slot rf_ldmatrix_slot(int row, int col, bool trans)
{
    int r = trans ? col : row, c = trans ? row : col;
    return (rf_matrix_slot){ .lane = r * 4 + c / 2, .half = c % 2 };
}
