/* Device memory: one reserved stretch of addresses, filled from its start.
 *
 * Nothing is used twice: a freed buffer keeps its addresses and gives its
 * pages back. A table names the buffer of every 256-byte chunk; between two
 * buffers lies at least one chunk of nobody's. */
#include "exec/device.h"

#include <string.h>
#include <sys/mman.h>

#define HEAP_SIZE ((size_t)1 << 39)
#define LIVE_MAX  ((size_t)80 << 30)
enum { MAX_ALLOCS = 1 << 24 };
#define POISON_MAX ((size_t)64 << 20)

/* Address space without memory: pages appear, zeroed, when they are used. */
static void *reserve(size_t size, void *hint)
{
    void *p = mmap(hint, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        fputs("rf-run: error: cannot reserve address space\n", stderr);
        exit(1);
    }
    madvise(p, size, MADV_DONTDUMP);
    return p;
}

/* Forget a range; whole pages go back to the system. */
static void forget(void *start, size_t size)
{
    uintptr_t a = ((uintptr_t)start + RF_PAGE - 1) & ~(uintptr_t)(RF_PAGE - 1);
    uintptr_t b = ((uintptr_t)start + size) & ~(uintptr_t)(RF_PAGE - 1);
    if (b > a)
        madvise((void *)a, b - a, MADV_DONTNEED);
}

void rf_shadow_init(rf_shadow *s, uint64_t base, size_t size)
{
    s->base = base;
    s->size = size;
    s->valid = reserve(size, NULL);
    s->writer = reserve(size * 8, NULL);
    s->reader = reserve(size * 8, NULL);
    s->reader2 = reserve(size * 8, NULL);
    s->writer_code = reserve(size * 4, NULL);
    s->granule = reserve(size / RF_PAGE + 1, NULL);
}

void rf_shadow_free(rf_shadow *s)
{
    if (!s->valid)
        return;
    munmap(s->valid, s->size);
    munmap(s->writer, s->size * 8);
    munmap(s->reader, s->size * 8);
    munmap(s->reader2, s->size * 8);
    munmap(s->writer_code, s->size * 4);
    munmap(s->granule, s->size / RF_PAGE + 1);
}

void rf_heap_init(rf_heap *h)
{
    h->size = HEAP_SIZE;
    h->base = reserve(h->size, (void *)0x200000000000);
    h->owner = reserve(h->size / RF_CHUNK * sizeof *h->owner, NULL);
    h->max_allocs = MAX_ALLOCS;
    h->allocs = reserve(h->max_allocs * sizeof *h->allocs, NULL);
    h->n_allocs = 1;
    h->used = RF_PAGE;
    rf_shadow_init(&h->shadow, (uint64_t)h->base, h->size);
}

void rf_heap_free(rf_heap *h)
{
    munmap(h->base, h->size);
    munmap(h->owner, h->size / RF_CHUNK * sizeof *h->owner);
    munmap(h->allocs, h->max_allocs * sizeof *h->allocs);
    rf_shadow_free(&h->shadow);
}

uint64_t rf_heap_alloc(rf_heap *h, size_t size, uint8_t poison)
{
    size_t chunks = (size + RF_CHUNK - 1) / RF_CHUNK;
    if (size > LIVE_MAX - h->live_bytes || h->n_allocs == h->max_allocs ||
        (chunks + 1) * RF_CHUNK > h->size - h->used)
        return 0;
    uint32_t number = h->n_allocs++;
    uint8_t *start = h->base + h->used;
    for (size_t c = 0; c < chunks; c++)
        h->owner[h->used / RF_CHUNK + c] = number;
    h->allocs[number] = (rf_alloc){
        .start = (uint64_t)start, .size = size, .live = true, .serial = number
    };
    h->used += (chunks + 1) * RF_CHUNK;
    h->live_bytes += size;
    if (size <= POISON_MAX)
        memset(start, poison, chunks * RF_CHUNK);
    return (uint64_t)start;
}

bool rf_heap_release(rf_heap *h, uint64_t address)
{
    rf_alloc *a = rf_heap_at(h, address);
    if (!a || !a->live || a->start != address)
        return false;
    size_t offset = address - (uint64_t)h->base;
    a->live = false;
    h->live_bytes -= a->size;
    forget((void *)address, a->size);
    forget(h->shadow.valid + offset, a->size);
    forget(h->shadow.writer + offset, a->size * 8);
    forget(h->shadow.reader + offset, a->size * 8);
    forget(h->shadow.reader2 + offset, a->size * 8);
    forget(h->shadow.writer_code + offset, a->size * 4);
    return true;
}

const rf_alloc *rf_heap_near(const rf_heap *h, uint64_t address)
{
    const rf_alloc *best = NULL;
    for (uint32_t i = 1; i < h->n_allocs; i++)
        if (h->allocs[i].start <= address)
            best = &h->allocs[i];
    return best;
}
