/* Recognising threads that spin for ever.
 *
 * While nothing is stored anywhere, what a warp does next depends on its own
 * state alone: registers, local memory, and which lanes are where. If it comes
 * back to a state, it will do so again and again. States are compared by
 * their hashes. */
#include "exec/device.h"

#include <string.h>

enum { STATES = 64 };

struct rf_history {
    uint64_t progress; /* of the worker, when the first state was noted */
    uint64_t hash[STATES];
    uint32_t n;
};

static uint64_t mix(uint64_t h, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ words[i]) * 0x9e3779b97f4a7c15ull + (h >> 29);
    return h;
}

static uint64_t hash_frames(const rf_warp *w, uint64_t h)
{
    uint32_t deepest = 0;
    RF_EACH_LANE(i, w->alive)
    {
        uint32_t depth = rf_call_depth(w, i);
        deepest = depth > deepest ? depth : deepest;
    }
    for (uint32_t d = 0; d <= deepest && d < w->n_depth; d++)
        for (const rf_frame *f = w->depth[d].frames; f; f = f->next)
            h = mix(h, f->columns, rf_function_words(f->f));
    return h;
}

static uint64_t hash_local(const rf_warp *w, uint64_t h)
{
    RF_EACH_LANE(i, w->alive)
    {
        const uint8_t *local = w->local + (size_t)i * w->local_size;
        for (uint32_t k = 0; k + 8 <= w->local_top[i]; k += 8) {
            uint64_t word;
            memcpy(&word, local + k, 8);
            h = mix(h, &word, 1);
        }
    }
    return h;
}

static uint64_t state_of(const rf_warp *w)
{
    uint64_t h = mix(w->ready, w->key, RF_LANES);
    return hash_local(w, hash_frames(w, h));
}

bool rf_warp_spins(rf_warp *w)
{
    if (!w->history) {
        w->history = rf_malloc(sizeof *w->history);
        w->history->progress = ~0ull;
    }
    rf_history *h = w->history;
    if (h->progress != w->worker->progress) {
        h->progress = w->worker->progress;
        h->n = 0;
    }
    uint64_t state = state_of(w);
    uint32_t kept = h->n < STATES ? h->n : STATES;
    for (uint32_t i = 0; i < kept; i++)
        if (h->hash[i] == state)
            return true;
    h->hash[h->n++ % STATES] = state;
    return false;
}
