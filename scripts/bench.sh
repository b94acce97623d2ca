#!/bin/sh
# For every sample: the tool's processor time against libclang's plain parse of
# the same file with the toolkit's headers (or, without a toolkit, with ours), peak
# memory, and passes over memory before and after.
#
#   scripts/bench.sh [FILE.cu ...]     default: samples/*.cu
#
# Then, for every known chain of products, the time of the planner's search and
# the dataflow it finds; and how many warp instructions a second rf-run executes
# in a softmax of 1024 rows of 1024, with all checks and counts, on one thread;
# how long an editor waits for the diagnostics of a file of 1,000 lines
# (scripts/bench_lsp.py), and what thousands of files cost
# (scripts/bench_batch.py).
#
# "first" runs with an empty cache, "next" is the median of the runs after it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$root/build/bench
mkdir -p "$root/build"
cmake -S "$root" -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    >"$root/build/bench.log" 2>&1
ninja -C "$tree" rf-rewrite rf-run >>"$root/build/bench.log" 2>&1
library=$(sed -n 's/^CLANG_LIBRARY:[^=]*=//p' "$tree/CMakeCache.txt")
include=$(sed -n 's/^CLANG_INCLUDE:[^=]*=//p' "$tree/CMakeCache.txt")
cc -O2 -I"$include" "$root/scripts/bench_parse.c" -o "$tree/bench_parse" \
    "$library" "-Wl,-rpath,$(dirname "$library")"
cc -O2 -std=gnu17 -I"$root/lib" "$root/scripts/bench_search.c" \
    "$root"/lib/plan/gemm_*.c "$root/lib/plan/devices.c" \
    "$root"/lib/support/buf.c "$root"/lib/support/arena.c -lm \
    -o "$tree/bench_search"
"$tree/bench_search"
printf 'rf-run, softmax of 1024 x 1024: '
"$tree/tool/rf-run" --report --kernel softmax --launch grid=m,block=256 \
    --args 'f32[m*n],f32[m*n]=normal,i32=n' --set m=1024,n=1024 \
    "$root/scripts/bench_softmax.cu" 2>&1 | grep 'instructions/s' ||
    echo 'not executed (no nvcc)'
python3 "$root/scripts/bench_lsp.py" "$tree/tool/rf-rewrite"
python3 "$root/scripts/bench_batch.py" "$tree/tool/rf-rewrite"
[ $# -gt 0 ] || set -- "$root"/samples/*.cu
exec python3 - "$root" "$tree" "$library" "$@" <<'P'
import glob, json, os, statistics, subprocess, sys, tempfile

root, tree, library, files = *sys.argv[1:4], sys.argv[4:]
tool, yard = tree + "/tool/rf-rewrite", tree + "/bench_parse"


def toolkit():
    for d in (os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"):
        if d and os.path.exists(d + "/include/cuda_runtime.h"):
            return d


def yard_flags():
    res = sorted(glob.glob(os.path.dirname(library) + "/clang/*/include"))
    flags = ["-xcuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90",
             "-Wno-everything", "-I" + root + "/samples"]
    if res:
        flags += ["-resource-dir", os.path.dirname(res[-1])]
    cuda = toolkit()
    if cuda:
        return flags + ["--cuda-path=" + cuda,
                        "-isystem" + cuda + "/include/cccl"], "toolkit headers"
    own = root + "/lib/front/include"
    return flags + ["-nocudainc", "-nocudalib", "-I" + own, "-include",
                    own + "/rf_cuda.h"], "our declarations"


def run(command, env=None):
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, env=env)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def passes(path):
    try:
        regions = [r for f in json.load(open(path))["files"]
                   for r in f["regions"]]
    except (OSError, ValueError):
        return "-"
    words = ["%d -> %d" % (r["passes_before"], r["passes_after"])
             if "passes_before" in r else r["outcome"] + " " + r["check"]
             for r in regions]
    return ", ".join(words) or "no marks"


flags, headers = yard_flags()
print("libclang's parse: " + headers)
print("%-34s %8s %8s %8s %6s %6s %7s  %s" % (
    "file", "parse ms", "first ms", "next ms", "first", "next", "peak MB",
    "passes"))
ratios = []
for f in files:
    parse = min(float(subprocess.run([yard, f] + flags, text=True,
                                     capture_output=True).stdout.split()[0])
                for _ in range(3))
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, XDG_CACHE_HOME=work)
        summary = work + "/s.json"
        command = [tool, "--diff", "--summary=" + summary, f]
        first, peak = run(command, env)
        runs = [run(command, env) for _ in range(3)]
        again = statistics.median(t for t, _ in runs)
        peak = max([peak] + [m for _, m in runs])
        ratios.append((first / parse, again / parse))
        print("%-34s %8.0f %8.0f %8.0f %6.2f %6.2f %7.0f  %s" % (
            os.path.basename(f), 1e3 * parse, 1e3 * first, 1e3 * again,
            *ratios[-1], peak / 1024, passes(summary)))
print("%-34s %8s %8s %8s %6.2f %6.2f" % (
    "median", "", "", "", *(statistics.median(c) for c in zip(*ratios))))
P
