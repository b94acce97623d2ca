// One block of one thread per row: `softmax<<<rows, 1>>>`, with while loops
// and a pointer that walks along the row.
#include "check.h"

__global__ void softmax(const float *in, float *out, int cols)
{
    const float *row = in + blockIdx.x * cols;
    float *res = out + blockIdx.x * cols;

#pragma rf cascade
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
