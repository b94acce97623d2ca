#!/usr/bin/env python3
"""The kernels that rf-rewrite emits for the chains that published work measures.

    bench_chains.py RF-REWRITE RF-RUN [NAME ...]

For each of G1-G10 (two products), S1-S8 (gated layers) and C1-C8 (pairs of
convolutions), half data summed in float: a source whose mark assumes the full
shape is rewritten, which fixes the plan; compiled for sm_90, and ptxas asked
for spills; and executed with rf-run --compare at a small ragged shape, with
its checks of races and barriers. "" for RF-RUN executes nothing. Prints a
line each and exits with 1 if one is not fused, spills, or differs.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVER = os.path.join(HERE, "..", "tests", "fusible", "driver.h")

M = 128
G = ((512, 32, 256), (256, 512, 64), (512, 416, 256), (3072, 768, 768),
     (16384, 4096, 4096), (4096, 1024, 1024), (768, 768, 768),
     (8192, 2048, 2048), (2048, 512, 512), (1536, 384, 384))  # n, k, l
S = ((8192, 3072), (5632, 2048), (11008, 4096), (8192, 2048), (11008, 2048),
     (8960, 1536), (9728, 2560), (3072, 1024))  # n, k = l
C = ((64, 56, 256, 64, 1), (128, 28, 512, 128, 1), (256, 14, 1024, 256, 1),
     (512, 7, 2048, 512, 1), (64, 56, 64, 256, 3), (128, 28, 128, 512, 3),
     (256, 14, 256, 1024, 3), (512, 7, 512, 2048, 3))  # in, h = w, out, out, k

PRODUCTS = """
__global__ void k(const __half *__restrict__ x, const __half *w,
                  const __half *g, const __half *v, __half *__restrict__ y,
                  int M, int N, int K, int L)
{
#pragma rf gemm_chain assume(M <= %(m)d, N <= %(n)d, K <= %(k)d, L <= %(l)d)
    for (int m = 0; m < M; m++)
        for (int l = 0; l < L; l++) {
            float e = 0.0f;
            for (int n = 0; n < N; n++) {
                float c = 0.0f%(gate)s;
                for (int k = 0; k < K; k++) {
                    c += __half2float(x[m * K + k]) *
                         __half2float(w[k * N + n]);%(gated)s
                }
                const __half p = __float2half(%(act)s);
                e += __half2float(p) * __half2float(v[n * L + l]);
            }
            y[m * L + l] = __float2half(e);
        }
}

DRIVE(k<<<1, 1>>>(plain(R * L), plain(L * 45), plain(L * 45), plain(45 * 21),
                  out(R * 21), R, 45, L, 21))
"""

CONVOLUTIONS = """
__global__ void k(const __half *__restrict__ in, const __half *w1,
                  const __half *w2, __half *__restrict__ out, int B, int C,
                  int H, int W, int O, int Q)
{
#pragma rf gemm_chain %(assume)s
    for (int b = 0; b < B; b++)
        for (int q = 0; q < Q; q++)
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++) {
                    float e = 0.0f;
                    for (int o = 0; o < O; o++) {
                        float c = 0.0f;
                        for (int ic = 0; ic < C; ic++)%(taps)s
                        const __half p = __float2half(fmaxf(c, 0.0f));
                        e += __half2float(p) * __half2float(w2[q * O + o]);
                    }
                    out[((b * Q + q) * H + y) * W + x] = __float2half(e);
                }
}

DRIVE(k<<<1, 1>>>(plain(2 * L * 35), plain(37 * L * 9), plain(21 * 37),
                  out(2 * 21 * 35), 2, L, 5, 7, 37, 21))
"""
ONE = """
                            c += __half2float(
                                     in[((b * C + ic) * H + y) * W + x]) *
                                 __half2float(w1[o * C + ic]);"""
NINE = """
                            for (int i = 0; i < 3; i++)
                                for (int j = 0; j < 3; j++) {
                                    const int r = y + i - 1, s = x + j - 1;
                                    if (r >= 0 && r < H && s >= 0 && s < W)
                                        c += __half2float(
                                                 in[((b * C + ic) * H + r) *
                                                        W + s]) *
                                             __half2float(
                                                 w1[((o * C + ic) * 3 + i) *
                                                        3 + j]);
                                }"""


def products(n, k, l, gated):
    words = {"m": M, "n": n, "k": k, "l": l, "gate": "", "gated": "",
             "act": "fmaxf(c, 0.0f)"}
    if gated:
        words.update(gate=", d = 0.0f", act="c / (1.0f + expf(-c)) * d",
                     gated="\n                    d += __half2float(x[m * K +"
                           " k]) *\n                         "
                           "__half2float(g[k * N + n]);")
    return PRODUCTS % words


def convolutions(c, h, o, q, taps):
    return CONVOLUTIONS % {
        "assume": "assume(B <= 1, C <= %d, H <= %d, W <= %d, O <= %d, Q <= %d)"
                  % (c, h, h, o, q),
        "taps": NINE if taps == 3 else ONE}


def workloads():
    for i, (n, k, l) in enumerate(G):
        yield "G%d" % (i + 1), products(n, k, l, False)
    for i, (n, k) in enumerate(S):
        yield "S%d" % (i + 1), products(n, k, k, True)
    for i, shape in enumerate(C):
        yield "C%d" % (i + 1), convolutions(*shape)


def found(pattern, text):
    m = re.search(pattern, text)
    return m.group(1) if m else "-"


def output(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def measure(name, source, rewrite, rf_run, folder):
    path = os.path.join(folder, name + ".cu")
    with open(path, "w") as f:
        f.write("#define DRIVE_LENGTHS 19\n#include \"%s\"\n%s"
                % (os.path.abspath(DRIVER), source))
    _, told = output(rewrite, "--explain", path)
    output(rewrite, "-q", path)
    with open(path) as f:
        guard = re.search(r"// rf: fused, (.*?), [0-9a-f]{12}-", f.read())
    if not guard:
        return [name, told.strip()], False
    _, built = output("nvcc", "-arch=sm_90", "-std=c++17", "-Xptxas", "-v",
                      "-cubin", "-o", os.devnull, path)
    spills = found(r"(\d+) bytes spill stores", built)
    tiles = [found(r"grid .*, (\d+) at a time", told),
             found(r"first .*, (\d+) at a time", told),
             found(r"second .*, (\d+) at a time", told)]
    tensor = found(r"tensor cores: (.*)", told).replace("the ", "")
    same = "-"
    if rf_run:
        code, said = output(rf_run, "--compare", "--tolerance=1e-2,1e-2", path)
        same = "same" if not code else "DIFFERS " + said[-300:]
    row = [name, "%4s,%4s,%4s" % tuple(tiles), "%-15s" % tensor,
           "%10s us" % found(r"threads, (\S+) us", told),
           found(r"Used (\d+) registers", built), spills, same,
           guard.group(1).replace("2 products -> 1 pass, ", "")]
    return row, spills == "0" and same in ("-", "same")


def main():
    rewrite, rf_run = sys.argv[1:3]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, source in workloads():
            if sys.argv[3:] and name not in sys.argv[3:]:
                continue
            row, ok = measure(name, source, rewrite, rf_run, folder)
            print("    " + "  ".join(row), flush=True)
            good &= ok
    return not good


if __name__ == "__main__":
    sys.exit(main())
