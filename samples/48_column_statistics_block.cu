// Mean and deviation of the columns of a row-major matrix, one block a column:
// the threads step down it, a tree adds up, thread 0 divides and tells.
#include "check.h"

enum { THREADS = 64 };

__device__ void tree(float *cells)
{
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            cells[threadIdx.x] += cells[threadIdx.x + half];
    }
    __syncthreads();
}

#pragma rf cascade assume(noalias)
__global__ void column_statistics(const float *matrix, float *means,
                                  float *deviations, int rows, int columns)
{
    __shared__ float cells[THREADS];
    __shared__ float mean;
    const int column = blockIdx.x, t = threadIdx.x;

    float sum = 0.0f;
    for (int r = t; r < rows; r += THREADS)
        sum += matrix[r * columns + column];
    cells[t] = sum;
    tree(cells);
    if (t == 0) {
        mean = cells[0] / rows;
        means[column] = mean;
    }
    __syncthreads();

    sum = 0.0f;
    for (int r = t; r < rows; r += THREADS) {
        const float d = matrix[r * columns + column] - mean;
        sum += d * d;
    }
    cells[t] = sum;
    tree(cells);
    if (t == 0)
        deviations[column] = sqrtf(cells[0] / rows);
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int columns = 38;
    for (int rows : check::lengths(o, 200)) {
        check::Array<float> t(rows * columns), x(rows * columns);
        check::Array<float> means(columns), deviations(columns);
        check::fill(t, rows, o, check::SUMS); // transposed
        std::vector<double> want_means, want;
        for (int c = 0; c < columns; c++) {
            Real m = 0, v = 0;
            for (int r = 0; r < rows; r++)
                m += x.host[r * columns + c] = t.host[c * rows + r];
            m /= rows;
            for (int r = 0; r < rows; r++)
                v += pow(Real(x[r * columns + c] - m), 2);
            want_means.push_back(m);
            want.push_back(sqrt(Real(v / rows)));
        }
        column_statistics<<<columns, THREADS>>>(x.upload(), means.upload(),
                                                deviations.upload(), rows,
                                                columns);
        means.download();
        deviations.download();
        check::expect("means", means, want_means);
        check::expect("deviations", deviations, want, 1e-4, 1);
    }
    return check::pass();
}
