"""What the runners of this folder share.

Tool      runs rf-rewrite on many files at once and sorts its findings by file
Known     a list of failures that are expected today (known.txt)
Batch     many CUDA programs in one translation unit, each in the original and
          in the fused form, built by one nvcc and executed by rf-run's runtime

A program costs nvcc two seconds alone and a few hundredths in a batch. Each
program of a batch lies in a namespace of its own, once with RF_REFERENCE
defined and once without; a main() runs those that the command line names, so
that one that ends the process or hangs is known by name and the others go on.
"""

import collections
import glob
import math
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
MODES = ("reference", "fused")
SKIPPED = 77
NVCC = ["-std=c++17", "-diag-suppress", "20199", "-Xcompiler",
        "-Wno-unknown-pragmas"]

Finding = collections.namedtuple("Finding", "line column name text")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def stem(path):
    return os.path.basename(path)[:-len(".cu")]


def run(argv, timeout=600, **options):
    """Run ARGV; (exit code, output and errors together as text)."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, timeout=timeout,
                              stderr=subprocess.STDOUT, **options)
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode("utf-8", "replace")
    return done.returncode, done.stdout.decode("utf-8", "replace")


def nvcc():
    """The path of nvcc, or None."""
    usual = "/usr/local/cuda/bin/nvcc"
    found = os.environ.get("NVCC") or shutil.which("nvcc")
    return found or (usual if os.access(usual, os.X_OK) else None)


def need_nvcc():
    if not nvcc():
        print("skipped: there is no nvcc (set NVCC or PATH)")
        sys.exit(SKIPPED)


# --- rf-rewrite

class Tool:
    """rf-rewrite, its findings and what it has done to files."""

    LINE = re.compile(r"^(.*?):(\d+):(\d+): (?:warning|error): "
                      r"(.*) \[(rf-[\w-]+)\]$")

    def __init__(self, program):
        self.program = program

    def run(self, files, *options):
        """(exit code, {file: [Finding...]}); all output is in self.output."""
        code, self.output = run([self.program, *options, *files,
                                 "--", "-std=c++17"])
        found = {f: [] for f in files}
        by_path = {os.path.realpath(f): f for f in files}
        for line in self.output.splitlines():
            m = self.LINE.match(line)
            file = m and by_path.get(os.path.realpath(m.group(1)))
            if file:
                found[file].append(Finding(int(m.group(2)), int(m.group(3)),
                                           m.group(5), m.group(4)))
        return code, found

    def in_patch(self):
        """Base names of the files in the patch that --diff has printed."""
        return {os.path.basename(name) for name in
                re.findall(r"^\+\+\+ b/(.*)$", self.output, re.M)}


def is_fused(path):
    return b"// rf: fused" in read(path)


def copy_tree(folder, files):
    """Copies of FILES below FOLDER, with the headers that they include."""
    copies = []

    def copy(file):
        place = os.path.relpath(os.path.abspath(file), ROOT)
        if place.startswith(".."):  # a variant of a sample
            place = os.path.join("samples", os.path.basename(file))
        write(os.path.join(folder, place), read(file))
        return os.path.join(folder, place)

    for place in ("samples", "tests/*"):
        for header in glob.glob(os.path.join(ROOT, place, "*.h")):
            copy(header)
    return [copy(f) for f in files]


def explain(findings):
    """The first finding as a reason."""
    if not findings:
        return "no finding"
    f = findings[0]
    return f"{f.line}:{f.column} {f.name}: {f.text}"


# --- failures that are known

class Known:
    """known.txt: lines "NAME KIND reason", where NAME is a file without .cu
    and KIND says what goes wrong. A failure of another kind, and an entry
    that does not fail, are failures. With RF_KNOWN=shrink in the environment
    entries that do not fail are taken out."""

    def __init__(self, path):
        self.path = path
        self.entries = set()
        for line in open(path) if os.path.exists(path) else ():
            words = line.split("#")[0].split(None, 2)
            if words and len(words) != 3:
                sys.exit(f"{path}: needs NAME KIND reason: {line.strip()}")
            if words:
                self.entries.add((words[0], words[1]))

    def judge(self, failures, tested, kinds):
        """FAILURES: {name: (kind, text)}. Print all; how many are bad.

        TESTED are the names that were looked at, KINDS what was looked for:
        other entries are left alone."""
        now = {(name, kind) for name, (kind, _) in failures.items()}
        listed = {e for e in self.entries if e[0] in tested and e[1] in kinds}
        for name, kind in sorted(now & listed):
            print(f"known: {kind}: {name}: {failures[name][1]}")
        for name, kind in sorted(now - listed):
            print(f"FAILED: {kind}: {name}: {failures[name][1]}")
        if os.environ.get("RF_KNOWN") == "shrink":
            self.take_out(listed - now)
            listed &= now
        for name, kind in sorted(listed - now):
            print(f"FAILED: passes: {name}: no longer {kind}; take it out of "
                  f"{os.path.relpath(self.path, ROOT)}")
        bad = len(now ^ listed)
        print(f"{len(tested)} files: {len(tested) - len(now)} as expected, "
              f"{len(now & listed)} known failures, {bad} failures")
        return bad

    def take_out(self, entries):
        lines = open(self.path).readlines() if entries else []
        kept = [x for x in lines if tuple(x.split()[:2]) not in entries]
        if entries:
            write(self.path, "".join(kept).encode())


# --- batches of programs

Outcome = collections.namedtuple("Outcome", "code lines")

MAIN = """
static const struct { const char *name; int (*main)(int, char **); }
programs[] = {
%s};

/* SEED WORD NAME...: run the programs NAME with the arguments SEED WORD. */
int main(int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        for (auto &p : programs)
            if (strcmp(argv[i], p.name) == 0) {
                char *args[] = { argv[0], argv[1], argv[2], nullptr };
                printf("## begin %%s\\n", p.name);
                fflush(stdout);
                int code = p.main(3, args);
                printf("## end %%d\\n", code);
                fflush(stdout);
            }
    return 0;
}
"""


def headers_of(source, folder):
    """What SOURCE includes, files of FOLDER with their whole names."""
    for word in re.findall(r'^\s*#\s*include\s*(<.*?>|".*?")', source, re.M):
        yield word if word[0] == "<" else f'"{os.path.join(folder, word[1:])}'


class Batch:
    """The programs FILES; those that do not compile are in self.broken."""

    def __init__(self, folder, files, modes=MODES):
        self.folder, self.modes = folder, modes
        self.files = {stem(f): os.path.realpath(f) for f in files}
        self.source = os.path.join(folder, "batch.cu")
        self.broken = {}
        self.kept = None

    def text(self):
        """The translation unit. Headers come first, outside namespaces."""
        sources = {n: read(f).decode() for n, f in self.files.items()}
        headers = {h: None for n, f in self.files.items()
                   for h in headers_of(sources[n], os.path.dirname(f))}
        out = [f"#include {h}" for h in headers]
        table = ""
        for name, file in self.files.items():
            defined = set(re.findall(r"^\s*#\s*define\s+(\w+)",
                                     sources[name], re.M))
            for mode in self.modes:
                scope = f"{mode}_{re.sub(r'[^0-9A-Za-z]', '_', name)}"
                table += f'    {{ "{mode} {name}", {scope}::main }},\n'
                out += [f"namespace {scope} {{"]
                out += ["#define RF_REFERENCE"] if mode == "reference" else []
                out += [f'#include "{file}"']
                out += [f"#undef {d}" for d in sorted(defined)]
                out += ["#undef RF_REFERENCE", "}"]
        return "\n".join(out) + "\n" + MAIN % table

    def retry(self, argv):
        """Run the compiler ARGV; leave out files that it complains of, until
        it is content. {name: complaint} of those left out."""
        broken = {}
        while self.files:
            write(self.source, self.text().encode())
            code, output = run(argv, cwd=self.folder)
            if code == 0:
                self.output = output
                break
            wrong = {n: m.group() for n, f in self.files.items() for m in
                     [re.search(rf"^{re.escape(f)}[:(].*error.*$", output,
                                re.M)] if m}
            if not wrong:
                sys.exit(f"the batch does not compile:\n{output[-3000:]}")
            for name, line in wrong.items():
                broken[name] = line.replace(self.folder + "/", "")
                del self.files[name]
        return broken

    def build(self, rf_run):
        """Build with RF_RUN; the program without arguments does nothing."""
        self.broken = self.retry(
            [rf_run, "--keep", *NVCC, self.source])
        m = re.search(r"^rf-run: files are in (.*)$", self.output, re.M)
        self.kept = m.group(1)

    def close(self):
        if self.kept:
            shutil.rmtree(self.kept, ignore_errors=True)

    def execute(self, word, seed=1, timeout=120):
        """Run every program; {(mode, name): Outcome}."""
        left = [f"{mode} {n}" for n in self.files for mode in self.modes]
        done = {}
        while left:
            argv = [os.path.join(self.kept, "program"), str(seed), word, *left]
            code, output = run(argv, timeout=timeout)
            for name, outcome in outcomes(output, code):
                done[tuple(name.split(" ", 1))] = outcome
                left.remove(name)
            if code == 0 and left:
                sys.exit(f"not run: {left}")
            if code and not outcomes(output, code):
                sys.exit(f"the batch does not run ({code}): {output[-2000:]}")
        return done


def outcomes(output, code):
    """[(name, Outcome)] from what a batch printed; the last one may have
    ended the process with CODE."""
    found = []
    for part in re.split(r"^## begin ", output, flags=re.M)[1:]:
        lines = part.splitlines()
        m = re.match(r"## end (\d+)", lines[-1])
        found.append((lines[0], Outcome(int(m.group(1)) if m else code or 1,
                                        lines[1:-1] if m else lines[1:])))
    return found


def report_in(lines):
    """The first line in which a check of the runtime fired, or None."""
    return next((x for x in lines if "[rf-run-" in x), None)


# --- values

VALUE = re.compile(r"(\d+) (random|edge) (\d+) (\S+)$")


def values_in(lines):
    """[(row length, mode, index, value)] of a program that prints them."""
    matches = (VALUE.match(x) for x in lines)
    return [(int(m.group(1)), m.group(2), int(m.group(3)), float(m.group(4)))
            for m in matches if m]


def close(want, got, tolerance):
    """Equal but for rounding? NaN equals NaN, an infinity itself; without
    tolerance a zero has its sign, too."""
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if math.isinf(want) or math.isinf(got):
        return want == got
    if not tolerance and math.copysign(1, want) != math.copysign(1, got):
        return False
    return abs(want - got) <= tolerance * (abs(want) + 1)


def difference(reference, fused, tolerance):
    """The first difference between two lists of values and how many there
    are, as text; None if there is none."""
    if len(reference) != len(fused):
        return f"{len(reference)} values of the reference, {len(fused)} fused"
    wrong = [(a, b) for a, b in zip(reference, fused)
             if a[:3] != b[:3] or not close(a[3], b[3], tolerance)]
    if not wrong:
        return None
    first, got = wrong[0]
    length, mode, index, want = first
    return (f"{len(wrong)} of {len(reference)} values; row length {length}, "
            f"{mode} input, element {index}{edge_of(first, reference)}: "
            f"reference {want:.9g}, fused {got[3]:.9g}")


# The kinds of edge rows in samples/check.h.
EDGES = ("-inf", "inf", "NaN", "NaN first", "zeros", "denormals",
         "-FLT_MAX or -3", "inf first", "-inf first", "NaN last",
         "half of it -inf", "rising", "falling", "equal", "largest first",
         "all below zero", "inf last", "far from zero", "-inf inside")
ROWS = 36


def edge_of(value, values):
    """What lies in the input row of VALUE, if it can be told."""
    length, mode, index, _ = value
    last = max(v[2] for v in values if v[:2] == (length, mode))
    if mode != "edge" or (last + 1) % ROWS:
        return ""
    row = index // ((last + 1) // ROWS)
    return f", row {row} ({EDGES[row % len(EDGES)]})"
