#!/usr/bin/env python3
"""What ptxas makes of kernels whose rows have teams, beside what the plan says.

    ptxas.py RF_REWRITE [--arch=sm_90] [FILE.cu...]

Without files: the samples of teams, and the kernels of tests/traffic with their
rows in registers. The plan of a kernel says:

    registers    32, two for each word that a thread keeps of its row, and two
                 for the address of each array that it keeps
    shared       one slot a warp and one a block of a cluster, of each state

A line for each kernel: threads of a block, registers predicted and used, bytes
of shared memory predicted and used. Spills, more registers than predicted,
other bytes of shared memory, and warnings of nvcc are failures.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from harness import NVCC, ROOT, need_nvcc, nvcc, read, stem

sys.path.insert(0, os.path.join(ROOT, "tests", "traffic"))
from traffic import CASES, write_source  # noqa: E402

SIZES = {"float": 4, "int": 4, "unsigned int": 4, "unsigned": 4, "double": 8,
         "bool": 1, "long": 8, "long long": 8, "__half": 2}
FUSED = re.compile(r"#else  // rf: fused.*?#endif // rf", re.S)
KERNEL = re.compile(r"__global__[^;{]*?\bvoid (\w+)\(")
SHARED = re.compile(r"__shared__ ([\w ]+?) \w+\[(\d+)\];")
ROW = re.compile(r"^ *([\w ]+?) \w+_row\w*\[(\w+)\];", re.M)
SLOTS = re.compile(r"const int slots\w* = (\d+) / \(RF_\w+\((\d+)\) \* (\d+)\)")
USED = re.compile(r"Compiling entry function '(\w+)'.*?\n.*?\n\s*(\d+) bytes "
                  r"stack frame, (\d+) bytes spill stores, (\d+) bytes spill "
                  r"loads\n.*?Used (\d+) registers(.*)")


def predicted(text):
    """{kernel: (registers, bytes of shared memory)} of the fused TEXT."""
    found = {}
    for part in map(lambda m: m.group(), FUSED.finditer(text)):
        name = KERNEL.search(part)
        if not name:
            continue
        slots = SLOTS.search(part)
        slots = int(slots[1]) // (int(slots[2]) * int(slots[3])) if slots else 0
        words = sum((SIZES[t] + 3) // 4 * (int(n) if n.isdigit() else slots)
                    for t, n in ROW.findall(part))
        found[name[1]] = (32 + 2 * words + 2 * len(ROW.findall(part)),
                          sum(SIZES[t] * int(n) for t, n in SHARED.findall(part)))
    return found


def name_of(mangled, names):
    return next((n for n in sorted(names, key=len, reverse=True)
                 if "%d%s" % (len(n), n) in mangled), None)


def check(path, arch):
    """Print a line for each kernel of PATH; the number of failures."""
    plan = predicted(read(path).decode())
    done = subprocess.run(
        [nvcc(), "-arch=" + arch, *NVCC, "-Xptxas", "-v,-warn-spills", "-cubin",
         "-o", os.devnull, path], capture_output=True, text=True)
    failed = int(done.returncode != 0 or "warning" in done.stderr)
    if failed:
        print(done.stderr)
    seen = 0
    for mangled, stack, stores, loads, used, rest in USED.findall(done.stderr):
        name = name_of(mangled, plan)
        if not name:
            continue
        seen += 1
        shared = re.search(r"(\d+) bytes smem", rest)
        shared = int(shared[1]) if shared else 0
        registers, bytes_shared = plan[name]
        wrong = [w for w, bad in (("spills", int(stores) + int(loads)),
                                  ("a stack", int(stack)),
                                  ("registers", int(used) > registers),
                                  ("shared memory", shared != bytes_shared))
                 if bad]
        print("%-28s %-14s %3d %4d %6d %6d  %s" %
              (stem(path), name, registers, int(used), bytes_shared, shared,
               ", ".join(wrong)))
        failed += len(wrong)
    return failed + (seen != len(plan))


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    arch = next((w[7:] for w in sys.argv if w.startswith("--arch=")), "sm_90")
    if not words:
        sys.exit(__doc__)
    need_nvcc()
    rewrite, files, failed = words[0], words[1:], 0
    with tempfile.TemporaryDirectory() as work:
        if not files:
            files = sorted(glob.glob(os.path.join(ROOT, "samples/5*.cu")))
            files += [write_source(case, 2, work) for case in CASES]
        shutil.copy(os.path.join(ROOT, "samples/check.h"), work)
        print("%-28s %-14s %s" % ("", "", "registers     shared\n" + 43 * " " +
                                  "plan used   plan   used"))
        for f in files:
            path = os.path.join(work, os.path.basename(f))
            subprocess.run([rewrite, "-q", f, "-o", path], check=True,
                           stdout=subprocess.DEVNULL)
            failed += check(path, arch)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
