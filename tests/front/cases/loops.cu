// Loops, assignments, literals, conversions.
#define N 128
#define SCALE (1.0f / N)
constexpr int TILE = 64;
constexpr float EPS = 1e-5f;
const int K2 = TILE * 2;
enum { FIVE = 5 };
__constant__ float table[16];
__device__ float total;

__global__ void loops(const float *__restrict__ x, float *y, int n, double *d)
{
    float s = 0;
    unsigned u = n;
    long long wide = u;
    for (int i = 0, j = n; i != j; ++i, --j) {
        s += x[i] * SCALE;
        d[i] += s * 0.5;
        y[i] = s + EPS + TILE + K2 + FIVE + N + table[i & 15];
        total = d[i];
    }
    for (;;) {
        if (s > 3)
            break;
    }
    do {
        s *= 2;
    } while (s < 10);
    while (n-- > 0) {
        if (n == 3)
            continue;
        s = n % 2 ? s : -s;
    }
    for (const float *p = x, *end = x + n; p < end; p += 2)
        s -= *p;
    for (size_t i = u; i-- > 0;)
        s += x[i];
    bool ok = n && s;
    ok = !n || ~n;
    int bits = n << 2 | n >> 1 ^ 3;
    char c = 'a';
    float *null = nullptr;
    size_t size = sizeof(float) * n;
    int nested = n > 3 ? n > 4 ? 1 : 2 : 3;
    ;
    y[0] = (float)wide, y[1] = static_cast<float>(bits);
    if (ok)
        return;
    else
        s = +s;
}

__global__ void unrolled(float *x, int n)
{
#pragma unroll 4
    for (int i = 0; i < n; i++)
        x[i] = 0;
#pragma unroll
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
