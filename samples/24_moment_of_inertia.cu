// Moment of inertia of bodies made of point masses about their own centre of
// mass: total mass, centre, then sum m |x - c|^2. The centre is three
// results at once, held in a small vector struct.
#include "check.h"

__device__ __forceinline__ float dist2(float3 a, float3 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

#pragma rf cascade assume(mass > 0)
__global__ void inertia(const float *mass, const float3 *pos, float *total,
                        float3 *centre, float *moment, int bodies, int points)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bodies) {
        const float *m = mass + b * points;
        const float3 *x = pos + b * points;

        float M = 0.0f;
        for (int i = 0; i < points; i++)
            M += m[i];

        float3 c = make_float3(0.0f, 0.0f, 0.0f);
        for (int i = 0; i < points; i++) {
            c.x += m[i] * x[i].x;
            c.y += m[i] * x[i].y;
            c.z += m[i] * x[i].z;
        }
        c.x /= M;
        c.y /= M;
        c.z /= M;

        float I = 0.0f;
        for (int i = 0; i < points; i++)
            I += m[i] * dist2(x[i], c);

        total[b] = M;
        centre[b] = c;
        moment[b] = I;
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int bodies = 60;
    for (int n : check::lengths(o, 35)) {
        check::Array<float> m(bodies * n), x(bodies * n * 3);
        check::Array<float> total(bodies), centre(bodies * 3), moment(bodies);
        check::fill_plain(m, o, 0.125f, 2.0f);
        check::fill(x, n * 3, o, check::SUMS);
        if (o.edge) // bodies of hardly any mass, all over or at one point
            for (int i = 0; i < n; i++) {
                m.host[56 * n + i] = 1e-12f;
                m.host[57 * n + i] = i == 0 ? 1e-12f : m.host[57 * n + i];
            }
        std::vector<double> want_total, want_centre, want_moment;
        for (int b = 0; b < bodies; b++) {
            Real M = 0, I = 0, c[3];
            for (int i = b * n; i < b * n + n; i++)
                M += m[i];
            for (int a = 0; a < 3; a++) {
                for (int i = b * n; i < b * n + n; i++)
                    c[a] += m[i] * x[i * 3 + a];
                c[a] /= M;
                want_centre.push_back(c[a]);
            }
            for (int i = b * n; i < b * n + n; i++) {
                Real r = 0;
                for (int a = 0; a < 3; a++)
                    r += Real(x[i * 3 + a] - c[a]) * Real(x[i * 3 + a] - c[a]);
                I += m[i] * r;
            }
            want_total.push_back(M);
            want_moment.push_back(I);
        }
        inertia<<<2, 32>>>(m.upload(), (float3 *)x.upload(), total.upload(),
                           (float3 *)centre.upload(), moment.upload(), bodies,
                           n);
        total.download();
        centre.download();
        moment.download();
        check::expect("total", total, want_total);
        check::expect("centre", centre, want_centre, 1e-3);
        check::expect("moment", moment, want_moment, 1e-3);
    }
    return check::pass();
}
