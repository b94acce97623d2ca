/* Expressions: parentheses, literals, declarators; trees to text and back. */
#include "build.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

static const struct {
    const char *tree, *text;
} table[] = {
    { "(- a (- b c))", "a - (b - c)" },
    { "(- (- a b) c)", "a - b - c" },
    { "(/ x (* y z))", "x / (y * z)" },
    { "(* (/ x y) z)", "x / y * z" },
    { "(+ a (+ b c))", "a + (b + c)" },
    { "(* (+ a b) c)", "(a + b) * c" },
    { "(neg (neg x))", "-(-x)" },
    { "(neg (--x x))", "-(--x)" },
    { "(neg (plus x))", "-(+x)" },
    { "(neg -1)", "-(-1)" },
    { "(neg `-FLT_MAX`)", "-(-FLT_MAX)" },
    { "(- a (neg b))", "a - -b" },
    { "(- a -1)", "a - -1" },
    { "(* a -2)", "a * -2" },
    { "(neg (* a b))", "-(a * b)" },
    { "(* (neg a) b)", "-a * b" },
    { "(! (< a b))", "!(a < b)" },
    { "(~ (& a b))", "~(a & b)" },
    { "(float: (+ a b))", "(float)(a + b)" },
    { "(float: (neg a))", "(float)-a" },
    { "(* (float: a) b)", "(float)a * b" },
    { "(float: (index a i))", "(float)a[i]" },
    { "(index (float: a) i)", "((float)a)[i]" },
    { "(+ ((float) i) x)", "i + x" },
    { "(* ((float) (+ i j)) x)", "(i + j) * x" },
    { "(<< 1 (+ a b))", "1 << (a + b)" },
    { "(+ (<< 1 a) b)", "(1 << a) + b" },
    { "(>> (- n 1) 5)", "(n - 1) >> 5" },
    { "(|| (&& a b) c)", "(a && b) || c" },
    { "(&& (|| a b) c)", "(a || b) && c" },
    { "(& a (== b c))", "a & (b == c)" },
    { "(== (& a b) c)", "(a & b) == c" },
    { "(| (<< a 8) b)", "(a << 8) | b" },
    { "(< (< a b) c)", "(a < b) < c" },
    { "(? (< a b) x y)", "a < b ? x : y" },
    { "(? a x (? b y z))", "a ? x : b ? y : z" },
    { "(? a (? b x y) z)", "a ? (b ? x : y) : z" },
    { "(? (? a b c) x y)", "(a ? b : c) ? x : y" },
    { "(+ (? a b c) 1)", "(a ? b : c) + 1" },
    { "(= a (? b c d))", "a = b ? c : d" },
    { "(= a (= b c))", "a = b = c" },
    { "(= (? a b c) d)", "(a ? b : c) = d" },
    { "(? a b (= c d))", "a ? b : (c = d)" },
    { "(+= s (* a b))", "s += a * b" },
    { "(>>= s 1)", "s >>= 1" },
    { "(f a (, b c))", "f(a, (b, c))" },
    { "(f)", "f()" },
    { "(index x (+ (* i n) j))", "x[i * n + j]" },
    { "(index (index a i) j)", "a[i][j]" },
    { "(index (+ p i) j)", "(p + i)[j]" },
    { "(deref (+ p i))", "*(p + i)" },
    { "(deref (x++ p))", "*p++" },
    { "(x++ (deref p))", "(*p)++" },
    { "(addr (index a i))", "&a[i]" },
    { "(. (index v i) x)", "v[i].x" },
    { "(-> (+ p i) x)", "(p + i)->x" },
    { "(-> p x)", "p->x" },
    { "(. (deref p) x)", "(*p).x" },
    { "(* `A + B` c)", "(A + B) * c" },
    { "(* `(A + B)` c)", "(A + B) * c" },
    { "(* `sizeof(float)` c)", "sizeof(float) * c" },
    { "(index `std::numeric_limits<T>::max()` i)",
      "(std::numeric_limits<T>::max())[i]" },
    { "(* `1e-5f` c)", "1e-5f * c" },
    { "(- a `-1e9f`)", "a - -1e9f" },
    { "(f {a {b 1}})", "f({a, {b, 1}})" },
    { "1.5", "1.5f" },
    { "2.0", "2.0f" },
    { "0.1", "0.1f" },
    { "0.1d", "0.1" },
    { "-0.0d", "-0.0" },
    { "1.0e30", "1e+30f" },
    { "-inf", "-INFINITY" },
    { "7u", "7u" },
    { "-1u", "4294967295u" },
    { "-2147483648", "(-2147483647 - 1)" },
};

Test(expr, parentheses_and_literals)
{
    rf_arena *arena = rf_arena_new();
    for (size_t i = 0; i < RF_COUNTOF(table); i++) {
        rf_buf out = { 0 };
        rf_print_expr(&out, tree(arena, table[i].tree));
        cr_expect_str_eq(rf_buf_text(&out), table[i].text, "%s: %s",
                         table[i].tree, rf_buf_text(&out));
        rf_buf_free(&out);
    }
    rf_arena_free(arena);
}

/* ---- text to trees: an independent parser of C, lowest level first ---- */

typedef struct {
    rf_arena *arena;
    const char *at;
} parser;

static const char *const levels[][7] = {
    { "||" },
    { "&&" },
    { "|" },
    { "^" },
    { "&" },
    { "==", "!=" },
    { "<=", ">=", "<", ">" },
    { "<<", ">>" },
    { "+", "-" },
    { "*", "/", "%" },
};

static rf_expr *parse_select(parser *p);

static bool eat(parser *p, const char *token)
{
    while (*p->at == ' ')
        p->at++;
    size_t n = strlen(token);
    if (strncmp(p->at, token, n))
        return false;
    if (n == 1 && strchr("<>&|=", *token) && p->at[1] == *token)
        return false;
    if (n == 1 && strchr("+-", *token) && p->at[1] == *token)
        return false;
    p->at += n;
    return true;
}

static rf_expr *make(parser *p, rf_op op, rf_expr *a, rf_expr *b)
{
    return rf_expr_new(p->arena, op, &type_int_, b ? 2 : 1,
                       (rf_expr *[]){ a, b });
}

static rf_expr *parse_primary(parser *p)
{
    rf_expr *e;
    if (eat(p, "(")) {
        e = parse_select(p);
        cr_assert(eat(p, ")"));
    } else {
        size_t n = 0;
        while (isalnum((unsigned char)p->at[n]))
            n++;
        cr_assert(n, "no operand at %s", p->at);
        e = tree(p->arena, rf_arena_strndup(p->arena, p->at, n));
        p->at += n;
    }
    while (eat(p, "[")) {
        e = make(p, RF_OP_INDEX, e, parse_select(p));
        cr_assert(eat(p, "]"));
    }
    return e;
}

static rf_expr *parse_unary(parser *p)
{
    static const rf_op unary[] = { RF_OP_NEG, RF_OP_PLUS, RF_OP_NOT,
                                   RF_OP_BIT_NOT, RF_OP_DEREF };
    for (size_t i = 0; i < RF_COUNTOF(unary); i++)
        if (eat(p, rf_op_spelling(unary[i])))
            return make(p, unary[i], parse_unary(p), NULL);
    if (eat(p, "(int)"))
        return make(p, RF_OP_CAST, parse_unary(p), NULL);
    return parse_primary(p);
}

static rf_expr *parse_binary(parser *p, size_t level)
{
    if (level == RF_COUNTOF(levels))
        return parse_unary(p);
    rf_expr *left = parse_binary(p, level + 1);
    for (size_t i = 0; levels[level][i]; i++)
        if (eat(p, levels[level][i])) {
            rf_op op = RF_OP_ADD;
            while (strcmp(rf_op_spelling(op), levels[level][i]))
                op++;
            left = make(p, op, left, parse_binary(p, level + 1));
            i = (size_t)-1;
        }
    return left;
}

static rf_expr *parse_select(parser *p)
{
    rf_expr *a = parse_binary(p, 0);
    if (!eat(p, "?"))
        return a;
    rf_expr *b = parse_select(p);
    cr_assert(eat(p, ":"));
    return rf_expr_new(p->arena, RF_OP_SELECT, &type_int_, 3,
                       (rf_expr *[]){ a, b, parse_select(p) });
}

/* A pseudo-random tree of at most "depth" levels. */
static rf_expr *grow(rf_arena *arena, rf_expr **leaves, unsigned *seed,
                     int depth)
{
    static const rf_op unary[] = { RF_OP_NEG,     RF_OP_PLUS,  RF_OP_NOT,
                                   RF_OP_BIT_NOT, RF_OP_DEREF, RF_OP_CAST };
    *seed = *seed * 1664525 + 1013904223;
    unsigned roll = *seed >> 16;
    if (!depth || roll % 8 == 0)
        return leaves[roll / 8 % 3];
    rf_expr *a[3];
    for (int i = 0; i < 3; i++)
        a[i] = grow(arena, leaves, seed, depth - 1);
    unsigned pick = roll / 8 % 27;
    if (pick < RF_COUNTOF(unary))
        return rf_expr_new(arena, unary[pick], &type_int_, 1, a);
    if (pick < 8)
        return rf_expr_new(arena, RF_OP_SELECT, &type_int_, 3, a);
    if (pick < 9)
        return rf_expr_new(arena, RF_OP_INDEX, &type_int_, 2, a);
    return rf_expr_new(arena, RF_OP_ADD + (pick - 9), &type_int_, 2, a);
}

static bool same_text(const rf_expr *a, const rf_expr *b)
{
    rf_buf x = { 0 }, y = { 0 };
    rf_expr_dump(&x, a);
    rf_expr_dump(&y, b);
    bool same = !strcmp(rf_buf_text(&x), rf_buf_text(&y));
    rf_buf_free(&x);
    rf_buf_free(&y);
    return same;
}

Test(expr, random_trees_read_back)
{
    rf_arena *arena = rf_arena_new();
    rf_expr *leaves[] = { tree(arena, "a"), tree(arena, "b"),
                          tree(arena, "7") };
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        rf_expr *e = grow(arena, leaves, &seed, 1 + i % 5);
        rf_buf out = { 0 };
        rf_print_expr(&out, e);
        parser p = { arena, rf_buf_text(&out) };
        rf_expr *back = parse_select(&p);
        cr_assert(!*p.at && same_text(e, back), "%s", rf_buf_text(&out));
        rf_buf_free(&out);
    }
    rf_arena_free(arena);
}

Test(expr, methods_and_references)
{
    rf_arena *arena = rf_arena_new();
    rf_expr *call = tree(arena, "(shfl tile (+ v 1))");
    rf_expr *reference = tree(arena, "(update (addr sum))");
    rf_buf out = { 0 };
    call->is_method = true;
    call->spelling = "shfl_xor";
    reference->arg[0]->is_implicit = true;
    rf_print_expr(&out, call);
    rf_buf_putc(&out, ' ');
    rf_print_expr(&out, reference);
    cr_expect_str_eq(rf_buf_text(&out), "tile.shfl_xor(v + 1) update(sum)");
    rf_buf_free(&out);
    rf_arena_free(arena);
}

static void expect_var(const rf_type *type, const char *text)
{
    rf_var var = { .name = "p", .type = type };
    rf_buf out = { 0 };
    rf_print_var(&out, &var);
    cr_expect_str_eq(rf_buf_text(&out), text);
    rf_buf_free(&out);
}

Test(expr, declarators)
{
    rf_type const_float = type_float;
    const_float.is_const = true;
    rf_type pointer = { .kind = RF_TYPE_POINTER,
                        .elem = &const_float,
                        .spelling = "const float *" };
    rf_type fixed = pointer;
    fixed.is_const = true;
    rf_type tight = pointer;
    tight.spelling = "const float *__restrict__";
    rf_type row = { .kind = RF_TYPE_ARRAY, .elem = &type_float, .count = 8 };
    rf_type tile = { .kind = RF_TYPE_ARRAY, .elem = &row, .count = 4 };
    rf_type open = { .kind = RF_TYPE_ARRAY, .elem = &const_float, .count = -1 };
    rf_type to_row = { .kind = RF_TYPE_POINTER,
                       .elem = &row,
                       .spelling = "float (*)[8]" };
    rf_type pointers = { .kind = RF_TYPE_ARRAY, .elem = &pointer, .count = 2 };
    expect_var(&const_float, "const float p");
    expect_var(&pointer, "const float *p");
    expect_var(&fixed, "const float *const p");
    expect_var(&tight, "const float *__restrict__ p");
    expect_var(&tile, "float p[4][8]");
    expect_var(&open, "const float p[]");
    expect_var(&to_row, "float (*p)[8]");
    expect_var(&pointers, "const float *p[2]");
}
