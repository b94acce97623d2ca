#!/usr/bin/env python3
"""Samples: both forms compile without a warning, and check themselves.

    samples.py RF_REWRITE RF_RUN compile|execute [--seeds=N] [--alone]
               [--vary=KIND,...] [FILE.cu...]         (default: samples/*.cu)

Copies of the files are rewritten. The ones that are fused are then compiled,
with and without RF_REFERENCE, by nvcc for sm_80 and sm_90 and by clang for the
host and the same devices, all warnings being errors; or executed, both forms,
on random and edge inputs, where each compares its results with its own
reference and must print PASS. --alone compiles file by file, not in batches.
--vary takes, in place of the files, variants of them that mean the same
(tests/metamorphic/vary.py) of these kinds, or of "every" kind.

Failures are "refused", "warning", "compile" (for rf-run), "reported" (by
rf-run) and "fails"; known ones are in tests/golden/known.txt, those of
variants in tests/metamorphic/known.txt.
"""

import glob
import os
import shutil
import sys
import tempfile

from harness import (MODES, NVCC, ROOT, Batch, Known, Tool, copy_tree, explain,
                     is_fused, need_nvcc, nvcc, report_in, run, stem)

ARCHITECTURES = ("80", "90")
CLANG = ["-x", "cuda", "-fsyntax-only", "-std=c++17", "-Wall",
         "-Werror", "-Wno-unknown-pragmas", "-Wno-unknown-cuda-version"]


def variants(files, kinds, folder):
    """Variants of FILES of these KINDS, written to FOLDER; none of a sample
    that is known to be refused itself."""
    known = Known(os.path.join(ROOT, "tests", "golden", "known.txt")).entries
    files = [f for f in files if (stem(f), "refused") not in known]
    code, output = run([sys.executable, os.path.join(
        ROOT, "tests", "metamorphic", "vary.py"), folder, *files])
    if code:
        sys.exit(output)
    return [f for f in output.split() if kinds == ["every"] or
            f.split(".")[-2] in kinds]


# --- compilers

def compilers(output):
    """Command lines that lack the source: nvcc's, and clang's if there is
    one."""
    codes = [w for a in ARCHITECTURES
             for w in ("-gencode", f"arch=compute_{a},code=sm_{a}")]
    yield [nvcc(), *NVCC, "-Werror", "all-warnings", "-c", "-o", output, *codes]
    clang = shutil.which("clang-22") or shutil.which("clang++")
    if not clang:
        print("not compiled by clang: there is none")
        return
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc())))
    parts = os.path.join(toolkit, "include", "cccl")  # cub and libcu++
    for target in ["--cuda-host-only"] + [
            f"--cuda-device-only --cuda-gpu-arch=sm_{a}"
            for a in ARCHITECTURES]:
        yield [clang, *CLANG, f"--cuda-path={toolkit}", "-isystem", parts,
               *target.split()]


def compile_alone(files, argv):
    """{name: failure}: FILES, each by itself and in both forms."""
    failures = {}
    for f in files:
        for define in ([], ["-DRF_REFERENCE"]):
            code, output = run([*argv, *define, f])
            if code:
                failures[stem(f)] = ("warning", output.strip()[-600:])
    return failures


def compile_all(folder, files, alone):
    failures = {}
    for argv in compilers(os.path.join(folder, "batch.o")):
        if alone:
            failures.update(compile_alone(files, argv))
            continue
        batch = Batch(folder, files)
        broken = batch.retry([*argv, batch.source])
        failures.update({n: ("warning", text) for n, text in broken.items()})
    return failures


# --- execution

def verdict(mode, outcome, how):
    """(kind, text) of what is wrong with a run, or None."""
    report = report_in(outcome.lines)
    if report:
        return "reported", f"{how}, {mode}: {report}"
    if outcome.code or "PASS" not in outcome.lines:
        last = " ".join(outcome.lines[-1:])
        return "fails", f"{how}, {mode}: exit code {outcome.code}, {last}"
    return None


def execute_all(folder, rf_run, files, modes, seeds):
    batch = Batch(folder, files, modes)
    batch.build(rf_run)
    failures = {n: ("compile", text) for n, text in batch.broken.items()}
    for seed in range(1, seeds + 1):
        for word in ("random", "edge"):
            done = batch.execute(word, seed)
            for (mode, name), outcome in done.items():
                wrong = verdict(mode, outcome, f"seed {seed} {word}")
                if wrong:
                    failures.setdefault(name, wrong)
    batch.close()
    return failures


# --- the command

def option(name, default):
    given = [w.split("=", 1)[1] for w in sys.argv
             if w.startswith(f"--{name}=")]
    return given[-1] if given else default


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    if len(words) < 3:
        sys.exit(__doc__)
    need_nvcc()
    tool, rf_run, action = Tool(words[0]), words[1], words[2]
    kinds = [k for k in option("vary", "").split(",") if k]
    files = words[3:] or sorted(glob.glob(os.path.join(ROOT, "samples/*.cu")))
    with tempfile.TemporaryDirectory() as work:
        if kinds:
            files = variants(files, kinds, os.path.join(work, "variants"))
        copies = copy_tree(work, files)
        _, findings = tool.run(copies, "-j0")
        fused = [f for f in copies if is_fused(f)]
        failures = {stem(f): ("refused", explain(findings[f])) for f in copies
                    if f not in fused}
        if action == "compile":
            failures.update(compile_all(work, fused, "--alone" in sys.argv))
        else:
            failures.update(execute_all(work, rf_run, fused, MODES,
                                        int(option("seeds", "1"))))
    known = Known(os.path.join(ROOT, "tests", "metamorphic" if kinds else
                               "golden", "known.txt"))
    looked_for = {"refused"} | ({"warning"} if action == "compile" else
                                {"compile", "reported", "fails"})
    sys.exit(known.judge(failures, {stem(f) for f in files}, looked_for) > 0)


if __name__ == "__main__":
    main()
