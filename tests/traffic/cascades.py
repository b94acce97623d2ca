#!/usr/bin/env python3
"""The bytes for each element that --explain tells are those that move.

    cascades.py RF-REWRITE RF-RUN [--every=N] [FILE.cu...]

Files of tests/fusible (FILEs, or every Nth) are rewritten, built in both forms
and executed at two lengths of their rows. What more the longer ones move in the
memory of the device, for each row and element, is compared with the formulas
of the summary; programs that make launches of their own are left out. Kinds of
failures, known ones in known.txt:

    source    the reference moves other bytes than was told
    fused     the rewritten form does
"""
import collections
import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "corpus"))

from counts import sizes_at  # noqa: E402
from fusible import sources  # noqa: E402
from harness import (Batch, Known, Tool, copy_tree, is_fused,  # noqa: E402
                     need_nvcc, read, run, stem, write)

LENGTHS = (23, 36)
LAUNCHES = 2  # of each length: random and edge values
ROWS = 36
KINDS = {"reference": "source", "fused": "fused"}
TOLD = {"reference": "moved_before", "fused": "moved_after"}
OWN = re.compile(rb"^DRIVE\w*\([\d, ]*\{", re.M)  # launches of its own
LENGTH = b'#define DRIVE_LENGTHS std::vector<int>(1, atoi(getenv("LENGTH")))\n'


def told(summary):
    """{name: its first region} of the files with one that moves bytes."""
    files = json.loads(read(summary))["files"]
    return {stem(f["path"]): f["regions"][0] for f in files
            if "moved_after" in f["regions"][0]}


def scope(word):
    """The mangled namespace of the program "MODE NAME" in a batch."""
    name = re.sub(r"[^0-9A-Za-z]", "_", word)
    return f"{len(name)}{name}"


def moved(batch, length):
    """{"MODE NAME": bytes} that all programs of BATCH move at LENGTH."""
    os.environ.update(LENGTH=str(length), RF_RUN_REPORT="json")
    words = [f"{mode} {n}" for n in batch.files for mode in KINDS]
    code, text = run([os.path.join(batch.kept, "program"), "1", "-", *words])
    if code:
        sys.exit(f"the batch does not run ({code}): {text[-2000:]}")
    sums = collections.Counter()
    for kernel in json.loads(text[text.rindex('{"kernels"'):])["kernels"]:
        word = next(w for w in words if scope(w) in kernel["kernel"])
        sums[word] += sum(kernel["global"]["bytes_" + what]
                          for what in ("loaded", "stored"))
    return sums


def value(formula, source):
    """FORMULA at the sizes that SOURCE is executed with; None: they are not
    arguments of the launch."""
    names = set(re.findall(r"[A-Za-z_]\w*", formula))
    sizes = sizes_at(source, {"R": ROWS, "L": LENGTHS[1]}) if names else {}
    return eval(formula, {}, sizes) if names <= set(sizes) else None


def judge(batch, regions, originals):
    """{name: failure} of what was told about the programs of BATCH."""
    short, long = (moved(batch, n) for n in LENGTHS)
    elements = LAUNCHES * ROWS * (LENGTHS[1] - LENGTHS[0])
    failures = {}
    for name in batch.files:
        for mode, kind in KINDS.items():
            formula = regions[name][TOLD[mode]]
            word = f"{mode} {name}"
            got = (long[word] - short[word]) / elements
            if value(formula, originals[name]) not in (None, got):
                failures[name] = (kind, f"{formula} bytes an element were "
                                        f"told, it moves {got:g}")
    return failures


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    every = max([int(w[8:]) for w in sys.argv if w.startswith("--every=")],
                default=1)
    if len(words) < 2:
        sys.exit(__doc__)
    need_nvcc()
    tool, rf_run = Tool(words[0]), words[1]
    files = [f for f in sources(words[2:])[0] if not OWN.search(read(f))]
    files = files[::every]
    with tempfile.TemporaryDirectory() as work:
        copies = copy_tree(work, files)
        originals = {stem(f): read(f).decode() for f in copies}
        summary = os.path.join(work, "summary.json")
        tool.run(copies, "-j0", "--summary=" + summary)
        regions = told(summary)
        fused = [f for f in copies if is_fused(f) and stem(f) in regions]
        for f in fused:
            write(f, LENGTH + read(f))
        batch = Batch(work, fused)
        batch.build(rf_run)
        failures = judge(batch, regions, originals)
        batch.close()
    known = Known(os.path.join(HERE, "known.txt"))
    sys.exit(known.judge(failures, {stem(f) for f in fused},
                         set(KINDS.values())) > 0)


if __name__ == "__main__":
    main()
