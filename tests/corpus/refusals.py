#!/usr/bin/env python3
"""Files that must not be fused.

    refusals.py RF_REWRITE [FOLDER | FILE.cu...]    (default: tests/refusals)

The last line of a file says where and why: // expect: LINE:COLUMN NAME.
Nothing may be fused, and the first finding must be that one. FOLDER/known.txt
lists failures of today, as kinds:

    accepted   it fuses: the only kind that can make a program wrong
    name       refused, for another reason
    place      refused for this reason, at another place
"""

import glob
import os
import re
import sys

from harness import ROOT, Known, Tool, explain, is_fused, read, stem


def expectation(file):
    m = re.search(rb"^// expect: (\d+):(\d+) (rf-[\w-]+)\s*$", read(file),
                  re.M)
    if not m:
        sys.exit(f"{file}: no expectation")
    return int(m.group(1)), int(m.group(2)), m.group(3).decode()


def failure(file, findings, fused):
    """(kind, text) of what is wrong, or None."""
    line, column, name = expectation(file)
    first = findings[0] if findings else None
    want = f"expected {line}:{column} {name}"
    if fused:
        return "accepted", f"it fuses, {want}"
    if not first or first.name != name:
        return "name", f"{explain(findings)}; {want}"
    if (first.line, first.column) != (line, column):
        return "place", f"{first.line}:{first.column}, {want}"
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    files = sys.argv[2:] or [os.path.join(ROOT, "tests", "refusals")]
    folder = files[0] if os.path.isdir(files[0]) else os.path.dirname(files[0])
    if os.path.isdir(files[0]):
        files = [f for f in sorted(glob.glob(os.path.join(folder, "*.cu")))
                 if b"// expect:" in read(f)]
    before = {f: read(f) for f in files}
    tool = Tool(sys.argv[1])
    code, findings = tool.run(files, "-j0", "--diff")
    if code not in (0, 1) or any(read(f) != before[f] for f in files):
        sys.exit(f"rf-rewrite ended with {code} or wrote:\n{tool.output}")
    patched = tool.in_patch()
    failures = {}
    for file in files:
        fused = os.path.basename(file) in patched or is_fused(file)
        wrong = failure(file, findings[file], fused)
        if wrong:
            failures[stem(file)] = wrong
    known = Known(os.path.join(folder, "known.txt"))
    sys.exit(known.judge(failures, {stem(f) for f in files},
                         {"accepted", "name", "place"}) > 0)


if __name__ == "__main__":
    main()
