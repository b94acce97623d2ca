#!/usr/bin/env python3
"""The rows of every fusible file, folded by teams of every size.

    levels.py RF_REWRITE RF_RUN [--every=N] [--level=NAME] [FILE.cu...]

The programs of tests/fusible give a thread a row. Copies of them ask for a
warp, a block, clusters of 2 to 16 blocks and a grid of 5; what is fused is
executed, reference and fused form, on random and edge values, with the checks
of rf-run. A line for each level: how many files fuse, how many compute the
same, and under which names the others are refused. Files that fuse and do not
compute the same are failures. --every=N takes every Nth file, another one for
each level.
"""

import collections
import glob
import os
import re
import sys
import tempfile

from fusible import execute
from harness import (ROOT, Tool, copy_tree, is_fused, need_nvcc, read, stem,
                     write)

LEVELS = {"warp": "level(warp)",
          "block": "level(block) threads(64)",
          **{f"cluster of {n}": f"level(cluster) cluster({n}) threads(32)"
             for n in (2, 4, 8, 16)},
          "grid": "level(grid) blocks(5) threads(64)"}
MARK = re.compile(rb"(rf cascade\b(?!.*\blevel\())")


def run(tool, rf_run, files, words):
    """(number fused, {name: failure}, {reason: number of files})"""
    with tempfile.TemporaryDirectory() as work:
        copies = copy_tree(work, files)
        for f in copies:
            write(f, MARK.sub(rb"\1 " + words.encode(), read(f)))
        _, findings = tool.run(copies, "-j0")
        fused = [f for f in copies if is_fused(f)]
        reasons = collections.Counter(
            findings[f][0].name if findings[f] else "nothing is said"
            for f in copies if f not in fused)
        return len(fused), execute(work, rf_run, fused, 1), reasons


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    every = max([int(w[8:]) for w in sys.argv if w.startswith("--every=")],
                default=1)
    if len(words) < 2:
        sys.exit(__doc__)
    need_nvcc()
    tool, rf_run, failed = Tool(words[0]), words[1], 0
    files = words[2:] or [
        f for f in sorted(glob.glob(os.path.join(ROOT, "tests/fusible/*.cu")))
        if b"\nDRIVE" in read(f) and MARK.search(read(f))]
    levels = [w[8:] for w in sys.argv if w.startswith("--level=")]
    for i, name in enumerate(levels or LEVELS):
        fused, failures, reasons = run(tool, rf_run, files[i % every::every],
                                       LEVELS[name])
        failed += len(failures)
        print("%-13s %3d fused, %3d equal; refused: %s" %
              (name, fused, fused - len(failures),
               ", ".join("%s %d" % r for r in reasons.most_common()) or "none"),
              flush=True)
        for file, (kind, text) in sorted(failures.items()):
            print("    FAILED: %s: %s: %s" % (kind, file, text))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
