#!/usr/bin/env python3
"""A row that a team keeps is read once and written once (THEORY 5).

    traffic.py RF-REWRITE RF-RUN [LEVEL ...]

rows.cu is rewritten for rows of 1 K to 256 K elements and executed; what its
kernels load and store is counted and must be, byte for byte, what the rows
hold. The reference is executed too and must compute the same.
"""
import os
import shutil
import subprocess
import sys

from counts import kernels_of, rewrite_file, run_all

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = 2

# level, elements of a row
CASES = {
    "warp": ("level(warp)", 1024),
    "block": ("level(block)", 8192),
    "cluster": ("level(cluster) cluster(4)", 65536),
    "sixteen": ("level(cluster) cluster(16)", 262144),
}

# Bytes a row: (elements loaded, bytes loaded beside, elements stored, bytes
# stored beside), each element of four bytes.
EXPECTED = {
    "softmax": (1, 0, 1, 0),
    "log_softmax": (1, 0, 1, 0),
    "layer_norm": (3, 0, 1, 4),
    "rms_norm": (2, 0, 1, 4),
    "cross_entropy": (1, 8, 0, 4),
    "variance": (1, 0, 0, 4),
    "inertia": (1, 0, 0, 4),
}


def name_of(mangled):
    return next(n for n in sorted(EXPECTED, key=len, reverse=True)
                if mangled.startswith("_Z%d%s" % (len(n), n)))


def check_counts(kernel, length):
    name = name_of(kernel["kernel"])
    loads, beside, stores, results = EXPECTED[name]
    moved = kernel["global"]
    want = (ROWS * (4 * loads * length + beside),
            ROWS * (4 * stores * length + results))
    got = (moved["bytes_loaded"], moved["bytes_stored"])
    if got == want:
        return []
    return ["%s: loads and stores %s bytes, expected %s" % (name, got, want)]


def write_source(case, rows, folder):
    """rows.cu with the words of CASE, and its header, in FOLDER."""
    level, length = CASES[case]
    path = os.path.join(folder, case + ".cu")
    with open(os.path.join(HERE, "rows.cu")) as source:
        text = source.read()
    for word, value in (("LEVEL", level), ("ROWS", rows), ("LENGTH", length),
                        ("QUARTER", length // 4)):
        text = text.replace(word, str(value))
    with open(path, "w") as out:
        out.write(text)
    shutil.copy(os.path.join(HERE, "measure.h"), folder)
    return path


def run(case, rewrite, rf_run, folder):
    path = write_source(case, ROWS, folder)
    length = CASES[case][1]
    rewrite_file(rewrite, path)
    with open(path) as done:
        kept = done.read().count("the row in registers")
    if kept != len(EXPECTED):
        return ["%d of %d kernels keep their row" % (kept, len(EXPECTED))]
    # The source sums a row in order, the team in parts: it is the source that
    # drifts away as rows grow.
    tolerance = "--tolerance=%g,1e-4" % (1e-4 if length <= 8192 else 2e-3)
    subprocess.run([rf_run, "--compare", tolerance, path],
                   check=True, stdout=subprocess.DEVNULL)
    kernels = kernels_of(rf_run, path)
    failures = [] if len(kernels) == len(EXPECTED) else ["kernels are missing"]
    for kernel in kernels:
        failures += check_counts(kernel, length)
    return failures


if __name__ == "__main__":
    sys.exit(run_all(run, CASES))
