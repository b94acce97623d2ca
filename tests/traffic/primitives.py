#!/usr/bin/env python3
"""The device functions that chains call do what they say.

    primitives.py RF-REWRITE RF-RUN

The functions are taken from what rf-rewrite makes of files of tests/chains,
put before primitives.cu, and executed: reduce-scatter, all-exchange (added and
multiplied) and ring for groups of 2, 4, 8 and 16 blocks, two groups of up to 8
in one cluster, with the bytes between blocks that THEORY 9 says (of n elements
of s bytes, C blocks together)

    reduce-scatter   (C - 1) n s            all-exchange   C (C - 1) n s
    ring             C (C - 1) n s, C - 1 steps

and, with mbarriers, 8 bytes for each arrival at another block's (two for a step
and a pair of blocks),

and the products of a warp on tensor cores, in their assembly and in their
plain form.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CHAINS = os.path.join(os.path.dirname(HERE), "chains")
FILES = ("45_cluster_ring", "81_tensor_cores",
         "82_tensor_cores_bf16")
HEAD = re.compile(r"#else  // rf: (?:functions|clusters of blocks).*?\n(.*?)"
                  r"__global__", re.S)


def functions_of(rewrite):
    """The text of the functions, each once."""
    seen = []
    for name in FILES:
        out = subprocess.run(
            [rewrite, "-q", "-o", "-", os.path.join(CHAINS, name + ".cu")],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        text = HEAD.search(out).group(1)
        for part in re.split(r"\n\n(?=//)", text.strip()):
            if part not in seen:
                seen.append(part)
    return "\n\n".join(seen)


def remote_bytes(n, plain):
    """{kernel: bytes that its blocks store to others}, by the formulas."""
    whole = 4 * 1024  # a tile of primitives.cu
    groups = 1 if n == 16 else 2
    meet = 0 if plain else 16 * n * (n - 1)
    exchange = n * (n - 1) * whole // 2 + meet
    ring = n * (n - 1) * whole + (n - 1) * meet
    return {"scatter<%d>" % n: groups * ((n - 1) * whole + meet),
            "exchange<%d>" % n: groups * exchange,
            "product_of<%d>" % n: groups * exchange,
            "ring<%d>" % n: groups * ring}


def failures_of(rf_run, path, *flags):
    done = subprocess.run([rf_run, "--report=json", *flags, path],
                          stdout=subprocess.PIPE, text=True)
    at = done.stdout.find("{")
    if done.returncode or at < 0:
        return [done.stdout or "it does not run"]
    stored = {}
    for kernel in json.loads(done.stdout[at:])["kernels"]:
        name = re.match(r"_Z\d+(\w+?)ILi(\d+)E", kernel["kernel"])
        if name:
            stored["%s<%s>" % name.groups()] = kernel["remote"]["bytes_stored"]
    return ["%s stores %s bytes to other blocks, not %d"
            % (name, stored.get(name), want)
            for n in (2, 4, 8, 16)
            for name, want in remote_bytes(n, bool(flags)).items()
            if stored.get(name) != want]


def main():
    rewrite, rf_run = sys.argv[1:3]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        path = os.path.join(folder, "test.cu")
        with open(os.path.join(HERE, "primitives.cu")) as f, \
                open(path, "w") as out:
            out.write("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                      + functions_of(rewrite) + "\n" + f.read())
        for flags in (), ("-DRF_PLAIN",):
            for failure in failures_of(rf_run, path, *flags):
                print(" ".join(flags) + ": " + failure)
                failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
