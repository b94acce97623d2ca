#!/usr/bin/env python3
"""Clusters where the device has room for them, and where it has none.

    rooms.py RF-REWRITE RF-RUN [NAME ...]

NAME is a sample whose rows clusters fold. Rewritten, it passes its own check on
a device with room for its clusters, where blocks push to each other, on one
with room for smaller ones only, on one without clusters, and compiled for
sm_80: there no block stores to another.
"""
import os
import shutil
import subprocess
import sys

from counts import kernels_of, rewrite_file, run_all

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "samples")
NAMES = ("52_softmax_cluster_a_row", "55_log_sum_exp_sixteen_blocks")
DEVICES = {"--room=16": True, "--room=2": False, "--room=0": False,
           "-arch=sm_80": False}


def check(name, rewrite, rf_run, folder):
    shutil.copy(os.path.join(SAMPLES, "check.h"), folder)
    path = shutil.copy(os.path.join(SAMPLES, name + ".cu"), folder)
    rewrite_file(rewrite, path)
    failures = []
    for flag, pushes in DEVICES.items():
        try:
            kernels = kernels_of(rf_run, path, flag)
        except subprocess.CalledProcessError as e:
            failures.append("%s: exit code %d" % (flag, e.returncode))
            continue
        remote = sum(k["remote"]["bytes_stored"] for k in kernels)
        if (remote > 0) != pushes:
            failures.append("%s: blocks store %d bytes to each other"
                            % (flag, remote))
    return failures


if __name__ == "__main__":
    sys.exit(run_all(check, NAMES))
