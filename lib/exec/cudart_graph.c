/* Graphs, made by capturing streams: between cudaStreamBeginCapture and its
 * end, asynchronous calls are kept instead of run. Their order of issue is one
 * of the orders that the graph allows, so a launch replays them in it. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

#include <string.h>

typedef struct {
    rf_cudart_action *run;
    void *data; /* owned */
} action;

struct rf_cudart_graph {
    RF_ARRAY(action) actions;
    int users; /* the graph and its executable forms */
};

static rf_cudart_graph *graph_new(void)
{
    rf_cudart_graph *g = rf_malloc(sizeof *g);
    *g = (rf_cudart_graph){ .users = 1 };
    return g;
}

static void graph_release(rf_cudart_graph *g)
{
    if (!g || --g->users)
        return;
    for (size_t i = 0; i < g->actions.len; i++)
        free(g->actions.data[i].data);
    RF_CLEAR(g->actions);
    free(g);
}

bool rf_cudart_record(rf_cudart_action *run, const void *data, size_t size)
{
    rf_cudart_graph *g = rf_cudart_get()->capture;
    if (!g)
        return false;
    action a = { run, rf_malloc(size) };
    memcpy(a.data, data, size);
    RF_PUSH(g->actions, a);
    return true;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode)
{
    (void)stream, (void)mode;
    rf_cudart *d = rf_cudart_get();
    if (d->capture)
        return rf_cudart_return(cudaErrorIllegalState);
    d->capture = graph_new();
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    (void)stream;
    rf_cudart *d = rf_cudart_get();
    if (!d->capture)
        return rf_cudart_return(cudaErrorIllegalState);
    *graph = (cudaGraph_t)d->capture;
    d->capture = NULL;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *status)
{
    (void)stream;
    *status = rf_cudart_get()->capture ? cudaStreamCaptureStatusActive
                                       : cudaStreamCaptureStatusNone;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    (void)flags;
    *graph = (cudaGraph_t)graph_new();
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    (void)flags;
    rf_cudart_graph *g = (rf_cudart_graph *)graph;
    g->users++;
    *exec = (cudaGraphExec_t)g;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)exec, (void)stream;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    const rf_cudart_graph *g = (const rf_cudart_graph *)exec;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < g->actions.len && !error; i++)
        error = g->actions.data[i].run(g->actions.data[i].data);
    return error;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *n)
{
    const rf_cudart_graph *g = (const rf_cudart_graph *)graph;
    for (size_t i = 0; nodes && i < *n && i < g->actions.len; i++)
        nodes[i] = (cudaGraphNode_t)&g->actions.data[i];
    *n = g->actions.len;
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    graph_release((rf_cudart_graph *)graph);
    return rf_cudart_return(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    graph_release((rf_cudart_graph *)exec);
    return rf_cudart_return(cudaSuccess);
}

#endif
