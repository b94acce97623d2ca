/* A hash map from cursors to what was made for them: open addressing. */
#include "front/reader.h"

static rf_slot *find(rf_slot *slots, size_t cap, CXCursor key)
{
    size_t i = clang_hashCursor(key) * 2654435761u % cap;
    while (slots[i].value && !clang_equalCursors(slots[i].key, key))
        i = (i + 1) % cap;
    return &slots[i];
}

void *rf_map_get(const rf_map *map, CXCursor key)
{
    return map->cap ? find(map->slots, map->cap, key)->value : NULL;
}

static void grow(rf_map *map)
{
    size_t cap = map->cap ? map->cap * 2 : 64;
    rf_slot *slots = rf_malloc(cap * sizeof *slots);
    for (size_t i = 0; i < cap; i++)
        slots[i].value = NULL;
    for (size_t i = 0; i < map->cap; i++)
        if (map->slots[i].value)
            *find(slots, cap, map->slots[i].key) = map->slots[i];
    free(map->slots);
    map->slots = slots;
    map->cap = cap;
}

void rf_map_put(rf_map *map, CXCursor key, void *value)
{
    if (map->used * 2 >= map->cap)
        grow(map);
    rf_slot *slot = find(map->slots, map->cap, key);
    map->used += !slot->value;
    *slot = (rf_slot){ key, value };
}

void rf_map_free(rf_map *map)
{
    free(map->slots);
    *map = (rf_map){ 0 };
}
