/* Runs a small kernel on random and edge inputs and copies every output back.
 *
 *     DRIVE(kernel<<<1, R>>>(in(R * L), out(R), L))
 *
 * makes a main() that repeats the launch for several row lengths L, with R
 * rows. Arguments are made in place, with the element type that the kernel
 * asks for:
 *
 *     in(n)            values; at the edges rows of -inf, NaN, FLT_MAX, ...
 *     mild(n)          the same without FLT_MAX: for sums of powers
 *     plain(n)         small random values, never an edge
 *     positive(n)      values > 0, never an edge: weights and masses
 *     index(n, below)  integers 0 .. below-1
 *     out(n)           what the kernel writes; copied back
 *     inout(n)         a mild input that the kernel changes; copied back
 *
 * in, mild and inout take the row length as a second argument if it is not L.
 * DRIVE_FROM(least, launch) leaves out lengths below "least". The outputs are
 * compared by running two builds, with and without -DRF_REFERENCE, under a
 * tool that watches the copies; NAME [seed] print  shows them as text. */
#ifndef DRIVER_H
#define DRIVER_H

#include "../../samples/check.h"

#include <cuda_bf16.h>
#include <functional>

/* A program may define other lengths, before or after this file. */
#ifndef DRIVE_LENGTHS
static const std::vector<int> DRIVE_LENGTHS = { 37, 8, 2, 1, 0 };
#endif

namespace drive
{

enum Role { IN, MILD, PLAIN, POSITIVE, INDEX, OUT, INOUT };

inline void put(__nv_bfloat16 &to, float value)
{
    to = __float2bfloat16(value);
}
inline double get(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
template <class T> void put(T &to, float value)
{
    check::put(to, value);
}
template <class T> double get(const T &x)
{
    return check::get(x);
}

inline std::vector<int> list(const std::vector<int> &lengths)
{
    return lengths;
}
template <class... Int> std::vector<int> list(int first, Int... more)
{
    return { first, more... };
}

/* One launch after another: every length, without and with edge values. */
class Runs
{
    std::vector<int> lengths;
    size_t at = 0, fills = 0;
    unsigned seed = 1;
    bool print = false;
    std::vector<std::function<void()>> at_end;

  public:
    int length = 0;
    bool edge = false;

    Runs(int argc, char **argv, int least, const std::vector<int> &all)
    {
        for (int n : all)
            if (n >= least)
                lengths.push_back(n);
        for (int i = 1; i < argc; i++)
            if (strcmp(argv[i], "print") == 0)
                print = true;
            else
                seed = (unsigned)strtoul(argv[i], nullptr, 10);
    }

    bool next()
    {
        check::cuda(cudaGetLastError());
        check::cuda(cudaDeviceSynchronize());
        for (auto &action : at_end)
            action();
        at_end.clear();
        if (at == 2 * lengths.size())
            return false;
        length = lengths[at / 2];
        edge = at++ % 2 == 1;
        return true;
    }

    template <class T>
    T value(Role role, size_t i, size_t row, check::Random &r)
    {
        T v;
        if (role == OUT)
            put(v, -77.0f);
        else if (role == POSITIVE)
            put(v, r.uniform(0.125f, 4));
        else if (role == PLAIN || !edge)
            put(v, r.uniform(-4, 4));
        else
            put(v,
                check::edge_value((int)(i / row), i % row, row,
                                  role == IN ? check::FULL : check::SUMS, r));
        return v;
    }

    /* A device buffer of "n" elements, "row" of them a row. */
    template <class T> T *make(Role role, size_t n, size_t row)
    {
        check::Random r(seed * 1000 + (unsigned)fills++);
        std::vector<T> host(n);
        for (size_t i = 0; i < n; i++)
            if (role == INDEX)
                put(host[i], (float)r.below((int)row));
            else
                host[i] = value<T>(role, i, row, r);
        T *device;
        check::cuda(cudaMalloc(&device, (n + 1) * sizeof(T)));
        check::cuda(cudaMemset(device, 0, (n + 1) * sizeof(T)));
        check::cuda(cudaMemcpy(device, host.data(), n * sizeof(T),
                               cudaMemcpyHostToDevice));
        at_end.push_back([=] { finish(device, n, role >= OUT); });
        return device;
    }

    template <class T> void finish(T *device, size_t n, bool back)
    {
        std::vector<T> host(n);
        if (back)
            check::cuda(cudaMemcpy(host.data(), device, n * sizeof(T),
                                   cudaMemcpyDeviceToHost));
        if (back && print)
            for (size_t i = 0; i < n; i++)
                printf("%d %s %zu %.17g\n", length, edge ? "edge" : "random", i,
                       get(host[i]));
        check::cuda(cudaFree(device));
    }
};

/* A buffer that does not know its element type yet. */
struct Request {
    Runs &runs;
    Role role;
    size_t n, row;

    template <class T> operator T *() const
    {
        return runs.make<std::remove_const_t<T>>(role, n, row);
    }
};

struct Maker {
    Runs &runs;
    Role role;

    Request operator()(size_t n) const
    {
        return { runs, role, n, (size_t)runs.length };
    }
    Request operator()(size_t n, size_t row) const
    {
        return { runs, role, n, row };
    }
};

} // namespace drive

#define DRIVE_MAKER(name, role)                                                \
    [[maybe_unused]] drive::Maker name = { runs, drive::role }

#define DRIVE_FROM(least, ...)                                                 \
    int main(int argc, char **argv)                                            \
    {                                                                          \
        drive::Runs runs(argc, argv, least, drive::list(DRIVE_LENGTHS));       \
        DRIVE_MAKER(in, IN);                                                   \
        DRIVE_MAKER(mild, MILD);                                               \
        DRIVE_MAKER(plain, PLAIN);                                             \
        DRIVE_MAKER(positive, POSITIVE);                                       \
        DRIVE_MAKER(index, INDEX);                                             \
        DRIVE_MAKER(out, OUT);                                                 \
        DRIVE_MAKER(inout, INOUT);                                             \
        [[maybe_unused]] const int R = 36;                                     \
        while (runs.next()) {                                                  \
            [[maybe_unused]] const int L = runs.length;                        \
            __VA_ARGS__;                                                       \
        }                                                                      \
        return 0;                                                              \
    }

#define DRIVE(...) DRIVE_FROM(0, __VA_ARGS__)

#endif
