#!/usr/bin/env python3
"""Executes the counterexamples that refusals carry.

    counterexamples.py RF_REWRITE

Every file of tests/refusals that is refused as rf-not-decomposable has a note
with numbers. The kernels are compiled for the host, with double for float and
once more with float (the one has no rounding to speak of, the other the range
that counts), and run on them; one of the two must do what the note says. Of
two inputs the kernel must be in the same state after each and end with
different results, those that the note claims; where the note claims that a
running form goes wrong, that form is run beside the kernel.
"""

import ast
import math
import os
import re
import shutil
import sys
import tempfile

from harness import ROOT, SKIPPED, read, run, stem, write

WITHOUT = {
    "06_clamp_on_exponent": "differs by e^-20 at most",
    "95_two_sizes_of_helper": "its elements are sums",
    "107_pairs_may_all_be_infinite": "its elements are pairs",
}
PRELUDE = """
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifdef WIDE
#define float double
#define fmaxf fmax
#define expf exp
#define logf log
#define tanhf tanh
#define powf pow
#define fabsf fabs
#endif
#define __global__
static struct { int x; } threadIdx;
static std::vector<double> seen;
static double __saturatef(double x) { return fmin(fmax(x, 0), 1); }
template <class T> T max(T a, T b) { return a > b ? a : b; }
template <class T> T min(T a, T b) { return a < b ? a : b; }
static void tell()
{
    for (double v : seen)
        printf("%.17g ", v);
    printf("\\n");
}
"""
NUMBER = r"(-?inf|nan|-?[\d.e+-]+)"


def notes_of(tool, files):
    """{file: its note} of the findings that have one."""
    _, out = run([tool, "-j0", "--diff", *files])
    return {m.group(1): m.group(2) for m in re.finditer(
        r"\[rf-not-decomposable\]\n(?:(?!.* (?:warning|note): ).*\n)*?"
        r"(.*?):\d+:\d+: note: (.*)", out)}


def arrays_in(text):
    return {name: [float(v) for v in values.split(", ")] for name, values in
            re.findall(r"(\w+) = \[(.*?)\]", text)}


def numbers_in(text):
    return {name: float(v) for name, v in
            re.findall(rf"(\w+) = {NUMBER}", text)}


class Kernel:
    """The kernel of TEXT, in a namespace SPACE, to be called with numbers."""

    def __init__(self, text, space, names):
        body = re.sub(r"^(#.*|//.*)$", "", text, flags=re.M)
        self.name, head = re.search(r"void (k\d*)\((.*?)\)", body,
                                    re.S).groups()
        self.params = [re.match(r"(?:const )?(\w+) (\*?)(\w+)$", p.strip())
                       .groups() for p in head.split(",")]
        end = body.rindex("}")
        told = ", ".join(f"(double){n}" for n in names)
        self.space = space
        self.text = (f"namespace {self.space} {{\n{body[:end]}"
                     f"seen = {{ {told} }};\n}}\n}}\n")

    def call(self, arrays, params):
        """C++ that runs the kernel on ARRAYS and prints what it computed."""
        length = len(next(iter(arrays.values())))
        code, args = "", []
        for kind, star, name in self.params:
            if star and name in arrays:
                values = [*arrays[name], 0]
                code += (f"{kind} {name}[] = {{ "
                         + ", ".join(f"({kind}){v!r}" for v in values)
                         + " };\n")
                args.append(name)
            elif star:
                code += f"{kind} {name}[4];\n"
                args.append(name)
            else:
                args.append(repr(params.get(name, length)))
        return (f"{{\n{code}{self.space}::{self.name}({', '.join(args)});\n"
                "tell();\n}\n")


class Pair:
    """Two inputs with one state."""

    def __init__(self, text, space, note):
        m = re.match(r"(?:with (.*?): )?(.*) and (.*) leave the same (.*), "
                     rf"but followed by (.*) they give (\w+) = {NUMBER} and "
                     rf"{NUMBER}$", note)
        params, a, b, state, tail, name, total_a, total_b = m.groups()
        self.params = numbers_in(params or "")
        self.inputs = [arrays_in(a), arrays_in(b)]
        self.state = numbers_in(state)
        self.tail = numbers_in(tail)
        self.name = name
        self.totals = [float(total_a), float(total_b)]
        self.kernel = Kernel(text, space, list(self.state))

    def code(self):
        longer = [{k: [*v, self.tail[k]] for k, v in one.items()}
                  for one in self.inputs]
        return "".join(self.kernel.call(x, self.params)
                       for x in (*self.inputs, *longer))

    def judge(self, rows):
        a, b, more_a, more_b = (dict(zip(self.state, r)) for r in rows)
        for name in self.state:
            if not close(a[name], b[name], 1e-7):
                return f"{name} is {a[name]} and {b[name]}"
        got = [more_a[self.name], more_b[self.name]]
        if close(*got, 1e-5):
            return f"both give {got[0]}"
        if not all(map(close, got, self.totals, (1e-7, 1e-7))):
            return f"they give {got}"
        return None


class Form:
    """One input, and a running form that goes wrong on it."""

    def __init__(self, text, space, note):
        m = re.match(rf"(?:with (.*?): )?(.*) give (\w+) = {NUMBER}, but \w+ "
                     rf"= (.*) would give {NUMBER}$", note)
        params, x, self.name, want, form, got = m.groups()
        self.params = numbers_in(params or "")
        self.arrays = arrays_in(x)
        self.want, self.got = float(want), float(got)
        self.form = re.sub(r"(\w+)\[[^]]*\]", r"\1",
                           form.replace("·", "*").replace("exp(", "power(")
                           .replace("²", "**2").replace("³", "**3"))
        self.code_of_form = compile(
            Divisions().visit(ast.parse(self.form, mode="eval")), "", "eval")
        used = set(re.findall(r"[a-z]\w*\b(?!\()", self.form))
        used = {u[:-4] if u.endswith("_old") else u for u in used}
        self.names = sorted(used - set(self.params) - set(self.arrays))
        self.kernel = Kernel(text, space, self.names)
        self.length = len(next(iter(self.arrays.values())))

    def code(self):
        return "".join(
            self.kernel.call({k: v[:i] for k, v in self.arrays.items()} if i
                             else {k: [] for k in self.arrays}, self.params)
            for i in range(self.length + 1))

    def judge(self, rows):
        states = [dict(zip(self.names, r)) for r in rows]
        if not close(states[-1][self.name], self.want, 1e-7):
            return f"the source gives {states[-1][self.name]}"
        s = states[0][self.name]
        for i in range(self.length):
            old = {k + "_old": v for k, v in states[i].items()}
            names = {**self.params, **states[i + 1], **old, "power": power,
                     "quotient": quotient,
                     **{k: v[i] for k, v in self.arrays.items()}}
            s = single(eval(self.code_of_form, {**names, self.name: s}))
        if close(s, self.want, 1e-3) or not close(s, self.got, 1e-7):
            return f"the running form gives {s}"
        return None


class Divisions(ast.NodeTransformer):
    """Each x / y as quotient(x, y)."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        call = ast.Call(ast.Name("quotient", ast.Load()),
                        [node.left, node.right], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def quotient(x, y):
    """X / Y as C has it, where Y may be 0."""
    if y:
        return x / y
    return (math.nan if x == 0 or x != x
            else math.copysign(math.inf, x) * math.copysign(1, y))


def single(v):
    """V with the range of a float."""
    return (math.copysign(math.inf, v) if abs(v) > 3.4028234664e38
            else math.copysign(0, v) if abs(v) < 2.0 ** -149 else v)


def power(v):
    return single(math.exp(v)) if v < 700 else math.inf if v == v else v


def close(x, y, tolerance):
    if not (math.isfinite(x) and math.isfinite(y)):
        return x == y or (x != x and y != y)
    return abs(x - y) <= tolerance * max(1, abs(x), abs(y))


def case_of(text, space, note):
    """What NOTE, told with the refusal of the kernel of TEXT, claims; None
    where its form is not one that eval() can read."""
    if "|" in note:
        return None
    kind = Pair if " leave the same " in note else Form
    return kind(text, space, note)


def rows_of(compiler, cases, *flags):
    """{key: the rows of numbers} of CASES, executed."""
    with tempfile.TemporaryDirectory() as where:
        source, program = (os.path.join(where, n) for n in ("a.cc", "a"))
        write(source, (PRELUDE + "".join(c.kernel.text for c in cases.values())
                       + "int main()\n{\n" + "".join(
                           f'puts("/{key}");\n{c.code()}'
                           for key, c in cases.items()) + "}\n").encode())
        code, out = run([compiler, "-w", *flags, "-o", program, source])
        if code:
            sys.exit(out)
        _, out = run([program])
    done = {}
    for part in re.split(r"^(?=/)", out, flags=re.M)[1:]:
        key, *rows = part.splitlines()
        done[key[1:]] = [[float(v) for v in r.split()] for r in rows]
    return done


def wrong_ones(compiler, cases):
    """{key: what is wrong} of CASES, executed in double and in float."""
    wide = rows_of(compiler, cases, "-DWIDE")
    narrow = rows_of(compiler, cases)
    wrong = {}
    for key, case in cases.items():
        told = [case.judge(done[str(key)]) if str(key) in done else "not run"
                for done in (wide, narrow)]
        if all(told):
            wrong[key] = " and ".join(dict.fromkeys(told))
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not compiler:
        sys.exit(SKIPPED)
    folder = os.path.join(ROOT, "tests", "refusals")
    files = [os.path.join(folder, f) for f in sorted(os.listdir(folder))
             if f.endswith(".cu")]
    files = [f for f in files if b"rf-not-decomposable" in read(f)]
    notes = {stem(f): note for f, note in notes_of(sys.argv[1], files).items()}
    texts = {stem(f): read(f).decode() for f in files}
    bad = [f"{name}: no counterexample" for name in texts
           if name not in notes and name not in WITHOUT]
    bad += [f"{name}: it has a counterexample" for name in WITHOUT
            if name in notes]
    cases = {name: case_of(texts[name], "f" + name, note)
             for name, note in notes.items()}
    bad += [f"{name}: {wrong}\n    {notes[name]}"
            for name, wrong in wrong_ones(compiler, cases).items()]
    print("\n".join(bad + [f"{len(cases)} counterexamples, {len(bad)} wrong"]))
    sys.exit(bool(bad) or len(cases) < 20)


if __name__ == "__main__":
    main()
