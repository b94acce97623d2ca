#!/usr/bin/env python3
"""Files that must be fused and mean the same afterwards.

    fusible.py RF_REWRITE RF_RUN [--seeds=N] [--all] [--alone]
               [FOLDER | FILE.cu...]

FOLDER (default: tests/fusible) holds programs made with driver.h; those that
expect a refusal are left to refusals.py. Copies of them are rewritten; then

    refused     a file is not fused
    again       a second run changes it
    check       --check does not find it up to date
    revert      --revert does not give the original bytes back
    compile     nvcc does not take the original and the fused form
    reported    the fused form trips a check of rf-run (races, bounds, ...)
    stopped     the fused form ends with another exit code
    differs     an output differs by more than rounding

are failures; FOLDER/known.txt lists those of today, with these words as kinds.
What the guards call exact must give the same bits.
RF_RUN may be "" (nothing is executed), and so it is where nvcc is missing.
Inputs are random and edge values for N seeds. A second run and --check cost as
much as the first: each is done for every second file, with --all for all.
--alone executes with rf-run --compare, file by file, not in a batch: slower,
and the copies from the device are compared, not what the programs print.
"""

import glob
import os
import re
import sys
import tempfile

from harness import (NVCC, ROOT, Batch, Known, Tool, copy_tree, difference,
                     explain, is_fused, nvcc, read, report_in, run, stem,
                     values_in, write)

TOLERANCE = 1e-4  # of the value, or of 1 where it is smaller
NARROW = 2e-3  # where values have 16 bits: their last one
EXACT = re.compile(rb"// rf: fused, .* exact\b")
KINDS = {"refused", "again", "check", "revert"}
EXECUTED = {"compile", "reported", "stopped", "differs"}


def rewrite(tool, copies):
    """Rewrite COPIES; {name: failure} and those that are fused."""
    _, findings = tool.run(copies, "-j0")
    failures = {}
    for f in copies:
        refusals = [n for n in findings[f] if n.text.startswith("not fused")]
        if refusals or not is_fused(f):
            failures[stem(f)] = ("refused", explain(refusals or findings[f]))
    return failures, [f for f in copies if is_fused(f)]


def rewritten(tool, files, want, kind, *options):
    """{name: failure}: what a run with OPTIONS does not turn into WANT."""
    if files:
        tool.run(files, "-j0", *options)
    return {stem(f): (kind, "the bytes are not those before") for f in files
            if read(f) != want[f]}


def checked(tool, files):
    """{name: failure}: what --check complains of."""
    if not files:
        return {}
    code, findings = tool.run(files, "-j0", "--check")
    failures = {stem(f): ("check", explain(findings[f])) for f in files
                if findings[f]}
    if code and not failures:
        sys.exit(f"--check exits with {code}: {tool.output[-2000:]}")
    return failures


def properties(tool, originals, fused, everything):
    """{name: failure}: idempotence, --check, --revert. FUSED stay fused."""
    after = {f: read(f) for f in fused}
    again = fused if everything else fused[::2]
    check = fused if everything else fused[1::2]
    failures = {**checked(tool, check),
                **rewritten(tool, again, after, "again"),
                **rewritten(tool, fused, originals, "revert", "--revert")}
    for f in fused:
        write(f, after[f])
    return failures


def tolerance_of(file):
    text = read(file)
    if EXACT.search(text):
        return 0
    return NARROW if b"__half" in text or b"bfloat16" in text else TOLERANCE


def compare(done, name, tolerance):
    """Failure of the program NAME in the outcomes DONE, or None."""
    reference, fused = done["reference", name], done["fused", name]
    report = report_in(fused.lines)
    if report and not report_in(reference.lines):
        return "reported", report
    if reference.code != fused.code:
        return "stopped", (f"exit code {reference.code} of the reference, "
                           f"{fused.code} of the fused: "
                           f"{' '.join(fused.lines[-1:])}")
    if reference.code:
        return "stopped", f"both end with {fused.code}: {fused.lines[-1:]}"
    text = difference(values_in(reference.lines), values_in(fused.lines),
                      tolerance)
    return ("differs", text) if text else None


def execute(folder, rf_run, fused, seeds):
    """{name: failure} of the executed programs."""
    batch = Batch(folder, fused)
    batch.build(rf_run)
    failures = {n: ("compile", line) for n, line in batch.broken.items()}
    for seed in range(1, seeds + 1):
        done = batch.execute("print", seed)
        for name in batch.files:
            wrong = compare(done, name, tolerance_of(batch.files[name]))
            if wrong:
                failures.setdefault(name,
                                    (wrong[0], f"seed {seed}: {wrong[1]}"))
    batch.close()
    return failures


def execute_alone(rf_run, fused):
    """The same by rf-run --compare, with one seed."""
    failures = {}
    for f in fused:
        code, output = run([rf_run, "--compare", f"--tolerance={TOLERANCE},"
                            f"{TOLERANCE}", *NVCC, f])
        if code:
            lines = [x for x in output.splitlines() if "error:" in x]
            failures[stem(f)] = ("differs", "".join((lines + [output])[0]))
    return failures


def sources(words):
    """(FILES, their folder) that the command line's words name."""
    words = words or [os.path.join(ROOT, "tests", "fusible")]
    if not os.path.isdir(words[0]):
        return words, os.path.dirname(os.path.abspath(words[0]))
    return [f for f in sorted(glob.glob(os.path.join(words[0], "*.cu")))
            if b"\nDRIVE" in read(f) and b"\n// expect: " not in read(f)
            ], words[0]


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    seeds = max([int(w[8:]) for w in sys.argv if w.startswith("--seeds=")],
                default=1)
    if len(words) < 2:
        sys.exit(__doc__)
    tool, rf_run = Tool(words[0]), words[1]
    files, folder = sources(words[2:])
    with tempfile.TemporaryDirectory() as work:
        copies = copy_tree(work, files)
        originals = {f: read(f) for f in copies}
        failures, fused = rewrite(tool, copies)
        failures.update(properties(tool, originals, fused,
                                   "--all" in sys.argv))
        if rf_run and not nvcc():
            print("not executed: there is no nvcc (set NVCC or PATH)")
        executed = bool(rf_run and nvcc())
        if executed:
            wrong = execute_alone(rf_run, fused) if "--alone" in sys.argv \
                else execute(work, rf_run, fused, seeds)
            failures = {**wrong, **failures}
    known = Known(os.path.join(folder, "known.txt"))
    kinds = KINDS | (EXECUTED if executed else set())
    sys.exit(known.judge(failures, {stem(f) for f in files}, kinds) > 0)


if __name__ == "__main__":
    main()
