// Softmax in place on one float pointer, inside `if (row < R)`: every pass
// reads what the pass before stored. There is nothing to promise about
// overlap, the elements are the same ones each time.
#include "check.h"

__global__ void softmax_inplace(float *data, int R, int C)
{
    int row = threadIdx.x + blockIdx.x * blockDim.x;

#pragma rf cascade
#ifdef RF_REFERENCE
    if (row < R) {
        float max_val = -FLT_MAX;
        for (int c = 0; c < C; ++c)
            max_val = fmaxf(max_val, data[row * C + c]);

        float denom = 0.f;
        for (int c = 0; c < C; ++c) {
            data[row * C + c] = __expf(data[row * C + c] - max_val);
            denom += data[row * C + c];
        }

        for (int c = 0; c < C; ++c)
            data[row * C + c] /= denom;
    }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
    if (row < R) {
        float max_val = -FLT_MAX;
        float denom = 0.f;
        // denom: relative to the max_val so far, rescaled when it moves
        for (int c = 0; c < C; ++c) {
            const float max_val_old = max_val;
            const float data_c = data[row * C + c];
            max_val = fmaxf(max_val, data_c);
            if (max_val != max_val_old)
                denom *= __expf(max_val_old - max_val);
            denom += __expf(data_c - max_val);
        }
        for (int c = 0; c < C; ++c)
            data[row * C + c] = __expf(data[row * C + c] - max_val) / denom;
    }
#endif // rf
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int R = 100;
    for (int C : check::lengths(o, 33)) {
        check::Array<float> x(R * C);
        check::fill(x, C, o);
        std::vector<double> want;
        for (int i = 0; i < R; i++) {
            std::vector<double> row(&x.host[i * C], &x.host[i * C] + C);
            row = check::softmax(row);
            want.insert(want.end(), row.begin(), row.end());
        }
        softmax_inplace<<<1, 128>>>(x.upload(), R, C);
        x.download();
        check::expect("data", x, want, 1e-4);
    }
    return check::pass();
}
