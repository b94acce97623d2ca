#!/usr/bin/env python3
"""What the emitted kernels of chains move is what --explain says.

    chains.py RF-REWRITE RF-RUN [NAME ...]

NAME is a file of tests/chains. The formulas that --explain prints for bytes
loaded and stored are evaluated at the arguments of its launches, and must be,
byte for byte, what the fused program moves when it is executed.
"""
import math
import os
import re
import shutil
import subprocess
import sys

from counts import kernels_of, rewrite_file, run_all, sizes_at

HERE = os.path.dirname(os.path.abspath(__file__))
CHAINS = os.path.join(os.path.dirname(HERE), "chains")
NAMES = ("01_textbook", "08_bias", "18_gated", "21_batch", "32_cluster_of_2",
         "45_cluster_ring", "46_cluster_gated_branches")
LENGTHS = (37, 2)  # those of driver.h


def expected(formula, source):
    return sum(eval(formula, {**sizes_at(source, {"R": 36, "L": n}),
                              "ceil": math.ceil})
               for n in LENGTHS)


def copy_of(name, folder):
    """The program NAME beside our driver: its path and text."""
    for part in "chains", "fusible":
        os.makedirs(os.path.join(folder, part), exist_ok=True)
    shutil.copy(os.path.join(HERE, "driver.h"),
                os.path.join(folder, "fusible"))
    path = shutil.copy(os.path.join(CHAINS, name + ".cu"),
                       os.path.join(folder, "chains"))
    with open(path) as f:
        return path, f.read()


def check(name, rewrite, rf_run, folder):
    path, source = copy_of(name, folder)
    told = subprocess.run([rewrite, "--explain", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    rewrite_file(rewrite, path)
    kernels = kernels_of(rf_run, path)
    failures = []
    for what in "loaded", "stored":
        formula = re.search(r"bytes %s: (.*)" % what, told)
        want = expected(formula.group(1), source) if formula else "a formula"
        got = sum(k["global"]["bytes_" + what] for k in kernels)
        if got != want:
            failures.append("%s bytes are %s, %s were told" % (got, what, want))
    return failures


if __name__ == "__main__":
    sys.exit(run_all(check, NAMES))
