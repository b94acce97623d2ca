#!/usr/bin/env python3
"""The barriers that a guard names, counted by execution.

    barriers.py RF-REWRITE RF-RUN [NAME...]

A guard says `18 barriers -> 1` of what the largest block passes. Both forms of each
program are executed with the same launches; what rf-run counts must be in that
proportion, exactly. Without nvcc nothing is executed.
"""
import os
import re
import shutil
import sys

from counts import kernels_of, rewrite_file, run_all

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NAMES = ["samples/42_softmax_block_tree", "samples/43_softmax_block_slots",
         "samples/48_column_statistics_block",
         "tests/collectives/60_rows_of_a_grid"]
GUARD = re.compile(r"// rf: fused, .*?(\d+) barriers? -> (\d+)")


def copy(folder, name):
    """NAME below FOLDER, with the headers that it includes."""
    for place in ("samples", "tests/fusible", "tests/collectives"):
        os.makedirs(os.path.join(folder, place), exist_ok=True)
        for file in os.listdir(os.path.join(ROOT, place)):
            if file.endswith(".h"):
                shutil.copy(os.path.join(ROOT, place, file),
                            os.path.join(folder, place))
    path = os.path.join(folder, name + ".cu")
    shutil.copy(os.path.join(ROOT, name + ".cu"), path)
    return path


def executed(rf_run, path, *flags):
    """How often threads passed a barrier of their block."""
    return sum(k["block_barriers"] for k in kernels_of(rf_run, path, *flags))


def check(name, rewrite, rf_run, folder):
    path = copy(folder, name)
    rewrite_file(rewrite, path)
    guard = GUARD.search(open(path).read())
    if not guard:
        return ["the guard names no barriers"]
    before, after = int(guard[1]), int(guard[2])
    reference = executed(rf_run, path, "-DRF_REFERENCE")
    fused = executed(rf_run, path)
    if not fused or reference * after != fused * before:
        return ["%d barriers -> %d, executed %d -> %d" %
                (before, after, reference, fused)]
    return []


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if not shutil.which(os.environ.get("NVCC", "nvcc")) and \
            not os.path.exists("/usr/local/cuda/bin/nvcc"):
        print("not executed: there is no nvcc")
        return
    sys.exit(run_all(check, NAMES))


if __name__ == "__main__":
    main()
