#!/bin/sh
# On a machine with a GPU: builds, checks and times the kernels of
# tests/traffic/rows.cu, reference against rewritten, and where PyTorch is
# installed against PyTorch, eager and compiled. It ends within five minutes.
#
#   scripts/gpu.sh [--dry-run] [-o FILE.json] [RF-REWRITE]
#
# For each kernel and row length: milliseconds (median of 20 launches after 3,
# inputs in turn that are together larger than the L2 cache), GB/s of the bytes
# that have to move, and that as a fraction of a measured copy. Results that
# differ from the reference by more than rounding are reported and fail.
# --dry-run compiles everything for sm_90 and runs nothing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dry= out=gpu.json rewrite=
while [ $# -gt 0 ]; do
    case $1 in
    --dry-run) dry=1 ;;
    -o) out=$2 && shift ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) rewrite=$1 ;;
    esac
    shift
done
if [ -z "$rewrite" ]; then
    mkdir -p "$root/build"
    cmake -S "$root" -B "$root/build/gpu" -DCMAKE_BUILD_TYPE=Release \
        -DRF_WERROR=OFF >"$root/build/gpu.log"
    cmake --build "$root/build/gpu" -j2 --target rf-rewrite \
        >>"$root/build/gpu.log"
    rewrite=$root/build/gpu/tool/rf-rewrite
fi
exec python3 - "$root" "$rewrite" "$out" "$dry" <<'P'
import array, json, math, os, subprocess, sys, tempfile, time

root, rewrite, out, dry = sys.argv[1:]
sys.path.insert(0, root + "/tests/traffic")
from traffic import CASES, EXPECTED, write_source

ELEMENTS, SETS, LIMIT = 1 << 24, 4, 270  # a set has 64 MB of inputs
start = time.monotonic()
arch = "sm_90" if dry else "native"


def left():
    return max(1, LIMIT - (time.monotonic() - start))


def build(case, folder):
    """The reference and the rewritten program of CASE, one name each."""
    path = write_source(case, ELEMENTS // CASES[case][1], folder)
    subprocess.run([rewrite, "-q", path], check=True,
                   stdout=subprocess.DEVNULL)
    with open(path) as text:
        assert text.read().count("rf: fused") == len(EXPECTED), path
    jobs = {f"{case}-{form}": subprocess.Popen(
        ["nvcc", "-O3", "-std=c++17", "-arch=" + arch, "-DSETS=%d" % SETS,
         *flags, "-o", f"{folder}/{case}-{form}", path])
        for form, flags in (("reference", ["-DRF_REFERENCE"]),
                            ("rewritten", []))}
    for name, job in jobs.items():
        assert job.wait() == 0, name + " does not compile"
    return list(jobs)


def execute(name, folder):
    """{kernel: milliseconds}; results stay in folder/NAME.d."""
    place = f"{folder}/{name}.d"
    os.mkdir(place)
    done = subprocess.run([f"{folder}/{name}"], cwd=place, text=True,
                          stdout=subprocess.PIPE, timeout=left(), check=True)
    return {w[0]: float(w[1]) for w in map(str.split, done.stdout.split("\n"))
            if len(w) == 2}


def floats(path):
    values = array.array("f")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def worst_difference(a, b):
    """The largest difference, relative to values above 1; NaN equals NaN."""
    assert len(a) == len(b) > 0
    return max((abs(x - y) / max(1.0, abs(x)) for x, y in zip(a, b)
                if not (math.isnan(x) and math.isnan(y)) and x != y),
               default=0.0)


def bytes_of(kernel, length):
    loads, beside, stores, results = EXPECTED[kernel]
    rows = ELEMENTS // length
    shared = {"layer_norm": 2, "rms_norm": 1}.get(kernel, 0)  # of all rows
    return (4 * ELEMENTS * (loads - shared + stores) + 4 * length * shared +
            rows * (beside + results))


COPY = r"""
#define SETS 4
#include "measure.h"
int main()
{
    const size_t n = ELEMENTS;
    float *x = filled<float>(SETS * n, 4), *y = filled<float>(SETS * n, 4);
    measure("copy", y, n, [&](int s) {
        cudaMemcpyAsync(y + s * n, x + s * n, n * sizeof(float),
                        cudaMemcpyDeviceToDevice);
    });
}
"""

TORCH = r"""
import json, statistics, sys, torch
import torch.nn.functional as F
ELEMENTS, SETS, lengths = %r
def layer_norm(x, w): return F.layer_norm(x, (x.shape[1],), w, w)
def rms_norm(x, w): return x * torch.rsqrt(x.square().mean(1, True) + 1e-5) * w
def cross_entropy(x, w):
    return F.cross_entropy(x, torch.zeros(len(x), dtype=torch.long,
                                          device="cuda"), reduction="none")
forms = {"softmax": lambda x, w: torch.softmax(x, 1),
         "log_softmax": lambda x, w: torch.log_softmax(x, 1),
         "layer_norm": layer_norm, "rms_norm": rms_norm,
         "cross_entropy": cross_entropy,
         "variance": lambda x, w: torch.var(x, 1, unbiased=False)}
def timed(f, xs, w):
    times = []
    for i in range(23):
        a, b = (torch.cuda.Event(enable_timing=True) for _ in "ab")
        a.record(); f(xs[i %% SETS], w); b.record()
        torch.cuda.synchronize()
        times.append(a.elapsed_time(b))
    return statistics.median(times[3:])
for n in lengths:
    xs = [torch.randn(ELEMENTS // n, n, device="cuda") for _ in range(SETS)]
    w = torch.randn(n, device="cuda")
    for name, f in forms.items():
        print(n, name, "eager", timed(f, xs, w), flush=True)
        print(n, name, "compiled", timed(torch.compile(f), xs, w), flush=True)
"""


def measure_torch(folder):
    """{(length, kernel): {"eager": ms, "compiled": ms}}, as far as time and
    PyTorch allow."""
    script = folder + "/torch_rows.py"
    with open(script, "w") as file:
        file.write(TORCH % ((ELEMENTS, SETS, sorted(n for _, n in
                                                    CASES.values())),))
    compile(open(script).read(), script, "exec")
    times = {}
    if dry:
        return times
    job = subprocess.Popen([sys.executable, script], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        text = job.communicate(timeout=left())[0]
    except subprocess.TimeoutExpired:
        job.kill()
        text = job.communicate()[0]
    for line in text.split("\n"):
        words = line.split()
        if len(words) == 4:
            times.setdefault((int(words[0]), words[1]), {})[words[2]] = \
                float(words[3])
    return times


def build_copy(folder):
    path = folder + "/copy.cu"
    with open(path, "w") as file:
        file.write(COPY.replace("ELEMENTS", str(ELEMENTS)))
    subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=" + arch, "-o",
                    folder + "/copy", path], check=True)


def main():
    results, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        programs = {case: build(case, folder) for case in CASES}
        build_copy(folder)
        if dry:
            measure_torch(folder)
            print("gpu: compiled %d programs for %s; nothing was run" %
                  (2 * len(programs) + 1, arch))
            return 0
        copy = 8 * ELEMENTS / execute("copy", folder)["copy"] / 1e6
        for case, (reference, rewritten) in programs.items():
            before = execute(reference, folder)
            after = execute(rewritten, folder)
            for kernel, ms in after.items():
                length = CASES[case][1]
                rate = bytes_of(kernel, length) / ms / 1e6
                off = worst_difference(floats(f"{folder}/{reference}.d/{kernel}"),
                                       floats(f"{folder}/{rewritten}.d/{kernel}"))
                failed += not off < 1e-3
                results.append({"kernel": kernel, "level": case,
                                "length": length, "reference_ms": before[kernel],
                                "ms": ms, "GB/s": rate, "of_copy": rate / copy,
                                "difference": off})
        torch = measure_torch(folder)
    for r in results:
        r.update({"torch_" + k + "_ms": v for k, v in
                  torch.get((r["length"], r["kernel"]), {}).items()})
        print("%(kernel)-14s %(length)7d  %(reference_ms)9.3f ms -> %(ms)7.3f "
              "ms  %(GB/s)7.0f GB/s  %(of_copy).2f of a copy" % r,
              *("%s %.3f ms" % (k[:-3], v) for k, v in r.items()
                if k.startswith("torch")),
              "" if r["difference"] < 1e-3 else "DIFFERS")
    with open(out, "w") as file:
        json.dump({"copy_GB/s": copy, "results": results}, file, indent=1)
    return failed > 0


sys.exit(main())
P
