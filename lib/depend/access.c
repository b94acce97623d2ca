/* Elements that two accesses share (T-D2, T-D3). */
#include "depend/stride.h"

enum { A = 1, B = 2 };

/* An element as an offset from a base that is compared by identity. */
typedef struct {
    const rf_val *base;
    rf_form offset;
    const rf_type *type; /* of the index, if it alone is the offset */
} element;

static bool is_pointer(const rf_type *type)
{
    return type->kind == RF_TYPE_POINTER || type->kind == RF_TYPE_ARRAY;
}

/* The operand of "base" that is the pointer, if "base" is pointer +- i. */
static int pointer_operand(const rf_val *base)
{
    if (base->kind != RF_VAL_OP || base->n != 2 ||
        (base->op != RF_OP_ADD && base->op != RF_OP_SUB))
        return -1;
    if (is_pointer(base->arg[0]->type))
        return 0;
    return base->op == RF_OP_ADD && is_pointer(base->arg[1]->type) ? 1 : -1;
}

static bool is_plain_cast(const rf_val *base)
{
    return base->kind == RF_VAL_CAST && is_pointer(base->type) &&
           is_pointer(base->arg[0]->type) &&
           rf_type_same(base->type->elem, base->arg[0]->type->elem);
}

/* Pointers move by 64-bit offsets: those of fewer bits must be exact. */
static rf_form offset_form(rf_scope *scope, unsigned tag, const rf_val *v)
{
    rf_form f = rf_depend_form_of(scope, tag, v);
    return f.ok && !f.exact && f.bits < 64 ? rf_form_exact(scope, tag, v) : f;
}

/* base + a + i*count + j ... : strip offsets and rows of arrays. */
static element element_of(rf_scope *scope, unsigned tag, const rf_access *x)
{
    const rf_val *base = x->base;
    rf_form sum = offset_form(scope, tag, x->index);
    int64_t scale = 1;
    for (;;) {
        int p = pointer_operand(base);
        bool row = base->kind == RF_VAL_LOAD && base->type->count > 0 &&
                   base->type->kind == RF_TYPE_ARRAY;
        if (is_plain_cast(base)) {
            base = base->arg[0];
        } else if (p >= 0) {
            int64_t sign = base->op == RF_OP_SUB ? -scale : scale;
            rf_form by = offset_form(scope, tag, base->arg[1 - p]);
            sum = rf_form_add(scope, sum, by, sign);
            base = base->arg[p];
        } else if (row &&
                   !__builtin_mul_overflow(scale, base->type->count, &scale)) {
            rf_form by = offset_form(scope, tag, base->arg[1]);
            sum = rf_form_add(scope, sum, by, scale);
            base = base->arg[0];
        } else {
            break;
        }
    }
    bool alone = base == x->base;
    return (element){ base, sum, alone ? x->index->type : NULL };
}

/* The difference of the offsets, as narrow as both indices are. */
static rf_form difference(rf_scope *scope, const rf_access *a,
                          const rf_access *b, const element *x,
                          const element *y)
{
    if (x->type && y->type && rf_type_same(x->type, y->type))
        return rf_form_add(scope, rf_depend_form_of(scope, A, a->index),
                           rf_depend_form_of(scope, B, b->index), -1);
    return rf_form_add(scope, x->offset, y->offset, -1);
}

/* ---- equality ---- */

/* Where two accesses meet: "within" contains all such points, all points of
 * "surely" are such; NULL: cannot say. */
typedef struct {
    isl_set *within, *surely;
} meeting;

static bool is_exact(const meeting *m)
{
    return m->surely && isl_set_is_equal(m->surely, m->within) == isl_bool_true;
}

static void meeting_free(meeting *m)
{
    isl_set_free(m->within);
    isl_set_free(m->surely);
}

static isl_set *zero_set(rf_scope *scope, const rf_form *f)
{
    isl_pw_aff *p = rf_affine_of(scope, f);
    if (!f->exact)
        p = isl_pw_aff_mod_val(p, rf_power_of_two(scope->depend->ctx, f->bits));
    return isl_pw_aff_zero_set(p);
}

static meeting strided_meeting(rf_scope *scope, const rf_form *f)
{
    bool exact = false;
    meeting m = { NULL, rf_stride_zero_set(scope, f, &exact) };
    if (exact && (f->exact || f->bits >= 64))
        m.within = isl_set_copy(m.surely);
    else
        m.within = zero_set(scope, f);
    return m;
}

static meeting meet(rf_scope *scope, const rf_access *a, const rf_access *b)
{
    meeting m = { NULL, NULL };
    element x = element_of(scope, A, a), y = element_of(scope, B, b);
    if (x.base != y.base || rf_varies_in(x.base, &scope->side[A]) ||
        rf_varies_in(y.base, &scope->side[B]))
        return m;
    rf_form f = difference(scope, a, b, &x, &y);
    if (!f.ok)
        return m;
    if (rf_form_is_nonlinear(&f))
        return strided_meeting(scope, &f);
    m.within = zero_set(scope, &f);
    m.surely = isl_set_copy(m.within);
    return m;
}

/* ---- correspondence ---- */

static isl_set *corresponding(rf_scope *scope)
{
    const rf_nest *a = &scope->side[A], *b = &scope->side[B];
    isl_space *space = isl_space_set_alloc(scope->depend->ctx, 0, 0);
    isl_set *set = isl_set_universe(space);
    for (unsigned i = 0; i < a->n && i < b->n; i++) {
        const rf_symbol *s = rf_symbol_of(scope, A, a->loops[i]->index);
        const rf_symbol *t = rf_symbol_of(scope, B, b->loops[i]->index);
        set = isl_set_intersect(
            set, isl_pw_aff_eq_set(rf_symbol_parameter(scope, s),
                                   rf_symbol_parameter(scope, t)));
    }
    return set;
}

static bool is_unknown(const rf_val *v, const void *unused)
{
    (void)unused;
    return v->kind == RF_VAL_UNKNOWN || v->kind == RF_VAL_LAST;
}

/* True if "a" and "b" are one expression over the same loops: equal in
 * corresponding iterations, whatever it is. */
static bool is_one_expression(const rf_access *a, const rf_access *b)
{
    if (a->base != b->base || a->index != b->index || a->nest.n != b->nest.n ||
        rf_val_find(a->base, is_unknown, NULL) ||
        rf_val_find(a->index, is_unknown, NULL))
        return false;
    for (unsigned i = 0; i < a->nest.n; i++)
        if (a->nest.loops[i] != b->nest.loops[i])
            return false;
    return true;
}

static void enter(rf_scope *scope, const rf_access *a, const rf_access *b)
{
    rf_scope_enter(scope, A, &a->nest);
    rf_scope_enter(scope, B, &b->nest);
}

static bool none(rf_scope *scope, isl_set *set)
{
    return rf_scope_implies(scope, isl_set_complement(set));
}

static isl_set *minus(isl_set *a, isl_set *b)
{
    return isl_set_subtract(isl_set_copy(a), isl_set_copy(b));
}

static rf_index_relation relate(rf_scope *scope, const rf_access *a,
                                const rf_access *b, const meeting *m,
                                const char **why)
{
    isl_space *space = isl_space_set_alloc(scope->depend->ctx, 0, 0);
    isl_set *all = isl_set_universe(space), *same = corresponding(scope);
    bool once = !scope->wraps[A] && !scope->wraps[B];
    rf_index_relation r = RF_INDEX_MAYBE;
    if (m->within && none(scope, isl_set_copy(m->within)))
        r = RF_INDEX_NEVER;
    else if (m->surely && none(scope, minus(all, m->surely)))
        r = RF_INDEX_ALWAYS;
    else if (once && m->within && none(scope, minus(m->within, same)) &&
             (is_one_expression(a, b) ||
              (m->surely && none(scope, minus(same, m->surely)))))
        r = RF_INDEX_SAME;
    else if (m->within && why)
        rf_scope_judge(scope, minus(m->within, same), why);
    isl_set_free(all);
    isl_set_free(same);
    return r;
}

rf_index_relation rf_access_compare(rf_depend *d, const rf_access *a,
                                    const rf_access *b, const char **why)
{
    rf_scope scope = rf_scope_open(d);
    if (why)
        *why = NULL;
    enter(&scope, a, b);
    meeting m = meet(&scope, a, b);
    rf_index_relation r = relate(&scope, a, b, &m, why);
    meeting_free(&m);
    rf_scope_close(&scope);
    return r;
}

rf_answer rf_access_injective(rf_depend *d, const rf_access *a,
                              const char **why)
{
    rf_scope scope = rf_scope_open(d);
    rf_answer answer = RF_MAYBE;
    if (why)
        *why = NULL;
    enter(&scope, a, a);
    meeting m = meet(&scope, a, a);
    if (m.within) {
        isl_set *same = corresponding(&scope);
        answer = rf_scope_judge(&scope, minus(m.within, same), why);
        if (scope.wraps[A] || (answer == RF_NO && !is_exact(&m)))
            answer = RF_MAYBE;
        isl_set_free(same);
    }
    meeting_free(&m);
    rf_scope_close(&scope);
    return answer;
}

/* ---- covering ---- */

/* Forget everything of side A: what remains is true for some iteration. */
static isl_set *some_iteration(isl_set *set)
{
    for (isl_size i = isl_set_dim(set, isl_dim_param); i-- > 0;) {
        isl_id *id = isl_set_get_dim_id(set, isl_dim_param, (unsigned)i);
        const rf_symbol *s = isl_id_get_user(id);
        if (s->tag == A)
            set = isl_set_project_out_param_id(set, isl_id_copy(id));
        isl_id_free(id);
    }
    return set;
}

static bool is_covered_by_itself(const rf_access *store, const rf_access *load)
{
    return is_one_expression(store, load) &&
           (!store->nest.guard || store->nest.guard == load->nest.guard);
}

rf_answer rf_access_covers(rf_depend *d, const rf_access *store,
                           const rf_access *load, const char **why)
{
    if (why)
        *why = NULL;
    if (is_covered_by_itself(store, load))
        return RF_YES;
    rf_scope scope = rf_scope_open(d);
    rf_answer answer = RF_MAYBE;
    rf_scope_enter(&scope, B, &load->nest);
    isl_set *read = isl_set_copy(scope.set);
    rf_scope_enter(&scope, A, &store->nest);
    meeting m = meet(&scope, store, load);
    isl_set *written = isl_set_copy(scope.set);
    if (m.surely && !scope.loose[A] && !scope.wraps[A]) {
        written = isl_set_intersect(written, isl_set_copy(m.surely));
        written = some_iteration(rf_symbols_bound(&scope, written));
        isl_set *bad =
            isl_set_subtract(isl_set_copy(read), isl_set_copy(written));
        isl_set_free(scope.set);
        scope.set = isl_set_copy(read);
        answer = rf_scope_judge(&scope, bad, why);
        if (answer == RF_NO && !is_exact(&m))
            answer = RF_MAYBE;
    }
    isl_set_free(read);
    isl_set_free(written);
    meeting_free(&m);
    rf_scope_close(&scope);
    return answer;
}
