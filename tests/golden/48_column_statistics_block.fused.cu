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
#ifdef RF_REFERENCE
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
#else  // rf: fused, 2 passes -> 1, 15 barriers -> 1, rescaled, merge of moments tested only, HASH; do not edit
__global__ void column_statistics(const float *matrix, float *means,
                                  float *deviations, int rows, int columns)
{
    const int column = blockIdx.x;
    const int t = threadIdx.x;
    float sum_2 = 0.0f;
    float mean_so_far = 0.0f;
    float sum = 0.0f;
    int seen = 0;
    for (int r = t; r < rows; r += (int)THREADS) {
        const float matrix_r = matrix[r * columns + column];
        sum_2 += matrix_r;
        const float delta = matrix_r - mean_so_far;
        mean_so_far += delta / (seen + 1.0f);
        sum += delta * (matrix_r - mean_so_far);
        ++seen;
    }
    // one combine for the block: the lanes of a warp, then the warps
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float sum_2_other = __shfl_xor_sync(0xffffffff, sum_2, offset);
        const float mean_so_far_other =
            __shfl_xor_sync(0xffffffff, mean_so_far, offset);
        const float sum_other = __shfl_xor_sync(0xffffffff, sum, offset);
        const int seen_other = __shfl_xor_sync(0xffffffff, seen, offset);
        sum_2 += sum_2_other;
        if (seen == 0) {
            mean_so_far = mean_so_far_other;
            sum = sum_other;
        } else if (seen_other > 0) {
            const float mean_so_far_old = mean_so_far;
            mean_so_far -= seen_other / ((float)seen + seen_other) *
                           (mean_so_far - mean_so_far_other);
            const float t_2 = mean_so_far - mean_so_far_old;
            const float t_3 = mean_so_far - mean_so_far_other;
            sum += sum_other + seen * (t_2 * t_2) + seen_other * (t_3 * t_3);
        }
        seen += seen_other;
    }
    __shared__ float sum_2_warp[2];
    __shared__ float mean_so_far_warp[2];
    __shared__ float sum_warp[2];
    __shared__ int seen_warp[2];
    if (threadIdx.x % 32 == 0) {
        sum_2_warp[threadIdx.x / 32] = sum_2;
        mean_so_far_warp[threadIdx.x / 32] = mean_so_far;
        sum_warp[threadIdx.x / 32] = sum;
        seen_warp[threadIdx.x / 32] = seen;
    }
    __syncthreads();
    sum_2 = sum_2_warp[0];
    mean_so_far = mean_so_far_warp[0];
    sum = sum_warp[0];
    seen = seen_warp[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        const float sum_2_other = sum_2_warp[warp];
        const float mean_so_far_other = mean_so_far_warp[warp];
        const float sum_other = sum_warp[warp];
        const int seen_other = seen_warp[warp];
        sum_2 += sum_2_other;
        if (seen == 0) {
            mean_so_far = mean_so_far_other;
            sum = sum_other;
        } else if (seen_other > 0) {
            const float mean_so_far_old = mean_so_far;
            mean_so_far -= seen_other / ((float)seen + seen_other) *
                           (mean_so_far - mean_so_far_other);
            const float t_2 = mean_so_far - mean_so_far_old;
            const float t_3 = mean_so_far - mean_so_far_other;
            sum += sum_other + seen * (t_2 * t_2) + seen_other * (t_3 * t_3);
        }
        seen += seen_other;
    }
    if (t == 0)
        means[column] = sum_2 / rows;
    if (t == 0)
        deviations[column] = sqrtf(sum / rows);
}
#endif // rf

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
