// k-means: the nearest of the centres, one thread a point, kept with its place
// by a comparison. One loop reads each centre once: there is nothing to fuse,
// and the tool says so.
#include "check.h"

enum { DIMENSIONS = 6 };

#pragma rf cascade assume(noalias)
__global__ void assign(const float *points, const float *centres, int *nearest,
                       float *distances, int n, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = INFINITY;
    int place = 0;
    for (int c = 0; c < k; c++) {
        float d = 0.0f;
        for (int e = 0; e < DIMENSIONS; e++) {
            const float t =
                points[i * DIMENSIONS + e] - centres[c * DIMENSIONS + e];
            d += t * t;
        }
        if (d < best) {
            best = d;
            place = c;
        }
    }
    nearest[i] = place;
    distances[i] = best;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    o.edge = false; // at infinity no centre is near
    const int n = 90, k = 11;
    check::Array<float> points(n * DIMENSIONS), centres(k * DIMENSIONS);
    check::Array<float> distances(n);
    check::Array<int> nearest(n);
    check::fill(points, DIMENSIONS, o);
    check::fill(centres, DIMENSIONS, o);
    std::vector<int> want;
    std::vector<double> want_distances;
    for (int i = 0; i < n; i++) {
        double best = INFINITY;
        int place = 0;
        for (int c = 0; c < k; c++) {
            double d = 0;
            for (int e = 0; e < DIMENSIONS; e++)
                d += pow(points[i * DIMENSIONS + e] -
                             centres[c * DIMENSIONS + e],
                         2);
            if (d < best) {
                best = d;
                place = c;
            }
        }
        want.push_back(place);
        want_distances.push_back(best);
    }
    assign<<<3, 32>>>(points.upload(), centres.upload(), nearest.upload(),
                      distances.upload(), n, k);
    nearest.download();
    distances.download();
    check::expect("nearest", nearest, want);
    check::expect("distances", distances, want_distances, 1e-4);
    return check::pass();
}
