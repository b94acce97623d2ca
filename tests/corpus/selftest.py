#!/usr/bin/env python3
"""The harness sees what it is there for.

    selftest.py RF_RUN

Programs whose two forms differ, stop, hang, do not compile or are equal are
run in one batch; each must be judged as its name says.
"""

import contextlib
import io
import os
import sys
import tempfile

from fusible import compare
from harness import (Batch, Known, close, copy_tree, difference, need_nvcc,
                     write)

PROGRAM = """#include "driver.h"
#pragma rf cascade
#ifdef RF_REFERENCE
__global__ void k(const float *x, float *y, int n)
{
    y[threadIdx.x] = n > 2 ? x[threadIdx.x * n] : 0;
}
#else  // rf: fused, by hand
%s
#endif // rf
DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
"""
HEAD = "__global__ void k(const float *x, float *y, int n)\n"
FORMS = {
    "equal": HEAD + "{ y[threadIdx.x] = n > 2 ? x[threadIdx.x * n] : 0; }",
    "differs": HEAD + "{ y[threadIdx.x] = n > 9 ? x[threadIdx.x * n] : 0; }",
    "reported": HEAD + "{ y[threadIdx.x] = n > 2 ? x[threadIdx.x * n] : 0;\n"
                       "  if (n > 9) y[4 * threadIdx.x] = 0; }",
    "stopped": HEAD + "{ y[threadIdx.x] = n > 2 ? x[threadIdx.x * n] : 0;\n"
                      "  if (n == 8) __trap(); }",
    "compile": HEAD + "{ y[threadIdx.x] = nowhere; }",
}


def check(what, holds):
    if not holds:
        sys.exit(f"FAILED: {what}")


def check_values():
    nan, inf = float("nan"), float("inf")
    check("NaN", close(nan, nan, 0) and not close(nan, 1, 1))
    check("infinities", close(inf, inf, 0) and not close(inf, -inf, 1) and
          not close(inf, 3e38, 1) and not close(1, inf, 1))
    check("rounding", close(1000, 1000.05, 1e-4) and not close(1, 1.001, 1e-4))
    check("no tolerance", not close(0.0, -0.0, 0) and close(0.0, -0.0, 1e-4))
    check("a row", "row 8 (-inf first)" in difference(
        [(37, "edge", i, 0.0) for i in range(36)],
        [(37, "edge", i, float(i == 8)) for i in range(36)], 1e-4))


def check_known(folder):
    path = os.path.join(folder, "known.txt")
    write(path, b"a differs for now\nb refused for now\n")
    known = Known(path)
    for failures, bad in (
            ({"a": ("differs", ""), "b": ("refused", "")}, 0),
            ({"a": ("differs", "")}, 1),  # b passes
            ({"a": ("stopped", ""), "b": ("refused", "")}, 2)):
        with contextlib.redirect_stdout(io.StringIO()):
            got = known.judge(failures, {"a", "b", "c"},
                              {"differs", "refused", "stopped"})
        check(f"known failures: {got}, not {bad}", got == bad)


def check_batch(folder, rf_run):
    copy_tree(folder, [])
    files = []
    for name, form in FORMS.items():
        files.append(os.path.join(folder, "tests/fusible", name + ".cu"))
        write(files[-1], (PROGRAM % form).encode())
    batch = Batch(folder, files)
    batch.build(rf_run)
    done = batch.execute("print")
    batch.close()
    check(f"compile: {batch.broken}", set(batch.broken) == {"compile"})
    for name in batch.files:
        wrong = compare(done, name, 1e-4) or ("equal", "")
        check(f"{name} is {wrong}", wrong[0] == name or
              (name, wrong[0]) == ("stopped", "reported"))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_values()
    with tempfile.TemporaryDirectory() as folder:
        check_known(folder)
        need_nvcc()
        check_batch(folder, sys.argv[1])
    print("passed")


if __name__ == "__main__":
    main()
