/* Runs the kernels of rows.cu. Without SETS each is launched once, on one set
 * of inputs, and its result is copied back.
 *
 * With SETS=n each is timed: the median of 20 launches after three, over n
 * sets of inputs in turn, which together are larger than the L2 cache. A line
 * `name milliseconds` is printed, the first results go to the file `name`. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef SETS
#define RF_TIMED
#else
#define SETS 1
#endif

static void check(cudaError_t code)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(code));
    exit(1);
}

template <class T> static T *filled(size_t n, int below)
{
    std::vector<T> host(n);
    unsigned state = 1;
    for (T &v : host) {
        state = state * 1664525u + 1013904223u;
        v = (T)(1 + (state >> 16) % 1024 * (below - 1) / 1024.0);
    }
    T *device;
    check(cudaMalloc(&device, n * sizeof(T)));
    check(
        cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

#ifdef RF_TIMED

static float time_of(cudaEvent_t begin, cudaEvent_t end)
{
    float ms;
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

template <class Launch>
static void measure(const char *name, const float *result, size_t n,
                    Launch launch)
{
    const int warm_up = 3, runs = 20;
    std::vector<float> times, host(std::min<size_t>(n, 65536));
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    for (int i = 0; i < warm_up + runs; i++) {
        check(cudaEventRecord(begin));
        launch(i % SETS);
        const float ms = time_of(begin, end);
        if (i >= warm_up)
            times.push_back(ms);
    }
    check(cudaGetLastError());
    std::sort(times.begin(), times.end());
    printf("%s %.9g\n", name, times[runs / 2]);
    launch(0);
    check(cudaMemcpy(host.data(), result, host.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    FILE *file = fopen(name, "wb");
    if (!file ||
        fwrite(host.data(), sizeof(float), host.size(), file) != host.size() ||
        fclose(file))
        exit(1);
}

#else

template <class Launch>
static void measure(const char *, const float *result, size_t n, Launch launch)
{
    std::vector<float> host(n);
    launch(0);
    check(cudaMemcpy(host.data(), result, n * sizeof(float),
                     cudaMemcpyDeviceToHost));
}

#endif
