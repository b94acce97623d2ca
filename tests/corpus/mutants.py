#!/usr/bin/env python3
"""Executes mutants of generated code that the proof does not reject.

    mutants.py FOLDER RF_RUN [--every=N]

FOLDER has been filled by test_proof (RF_MUTANTS_OUT): programs, each with one
change, and list.txt, which says what was changed and, where the change means
the same, why. Each program checks its own results on random and edge inputs,
under all checks of rf-run. A mutant is caught when it does not compile, when
a check fires or a result is wrong. All others must be known to mean the same;
those that are left to execution must be caught. --every=N takes one in N of
the programs that no proof has seen.
"""

import collections
import glob
import os
import re
import shutil
import sys
import tempfile

from harness import ROOT, Batch, need_nvcc, read
from samples import option, verdict

IN_ONE_PROGRAM = 24
LEFT = "left to execution"

# Of samples that are only executed: part of the name, of the change, reason.
OLD = "the maximum has not moved yet: old and new are one"
OTHER = "where the other state moves, the maximum stays"
NOTHING = "a sum of nothing is scaled by exp(-inf) = 0"
MAP = "the map divides NaN by the sum, whatever that is"
EQUIVALENT = [
    ("", "(void)", "it only says that the value is not used"),
    ("", "max(top_old, ", OLD),
    ("", "max(m_old, ", OLD),
    ("", "if (m_old != m_other)", OTHER),
    ("", "if (top_old != top_other)", OTHER),
    ("", "expf(m_other - m_old)", OTHER),
    ("", "expf(top_other - top_old)", OTHER),
    ("41", "float total = 1.0f;", NOTHING),
    ("52", "float sum = 1", NOTHING),
    ("52", "width >= 0 && m == -INFINITY", MAP),
    ("55", "sum_block[1 + 16]", "one element too many"),
    ("55", "m_block[1 + 16]", "one element too many"),
    ("55", "threadIdx.x == 0 || blockIdx.x % 16 == 0",
     "every thread of the team holds the one value that is stored"),
    ("55", "cudaFuncSetAttribute(kernel, large, 1)", "of the launch's "
     "attributes this one only admits larger clusters"),
    ("55", "#if defined(__CUDA_ARCH__) ||",
     "without clusters every block folds the row alone"),
    ("52", "if (rf_team_blocks() == 1 && blockIdx.x % 4 != 0)",
     "without clusters the other blocks do the same row again"),
]

Mutant = collections.namedtuple("Mutant", "name kind reason what")


def mutants_in(folder, every):
    """Those of list.txt."""
    lines = read(os.path.join(folder, "list.txt")).decode().splitlines()
    found = [Mutant(*line.split("\t", 3)) for line in lines]
    proven = [m for m in found if not is_only_executed(m)]
    return proven + [m for m in found if is_only_executed(m)][::every]


def is_only_executed(m):
    return m.name[:2] in ("41", "52", "55", "57")


def reason_for(m):
    """Why M means the same, or None."""
    if m.reason not in ("-", LEFT):
        return m.reason
    return next((r for name, part, r in EQUIVALENT
                 if m.name.startswith(name) and part in m.what), None)


def caught(folder, rf_run, group):
    """{name: what caught it} of the mutants GROUP of one sample."""
    with tempfile.TemporaryDirectory() as work:
        files = [os.path.join(folder, m.name + ".cu") for m in group]
        batch = Batch(work, files, ("fused",))
        batch.build(rf_run)
        found = dict(batch.broken)
        for word in ("random", "edge"):
            done = batch.execute(word, 1) if batch.files else {}
            for (mode, name), outcome in done.items():
                wrong = verdict(mode, outcome, word)
                if wrong:
                    found.setdefault(name, wrong[1])
        batch.close()
    return found


def groups_of(mutants):
    """Lists of mutants of one sample, not too many at a time."""
    by_sample = collections.defaultdict(list)
    for m in mutants:
        by_sample[m.name[:2]].append(m)
    for sample in sorted(by_sample):
        of = by_sample[sample]
        for i in range(0, len(of), IN_ONE_PROGRAM):
            yield of[i:i + IN_ONE_PROGRAM]


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    if len(words) != 2:
        sys.exit(__doc__)
    need_nvcc()
    folder, rf_run = words
    for header in glob.glob(os.path.join(ROOT, "samples", "*.h")):
        shutil.copy(header, folder)
    mutants = mutants_in(folder, int(option("every", "1")))
    n_caught = n_same = bad = 0
    for group in groups_of(mutants):
        found = caught(folder, rf_run, group)
        for m in group:
            how, reason = found.get(m.name), reason_for(m)
            if how:
                n_caught += 1
                text = re.sub(r"\s+", " ", how)[:100]
                print(f"caught  {m.name} {m.kind}: {m.what}  [{text}]")
            elif reason:
                n_same += 1
                print(f"same    {m.name} {m.kind}: {m.what}  [{reason}]")
            else:
                bad += 1
                print(f"SURVIVED {m.name} {m.kind}: {m.what}")
        sys.stdout.flush()
    print(f"{len(mutants)} mutants executed: {n_caught} caught, {n_same} mean "
          f"the same, {bad} survived")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
