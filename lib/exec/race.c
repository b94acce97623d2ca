/* Race and initialisation checks (to be filled). */
#include "exec/race.h"

void rf_shadow_touch(rf_warp *w, const rf_instr *in, int lane, rf_block *b,
                     uint64_t offset, uint32_t n, rf_use use,
                     const uint8_t *value)
{
    (void)w, (void)in, (void)lane, (void)b, (void)offset, (void)n, (void)use;
    (void)value;
}

void rf_shadow_touch_all(rf_warp *w, const rf_instr *in, uint32_t mask,
                         rf_block *b, const uint64_t *address, uint32_t n,
                         rf_use use, const uint8_t *values, uint32_t stride)
{
    (void)w, (void)in, (void)mask, (void)b, (void)address, (void)n, (void)use;
    (void)values, (void)stride;
}

void rf_actor_release(rf_warp *w, uint32_t *vc)
{
    (void)w, (void)vc;
}

void rf_actor_acquire(rf_warp *w, const uint32_t *vc)
{
    (void)w, (void)vc;
}

void rf_actor_tick(rf_warp *w)
{
    (void)w;
}

void rf_actor_fence(rf_warp *w)
{
    (void)w;
}

void rf_clocks_clear(const rf_cluster *c, uint32_t *vc)
{
    (void)c, (void)vc;
}

void rf_clocks_move(const rf_cluster *c, uint32_t *to, uint32_t *from)
{
    (void)c, (void)to, (void)from;
}

uint32_t *rf_clocks_new(const rf_cluster *c)
{
    uint32_t *vc = rf_malloc(c->n_actors * sizeof *vc);
    for (uint32_t i = 0; i < c->n_actors; i++)
        vc[i] = 0;
    return vc;
}

void rf_actor_init(rf_actor *a, const rf_cluster *c, uint32_t index)
{
    *a = (rf_actor){ .vc = rf_clocks_new(c), .index = index };
}

void rf_cluster_clock_start(rf_cluster *c)
{
    (void)c;
}

void rf_actor_start(rf_warp *w)
{
    (void)w;
}

void rf_syncs_clear(rf_cluster *c)
{
    (void)c;
}

void rf_block_shadow_init(rf_block *b, size_t size)
{
    (void)b, (void)size;
}

void rf_block_shadow_free(rf_block *b)
{
    (void)b;
}

void rf_block_shadow_start(rf_block *b)
{
    (void)b;
}

void rf_block_exit_check(rf_block *b)
{
    (void)b;
}
