/* Types: from libclang's to plain data. Each distinct type is made once. */
#include "front/reader.h"

#include <string.h>

/* Classes that are numbers: canonical name, format. */
static const struct {
    const char *name;
    rf_float_format format;
} float_classes[] = {
    { "__half", RF_F16 },
    { "__nv_bfloat16", RF_BF16 },
    { "__nv_fp8_e4m3", RF_E4M3 },
    { "__nv_fp8_e5m2", RF_E5M2 },
};

static bool class_format(rf_reader *r, CXType canonical, rf_float_format *out)
{
    CXType bare = clang_getUnqualifiedType(canonical);
    const char *name = rf_string(r, clang_getTypeSpelling(bare));
    if (!strncmp(name, "struct ", 7))
        name += 7;
    for (size_t i = 0; i < RF_COUNTOF(float_classes); i++)
        if (!strcmp(name, float_classes[i].name)) {
            *out = float_classes[i].format;
            return true;
        }
    return false;
}

static bool is_unsigned_kind(enum CXTypeKind kind)
{
    return (kind >= CXType_Char_U && kind <= CXType_UInt128);
}

static void read_integer(rf_type *t, CXType canonical)
{
    t->kind = RF_TYPE_INT;
    t->is_unsigned = is_unsigned_kind(canonical.kind);
    t->bits = (unsigned)clang_Type_getSizeOf(canonical) * 8;
}

static void read_enum(rf_type *t, CXType canonical)
{
    CXCursor decl = clang_getTypeDeclaration(canonical);
    CXType base = clang_getCanonicalType(clang_getEnumDeclIntegerType(decl));
    read_integer(t, base);
}

static void read_pointer(rf_reader *r, rf_type *t, CXType type, bool reference)
{
    t->kind = RF_TYPE_POINTER;
    t->bits = 64;
    t->is_reference = reference;
    CXType to = clang_getPointeeType(type);
    if (to.kind == CXType_Invalid)
        to = clang_getPointeeType(clang_getCanonicalType(type));
    t->elem = rf_read_type(r, to);
}

static void read_array(rf_reader *r, rf_type *t, CXType canonical)
{
    t->kind = RF_TYPE_ARRAY;
    t->count = canonical.kind == CXType_ConstantArray
                   ? (int64_t)clang_getArraySize(canonical)
                   : -1;
    t->elem = rf_read_type(r, clang_getArrayElementType(canonical));
}

enum { MOST_FIELDS = 16 };

typedef struct {
    CXCursor field[MOST_FIELDS];
    unsigned n;
} field_list;

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    field_list *list = data;
    if (list->n < MOST_FIELDS)
        list->field[list->n] = field;
    list->n++;
    return CXVisit_Continue;
}

/* List the members of a plain struct of numbers. */
static void read_fields(rf_reader *r, rf_type *t, CXType canonical)
{
    field_list list = { .n = 0 };
    clang_Type_visitFields(canonical, add_field, &list);
    if (list.n > MOST_FIELDS ||
        rf_cursor_has_child(clang_getTypeDeclaration(canonical),
                            CXCursor_CXXBaseSpecifier))
        return;
    const char **names = RF_NEW_ARRAY(r->arena, list.n + 1, const char *);
    const rf_type **types = RF_NEW_ARRAY(r->arena, list.n + 1, const rf_type *);
    for (unsigned i = 0; i < list.n; i++) {
        CXType type = clang_getCursorType(list.field[i]);
        CXType bare = clang_getCanonicalType(type);
        if (bare.kind == CXType_Record || bare.kind == CXType_Pointer)
            return;
        names[i] = rf_string(r, clang_getCursorSpelling(list.field[i]));
        types[i] = rf_read_type(r, type);
    }
    t->knows_fields = true;
    t->n_fields = list.n;
    t->fields = names;
    t->field_types = types;
}

static void read_record(rf_reader *r, rf_type *t, CXType canonical)
{
    CXCursor decl = clang_getTypeDeclaration(canonical);
    if (clang_getCursorKind(decl) == CXCursor_UnionDecl) {
        t->kind = RF_TYPE_OTHER;
        return;
    }
    if (class_format(r, canonical, &t->format)) {
        t->kind = RF_TYPE_FLOAT;
    } else {
        t->kind = RF_TYPE_RECORD;
        read_fields(r, t, canonical);
    }
    if (t->kind == RF_TYPE_FLOAT)
        t->bits = t->format == RF_F16 || t->format == RF_BF16 ? 16 : 8;
}

static void set_float(rf_type *t, rf_float_format format, unsigned bits)
{
    t->kind = RF_TYPE_FLOAT;
    t->format = format;
    t->bits = bits;
}

static void read_builtin(rf_type *t, CXType canonical)
{
    switch (canonical.kind) {
    case CXType_Void:
        t->kind = RF_TYPE_VOID;
        break;
    case CXType_Bool:
        t->kind = RF_TYPE_BOOL;
        t->bits = 8;
        break;
    case CXType_Float:
        set_float(t, RF_F32, 32);
        break;
    case CXType_Double:
        set_float(t, RF_F64, 64);
        break;
    case CXType_Half:
    case CXType_Float16:
        set_float(t, RF_F16, 16);
        break;
    case CXType_BFloat16:
        set_float(t, RF_BF16, 16);
        break;
    default:
        if (canonical.kind >= CXType_Char_U && canonical.kind <= CXType_Int128)
            read_integer(t, canonical);
    }
}

static bool is_array(enum CXTypeKind kind)
{
    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
           kind == CXType_VariableArray || kind == CXType_DependentSizedArray;
}

static bool is_dependent(CXType canonical)
{
    return canonical.kind == CXType_Dependent ||
           canonical.kind == CXType_Unexposed;
}

static void fill(rf_reader *r, rf_type *t, CXType type)
{
    CXType canonical = clang_getCanonicalType(type);
    enum CXTypeKind kind = canonical.kind;
    t->kind = RF_TYPE_OTHER;
    t->count = -1;
    t->is_const = clang_isConstQualifiedType(canonical);
    t->is_volatile = clang_isVolatileQualifiedType(canonical);
    t->is_restrict = clang_isRestrictQualifiedType(canonical);
    if (kind == CXType_Pointer)
        read_pointer(r, t, type, false);
    else if (kind == CXType_LValueReference || kind == CXType_RValueReference)
        read_pointer(r, t, type, true);
    else if (is_array(kind))
        read_array(r, t, canonical);
    else if (kind == CXType_Record)
        read_record(r, t, canonical);
    else if (kind == CXType_Enum)
        read_enum(t, canonical);
    else if (is_dependent(canonical))
        t->kind = RF_TYPE_DEPENDENT;
    else
        read_builtin(t, canonical);
}

static bool same_interned(const rf_type *a, const rf_type *b)
{
    return a->kind == b->kind && a->format == b->format && a->bits == b->bits &&
           a->count == b->count && a->elem == b->elem &&
           a->is_unsigned == b->is_unsigned && a->is_const == b->is_const &&
           a->is_volatile == b->is_volatile &&
           a->is_restrict == b->is_restrict &&
           a->is_reference == b->is_reference &&
           !strcmp(a->spelling, b->spelling);
}

static const char *spell_canonical(rf_reader *r, CXType type)
{
    CXType bare = clang_getUnqualifiedType(clang_getCanonicalType(type));
    return rf_string(r, clang_getTypeSpelling(bare));
}

/* Take the place out of `(lambda at FILE:LINE:COLUMN)`. */
static const char *without_place(rf_reader *r, const char *text)
{
    const char *at = strstr(text, " at "), *close = at ? strchr(at, ')') : NULL;
    if (!close || text[0] != '(')
        return text;
    return rf_arena_printf(r->arena, "%.*s%s", (int)(at - text), text, close);
}

/* The type in C++; libclang has names of its own for what sizeof yields. */
static const char *spell(rf_reader *r, CXType type)
{
    CXType bare = clang_getUnqualifiedType(type);
    if (bare.kind == CXType_Invalid)
        bare = type;
    const char *text = rf_string(r, clang_getTypeSpelling(bare));
    if (!strcmp(text, "__size_t") || !strcmp(text, "__ptrdiff_t"))
        return text + 2;
    return without_place(r, text);
}

const rf_type *rf_read_type(rf_reader *r, CXType type)
{
    rf_type t = { 0 };
    fill(r, &t, type);
    t.spelling = spell(r, type);
    if (t.kind == RF_TYPE_RECORD || t.kind == RF_TYPE_OTHER ||
        t.kind == RF_TYPE_DEPENDENT)
        t.canonical = spell_canonical(r, type);
    for (size_t i = 0; i < r->types.len; i++)
        if (same_interned(r->types.data[i], &t))
            return r->types.data[i];
    rf_type *made = RF_NEW(r->arena, rf_type);
    *made = t;
    RF_PUSH(r->types, made);
    return made;
}

bool rf_type_is_arithmetic(const rf_type *type)
{
    return type && (type->kind == RF_TYPE_BOOL || type->kind == RF_TYPE_INT ||
                    type->kind == RF_TYPE_FLOAT);
}
