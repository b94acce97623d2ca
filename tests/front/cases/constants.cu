// Constants keep their names and have their values.
#include <cfloat>
#include <limits>
#include <math_constants.h>
#define NEG_INF (-INFINITY)
#define SQ(x) ((x) * (x))
#define BIG 1e30f
template <class T> struct traits {
    static constexpr int width = 4;
};
__global__ void constants(float *y, int n)
{
    float a = NEG_INF, b = -INFINITY, c = -FLT_MAX, d = CUDART_INF_F;
    float e = -std::numeric_limits<float>::infinity();
    float f = std::numeric_limits<float>::lowest();
    double g = DBL_MAX;
    const int stride = 32;
    const int bound = n * stride;
    const float scale = 0.125f;
    for (int i = 0; i < bound; i += stride)
        y[i] = SQ(a) * scale + b + c + d + e + f + g + BIG + INT_MAX;
    y[traits<float>::width] = M_PI;
}
