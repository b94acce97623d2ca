#!/usr/bin/env python3
"""Random cascades: what is fused computes what the source computes.

    cascades.py RF_REWRITE RF_RUN [--count=N] [--first=SEED] [--minutes=M]

Each kernel is two or three dependent reductions (sum, product, maximum,
minimum) whose terms are built from elements, earlier results, constants, +, -,
*, /, squares, exp, fmaxf, fminf, fabsf and casts to int. Every second one is
marked assume(finite) and runs on small values, where a result that is infinite
or NaN all the same does not count; the others run on edge values (infinities,
NaN, FLT_MAX) too. Kernels of one program are rewritten together,
built with and without RF_REFERENCE and executed by rf-run --compare.

Failures: a region that ends in an error, a program that differs or stops. The
last line counts the outcomes, with the refusals that name no reason of the
author's ("internal").
"""

import argparse
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter

from harness import NVCC, ROOT, need_nvcc, run, write

IN_ONE_PROGRAM = 150
STARTS = {"sum": ["0"], "prod": ["1"], "min": ["INFINITY"],
          "max": ["-INFINITY", "-1e30f", "0"]}
STEPS = {"sum": "{0} += {1};", "prod": "{0} *= {1};",
         "max": "{0} = fmaxf({0}, {1});", "min": "{0} = fminf({0}, {1});"}
FORMS = (2 * ["({0} - {1})", "{0} * {1}"] +
         ["({0} + {1})", "expf({0} - {1})", "fmaxf({0}, {1})",
          "fminf({0}, {1})", "({0}) / ({1})", "({0}) * ({0})",
          "(float)(int)({0})", "fabsf({0})"])


def term(rng, results, depth):
    if not depth:
        return rng.choice(3 * ["x[i]"] + ["w[i]", "0.5f", "2.0f"] +
                          2 * results)
    return rng.choice(FORMS).format(term(rng, results, depth - 1),
                                    term(rng, results, depth - 1))


def kernel(seed):
    """(text, number of results) of the kernel with this seed."""
    rng = random.Random(seed)
    names, starts, loops = [], [], []
    for name in "abc"[:rng.choice([2, 2, 3])]:
        op = rng.choice(["sum", "sum", "max", "max", "min", "prod"])
        value = term(rng, names, rng.choice([1, 2, 2] if names else [0, 1]))
        if names and not any(re.search(rf"\b{n}\b", value) for n in names):
            value = f"({value}) * {names[-1]}"
        starts.append(f"{name} = {rng.choice(STARTS[op])}")
        loops.append("    for (int i = 0; i < n; i++)\n        " +
                     STEPS[op].format(name, value))
        names.append(name)
    ends = [f"    y[{len(names)} * threadIdx.x + {k}] = {name};"
            for k, name in enumerate(names)]
    mark = " assume(finite)" if seed % 2 else ""
    return "\n".join([
        f"#pragma rf cascade{mark}",
        f"__global__ void k{seed}(const float *x, const float *w, float *y, "
        "int n)", "{", "    x += threadIdx.x * n;",
        f"    float {', '.join(starts)};", *loops, *ends, "}", ""]), len(names)


# Where assume(finite) does not hold after all, nothing is promised.
SETTLE = """__global__ void settle(float *y, int n)
{
    for (int i = threadIdx.x * n; i < threadIdx.x * n + n; i++)
        if (!isfinite(y[i]))
            y[i] = 0;
}

"""


def program(seeds):
    """All kernels of SEEDS and a main() that runs them."""
    texts, calls = [], []
    for seed in seeds:
        text, n = kernel(seed)
        texts.append(text)
        if seed % 2:
            calls.append("[&](const float *x, const float *w, float *y) {\n"
                         f"    k{seed}<<<1, R>>>(x, w, y, L);\n"
                         f"    settle<<<1, R>>>(y, {n});\n"
                         f"}}(plain(R * L), plain(L), out({n} * R))")
        else:
            calls.append(f"k{seed}<<<1, R>>>(in(R * L), in(L), "
                         f"out({n} * R), L)")
    driver = os.path.join(ROOT, "tests", "fusible", "driver.h")
    return (f'#define DRIVE_LENGTHS 9, 2, 1, 0\n#include "{driver}"\n\n' +
            SETTLE +
            "\n".join(texts) + "\nDRIVE(" + ";\n      ".join(calls) + ")\n")


def check(options, folder, seeds, outcomes):
    """A message of what failed, or None."""
    path = os.path.join(folder, f"cascades_{seeds[0]}.cu")
    write(path, program(seeds).encode())
    code, text = run([options.rf_rewrite, path])
    for line in text.splitlines():
        if ": warning: not fused: " in line:
            outcomes["internal" if "internal" in line else "refused"] += 1
    summary = re.search(r": (\d+) fused, .* 0 errors", text)
    outcomes["fused"] += int(summary.group(1)) if summary else 0
    if code or not summary:
        return f"{path}: {text[-300:]}"
    # Where terms cancel, only the measured effect of rounding tells.
    for tolerance in ("1e-3,1e-3", "rounding"):
        code, text = run([options.rf_run, "--compare",
                          f"--tolerance={tolerance}", path, *NVCC])
        if not code:
            return None
    return f"kernels {seeds[0]} to {seeds[-1]}: {text[-1500:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rf_rewrite")
    parser.add_argument("rf_run")
    parser.add_argument("--count", type=int, default=IN_ONE_PROGRAM)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=600)
    options = parser.parse_args()
    need_nvcc()
    end = time.monotonic() + options.minutes * 60
    outcomes, failed, seed = Counter(), 0, options.first
    last = options.first + options.count
    with tempfile.TemporaryDirectory() as folder:
        while seed < last and time.monotonic() < end:
            seeds = range(seed, min(seed + IN_ONE_PROGRAM, last))
            message = check(options, folder, seeds, outcomes)
            if message:
                failed += 1
                print("FAILED:", message)
            seed = seeds[-1] + 1
    print(f"{seed - options.first} cascades: {outcomes['fused']} fused, "
          f"{outcomes['refused']} refused, {outcomes['internal']} internal, "
          f"{failed} programs failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
