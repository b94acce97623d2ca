#!/usr/bin/env python3
"""The samples after rewriting, byte for byte.

    golden.py RF_REWRITE [--update]

tests/golden/NAME.fused.cu is samples/NAME.cu as rf-rewrite leaves it, but for
the hash in a guard: it changes with the tool's version and stands as HASH.
A sample that is not fused has no such file and a line in
tests/golden/known.txt. --update writes what is different or missing, and
takes away what belongs to no sample; look at the diff before you commit it.
"""

import difflib
import glob
import os
import re
import sys
import tempfile

from harness import (ROOT, Known, Tool, copy_tree, explain, is_fused, read,
                     stem, write)

GOLDEN = os.path.join(ROOT, "tests", "golden")
HASH = re.compile(rb"(// rf: fused.*?, )[0-9a-f]{12}-[0-9a-f]{8}(?=;|$)", re.M)


def golden(name):
    return os.path.join(GOLDEN, name + ".fused.cu")


def first_lines(want, got):
    """The beginning of the difference between two texts."""
    diff = difflib.unified_diff(want.decode().splitlines(),
                                got.decode().splitlines(), "golden", "now",
                                n=1, lineterm="")
    return "\n    ".join(list(diff)[:12])


def failure(name, text):
    """(kind, text) of what is wrong with the fused TEXT of NAME, or None."""
    if not os.path.exists(golden(name)):
        return "missing", "it fuses and has no golden; see --update"
    want = read(golden(name))
    if want != text:
        return "changed", "the rewrite differs:\n    " + first_lines(want, text)
    return None


def update(texts):
    for name, text in texts.items():
        if failure(name, text):
            print(f"written: {os.path.relpath(golden(name), ROOT)}")
            write(golden(name), text)
    for path in glob.glob(golden("*")):
        if os.path.basename(path)[:-len(".fused.cu")] not in texts:
            print(f"removed: {os.path.relpath(path, ROOT)}")
            os.remove(path)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tool = Tool(sys.argv[1])
    samples = sorted(glob.glob(os.path.join(ROOT, "samples", "*.cu")))
    with tempfile.TemporaryDirectory() as work:
        copies = copy_tree(work, samples)
        _, findings = tool.run(copies, "-j0")
        texts = {stem(f): HASH.sub(rb"\1HASH", read(f)) for f in copies
                 if is_fused(f)}
        failures = {stem(f): ("refused", explain(findings[f])) for f in copies
                    if stem(f) not in texts}
    if "--update" in sys.argv:
        update(texts)
    failures.update({n: failure(n, t) for n, t in texts.items()
                     if failure(n, t)})
    known = Known(os.path.join(GOLDEN, "known.txt"))
    sys.exit(known.judge(failures, {stem(f) for f in samples},
                         {"refused", "missing", "changed"}) > 0)


if __name__ == "__main__":
    main()
