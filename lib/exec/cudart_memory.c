/* Memory: allocation, copies, fills, symbols. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

#include <string.h>

static bool on_device(const void *p, size_t size)
{
    uint64_t start;
    size_t length;
    return rf_machine_buffer(rf_cudart_get()->machine, (uint64_t)p, &start,
                             &length) &&
           (uint64_t)p + size <= start + length;
}

static bool device_address(const void *p)
{
    uint64_t start;
    size_t length;
    return rf_machine_buffer(rf_cudart_get()->machine, (uint64_t)p, &start,
                             &length);
}

/* ---- allocation ---- */

cudaError_t cudaMalloc(void **p, size_t size)
{
    rf_cudart *d = rf_cudart_get();
    if (d->sticky)
        return d->sticky;
    *p = size ? (void *)rf_machine_alloc(d->machine, size) : NULL;
    return rf_cudart_return(*p || !size ? cudaSuccess
                                        : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream)
{
    (void)stream;
    return cudaMalloc(p, size);
}

/* Memory that the host writes directly always counts as written. */
static cudaError_t host_visible(void **p, size_t size, enum cudaMemoryType type)
{
    rf_cudart *d = rf_cudart_get();
    cudaError_t error = cudaMalloc(p, size);
    if (!error && *p) {
        memset(*p, 0, size);
        rf_machine_wrote(d->machine, (uint64_t)*p, size);
        RF_PUSH(d->visible, (rf_cudart_visible){ (uint64_t)*p, type });
    }
    return error;
}

/* The type of the buffer that starts at "start"; addresses are never used
 * twice, so freed ones may stay in the list. */
static enum cudaMemoryType type_of(uint64_t start)
{
    const rf_cudart *d = rf_cudart_get();
    for (size_t i = 0; i < d->visible.len; i++)
        if (d->visible.data[i].start == start)
            return d->visible.data[i].type;
    return cudaMemoryTypeDevice;
}

cudaError_t cudaMallocManaged(void **p, size_t size, unsigned flags)
{
    (void)flags;
    return host_visible(p, size, cudaMemoryTypeManaged);
}

cudaError_t cudaMallocHost(void **p, size_t size)
{
    return host_visible(p, size, cudaMemoryTypeHost);
}

cudaError_t cudaHostAlloc(void **p, size_t size, unsigned flags)
{
    (void)flags;
    return host_visible(p, size, cudaMemoryTypeHost);
}

/* Pinning host memory changes nothing here; kernels cannot reach it. */
cudaError_t cudaHostRegister(void *p, size_t size, unsigned flags)
{
    (void)size, (void)flags;
    return rf_cudart_return(p ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void *p)
{
    (void)p;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaHostGetDevicePointer(void **p, void *host, unsigned flags)
{
    (void)flags;
    *p = host;
    return rf_cudart_return(device_address(host) ? cudaSuccess
                                                 : cudaErrorInvalidValue);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width,
                            size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(p, *pitch * height);
}

cudaError_t cudaFree(void *p)
{
    rf_cudart *d = rf_cudart_get();
    if (p && !rf_machine_release(d->machine, (uint64_t)p))
        return rf_cudart_return(cudaErrorInvalidValue);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(p);
}

cudaError_t cudaFreeHost(void *p)
{
    return cudaFree(p);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    *total = (size_t)80 << 30;
    *free_bytes = (size_t)78 << 30;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a,
                                     const void *p)
{
    memset(a, 0, sizeof *a);
    uint64_t start;
    size_t size;
    bool device =
        rf_machine_buffer(rf_cudart_get()->machine, (uint64_t)p, &start, &size);
    a->type = device ? type_of(start) : cudaMemoryTypeUnregistered;
    a->devicePointer = device ? (void *)p : NULL;
    a->hostPointer = a->type == cudaMemoryTypeDevice ? NULL : (void *)p;
    return rf_cudart_return(cudaSuccess);
}

/* ---- copies ---- */

static bool valid_ends(const void *to, const void *from, size_t size,
                       enum cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice ||
                     kind == cudaMemcpyDeviceToDevice || device_address(to);
    bool from_device = kind == cudaMemcpyDeviceToHost ||
                       kind == cudaMemcpyDeviceToDevice || device_address(from);
    return (!to_device || on_device(to, size)) &&
           (!from_device || on_device(from, size));
}

static cudaError_t copy(void *to, const void *from, size_t size,
                        enum cudaMemcpyKind kind)
{
    rf_cudart *d = rf_cudart_get();
    if (d->sticky)
        return d->sticky;
    if (!size)
        return rf_cudart_return(cudaSuccess);
    if (!to || !from || !valid_ends(to, from, size, kind))
        return rf_cudart_return(cudaErrorInvalidValue);
    bool to_device = on_device(to, size), from_device = on_device(from, size);
    if (from_device && !to_device)
        rf_cudart_log("copy", (uint64_t)from, size, from);
    memmove(to, from, size);
    if (to_device && from_device)
        rf_machine_copied(d->machine, (uint64_t)to, (uint64_t)from, size);
    else if (to_device)
        rf_machine_wrote(d->machine, (uint64_t)to, size);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size,
                       enum cudaMemcpyKind kind)
{
    return copy(to, from, size, kind);
}

/* A copy of rows or, with a NULL source, a fill. */
typedef struct {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, width, height;
    int value;
    enum cudaMemcpyKind kind;
} transfer;

static cudaError_t run_transfer(void *data)
{
    const transfer *t = data;
    if (!t->from)
        return cudaMemset2D(t->to, t->to_pitch, t->value, t->width, t->height);
    return cudaMemcpy2D(t->to, t->to_pitch, t->from, t->from_pitch, t->width,
                        t->height, t->kind);
}

static cudaError_t keep_or_run(transfer t)
{
    return rf_cudart_record(run_transfer, &t, sizeof t) ? cudaSuccess
                                                        : run_transfer(&t);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    if (!rf_cudart_get()->capture)
        return copy(to, from, size, kind);
    return keep_or_run((transfer){
        .to = to, .from = from, .width = size, .height = 1, .kind = kind });
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                           int from_device, size_t size)
{
    (void)to_device, (void)from_device;
    return copy(to, from, size, cudaMemcpyDefault);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                         size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    cudaError_t error = rf_cudart_return(cudaSuccess);
    for (size_t y = 0; y < height && !error; y++)
        error = copy((char *)to + y * to_pitch,
                     (const char *)from + y * from_pitch, width, kind);
    return error;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return keep_or_run(
        (transfer){ to, from, to_pitch, from_pitch, width, height, 0, kind });
}

cudaError_t cudaMemset(void *p, int value, size_t size)
{
    rf_cudart *d = rf_cudart_get();
    if (d->sticky)
        return d->sticky;
    if (size && !on_device(p, size))
        return rf_cudart_return(cudaErrorInvalidValue);
    if (size) {
        memset(p, value, size);
        rf_machine_wrote(d->machine, (uint64_t)p, size);
    }
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size,
                            cudaStream_t stream)
{
    (void)stream;
    return keep_or_run(
        (transfer){ .to = p, .width = size, .height = 1, .value = value });
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width,
                         size_t height)
{
    cudaError_t error = rf_cudart_return(cudaSuccess);
    for (size_t y = 0; y < height && !error; y++)
        error = cudaMemset((char *)p + y * pitch, value, width);
    return error;
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t stream)
{
    (void)stream;
    return keep_or_run((transfer){ .to = p,
                                   .to_pitch = pitch,
                                   .width = width,
                                   .height = height,
                                   .value = value });
}

/* ---- three dimensions: no arrays, only linear memory ---- */

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    cudaError_t error = cudaMallocPitch(&p->ptr, &p->pitch, extent.width,
                                        extent.height * extent.depth);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return error;
}

static char *corner(const struct cudaPitchedPtr *p, struct cudaPos at, size_t z)
{
    return (char *)p->ptr + ((at.z + z) * p->ysize + at.y) * p->pitch + at.x;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *m)
{
    cudaError_t error = rf_cudart_return(cudaSuccess);
    if (m->srcArray || m->dstArray)
        return rf_cudart_return(cudaErrorNotSupported);
    for (size_t z = 0; z < m->extent.depth && !error; z++)
        error = cudaMemcpy2D(corner(&m->dstPtr, m->dstPos, z), m->dstPtr.pitch,
                             corner(&m->srcPtr, m->srcPos, z), m->srcPtr.pitch,
                             m->extent.width, m->extent.height, m->kind);
    return error;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *m,
                              cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy3D(m);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value,
                         struct cudaExtent extent)
{
    cudaError_t error = rf_cudart_return(cudaSuccess);
    for (size_t z = 0; z < extent.depth && !error; z++)
        error = cudaMemset2D(corner(&p, (struct cudaPos){ 0 }, z), p.pitch,
                             value, extent.width, extent.height);
    return error;
}

/* ---- symbols ---- */

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
    *p = (void *)rf_cudart_symbol(symbol, NULL);
    return rf_cudart_return(*p ? cudaSuccess : cudaErrorInvalidSymbol);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    return rf_cudart_return(
        rf_cudart_symbol(symbol, size) ? cudaSuccess : cudaErrorInvalidSymbol);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    uint64_t a = rf_cudart_symbol(symbol, NULL);
    return a ? copy((void *)(a + offset), from, size, kind)
             : rf_cudart_return(cudaErrorInvalidSymbol);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    uint64_t a = rf_cudart_symbol(symbol, NULL);
    return a ? copy(to, (void *)(a + offset), size, kind)
             : rf_cudart_return(cudaErrorInvalidSymbol);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t size, size_t offset,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size,
                                      size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyFromSymbol(to, symbol, size, offset, kind);
}

#endif
