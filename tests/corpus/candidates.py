#!/usr/bin/env python3
"""Candidates: what rf-candidate finds in unmarked code fuses once marked.

    candidates.py RF_REWRITE [--every=N]

The marks of all samples and of tests/fusible (every N-th file) are taken out.
--fix with rf-candidate puts marks back, then the tool runs on them: each must
be fused, none refused. A second search finds nothing, and what the first one
wrote is the mark and nothing else. In tests/refusals nothing is found but
where the mark's own words are what is refused (ABOUT_THE_MARK).
"""

import glob
import json
import os
import re
import sys
import tempfile

from harness import ROOT, Tool, copy_tree, read, write

MARK = re.compile(rb"^[ \t]*(#[ \t]*pragma[ \t]+rf\b.*|_Pragma\(\"rf .*)\n",
                  re.M)
WORDS = re.compile(rb"^#pragma rf (cascade|gemm_chain)\n", re.M)

# Refused for what the mark says or where it stands, not for the loops.
ABOUT_THE_MARK = {
    "52_strict_softmax", "53_strict_variance", "62_brace_from_macro",
    "70_unknown_directive", "71_unknown_clause", "72_unknown_level",
    "76_keep_and_replace",
}


def summary_of(tool, folder, files, *options):
    """{file: [outcomes of its regions]} of a run."""
    path = os.path.join(folder, "summary.json")
    code, _ = tool.run(files, "-j0", f"--summary={path}", *options)
    if code:
        sys.exit(f"rf-rewrite ended with {code}:\n{tool.output[-3000:]}")
    return {f["path"]: [r["outcome"] for r in f["regions"]]
            for f in json.loads(read(path))["files"]}


def unmarked(folder, files):
    copies = copy_tree(folder, files)
    for copy in copies:
        write(copy, MARK.sub(b"", read(copy)))
    return copies


def mark_and_fuse(tool, folder, files):
    """Failures among FILES, and how many marks were put in."""
    bad = []
    before = {f: read(f) for f in files}
    code, _ = tool.run(files, "-j0", "--quiet", "--checks=rf-candidate",
                       "--fix")
    if code:
        sys.exit(f"--fix ended with {code}:\n{tool.output[-3000:]}")
    marked = {f: len(WORDS.findall(read(f))) for f in files}
    for f in files:
        if marked[f] and WORDS.sub(b"", read(f)) != before[f]:
            bad.append(f"{f}: --fix wrote more than marks")
        if not marked[f] and read(f) != before[f]:
            bad.append(f"{f}: --fix wrote no mark")
    some = [f for f in files if marked[f]]
    code, again = tool.run(some[:5], "--checks=-*,rf-candidate")
    bad += [f"{f}: found again" for f, found in again.items() if found]
    outcomes = summary_of(tool, folder, some)
    for f in some:
        words = outcomes[os.path.realpath(f)]
        if words != ["fused"] * marked[f]:
            bad.append(f"{f}: {marked[f]} marks became {words}")
    return bad, sum(marked.values())


def search_refusals(tool, folder):
    files = unmarked(folder, sorted(glob.glob(
        os.path.join(ROOT, "tests/refusals/*.cu"))))
    code, found = tool.run(files, "-j0", "--checks=-*,rf-candidate")
    names = {os.path.basename(f)[:-3] for f, list in found.items() if list}
    return ([f"{n}: a candidate" for n in sorted(names - ABOUT_THE_MARK)] +
            [f"{n}: no candidate any more" for n in
             sorted(ABOUT_THE_MARK - names)])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    every = int(sys.argv[2].split("=")[1]) if len(sys.argv) > 2 else 1
    files = [f for part in ("samples", "tests/fusible") for f in
             sorted(glob.glob(os.path.join(ROOT, part, "*.cu")))[::every]]
    tool = Tool(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        copies = unmarked(os.path.join(folder, "a"), files)
        bad, marks = mark_and_fuse(tool, folder, copies)
        bad += search_refusals(tool, os.path.join(folder, "b"))
    if marks < len(files) // 2:
        bad.append(f"only {marks} candidates in {len(files)} files")
    for line in bad:
        print("FAILED:", line.replace(folder + "/", ""))
    print(f"{len(files)} files, {marks} candidates, {len(bad)} failures")
    sys.exit(bool(bad))


main()
