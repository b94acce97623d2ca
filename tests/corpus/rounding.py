#!/usr/bin/env python3
"""Measures rounding errors against the bounds that the tool states.

    rounding.py RF_REWRITE

The kernels of tests/rounding are rewritten. Source and rewritten code run as
float on the host, beside the source as long double; each bound of the summary

    |computed - exact| <= gamma(count) * SUM scale

is evaluated on the same data, to the first order that it is stated in: D is
what the form itself computed, or in sums that move with D, the exact D of each
moment. A bound that is exceeded fails; so does one that is more than four
times the source's although the tool says that it is not. At the end a million
elements of 1e8 + noise: what power sums would make of them is lost altogether.
"""

import array
import glob
import json
import os
import random
import re
import shutil
import sys
import tempfile
from fractions import Fraction

from harness import ROOT, SKIPPED, copy_tree, read, run, stem, write

PRELUDE = """
#include <math.h>
#include <cstdio>
#include <vector>
using std::vector;
typedef long double exactly;
#define __global__
static float rsqrtf(float x) { return 1 / sqrtf(x); }
static exactly sq(exactly x) { return x * x; }
/* What is made of results alone is rounded as they are: a mean. */
struct Result {
    float v;
    operator exactly() const { return v; }
};
static Result operator/(Result a, Result b) { return { a.v / b.v }; }
static Result operator*(Result a, Result b) { return { a.v * b.v }; }
static Result operator+(Result a, Result b) { return { a.v + b.v }; }
static Result operator-(Result a, Result b) { return { a.v - b.v }; }
struct Data { int n; vector<float> x, w; vector<exactly> ex, ew; };
static Data read_data(const char *path)
{
    Data d;
    FILE *f = fopen(path, "rb");
    if (!f || fread(&d.n, sizeof d.n, 1, f) != 1)
        return d;
    d.x.resize(d.n);
    d.w.resize(d.n);
    if (fread(d.x.data(), 4, d.n, f) + fread(d.w.data(), 4, d.n, f) !=
        2 * (size_t)d.n)
        d.n = 0;
    d.ex.assign(d.x.begin(), d.x.end());
    d.ew.assign(d.w.begin(), d.w.end());
    fclose(f);
    return d;
}
"""
EXACT = """
#define float long double
#define fmaxf fmaxl
#define fminf fminl
#define expf expl
#define sqrtf sqrtl
#define rsqrtf(x) (1 / sqrtl(x))
"""
AGAIN = "".join(f"#undef {w}\n" for w in
                "float fmaxf fminf expf sqrtf rsqrtf".split())


def operand(text, end):
    """Where the operand that ends at END begins."""
    depth, i = 0, end
    while i > 0:
        depth += (text[i - 1] in ")]") - (text[i - 1] in "([")
        if depth < 0 or (depth == 0 and not re.match(r"[\w.\])]", text[i - 1])
                         and text[i - 1] not in "(["):
            break
        i -= 1
    return i


def cxx(formula):
    """FORMULA of the summary in C++."""
    out, opened = "", []
    for c in formula:
        if c == "|":
            ends = re.search(r"[\w)\]]\s*$", out) and opened
            out += opened.pop() if ends else "std::fabs("
            if not ends:
                opened.append(")")
        elif c == "²":
            at = operand(out, len(out))
            out = f"{out[:at]}sq({out[at:]})"
        else:
            out += "*" if c == "·" else c
    out = out.replace("√", "sqrt")
    return re.sub(r"(?<![\w.\[])(\d+(?:\.\d+)?)(?![\w.\]])", 
                  lambda m: m[1] + ("L" if "." in m[1] else ".0L"), out)


def sums(results, d):
    """C++: term, scales and sizes of each result at the values D."""
    names = [b["result"] for b in results]
    code = "".join(f"Result {n} = {{ {d}[{i}] }};\n"
                   for i, n in enumerate(names))
    code += "Result n = { (float)data.n };\n(void)n;\n"
    code += "".join(f"(void){n};\n" for n in names)
    return code


class Case:
    """A kernel of tests/rounding and what the tool says of it."""

    def __init__(self, path, bounds):
        self.name = "k" + stem(path)
        self.path = path
        names = re.search(rb"// results: (.*)", read(path)).group(1)
        self.names = names.decode().split()
        found = {b["result"]: b for b in bounds}
        self.bounds = [found[n] for n in self.names]

    def code(self):
        """Runs the forms on "data" and prints everything as numbers."""
        n = len(self.names)
        parts = {"f": "", "s": "#define RF_REFERENCE\n",
                 "e": "#define RF_REFERENCE\n" + EXACT}
        text = "".join(
            f'namespace {self.name}{k} {{\n{define}#include "{self.path}"\n'
            f"{AGAIN if k == 'e' else ''}#undef RF_REFERENCE\n}}\n"
            for k, define in parts.items())
        text += f"static void run_{self.name}(const Data &data)\n{{\n"
        text += (f"float fused[{n}], source[{n}];\nexactly exact[{n}];\n"
                 f"{self.name}f::k(data.x.data(), data.w.data(), fused, data.n);\n"
                 f"{self.name}s::k(data.x.data(), data.w.data(), source, data.n);\n"
                 f"{self.name}e::k(data.ex.data(), data.ew.data(), exact, "
                 "data.n);\n")
        for i, b in enumerate(self.bounds):
            text += f'printf("%.17Lg %.17Lg %.17Lg ", (exactly)fused[{i}], ' \
                    f"(exactly)source[{i}], exact[{i}]);\n"
            for form in ("source", "fused"):
                text += self.totals(b, form)
        return text + 'printf("\\n");\n}\n'

    def totals(self, b, form):
        """C++: SUM term and SUM scale of one form."""
        scale = b.get(form, {}).get("sum", "0")
        moving = "size_of_" in scale
        inner = "x[i]" in b["term"] or "w[i]" in b["term"]
        assert inner
        code = "{\nexactly term = 0, sum = 0, range = 0;\n"
        code += "const exactly *x = data.ex.data(), *w = data.ew.data();\n"
        code += "(void)x;\n(void)w;\n"
        if moving:
            for name in self.names:
                if f"size_of_{name}" in scale:
                    code += f"exactly size_of_{name} = 0;\n"
            code += "".join(f"exactly run_{m} = 0;\n" for m in self.names)
        code += "for (int i = 0; i < data.n; i++) {\n"
        if moving:
            for name, other in zip(self.names, self.bounds):
                if f"size_of_{name}" in scale:
                    code += (f"run_{name} += {cxx(other['term'])};\n"
                             f"size_of_{name} += fabsl("
                             f"{cxx(other['term'])});\n")
            code += "exactly n = i + 1;\n(void)n;\n"
            code += "".join(f"exactly {m} = run_{m};\n(void){m};\n"
                            for m in self.names)
        else:
            code += sums(self.bounds, form)
        for argument in re.findall(r"exp\(((?:[^()]|\([^()]*\))*)\)", scale):
            code += f"range = fmaxl(range, fabsl({cxx(argument)}));\n"
        code += f"sum += {cxx(scale)};\n"
        code += "" if moving else f"term += {cxx(b['term'])};\n"
        return code + '}\nprintf("%.17Lg %.17Lg %.17Lg ", term, sum, range);' \
                      "\n}\n"

    def judge(self, row, n):
        """[message] of what is wrong, and the largest part of a bound."""
        wrong, worst, values = [], 0, iter(row)
        for b in self.bounds:
            fused, source, exact = (next(values) for _ in range(3))
            parts = {k: [next(values) for _ in range(3)]
                     for k in ("source", "fused")}
            limits = {}
            for form, got in (("source", source), ("fused", fused)):
                term, scale, span = parts[form]
                if form not in b or "Σ" in scale_of(b, form):
                    continue
                limit = gamma(b[form]["gamma"], n, span, b["bits"])
                limits[form] = None if limit is None else limit * scale
                moving = "size_of_" in scale_of(b, form)
                is_sum = b[form]["gamma"] != "0"
                want = exact if moving or not is_sum else term
                if limits[form] is None:
                    continue
                error = abs(got - want)
                if limits[form]:
                    worst = max(worst, error / limits[form])
                if error > limits[form]:
                    wrong.append(f"{form} {b['result']}: {got} for {want}, "
                                 f"bound {float(limits[form])}")
            if b["within_four"] and limits.get("fused") and \
                    limits.get("source") and n * 2.0 ** -b["bits"] < 1e-4 and \
                    limits["fused"] > 4.01 * limits["source"]:
                wrong.append(f"{b['result']}: {limits} is said to be within 4")
        return wrong, worst


def scale_of(b, form):
    return b[form].get("sum", "")


def gamma(count, n, span, bits):
    """gamma(COUNT) as an exact rational; None: there is no bound any more."""
    k = eval(count, {"n": Fraction(n), "range": Fraction(span)})
    ku = k * Fraction(1, 2 ** bits)
    return ku / (1 - ku) if ku < 1 else None


def data_sets():
    """[(name, x, w)]; w > 0."""
    rng = random.Random(7)
    sets = []
    for n in (1, 2, 33, 1000):
        w = [rng.uniform(0.5, 2) for _ in range(n)]
        plain = [rng.gauss(0, 1) for _ in range(n)]
        sets += [(f"normal {n}", plain, w),
                 (f"offset {n}", [3000 + v for v in plain], w),
                 (f"rising {n}", sorted(5 * v for v in plain), w),
                 (f"falling {n}", sorted((5 * v for v in plain),
                                         reverse=True), w),
                 (f"wide {n}", [v * 10 ** rng.uniform(-3, 1) for v in plain],
                  w),
                 (f"outlier {n}", [50.0] + plain[1:], w)]
    return sets


FAR = """
int main(int argc, char **argv)
{
    Data d = read_data(argv[argc - 1]);
    float f[2], raw = 0, sum = 0, s[2];
    exactly e[2];
    k04_variancef::k(d.x.data(), d.w.data(), f, d.n);
    k04_variances::k(d.x.data(), d.w.data(), s, d.n);
    k04_variancee::k(d.ex.data(), d.ew.data(), e, d.n);
    for (float x : d.x) {
        sum += x;
        raw += x * x;
    }
    raw -= sum * (sum / d.n);
    printf("%.9g %.9g %.9g\\n", (double)fabsl((f[1] - e[1]) / e[1]),
           (double)fabsl((s[1] - e[1]) / e[1]),
           (double)fabsl((raw - e[1]) / e[1]));
}
"""


def write_data(path, x, w):
    write(path, len(x).to_bytes(4, "little") + array.array("f", x).tobytes() +
          array.array("f", w).tobytes())


def compiled(folder, name, text):
    source, program = (os.path.join(folder, name + e) for e in (".cc", ""))
    write(source, text.encode())
    code, out = run([os.environ.get("CXX", "c++"), "-O1", "-w", "-Wno-narrowing",
                     "-ffp-contract=off", "-x", "c++", "-o", program, source])
    if code:
        sys.exit(out)
    return program


def check_far(folder, prelude):
    """A million elements of 1e8 + noise."""
    rng = random.Random(3)
    path = os.path.join(folder, "far")
    n = 1000000
    write_data(path, [1e8 + rng.uniform(-1000, 1000) for _ in range(n)],
               [1.0] * n)
    code, out = run([compiled(folder, "far_away", prelude + FAR), path])
    fused, source, raw = map(float, out.split())
    print(f"1e8 + noise, 1e6 elements: relative error {fused:.2g}, of the "
          f"source {source:.2g}, of power sums {raw:.2g}")
    return [] if not code and fused < 0.01 and fused <= source and raw > 1 \
        else ["1e8 + noise: the variance is lost"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not shutil.which(os.environ.get("CXX", "c++")):
        sys.exit(SKIPPED)
    wrong, worst = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        copies = copy_tree(folder, sorted(glob.glob(
            os.path.join(ROOT, "tests", "rounding", "*.cu"))))
        summary = os.path.join(folder, "summary.json")
        code, out = run([sys.argv[1], f"--summary={summary}", *copies])
        if code:
            sys.exit(out)
        cases = []
        for file in json.loads(read(summary))["files"]:
            region = file["regions"][0]
            if region["outcome"] != "fused":
                sys.exit(f"{file['path']} is not fused")
            cases.append(Case(file["path"], region["rounding"]))
        text = PRELUDE + "".join(c.code() for c in cases)
        program = compiled(folder, "bounds", text + (
            "int main(int argc, char **argv)\n{\n"
            "for (int i = 1; i < argc; i++) {\n"
            "Data d = read_data(argv[i]);\n" +
            "".join(f"run_{c.name}(d);\n" for c in cases) + "}\n}\n"))
        sets = data_sets()
        paths = [os.path.join(folder, f"data{i}") for i in range(len(sets))]
        for path, (_, x, w) in zip(paths, sets):
            write_data(path, x, w)
        code, out = run([program, *paths])
        rows = iter(out.splitlines())
        for name, x, _ in sets:
            for case in cases:
                row = [Fraction(v) for v in next(rows).split()]
                messages, part = case.judge(row, len(x))
                worst = max(worst, part)
                wrong += [f"{case.name}, {name}: {m}" for m in messages]
        wrong += check_far(folder, text)
    print("\n".join(wrong + [f"{len(cases)} kernels on {len(sets)} inputs, "
                             f"{len(wrong)} wrong; at most {float(worst):.2g} "
                             "of a bound was used"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
