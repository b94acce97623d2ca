// Mean and deviation of the columns of a row-major matrix: one thread per
// column, so that neighbours read neighbouring addresses, and a pointer that
// walks down by the row length. Backwards in the second loop, why not.
#include "check.h"

struct Stats {
    float mean, dev;
};

__global__ void column_stats(const float *mat, Stats *stats, unsigned n_rows,
                             unsigned n_cols)
{
    const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < n_cols) {
        #pragma rf cascade
#ifdef RF_REFERENCE
        {
            Stats st = { 0.0f, 0.0f };
            const float *p = mat + col;
            for (unsigned r = 0; r < n_rows; ++r, p += n_cols)
                st.mean += *p;
            st.mean /= n_rows;

            for (unsigned r = n_rows; r-- > 0;) {
                float diff = st.mean - mat[r * n_cols + col];
                st.dev += diff * diff;
            }
            st.dev = sqrtf(st.dev / n_rows);
            stats[col] = st;
        }
#else  // rf: fused, 2 passes -> 1, rescaled, proof 8/8, HASH; do not edit
        {
            Stats st = {0.0f, 0.0f};
            st.mean = 0.0f;
            float mean_so_far = 0.0f;
            st.dev = 0.0f;
            for (unsigned int r = 0; r < n_rows; ++r) {
                const float mat_r = mat[col + r * n_cols];
                st.mean += mat_r;
                const float delta = mat_r - mean_so_far;
                mean_so_far += delta / (r + 1.0f);
                st.dev += delta * (mat_r - mean_so_far);
            }
            st.mean = st.mean / n_rows;
            st.dev = sqrtf(st.dev / n_rows);
            stats[col] = st;
        }
#endif // rf
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int cols = 54;
    for (int rows : check::lengths(o, 39)) {
        check::Array<float> t(rows * cols), x(rows * cols), stats(2 * cols);
        check::fill(t, rows, o, check::SUMS); // transposed
        std::vector<double> want;
        for (int c = 0; c < cols; c++) {
            Real mean = 0, var = 0;
            for (int r = 0; r < rows; r++)
                x.host[r * cols + c] = t.host[c * rows + r];
            for (int r = 0; r < rows; r++)
                mean += x[r * cols + c];
            mean /= rows;
            for (int r = 0; r < rows; r++)
                var += pow(Real(mean - x[r * cols + c]), 2);
            want.push_back(mean);
            want.push_back(sqrt(Real(var / rows)));
        }
        column_stats<<<2, 32>>>(x.upload(), (Stats *)stats.upload(), rows,
                                cols);
        stats.download();
        check::expect("stats", stats, want, 1e-4);
    }
    return check::pass();
}
