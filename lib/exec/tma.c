/* Tensor maps and bulk copies (see tma.h). */
#include "exec/tma.h"
#include "exec/wgmma.h"

enum { CHUNK = 16, MAP_BYTES = 128, PIECE = 128 };

static const uint64_t map_magic = 0x70616d726f736e74;

_Static_assert(sizeof(rf_tensor_map) <= MAP_BYTES,
               "a CUtensorMap is 128 bytes");

static const struct {
    rf_type type;
    bool floating;
} tensor_types[] = {
#define X(id, type, floating) { RF_T_##type, floating },
    RF_TENSOR_TYPES(X)
#undef X
};

static uint32_t element_bytes(const rf_tensor_map *map)
{
    return rf_type_bytes(tensor_types[map->type].type);
}

/* Making maps */

static bool args_valid(const rf_tensor_args *a)
{
    uint32_t least = a->lower ? 3 : 1;
    if (a->type < 0 || a->type >= (int)RF_COUNTOF(tensor_types))
        return false;
    if (a->rank < least || a->rank > RF_TENSOR_DIMS || a->address % CHUNK)
        return false;
    if (a->swizzle < 0 || a->swizzle > 3 || a->fill < 0 || a->fill > 1)
        return false;
    return !a->fill || tensor_types[a->type].floating;
}

static bool dims_valid(const rf_tensor_args *a)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        if (!a->extent[i] || a->extent[i] > 1ull << 32)
            return false;
        if (a->element[i] < 1 || a->element[i] > 8)
            return false;
        if (i && (a->stride[i - 1] % CHUNK || a->stride[i - 1] >> 40))
            return false;
        if (a->box && (a->box[i] < 1 || a->box[i] > 256))
            return false;
    }
    return a->box || (a->channels && a->channels <= 256 && a->pixels &&
                      a->pixels <= 1024);
}

static bool inner_valid(const rf_tensor_args *a)
{
    uint32_t inner = a->box ? a->box[0] : a->channels;
    inner *= rf_type_bytes(tensor_types[a->type].type);
    if (inner % CHUNK)
        return false;
    return !a->swizzle || inner <= (uint32_t)CHUNK << a->swizzle;
}

static void set_corners(rf_tensor_map *map, const rf_tensor_args *a)
{
    map->im2col = true;
    map->box[0] = a->channels;
    map->box[1] = a->pixels;
    for (uint32_t i = 0; i + 2 < a->rank; i++) {
        map->lower[i] = a->lower[i];
        map->upper[i] = a->upper[i];
    }
}

rf_status rf_tensor_map_encode(const rf_tensor_args *a, void *bytes)
{
    if (a->interleave)
        return RF_NOT_SUPPORTED;
    if (!args_valid(a) || !dims_valid(a) || !inner_valid(a))
        return RF_INVALID_VALUE;
    rf_tensor_map map = { .magic = map_magic,
                          .address = a->address,
                          .rank = a->rank,
                          .type = a->type,
                          .swizzle = a->swizzle,
                          .fill = a->fill };
    map.stride[0] = element_bytes(&map);
    for (uint32_t i = 0; i < a->rank; i++) {
        map.extent[i] = a->extent[i] - 1;
        map.element[i] = a->element[i];
        map.stride[i] = i ? a->stride[i - 1] : map.stride[0];
        map.box[i] = a->box ? a->box[i] : 1;
    }
    if (a->lower)
        set_corners(&map, a);
    memset(bytes, 0, MAP_BYTES);
    memcpy(bytes, &map, sizeof map);
    return RF_OK;
}

bool rf_tensor_map_valid(const void *bytes)
{
    return !memcmp(bytes, &map_magic, sizeof map_magic);
}

void rf_tensor_map_replace(rf_tensor_map *map, rf_tensor_field field,
                           uint32_t n, uint64_t value)
{
    switch (field) {
    case RF_TENSOR_ADDRESS:
        map->address = value;
        break;
    case RF_TENSOR_RANK:
        map->rank = value + 1;
        break;
    case RF_TENSOR_BOX:
        map->box[n] = value;
        break;
    case RF_TENSOR_EXTENT:
        map->extent[n] = value - 1;
        break;
    case RF_TENSOR_STRIDE:
        map->stride[n + 1] = value;
        break;
    case RF_TENSOR_ELEMENT:
        map->element[n] = value;
        break;
    case RF_TENSOR_TYPE:
        map->type = value;
        map->stride[0] = element_bytes(map);
        break;
    case RF_TENSOR_SWIZZLE:
        map->swizzle = value;
        break;
    case RF_TENSOR_FILL:
        map->fill = value;
        break;
    case RF_TENSOR_INTERLEAVE:
    case RF_TENSOR_FIELD_COUNT:
        break;
    }
}

/* Walking the box */

/* Elements of the image along dimension "i". */
static uint32_t image_extent(const rf_tensor_map *map, int i)
{
    if (i == 0 || map->im2col)
        return map->box[i];
    return (map->box[i] + map->element[i] - 1) / map->element[i];
}

static uint32_t image_rows(const rf_tensor_map *map)
{
    uint32_t n = 1;
    int dims = map->im2col ? 2 : map->rank;
    for (int i = 1; i < dims; i++)
        n *= image_extent(map, i);
    return n;
}

uint32_t rf_tensor_bytes(const rf_tensor_map *map)
{
    return image_rows(map) * map->box[0] * element_bytes(map);
}

/* The place of row "row" of the image: x[1..rank-1]. */
static void tiled_place(const rf_tensor_map *map, const rf_tensor_copy *copy,
                        uint32_t row, int64_t *x)
{
    for (int i = 1; i < map->rank; i++) {
        uint32_t n = image_extent(map, i);
        x[i] = copy->at[i] + (int64_t)(row % n) * map->element[i];
        row /= n;
    }
}

/* Pixel "row" from the start on, in the order of the bounding box. */
static void im2col_place(const rf_tensor_map *map, const rf_tensor_copy *copy,
                         uint32_t row, int64_t *x)
{
    int64_t carry = row;
    int last = map->rank - 1;
    for (int i = 1; i < last; i++) {
        int64_t low = map->lower[i - 1];
        int64_t span = (int64_t)map->extent[i] + map->upper[i - 1] - low + 1;
        int64_t n = (span + map->element[i] - 1) / map->element[i];
        int64_t steps = (copy->at[i] - low) / map->element[i] + carry;
        x[i] = low + steps % n * map->element[i] + copy->offset[i - 1];
        carry = steps / n;
    }
    x[last] = copy->at[last] + carry;
}

/* Find the global address of the row at "x"; false when it lies outside. */
static bool row_address(const rf_tensor_map *map, const int64_t *x,
                        uint64_t *address)
{
    *address = map->address;
    for (int i = 1; i < map->rank; i++) {
        if (x[i] < 0 || x[i] > map->extent[i])
            return false;
        *address += (uint64_t)x[i] * map->stride[i];
    }
    return true;
}

static void fill(const rf_tensor_map *map, uint8_t *chunk)
{
    rf_type type = tensor_types[map->type].type;
    uint32_t n = rf_type_bytes(type);
    uint64_t nan = type == RF_T_F64                        ? ~0ull >> 1
                   : type == RF_T_F16 || type == RF_T_BF16 ? 0x7fff
                                                           : 0x7fffffff;
    memset(chunk, 0, CHUNK);
    for (uint32_t i = 0; map->fill && i < CHUNK; i += n)
        memcpy(chunk + i, &nan, n);
}

/* Move one chunk: "run" bytes from "skip" on lie at "global". */
static void move_chunk(const rf_tensor_map *map, const rf_tensor_copy *copy,
                       const rf_access *m, uint64_t shared, uint64_t global,
                       uint32_t skip, uint32_t run)
{
    uint8_t chunk[CHUNK];
    if (copy->direction == RF_TENSOR_LOAD) {
        fill(map, chunk);
        if (run)
            m->read(m->context, RF_SPACE_GLOBAL, global, chunk + skip, run);
        m->write(m->context, copy->space, shared, chunk, CHUNK);
        return;
    }
    m->read(m->context, copy->space, shared, chunk, CHUNK);
    if (!run)
        return;
    if (copy->direction == RF_TENSOR_STORE)
        m->write(m->context, RF_SPACE_GLOBAL, global, chunk + skip, run);
    else
        m->reduce(m->context, RF_SPACE_GLOBAL, global, chunk + skip, run,
                  copy->op, tensor_types[map->type].type);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static void move_row(const rf_tensor_map *map, const rf_tensor_copy *copy,
                     const rf_access *access, uint32_t row)
{
    int64_t x[RF_TENSOR_DIMS], size = element_bytes(map);
    uint32_t bytes = map->box[0] * size;
    (map->im2col ? im2col_place : tiled_place)(map, copy, row, x);
    uint64_t global;
    bool found = row_address(map, x, &global);
    int64_t inside = found ? ((int64_t)map->extent[0] + 1) * size : 0;
    for (uint32_t at = 0; at < bytes; at += CHUNK) {
        int64_t first = copy->at[0] * size + at;
        int64_t begin = clamp(first, 0, inside);
        int64_t end = clamp(first + CHUNK, 0, inside);
        uint64_t shared = copy->shared + (uint64_t)row * bytes + at;
        uint64_t place = (shared & ~0xffffffull) |
                         rf_swizzle(shared & 0xffffff, 1u << map->swizzle, 0);
        move_chunk(map, copy, access, place, global + begin,
                   end > begin ? begin - first : 0,
                   end > begin ? end - begin : 0);
    }
}

void rf_tensor_run(const rf_tensor_map *map, const rf_tensor_copy *copy,
                   const rf_access *access)
{
    uint32_t rows = image_rows(map);
    for (uint32_t row = 0; row < rows; row++)
        move_row(map, copy, access, row);
}

void rf_bulk_run(const rf_bulk_copy *c, const rf_access *m)
{
    uint8_t bytes[PIECE];
    for (uint32_t at = 0; at < c->size; at += PIECE) {
        uint32_t n = c->size - at < PIECE ? c->size - at : PIECE;
        m->read(m->context, c->from_space, c->from + at, bytes, n);
        if (c->reduce)
            m->reduce(m->context, c->to_space, c->to + at, bytes, n, c->op,
                      c->type);
        else
            m->write(m->context, c->to_space, c->to + at, bytes, n);
    }
}
