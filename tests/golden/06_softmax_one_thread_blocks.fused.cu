// One block of one thread per row: `softmax<<<rows, 1>>>`, with while loops
// and a pointer that walks along the row.
#include "check.h"

__global__ void softmax(const float *in, float *out, int cols)
{
    const float *row = in + blockIdx.x * cols;
    float *res = out + blockIdx.x * cols;

#pragma rf cascade
#ifdef RF_REFERENCE
    {
        float m = -1e30f;
        const float *p = row;
        while (p < row + cols) {
            if (*p > m) m = *p;
            p++;
        }

        float s = 0.0f;
        p = row;
        while (p < row + cols) s += expf(*p++ - m);

        int j = 0;
        while (j < cols) {
            res[j] = expf(row[j] - m) / s;
            j++;
        }
    }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
    {
        float m = -1e30f;
        float s = 0.0f;
        // s: relative to the m so far, rescaled when it moves
        for (int p_2 = 0; p_2 < cols; ++p_2) {
            const float row_p = row[p_2];
            if (row_p > m) {
                s *= expf(m - row_p);
                m = row_p;
            }
            s += expf(row_p - m);
        }
        for (int p_2 = 0; p_2 < cols; ++p_2) {
            res[p_2] = expf(row[p_2] - m) / s;
        }
    }
#endif // rf
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int rows = 54;
    for (int cols : check::lengths(o, 29)) {
        check::Array<float> x(rows * cols), y(rows * cols);
        check::fill(x, cols, o);
        std::vector<double> want;
        for (int i = 0; i < rows; i++) {
            const float *first = &x.host[i * cols];
            std::vector<double> row(first, first + cols);
            row = check::softmax(row, -1e30f);
            want.insert(want.end(), row.begin(), row.end());
        }
        softmax<<<rows, 1>>>(x.upload(), y.upload(), cols);
        y.download();
        check::expect("out", y, want);
    }
    return check::pass();
}
