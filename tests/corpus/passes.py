#!/usr/bin/env python3
"""The number of passes that the tool plans is the least possible.

    passes.py RF_REWRITE [RF_RUN] [--count=N]

Each kernel is a random graph of two to six reductions over one axis, in one
loop each, some of them not connected. Of each edge e -> d it is known by
construction whether d can follow the running value of e,

    d = SUM t * e            or  d = SUM .. exp(x - e)      (e a maximum)

or has to wait for the final one,

    d = SUM t * |x - e|.

An assignment of passes 0, 1, .. to the reductions is possible if no d runs
before an e that it uses, nor beside one that it has to wait for. All of them
are tried; the least number of passes among them must be what the tool says,
and with RF_RUN the fused kernels compute what their sources compute.
"""

import itertools
import os
import random
import re
import sys
import tempfile

from cascades import mark_of, parts_of
from harness import NVCC, ROOT, need_nvcc, read, run, write
from samples import option

MARK = "#pragma rf cascade assume(finite)"


class Graph:
    """A random graph: ops[d], and waits[d] = {e: d has to wait for e}."""

    def __init__(self, seed):
        rng = random.Random(seed)
        n = rng.randint(2, 6)
        self.ops = [rng.choice(["sum", "sum", "max"]) for _ in range(n)]
        self.waits, self.factors = [{} for _ in range(n)], [[] for _ in
                                                            range(n)]
        for d in range(n):
            used = [e for e in range(d) if rng.random() < 1.2 / n]
            if self.ops[d] == "max":
                used = used[:1]  # a maximum only ever waits here
            for e in used:
                waits = self.ops[d] == "max" or rng.random() < 0.4
                self.waits[d][e] = waits
                self.factors[d].append(
                    f"fabsf(x[i] - r{e})" if waits else
                    f"expf(x[i] - r{e})" if self.ops[e] == "max" else f"r{e}")

    def kernel(self, seed):
        lines = [MARK, f"__global__ void k{seed}(const float *x, const float "
                 "*w, float *y, int n)", "{", "    x += threadIdx.x * n;"]
        for d, op in enumerate(self.ops):
            term = " * ".join([f"(x[i] + {d + 1}.5f * w[i])",
                               *self.factors[d]])
            start = "-INFINITY" if op == "max" else "0"
            step = (f"r{d} = fmaxf(r{d}, {term});" if op == "max" else
                    f"r{d} += {term};")
            lines += [f"    float r{d} = {start};",
                      "    for (int i = 0; i < n; i++)", f"        {step}"]
        lines += [f"    y[{len(self.ops)} * threadIdx.x + {d}] = r{d};"
                  for d in range(len(self.ops))]
        return "\n".join([*lines, "}", ""])

    def least(self):
        """The least number of passes, of all assignments."""
        n = len(self.ops)
        return min(max(at) + 1 for at in itertools.product(range(n), repeat=n)
                   if all(at[d] >= at[e] + waits for d in range(n)
                          for e, waits in self.waits[d].items()))


def passes_in(text):
    """The passes of a rewritten kernel: those in its guard, or all."""
    told = re.search(r"// rf: fused, (\d+) pass\w* -> (\d+)", text)
    return int(told.group(2)) if told else text.count("for (int i")


def execute(rf_run, path, graphs, head, fused):
    """Build and run the FUSED kernels; what differs, or None."""
    calls = [f"k{s}<<<1, R>>>(plain(R * L), plain(L), "
             f"out({len(graphs[s].ops)} * R), L)" for s in fused]
    driver = os.path.join(ROOT, "tests", "fusible", "driver.h")
    write(path, (f'#define DRIVE_LENGTHS 9, 1\n#include "{driver}"\n{head}'
                 + "".join(fused.values()) + "\nDRIVE("
                 + ";\n      ".join(calls) + ")\n").encode())
    code, told = run([rf_run, "--compare", "--tolerance=rounding", path,
                      *NVCC])
    return told[-1500:] if code else None


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    if not 1 <= len(words) <= 2:
        sys.exit(__doc__)
    graphs = {s: Graph(s) for s in range(int(option("count", "60")))}
    bad, partly = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "passes.cu")
        write(path, "\n".join(mark_of(s) + g.kernel(s)
                              for s, g in graphs.items()).encode())
        code, told = run([words[0], path])
        if code:
            sys.exit(told[-2000:])
        head, kernels = parts_of(read(path).decode())
        for s, text in kernels.items():
            least, planned = graphs[s].least(), passes_in(text)
            partly += 1 < least < len(graphs[s].ops)
            if least != planned:
                bad.append(f"kernel {s}: {planned} passes, the least is "
                           f"{least}\n{graphs[s].kernel(s)}")
        fused = {s: t for s, t in kernels.items() if "RF_REFERENCE" in t}
        if len(words) == 2 and need_nvcc() is None:
            wrong = execute(words[1], path, graphs, head, fused)
            bad += [wrong] if wrong else []
    print("\n".join(bad + [f"{len(graphs)} kernels, {len(fused)} fused, "
                           f"{partly} in part, {len(bad)} wrong"]))
    sys.exit(bool(bad) or partly < len(graphs) // 6)


if __name__ == "__main__":
    main()
