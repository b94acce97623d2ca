/* Host side of the samples: arguments, inputs, buffers and the verdict.
 *
 * A sample runs as  NAME [seed] [random|edge]  and prints PASS, or the first
 * value that differs from its reference and exits with 1. References compute
 * in double; Real gives them the range of float, so that what overflows or
 * vanishes on the device does so on the host. */
#ifndef CHECK_H
#define CHECK_H

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

namespace check
{

/* What the command line asks for. */
struct Options {
    unsigned seed;
    bool edge;

    /* The same, with edge values only if "chosen". */
    Options only(bool chosen) const
    {
        return { seed, edge && chosen };
    }
};

/* How many buffers were filled so far: each gets other numbers. */
inline unsigned &fills()
{
    static unsigned count = 0;
    return count;
}

inline Options options(int argc, char **argv)
{
    Options o = { 1, false };
    fills() = 0;
    if (argc > 1)
        o.seed = (unsigned)strtoul(argv[1], nullptr, 10);
    if (argc > 2)
        o.edge = strcmp(argv[2], "edge") == 0;
    return o;
}

inline void cuda(cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    printf("FAIL: %s\n", cudaGetErrorString(e));
    exit(1);
}

/* A reproducible generator: the same numbers on every machine. */
class Random
{
    unsigned long long state;

  public:
    explicit Random(unsigned seed)
        : state(seed * 2654435761ull + 88172645463ull)
    {
    }
    unsigned bits()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (unsigned)(state >> 33);
    }
    float uniform(float low, float high)
    {
        return low + (high - low) * (float)(bits() % 65536) / 65536.0f;
    }
    int below(int n)
    {
        return (int)(bits() % (unsigned)n);
    }
};

/* Which edge values a kernel's range admits: FLT_MAX only where the first
 * thing that happens to an element is a comparison or a shift by the max, a
 * row far from zero only where no exponential magnifies its rounding. */
enum Range { FULL, SUMS, SCORES };

enum { EDGE_KINDS = 19 };

/* Element i of n in the edge row of this kind. */
inline float edge_value(int kind, size_t i, size_t n, Range range, Random &r)
{
    float any = r.uniform(-4, 4), big = range == FULL ? FLT_MAX : 3.0f;
    switch (kind % EDGE_KINDS) {
    case 0: /* fully masked */
        return -INFINITY;
    case 1:
        return INFINITY;
    case 2:
        return NAN;
    case 3:
        return i == 0 ? NAN : any;
    case 4: /* zeros of both signs */
        return r.below(2) ? 0.0f : -0.0f;
    case 5: /* denormals */
        return 1e-45f * (float)(1 + r.below(1000)) * (r.below(2) ? 1.f : -1.f);
    case 6:
        return -big;
    case 7:
        return i == 0 ? INFINITY : any;
    case 8:
        return i == 0 ? -INFINITY : any;
    case 9:
        return i + 1 == n ? NAN : any;
    case 10: /* half of the row masked, the first element too */
        return i == 0 || r.below(2) ? -INFINITY : any;
    case 11: /* every element is a new maximum, far from the one before */
        return -50.0f + (float)i;
    case 12: /* the maximum comes first */
        return 60.0f - 2.0f * (float)i;
    case 13: /* all equal */
        return 2.5f;
    case 14:
        return i == 0 ? big : any;
    case 15: /* no element is near or above zero */
        return (range == FULL ? -200.0f : -3.0f) - 0.25f * (float)r.below(8);
    case 16:
        return i + 1 == n ? INFINITY : any;
    case 17: /* far from zero: sums of squares cancel */
        return range == SUMS ? 300.0f + 0.25f * (float)r.below(32) : any;
    default:
        return i == n / 2 ? -INFINITY : any;
    }
}

inline void put(float &to, float value)
{
    to = value;
}
inline void put(double &to, float value)
{
    to = value;
}
inline void put(__half &to, float value)
{
    to = __float2half(value);
}
inline void put(int &to, float value)
{
    to = (int)value;
}
inline double get(float x)
{
    return x;
}
inline double get(double x)
{
    return x;
}
inline double get(int x)
{
    return x;
}
inline double get(__half x)
{
    return __half2float(x);
}

/* A buffer on the host and its twin on the device; new buffers hold -77, so
 * that an element nobody writes is seen. */
template <class T> struct Array {
    std::vector<T> host;
    T *device = nullptr;

    explicit Array(size_t n) : host(n)
    {
        for (T &x : host)
            put(x, -77.0f);
        cuda(cudaMalloc(&device, (n + 1) * sizeof(T)));
    }
    Array(const Array &) = delete;
    ~Array()
    {
        cudaFree(device);
    }
    T *upload()
    {
        cuda(cudaMemcpy(device, host.data(), host.size() * sizeof(T),
                        cudaMemcpyHostToDevice));
        return device;
    }
    void download()
    {
        cuda(cudaGetLastError());
        cuda(cudaMemcpy(host.data(), device, host.size() * sizeof(T),
                        cudaMemcpyDeviceToHost));
    }
    double operator[](size_t i) const
    {
        return get(host[i]);
    }
};

/* Fill rows of the given length: random values, or one edge kind a row. */
template <class T>
void fill(Array<T> &a, size_t length, Options o, Range range = FULL)
{
    Random r(o.seed + 977 * fills()++);
    for (size_t i = 0; i < a.host.size(); i++) {
        size_t row = i / length, at = i % length;
        put(a.host[i], o.edge ? edge_value((int)row, at, length, range, r)
                              : r.uniform(-4, 4));
    }
}

/* Fill with small random values, whatever the mode: weights and the like. */
template <class T>
void fill_plain(Array<T> &a, Options o, float low = -1, float high = 1)
{
    Random r(o.seed + 31);
    for (T &x : a.host)
        put(x, r.uniform(low, high));
}

/* Row lengths to try: the plain one, and the shortest ones at the edges. */
inline std::vector<int> lengths(Options o, int plain, int shortest = 0)
{
    std::vector<int> all = { plain };
    if (o.edge)
        for (int n = 2; n >= shortest; n--)
            all.push_back(n);
    return all;
}

/* A double with the range of float. */
class Real
{
    double value;

    static double squeeze(double x)
    {
        return fabs(x) > FLT_MAX || fabs(x) < FLT_MIN ? (double)(float)x : x;
    }

  public:
    Real(double x = 0) : value(squeeze(x))
    {
    }
    operator double() const
    {
        return value;
    }
    Real &operator+=(double x)
    {
        return *this = Real(value + squeeze(x));
    }
    Real &operator*=(double x)
    {
        return *this = Real(value * squeeze(x));
    }
    Real &operator/=(double x)
    {
        return *this = Real(value / squeeze(x));
    }
};

/* The softmax of a few values, as the books write it; the search for the
 * maximum starts from "max". */
inline std::vector<double> softmax(std::vector<double> x,
                                   double max = -INFINITY)
{
    for (double v : x)
        max = v > max ? v : max;
    Real sum = 0;
    for (double &v : x)
        sum += v = exp(Real(v - max));
    for (double &v : x)
        v = Real(v / sum);
    return x;
}

/* The softmax of each of the N rows of "x". */
inline std::vector<double> softmax_rows(const Array<float> &x, int N, int C)
{
    std::vector<double> y;
    for (int i = 0; i < N; i++) {
        std::vector<double> row(x.host.begin() + i * C,
                                x.host.begin() + (i + 1) * C);
        row = softmax(row);
        y.insert(y.end(), row.begin(), row.end());
    }
    return y;
}

/* Equal but for rounding? Below "scale" the error is absolute. */
inline bool close(double got, double want, double tolerance, double scale)
{
    if (std::isnan(want) || std::isnan(got))
        return std::isnan(want) && std::isnan(got);
    if (std::isinf(want) || std::isinf(got))
        return want == got;
    return fabs(got - want) <= tolerance * (fabs(want) + scale);
}

/* Compare what came back with the reference; stop at the first difference. */
template <class T, class U>
void expect(const char *what, const Array<T> &got, const std::vector<U> &want,
            double tolerance = 2e-5, double scale = 1e-3)
{
    if (got.host.size() != want.size()) {
        printf("FAIL: %s has %zu values, not %zu\n", what, got.host.size(),
               want.size());
        exit(1);
    }
    for (size_t i = 0; i < want.size(); i++) {
        if (close(got[i], (double)want[i], tolerance, scale))
            continue;
        printf("FAIL: %s[%zu] = %.9g, expected %.9g\n", what, i, got[i],
               (double)want[i]);
        exit(1);
    }
}

inline int pass()
{
    printf("PASS\n");
    return 0;
}

} // namespace check

#endif
