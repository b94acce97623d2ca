#!/usr/bin/env python3
"""Random cascades: what is fused computes what the source computes.

    cascades.py RF_REWRITE RF_RUN [--count=N] [--first=SEED] [--minutes=M]

Each kernel is two or three dependent reductions (sum, product, maximum,
minimum) whose terms are built from elements, earlier results, constants, +, -,
*, /, squares, cubes, exp, fmaxf, fminf, fabsf, powf and casts to int. Every second one is
marked assume(finite) and runs on small values, where a result that is infinite
or NaN all the same does not count; the others run on edge values (infinities,
NaN, FLT_MAX) too. Kernels of one file are rewritten together;
those that are fused are built with and without RF_REFERENCE and executed by
rf-run --compare. Numbers that a refusal shows (rf-not-decomposable) are put
into the kernel, on the host: they must give what the note says.

Failures: a region that ends in an error, a program that differs or stops,
numbers that are not what they are said to be. The last line counts the
outcomes, with the refusals that name no reason of the author's ("internal").
"""

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter

from counterexamples import case_of, wrong_ones
from harness import NVCC, ROOT, need_nvcc, read, run, write

IN_ONE_PROGRAM = 150
STARTS = {"sum": ["0"], "prod": ["1"], "min": ["INFINITY"],
          "max": ["-INFINITY", "-1e30f", "0"]}
STEPS = {"sum": "{0} += {1};", "prod": "{0} *= {1};",
         "max": "{0} = fmaxf({0}, {1});", "min": "{0} = fminf({0}, {1});"}
FORMS = (2 * ["({0} - {1})", "{0} * {1}"] +
         ["({0} + {1})", "expf({0} - {1})", "fmaxf({0}, {1})",
          "fminf({0}, {1})", "({0}) / ({1})", "({0}) * ({0})",
          "({0}) * ({0}) * ({0})", "powf({0}, 2.0f)", "(float)(int)({0})",
          "fabsf({0})"])


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


# Where assume(finite) does not hold after all, nothing is promised of any
# result of that row.
SETTLE = """__global__ void settle(float *y, int n)
{
    bool finite = true;
    y += threadIdx.x * n;
    for (int i = 0; i < n; i++)
        finite = finite && isfinite(y[i]);
    for (int i = 0; i < n; i++)
        y[i] = finite ? y[i] : 0;
}

"""


def mark_of(seed):
    """The line in front of a kernel."""
    return f"// kernel {seed}\n"


def source_of(seeds):
    """All kernels of SEEDS, each behind its line."""
    return "\n".join(mark_of(seed) + kernel(seed)[0] for seed in seeds)


def parts_of(text):
    """What stands in front of the kernels, and {seed: text} of each."""
    head, *parts = re.split(r"^// kernel (\d+)\n", text, flags=re.M)
    return head, {int(s): t for s, t in zip(parts[::2], parts[1::2])}


def call_of(seed):
    """The launch of a kernel on random data."""
    n = kernel(seed)[1]
    if not seed % 2:
        return f"k{seed}<<<1, R>>>(in(R * L), in(L), out({n} * R), L)"
    return ("[&](const float *x, const float *w, float *y) {\n"
            f"    k{seed}<<<1, R>>>(x, w, y, L);\n"
            f"    settle<<<1, R>>>(y, {n});\n"
            f"}}(plain(R * L), plain(L), out({n} * R))")


def program(head, kernels):
    """The rewritten KERNELS and a main() that runs them."""
    driver = os.path.join(ROOT, "tests", "fusible", "driver.h")
    return (f'#define DRIVE_LENGTHS 9, 2, 1, 0\n#include "{driver}"\n\n' +
            SETTLE + head + "".join(kernels.values()) +
            "\nDRIVE(" + ";\n      ".join(map(call_of, kernels)) + ")\n")


def execute(options, path, seeds, text):
    """What is wrong with the fused kernels of the rewritten TEXT, or None."""
    head, kernels = parts_of(text)
    fused = {s: t for s, t in kernels.items() if "RF_REFERENCE" in t}
    if not fused:
        return None
    write(path, program(head, fused).encode())
    # Where terms cancel, only the measured effect of rounding tells; where
    # nothing is rounded, that takes -0 for a difference.
    wrong = None
    for tolerance in ("1e-3,1e-3", "rounding"):
        code, told = run([options.rf_run, "--compare",
                          f"--tolerance={tolerance}", path, *NVCC])
        if not code:
            return None
        differ = {m.group(1): m.group() for m in
                  re.finditer(r"\w+ differs: (buffer \d+), .*", told)}
        if not differ:
            return f"kernels {seeds[0]} to {seeds[-1]}: {told[-1500:]}"
        wrong = differ if wrong is None else {
            b: m for b, m in wrong.items() if b in differ}
    lines = "\n    ".join(wrong.values())
    return wrong and f"kernels {seeds[0]} to {seeds[-1]}:\n    {lines}"


def claims(options, path, told, outcomes):
    """What is wrong with the numbers that the refusals TOLD, or None."""
    source = parts_of(source_of(options.seeds))[1]
    lines = source_of(options.seeds).splitlines()
    cases, notes = {}, {}
    for line, note in re.findall(
            rf"^{re.escape(path)}:(\d+):\d+: warning: .*"
            r"\[rf-not-decomposable\]\n(?:(?!.* (?:warning|note): ).*\n)*?"
            r".*?:\d+:\d+: note: ((?:with|\w+ = \[).*)", told, re.M):
        at = int(line) - 1
        while not lines[at].startswith("// kernel "):
            at -= 1
        seed = int(lines[at].split()[-1])
        case = case_of(source[seed], f"f{seed}", note)
        if case:
            notes[seed], cases[seed] = note, case
    outcomes["numbers"] += len(cases)
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    wrong = wrong_ones(compiler, cases) if cases and compiler else {}
    return "\n".join(f"kernel {s}: {w}\n    {notes[s]}"
                     for s, w in wrong.items()) or None


def check(options, folder, seeds, outcomes):
    """Messages of what failed."""
    path = os.path.join(folder, f"cascades_{seeds[0]}.cu")
    options.seeds = seeds
    write(path, source_of(seeds).encode())
    code, told = run([options.rf_rewrite, path])
    for line in told.splitlines():
        if ": warning: not fused: " in line:
            outcomes["internal" if "internal" in line else "refused"] += 1
    summary = re.search(r": (\d+) fused, .* 0 errors", told)
    outcomes["fused"] += int(summary.group(1)) if summary else 0
    if code or not summary:
        return [f"{path}: {told[-300:]}"]
    found = [claims(options, path, told, outcomes),
             execute(options, path, seeds, read(path).decode())]
    return [m for m in found if m]


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
            for message in check(options, folder, seeds, outcomes):
                failed += 1
                print("FAILED:", message, flush=True)
            seed = seeds[-1] + 1
    print(f"{seed - options.first} cascades: {outcomes['fused']} fused, "
          f"{outcomes['refused']} refused, {outcomes['internal']} internal, "
          f"{outcomes['numbers']} with numbers, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
