#!/usr/bin/env python3
"""Block-parallel kernels for many sizes of block and row.

    sweep_blocks.py RF-REWRITE RF-RUN [FILE...]

Each FILE (default: those of tests/collectives that say nothing of their size)
is copied for blocks of 1, 31, 32, 33, 64, 128, 256, 1000 and 1024 threads,
with rows of 0, 1, 31, 32, 33, 1000 and 4096 elements. A copy is fused, and then
executed against its source with race and deadlock checks on, or refused: the
source does not admit the size. Prints a line for each file; exits with 1 if a
fused copy differs or is reported.

Last seen, executed on the CPU (trees that halve admit powers of two, 08 has room
for 96 threads, the shuffles of 24 are those of one warp):

    01_tree.cu: fused: 32 64 128 256 1024; refused: 1 31 33 1000
    03_tree_any_size.cu: fused: 31 32 33 64 128 256 1000 1024; refused: 1
    08_serial_thread.cu: fused: 31 32 33 64; refused: 1 128 256 1000 1024
    09_serial_everyone.cu: fused: 31 32 33 64 128 256 1000 1024; refused: 1
    20_helper_block.cu: fused: 32 64 128 256 1024; refused: 1 31 33 1000
    24_atomic_sum.cu: fused: 32; refused: 1 31 33 64 128 256 1000 1024
    58_moments_covariance.cu: fused: 31 32 33 64 128 256 1000 1024; refused: 1
"""
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FOLDER = os.path.join(ROOT, "tests", "collectives")
SIZES = [1, 31, 32, 33, 64, 128, 256, 1000, 1024]
LENGTHS = "4096, 1000, 33, 32, 31, 1, 0"
DEFAULT = ["01", "03", "08", "09", "20", "24", "55", "56", "58", "60"]
LAUNCH = re.compile(r"<<<\s*(\w+),\s*\w+")


def sized(text, size):
    """TEXT with blocks of SIZE threads and arrays that hold them."""
    head, drive = text[:text.index("DRIVE")], text[text.index("DRIVE"):]
    last = re.search(r"[^;]*<<<", drive)
    drive = drive[:drive.index("(") + 1] + drive[last.end() - 4:] \
        if ";" in drive else drive
    drive = LAUNCH.sub(r"<<<\1, %d" % size, drive)
    drive = drive.replace("64 * sizeof", "%d * sizeof" % size)
    return re.sub(r"\[(128|256)\]", "[1024]", head) + drive


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def copy_headers(folder):
    for place in ("samples", "tests/fusible", "tests/collectives"):
        for header in glob.glob(os.path.join(ROOT, place, "*.h")):
            text = open(header).read()
            text = re.sub(r"DRIVE_LENGTHS 1000.*", "DRIVE_LENGTHS " + LENGTHS,
                          text)
            write(os.path.join(folder, place, os.path.basename(header)), text)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rewrite, rf_run = sys.argv[1:3]
    files = sys.argv[3:] or [f for d in DEFAULT for f in
                             glob.glob(os.path.join(FOLDER, d + "_*.cu"))]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("XDG_CACHE_HOME", folder)
        copy_headers(folder)
        for file in files:
            done = collections.defaultdict(list)
            for size in SIZES:
                name = os.path.basename(file)
                path = os.path.join(folder, "tests/collectives", name)
                write(path, sized(open(file).read(), size))
                subprocess.run([rewrite, "-q", path],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
                if "// rf: fused" not in open(path).read():
                    done["refused"].append(size)
                    continue
                run = subprocess.run(
                    [rf_run, "--compare", "--tolerance=1e-4,1e-4", path],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    text=True)
                done["wrong" if run.returncode else "fused"].append(size)
                if run.returncode:
                    print("\n".join(x for x in run.stdout.splitlines()
                                    if "error:" in x))
            wrong += len(done.get("wrong", []))
            print(name + ":", "; ".join(
                "%s: %s" % (kind, " ".join(map(str, sizes)))
                for kind, sizes in sorted(done.items())), flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
