#!/usr/bin/env python3
"""Chains on every cluster that blocks can form.

    clusters.py RF-REWRITE RF-RUN [M,N,K,L ...]

Of the 625 tuples over {1, 2, 4, 8, 16} there are 70 (THEORY 9). For each, or
for those named, clusters.cu is rewritten, executed with checks for races and
barriers, and compares with the host; and the bytes that its blocks store to
each other are those of the formulas: of P blocks, for each turn along n and l,

    exchange          P (cls_k - 1) blk_m blk_n s        (of each product)
    ring              P (cls_l / cls_k - 1) blk_m blk_n s
    reduce-scatter    P (cls_reduce - 1) / cls_reduce blk_m blk_l s, once a turn
                      of l

A gated layer whose two products belong to two blocks exchanges one tile each;
where the result holds its sums, P is computed once, not for each turn of l. Each
of these steps takes two arrivals, of 8 bytes, of each block at the barriers of
the others of its group. The bytes that --explain says are loaded and stored are
those that are.
"""
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {"M": 10, "N": 45, "K": 7, "L": 21}  # those of clusters.cu
TILE = {"m": 4, "n": 8, "l": 4}


def tuples():
    for m, n, k, l in itertools.product((1, 2, 4, 8, 16), repeat=4):
        if m * n * k <= 16 and l % k == 0 and n * k % l == 0:
            yield m, n, k, l


def turns(dim, tile, blocks):
    return math.ceil(SIZES[dim] / (TILE[tile] * blocks))


def between_blocks(cluster, products, in_memory):
    """Bytes that blocks store to each other, by the formulas."""
    m, n, k, l = cluster
    blocks, ring, reduce = m * n * k, l // k, n * k // l
    tile = TILE["m"] * TILE["n"] * 4
    exchanges = 1 if k == products else products
    turn = blocks * (ring - 1) * (tile + 16 * (ring - 1))
    turn += exchanges * blocks * (k - 1) * (tile + 16)
    last = blocks * (reduce - 1) * (TILE["m"] * TILE["l"] * 4 // reduce + 16)
    again = 1 if in_memory else turns("L", "l", l)
    return turns("M", "m", m) * again * (turns("N", "n", n) * turn + last)


def formulas(told):
    """[(bytes loaded, bytes stored, sums are in the result)] of the chains of
    an explanation."""
    found = re.findall(r"bytes (loaded|stored): (.*)", told)
    value = [eval(f, {**SIZES, "ceil": math.ceil}) for _, f in found]
    where = re.findall(r"sum over n, kept in (.*)", told)
    return [(a, b, w == "the result itself")
            for a, b, w in zip(value[::2], value[1::2], where)]


def differences(cluster, told, report):
    if len(told) != 2:
        yield "no formula for global memory"
        return
    for kernel in report["kernels"]:
        products = 2 if "gated" in kernel["kernel"] else 1
        loaded, stored, in_memory = told[products - 1]
        want = between_blocks(cluster, products, in_memory)
        got = kernel["remote"]["bytes_stored"]
        if got != want:
            yield "%d bytes between blocks, not %d" % (got, want)
        moved = kernel["global"]
        got = moved["bytes_loaded"], moved["bytes_stored"]
        if got != (loaded, stored):
            yield "%s bytes of global memory, %s were told" % (
                got, (loaded, stored))


def failures_of(rewrite, rf_run, cluster, folder):
    path = os.path.join(folder, "clusters.cu")
    with open(os.path.join(HERE, "clusters.cu")) as f:
        text = f.read().replace("cluster(CLUSTER)", "cluster(%d, %d, %d, %d)"
                                % cluster)
    with open(path, "w") as f:
        f.write(text)
    told = subprocess.run([rewrite, "--explain", path], text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    done = subprocess.run([rewrite, path], text=True, stderr=subprocess.STDOUT,
                          stdout=subprocess.PIPE)
    if "2 fused" not in done.stdout:
        return [done.stdout]
    done = subprocess.run([rf_run, "--report=json", path], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    at = done.stdout.find("{")
    if done.returncode or at < 0:
        return [done.stdout + done.stderr]
    return list(differences(cluster, formulas(told),
                            json.loads(done.stdout[at:])))


def main():
    rewrite, rf_run = sys.argv[1:3]
    named = [tuple(map(int, t.split(","))) for t in sys.argv[3:]]
    failed = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for cluster in named or tuples():
            ran += 1
            for failure in failures_of(rewrite, rf_run, cluster, folder):
                print("cluster(%d, %d, %d, %d): " % cluster + failure)
                failed += 1
    print("%d clusters, %d failures" % (ran, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
