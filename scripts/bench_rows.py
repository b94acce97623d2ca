#!/usr/bin/env python3
"""Rows that published work measures: their plans, and the kernels executed.

    bench_rows.py RF-REWRITE RF-RUN [NAME ...]

V1-V8 variances, I1-I8 moments of inertia, H7-H9 attention with one query, R1-R8
softmax of a router's logits with the best k. For each a source that assumes
the full shape and launches its rows is planned: which team the model of an H100
finds fastest, the bytes that a row moves and the time. The same source, with
level(auto), is then rewritten and executed with rf-run --compare at short
ragged shapes; attention with 5 in place of 128. "" for RF-RUN executes nothing.
Prints a line each; exits with 1 if one is not fused or differs.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVER = os.path.join(HERE, "..", "tests", "fusible", "driver.h")

VARIANCE = """
#pragma rf cascade %(level)s assume(noalias, n <= %(n)d)
__global__ void k(const float *x, float *mean, float *var, int n)
{
    const int r = blockIdx.x;
    float m = 0.0f, v = 0.0f;
    for (int i = 0; i < n; i++)
        m += x[r * n + i];
    m /= n;
    for (int i = 0; i < n; i++)
        v += (x[r * n + i] - m) * (x[r * n + i] - m);
    mean[r] = m;
    var[r] = v / n;
}
void full(const float *x, float *y) { k<<<%(rows)d, 1>>>(x, y, y, %(n)d); }
DRIVE_FROM(1, k<<<R, 1>>>(mild(R * L), out(R), out(R), L))
"""

INERTIA = """
#pragma rf cascade %(level)s assume(noalias, mass > 0, n <= %(n)d)
__global__ void k(const float *mass, const float *x, float *total, float *at,
                  float *moment, int n)
{
    const int r = blockIdx.x;
    float w = 0.0f, a = 0.0f, b = 0.0f, c = 0.0f, s = 0.0f;
    for (int i = 0; i < n; i++)
        w += mass[r * n + i];
    for (int i = 0; i < n; i++) {
        a += mass[r * n + i] * x[3 * (r * n + i)];
        b += mass[r * n + i] * x[3 * (r * n + i) + 1];
        c += mass[r * n + i] * x[3 * (r * n + i) + 2];
    }
    a /= w;
    b /= w;
    c /= w;
    for (int i = 0; i < n; i++) {
        const float u = x[3 * (r * n + i)] - a;
        const float v = x[3 * (r * n + i) + 1] - b;
        const float z = x[3 * (r * n + i) + 2] - c;
        s += mass[r * n + i] * (u * u + v * v + z * z);
    }
    total[r] = w;
    at[3 * r] = a;
    at[3 * r + 1] = b;
    at[3 * r + 2] = c;
    moment[r] = s;
}
void full(const float *x, float *y)
{
    k<<<%(rows)d, 1>>>(x, x, y, y, y, %(n)d);
}
DRIVE_FROM(1, k<<<R, 1>>>(positive(R * L), mild(R * L * 3), out(R), out(R * 3),
                          out(R), L))
"""

ATTENTION = """
#pragma rf cascade %(level)s assume(noalias, n <= %(n)d)
__global__ void k(const __half *q, const __half *key, const __half *v, float *o,
                  int n)
{
    const int r = blockIdx.x;
    float m = -INFINITY, s = 0.0f, acc[D];
    for (int d = 0; d < D; d++)
        acc[d] = 0.0f;
    for (int j = 0; j < n; j++) {
        float a = 0.0f;
        for (int d = 0; d < D; d++)
            a += __half2float(q[r * D + d]) *
                 __half2float(key[(r * n + j) * D + d]);
        m = fmaxf(m, a);
    }
    for (int j = 0; j < n; j++) {
        float a = 0.0f;
        for (int d = 0; d < D; d++)
            a += __half2float(q[r * D + d]) *
                 __half2float(key[(r * n + j) * D + d]);
        const float p = expf(a - m);
        s += p;
        for (int d = 0; d < D; d++)
            acc[d] += p * __half2float(v[(r * n + j) * D + d]);
    }
    for (int d = 0; d < D; d++)
        o[r * D + d] = acc[d] / s;
}
void full(const __half *x, float *y)
{
    k<<<%(rows)d, 1>>>(x, x, x, y, %(n)d);
}
DRIVE_FROM(1, k<<<R, 1>>>(plain(R * D), plain(R * L * D), plain(R * L * D),
                          out(R * D), L))
"""

ROUTER = """
#pragma rf cascade %(level)s assume(noalias, n <= %(n)d)
__global__ void k(const __half *x, float *weight, int *expert, int n)
{
    const int r = blockIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, __half2float(x[r * n + i]));
    for (int i = 0; i < n; i++)
        s += expf(__half2float(x[r * n + i]) - m);
%(declare)s
    for (int i = 0; i < n; i++) {
        const float v = __half2float(x[r * n + i]);
%(insert)s
    }
%(store)s
}
void full(const __half *x, float *y, int *z)
{
    k<<<%(rows)d, 1>>>(x, y, z, %(n)d);
}
DRIVE_FROM(9, k<<<R, 1>>>(plain(R * L), out(R * 8), out(R * 8), L))
"""


def best(top):
    """The parts of ROUTER that keep the TOP largest, by insertion."""
    insert = []
    for t in range(top):
        insert.append("        %sif (v > v%d) {" % ("} else " * bool(t), t))
        for to in range(top - 1, t, -1):
            insert.append("            v%d = v%d;\n            i%d = i%d;"
                          % (to, to - 1, to, to - 1))
        insert.append("            v%d = v;\n            i%d = i;" % (t, t))
    return {
        "declare": "\n".join("    float v%d = -INFINITY;\n    int i%d = -1;"
                             % (t, t) for t in range(top)),
        "insert": "\n".join(insert + ["        }"]),
        "store": "\n".join("    weight[r * 8 + %d] = expf(v%d - m) / s;\n"
                           "    expert[r * 8 + %d] = i%d;" % (t, t, t, t)
                           for t in range(top))}


BATCHES = [(rows, n) for rows in (1, 128, 512, 1024) for n in (8192, 32768)]
WORKLOADS = {}
for i, (rows, n) in enumerate(BATCHES, 1):
    WORKLOADS["V%d" % i] = VARIANCE, {"rows": rows, "n": n}
    WORKLOADS["I%d" % i] = INERTIA, {"rows": rows, "n": n}
for i, n in enumerate((1024, 2048, 4096), 7):
    WORKLOADS["H%d" % i] = ATTENTION, {"rows": 32 * 64, "n": n, "D": 128}
for i, (n, top) in enumerate(((128, 1), (128, 1), (128, 1), (64, 6), (64, 8),
                              (64, 6), (128, 8), (128, 8)), 1):
    WORKLOADS["R%d" % i] = ROUTER, {"rows": 2048, "n": n, **best(top)}
ORDER = sorted(WORKLOADS, key=lambda name: ("VIHR".index(name[0]), name))
FASTEST = re.compile(r"\| (.*?) \| (\S+) \| (\S+ us) \| fastest \|")


def source(name, folder, level, short):
    """The program NAME in FOLDER; its path."""
    text, words = WORKLOADS[name]
    place = os.path.join(folder, "%s%s.cu" % (name, "" if short else "_full"))
    with open(place, "w") as out:
        out.write('#include "%s"\n' % os.path.realpath(DRIVER))
        if "D" in words:
            out.write("#define D %d\n" % (5 if short else words["D"]))
        out.write(text % {**words, "level": level})
    return place


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def plan(rewrite, path):
    """What the model picks for PATH: (team, bytes a row, time) or None."""
    _, text = run(rewrite, "--explain", path, "--", "-std=c++17")
    found = FASTEST.search(text)
    return found.groups() if found else None


def execute(rewrite, rf_run, name, folder):
    """"equal", or what went wrong, with level(auto) at a short shape."""
    path = source(name, folder, "level(auto)", True)
    run(rewrite, "-q", path, "--", "-std=c++17")
    with open(path) as done:
        if "// rf: fused" not in done.read():
            return "not fused"
    if not rf_run:
        return "not executed"
    code, text = run(rf_run, "--compare", "--tolerance=2e-3,2e-3",
                     "-std=c++17", path)
    return "equal" if not code else text.splitlines()[-1]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rewrite, rf_run = sys.argv[1:3]
    failed = 0
    print("%-4s %6s %6s  %-44s %8s %9s  %s" % (
        "", "rows", "length", "fastest", "bytes/row", "time", "executed"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for name in sys.argv[3:] or ORDER:
            words = WORKLOADS[name][1]
            team = plan(rewrite, source(name, folder, "", False))
            done = execute(rewrite, rf_run, name, folder)
            failed += not team or done not in ("equal", "not executed")
            print("%-4s %6d %6d  %-44s %8s %9s  %s" % (
                name, words["rows"], words["n"], *(team or ("none", "", "")),
                done), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
