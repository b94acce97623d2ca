// A small image pipeline: noise, separable blur from constant memory, Sobel
// edges, histogram, equalisation, summed-area table, connected labels and a
// median, over streams with events, pinned memory and pitched copies. Every
// stage is checked against a plain computation on the host.
//
// run:
// expect: pipeline: all stages right
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <numeric>
#include <string>
#include <vector>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,            \
                         cudaGetErrorString(e_));                              \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

using byte = unsigned char;

constexpr int WIDTH = 150, HEIGHT = 90;
constexpr int RADIUS = 3, TAPS = 2 * RADIUS + 1, BINS = 256;

__constant__ float taps[TAPS];
__constant__ int sobel[2][3][3] = { { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } },
                                    { { -1, -2, -1 }, { 0, 0, 0 }, { 1, 2, 1 } } };
__device__ unsigned long long pixels_seen;

// ---- memory ----

template <class T> class device_array
{
  public:
    explicit device_array(size_t n) : n_(n)
    {
        CHECK(cudaMalloc(&p_, n * sizeof(T)));
    }
    ~device_array()
    {
        cudaFree(p_);
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    T *get()
    {
        return p_;
    }
    size_t bytes() const
    {
        return n_ * sizeof(T);
    }
    void upload(const std::vector<T> &v, cudaStream_t s = nullptr)
    {
        CHECK(cudaMemcpyAsync(p_, v.data(), bytes(), cudaMemcpyHostToDevice,
                              s));
    }
    std::vector<T> download() const
    {
        std::vector<T> v(n_);
        CHECK(cudaMemcpy(v.data(), p_, bytes(), cudaMemcpyDeviceToHost));
        return v;
    }

  private:
    T *p_ = nullptr;
    size_t n_;
};

// A view with a pitch, as cudaMallocPitch gives it.
template <class T> struct image {
    T *data;
    size_t pitch;
    int width, height;
    __host__ __device__ T &at(int x, int y) const
    {
        return *(T *)((char *)data + y * pitch + x * sizeof(T));
    }
    __device__ T clamped(int x, int y) const
    {
        return at(min(max(x, 0), width - 1), min(max(y, 0), height - 1));
    }
};

template <class T> image<T> make_image(int width, int height)
{
    image<T> i = { nullptr, 0, width, height };
    CHECK(cudaMallocPitch(&i.data, &i.pitch, width * sizeof(T), height));
    return i;
}

template <class T>
std::vector<T> download(const image<T> &i, cudaStream_t s = nullptr)
{
    std::vector<T> v(i.width * i.height);
    CHECK(cudaMemcpy2DAsync(v.data(), i.width * sizeof(T), i.data, i.pitch,
                            i.width * sizeof(T), i.height,
                            cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    return v;
}

// ---- kernels ----

// One pass of a separable filter through a shared tile.
template <bool vertical, int TX, int TY>
__global__ void __launch_bounds__(TX *TY)
    blur(image<float> from, image<float> to)
{
    constexpr int HX = vertical ? 0 : RADIUS, HY = vertical ? RADIUS : 0;
    __shared__ float tile[TY + 2 * HY][TX + 2 * HX + 1];
    int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
    for (int y = threadIdx.y; y < TY + 2 * HY; y += TY)
        for (int x = threadIdx.x; x < TX + 2 * HX; x += TX)
            tile[y][x] = from.clamped(x0 + x - HX, y0 + y - HY);
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= to.width || y >= to.height)
        return;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < TAPS; i++)
        sum += taps[i] * (vertical ? tile[threadIdx.y + i][threadIdx.x]
                                   : tile[threadIdx.y][threadIdx.x + i]);
    to.at(x, y) = sum;
}

__global__ void edges(image<float> from, image<byte> to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= to.width || y >= to.height)
        return;
    float g[2] = { 0, 0 };
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                g[k] += sobel[k][j][i] * from.clamped(x + i - 1, y + j - 1);
    float m = sqrtf(g[0] * g[0] + g[1] * g[1]);
    to.at(x, y) = (byte)min(255.0f, rintf(m));
    atomicAdd(&pixels_seen, 1ull);
}

__global__ void histogram(image<byte> from, unsigned *bins)
{
    __shared__ unsigned local[BINS];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    int threads = blockDim.x * blockDim.y;
    for (int i = t; i < BINS; i += threads)
        local[i] = 0;
    __syncthreads();
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < from.height;
         y += gridDim.y * blockDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < from.width;
             x += gridDim.x * blockDim.x)
            atomicAdd(&local[from.at(x, y)], 1u);
    __syncthreads();
    for (int i = t; i < BINS; i += threads)
        if (local[i])
            atomicAdd(&bins[i], local[i]);
}

// The cumulative distribution becomes a table of new grey values.
__global__ void equalisation_table(const unsigned *bins, byte *table, int n)
{
    using scan = cub::BlockScan<unsigned, BINS>;
    using reduce = cub::BlockReduce<unsigned, BINS>;
    __shared__ union {
        typename scan::TempStorage scan_space;
        typename reduce::TempStorage reduce_space;
    } space;
    __shared__ unsigned least;
    unsigned count = bins[threadIdx.x], sum;
    scan(space.scan_space).InclusiveSum(count, sum);
    __syncthreads();
    unsigned m = reduce(space.reduce_space)
                     .Reduce(count ? sum : ~0u,
                             [](unsigned a, unsigned b) {
                                 return a < b ? a : b;
                             });
    if (threadIdx.x == 0)
        least = m;
    __syncthreads();
    float scale = n > (int)least ? 255.0f / (float)(n - least) : 0.0f;
    table[threadIdx.x] =
        sum < least ? 0 : (byte)rintf((float)(sum - least) * scale);
}

template <class F> __global__ void transform(image<byte> i, F f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < i.width && y < i.height)
        i.at(x, y) = f(i.at(x, y));
}

struct lookup {
    const byte *table;
    __device__ byte operator()(byte v) const
    {
        return table[v];
    }
};

// Rows of a summed-area table: one warp a row, with shuffles.
__global__ void scan_rows(image<byte> from, unsigned *to)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= from.height)
        return;
    unsigned carry = 0;
    for (int x0 = 0; x0 < from.width; x0 += 32) {
        unsigned v = x0 + lane < from.width ? from.at(x0 + lane, row) : 0;
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(~0u, v, d);
            if (lane >= d)
                v += other;
        }
        if (x0 + lane < from.width)
            to[row * from.width + x0 + lane] = v + carry;
        carry += __shfl_sync(~0u, v, 31);
    }
}

__global__ void scan_columns(unsigned *table, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 1; x < width && y < height; y++)
        table[y * width + x] += table[(y - 1) * width + x];
}

// Labels of connected bright pixels: the least index spreads.
__global__ void spread_labels(image<byte> i, int *label, int *changed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= i.width || y >= i.height || i.at(x, y) < 128)
        return;
    const int dx[] = { 1, -1, 0, 0 }, dy[] = { 0, 0, 1, -1 };
    int at = y * i.width + x, mine = atomicAdd(&label[at], 0), best = mine;
    for (int k = 0; k < 4; k++) {
        int u = x + dx[k], v = y + dy[k];
        if (u < 0 || v < 0 || u >= i.width || v >= i.height ||
            i.at(u, v) < 128)
            continue;
        best = min(best, atomicAdd(&label[v * i.width + u], 0));
    }
    if (best < mine) {
        atomicMin(&label[at], best);
        atomicExch(changed, 1);
    }
}

// ---- the host's version ----

struct reference {
    std::vector<float> blurred;
    std::vector<byte> edge, equal;
    std::vector<unsigned> bins, area;
};

static int clamp(int v, int n)
{
    return std::min(std::max(v, 0), n - 1);
}

static std::vector<float> host_blur(const std::vector<float> &a,
                                    const float *k, bool vertical)
{
    std::vector<float> b(a.size());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float sum = 0;
            for (int i = -RADIUS; i <= RADIUS; i++) {
                int u = vertical ? x : clamp(x + i, WIDTH);
                int v = vertical ? clamp(y + i, HEIGHT) : y;
                sum = std::fma(k[i + RADIUS], a[v * WIDTH + u], sum);
            }
            b[y * WIDTH + x] = sum;
        }
    return b;
}

static void host_equalise(reference &r, const std::vector<byte> &edge)
{
    r.bins.assign(BINS, 0);
    for (byte v : edge)
        r.bins[v]++;
    std::vector<unsigned> sum(BINS);
    std::partial_sum(r.bins.begin(), r.bins.end(), sum.begin());
    unsigned least = ~0u;
    for (int i = 0; i < BINS; i++)
        if (r.bins[i])
            least = std::min(least, sum[i]);
    float scale = 255.0f / (float)(WIDTH * HEIGHT - least);
    for (byte v : edge)
        r.equal.push_back((byte)std::rint((float)(sum[v] - least) * scale));
    r.area.resize(edge.size());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            auto at = [&](int u, int v) {
                return u < 0 || v < 0 ? 0u : r.area[v * WIDTH + u];
            };
            r.area[y * WIDTH + x] = r.equal[y * WIDTH + x] + at(x - 1, y) +
                                    at(x, y - 1) - at(x - 1, y - 1);
        }
}

static int host_components(const std::vector<byte> &v)
{
    std::vector<char> seen(v.size());
    int n = 0;
    for (int i = 0; i < (int)v.size(); i++) {
        if (v[i] < 128 || seen[i])
            continue;
        n++;
        std::vector<int> stack = { i };
        seen[i] = 1;
        while (!stack.empty()) {
            int at = stack.back(), x = at % WIDTH, y = at / WIDTH;
            stack.pop_back();
            const int next[] = { x > 0 ? at - 1 : -1,
                                 x + 1 < WIDTH ? at + 1 : -1,
                                 y > 0 ? at - WIDTH : -1,
                                 y + 1 < HEIGHT ? at + WIDTH : -1 };
            for (int k : next)
                if (k >= 0 && v[k] >= 128 && !seen[k]) {
                    seen[k] = 1;
                    stack.push_back(k);
                }
        }
    }
    return n;
}

// ---- the pipeline ----

static int wrong;

static void verdict(const char *stage, bool good)
{
    std::printf("%-14s %s\n", stage, good ? "right" : "WRONG");
    wrong += !good;
}

// The larger error; a NaN is the worst of all.
static double worst(double a, double b)
{
    return b <= a ? a : b == b ? b : INFINITY;
}

template <class T>
static double largest_gap(const std::vector<T> &a, const std::vector<T> &b)
{
    double gap = a.size() == b.size() ? 0 : 1e9;
    for (size_t i = 0; i < a.size() && i < b.size(); i++)
        gap = worst(gap, std::fabs((double)a[i] - (double)b[i]));
    return gap;
}

static std::vector<float> noise()
{
    std::vector<float> v(WIDTH * HEIGHT);
    unsigned s = 12345;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            s = s * 1664525u + 1013904223u;
            v[y * WIDTH + x] = 100 + 80 * std::sin(x * 0.11f) *
                                         std::cos(y * 0.07f) +
                               (float)(s >> 24) * 0.2f;
        }
    return v;
}

static void stage_labels(image<byte> i, cudaStream_t s)
{
    device_array<int> label(WIDTH * HEIGHT), changed(1);
    std::vector<int> first(WIDTH * HEIGHT);
    std::iota(first.begin(), first.end(), 0);
    label.upload(first, s);
    dim3 block(16, 8), grid((WIDTH + 15) / 16, (HEIGHT + 7) / 8);
    int *again;
    CHECK(cudaMallocHost(&again, sizeof(int)));
    do {
        CHECK(cudaMemsetAsync(changed.get(), 0, sizeof(int), s));
        spread_labels<<<grid, block, 0, s>>>(i, label.get(), changed.get());
        CHECK(cudaMemcpyAsync(again, changed.get(), sizeof(int),
                              cudaMemcpyDeviceToHost, s));
        CHECK(cudaStreamSynchronize(s));
    } while (*again);
    CHECK(cudaFreeHost(again));
    auto labels = label.download();
    auto pixels = download(i, s);
    int components = 0;
    for (int k = 0; k < WIDTH * HEIGHT; k++)
        components += pixels[k] >= 128 && labels[k] == k;
    verdict("labels", components == host_components(pixels));
}

// The median grey value by a radix sort of the library.
static void stage_median(const std::vector<byte> &pixels)
{
    device_array<byte> in(pixels.size()), out(pixels.size());
    in.upload(pixels);
    size_t bytes = 0;
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.get(), out.get(),
                                         (int)pixels.size()));
    device_array<byte> space(bytes);
    CHECK(cub::DeviceRadixSort::SortKeys(space.get(), bytes, in.get(),
                                         out.get(), (int)pixels.size()));
    auto sorted = pixels;
    std::sort(sorted.begin(), sorted.end());
    verdict("sort", out.download() == sorted);
}

static void stage_total(const std::vector<byte> &pixels)
{
    device_array<byte> in(pixels.size());
    device_array<unsigned> sum(1);
    in.upload(pixels);
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in.get(), sum.get(),
                                 (int)pixels.size()));
    device_array<byte> space(bytes);
    CHECK(cub::DeviceReduce::Sum(space.get(), bytes, in.get(), sum.get(),
                                 (int)pixels.size()));
    unsigned want = std::accumulate(pixels.begin(), pixels.end(), 0u);
    verdict("total", sum.download()[0] == want);
}

int main()
{
    float k[TAPS], norm = 0;
    for (int i = 0; i < TAPS; i++)
        norm += k[i] = std::exp(-(float)((i - RADIUS) * (i - RADIUS)) / 4.5f);
    for (float &v : k)
        v /= norm;
    CHECK(cudaMemcpyToSymbol(taps, k, sizeof k));

    auto source = noise();
    image<float> a = make_image<float>(WIDTH, HEIGHT);
    image<float> b = make_image<float>(WIDTH, HEIGHT);
    image<byte> e = make_image<byte>(WIDTH, HEIGHT);
    cudaStream_t stream, side;
    cudaEvent_t start, blurred, done;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&blurred, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&done));

    CHECK(cudaEventRecord(start, stream));
    CHECK(cudaMemcpy2DAsync(a.data, a.pitch, source.data(),
                            WIDTH * sizeof(float), WIDTH * sizeof(float),
                            HEIGHT, cudaMemcpyHostToDevice, stream));
    dim3 block(32, 8), grid((WIDTH + 31) / 32, (HEIGHT + 7) / 8);
    blur<false, 32, 8><<<grid, block, 0, stream>>>(a, b);
    blur<true, 32, 8><<<grid, block, 0, stream>>>(b, a);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(blurred, stream));

    CHECK(cudaStreamWaitEvent(side, blurred, 0));
    unsigned long long zero = 0, seen = 0;
    CHECK(cudaMemcpyToSymbol(pixels_seen, &zero, sizeof zero));
    edges<<<grid, block, 0, side>>>(a, e);
    CHECK(cudaStreamSynchronize(side));
    CHECK(cudaMemcpyFromSymbol(&seen, pixels_seen, sizeof seen));

    reference r;
    r.blurred = host_blur(host_blur(source, k, false), k, true);
    verdict("blur", largest_gap(download(a, stream), r.blurred) < 1e-3);
    verdict("counter", seen == (unsigned long long)WIDTH * HEIGHT);
    auto edge = download(e, side);

    device_array<unsigned> bins(BINS), area(WIDTH * HEIGHT);
    device_array<byte> table(BINS);
    CHECK(cudaMemset(bins.get(), 0, bins.bytes()));
    histogram<<<dim3(3, 4), block>>>(e, bins.get());
    equalisation_table<<<1, BINS>>>(bins.get(), table.get(), WIDTH * HEIGHT);
    transform<<<grid, block>>>(e, lookup{ table.get() });
    scan_rows<<<(HEIGHT + 3) / 4, 128>>>(e, area.get());
    scan_columns<<<(WIDTH + 63) / 64, 64>>>(area.get(), WIDTH, HEIGHT);
    CHECK(cudaDeviceSynchronize());
    host_equalise(r, edge);
    auto equal = download(e);
    verdict("histogram", bins.download() == r.bins);
    verdict("equalisation", largest_gap(equal, r.equal) <= 1);
    if (equal == r.equal)
        verdict("area", area.download() == r.area);
    stage_labels(e, stream);
    stage_median(equal);
    stage_total(equal);

    CHECK(cudaEventRecord(done, stream));
    CHECK(cudaEventSynchronize(done));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, done));
    verdict("clock", ms >= 0 && cudaEventQuery(done) == cudaSuccess);
    for (auto ev : { start, blurred, done })
        CHECK(cudaEventDestroy(ev));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(a.data));
    CHECK(cudaFree(b.data));
    CHECK(cudaFree(e.data));
    std::printf("pipeline: %s\n", wrong ? "FAILED" : "all stages right");
    return wrong != 0;
}
