"""Runs the loops that --explain has printed, on numbers.

The formulas become Python; their results are compared with what the kernels of
explain.sh say, and the state after every element with the printed invariant."""
import math
import random
import re
import sys


def python(text):
    for a, b in (("·", "*"), ("∞", "math.inf"), ("√", "math.sqrt"),
                 ("²", "**2"), ("exp(", "math.exp("), ("'", "_new")):
        text = text.replace(a, b)
    return text


def sections(text):
    """{kernel: {heading: [indented lines]}}"""
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        name = re.match(r"`(\w+)`", part).group(1)
        found[name] = {
            piece.split("\n", 1)[0]: re.findall(r"^    (.*)$", piece, re.M)
            for piece in part.split("### ")[1:]}
    return found


def execute(lines, x):
    """The variables after the loop over "x", and after each element."""
    names = {"math": math, "x": x, "n": len(x), "max": max}
    begin = lines.index("for each i:")
    body = [s for s in lines[begin + 1:] if s.startswith("    ")]
    rest = [s for s in lines[begin + 1:] if not s.startswith("    ")]
    for line in lines[:begin]:
        exec(python(line), names)
    states = []
    for names["i"] in range(len(x)):
        for line in body:
            exec(python(line.strip()), names)
        for line in body:
            old = line.split("=")[0].strip().rstrip("'")
            names[old] = names[old + "_new"]
        states.append(dict(names))
    for line in rest:
        if "[" not in line.split("=")[0]:
            exec(python(line), names)
    return names, states


def close(got, want):
    return abs(got - want) <= 1e-9 * (1 + abs(want))


told = sections(open(sys.argv[1], encoding="utf-8").read())
random.seed(1)
bad = 0
for n in (1, 2, 7, 100):
    x = [random.uniform(-3, 3) for _ in range(n)]
    top, mean = max(x), sum(x) / n
    want = {
        "lse": ("s", sum(math.exp(v - top) for v in x)),
        "norm": ("q", sum((v + 1) / math.sqrt(sum(w * w for w in x) / n + 1e-5)
                          for v in x)),
        "variance": ("v", sum((v - mean) ** 2 for v in x)),
        "divided": ("v", sum((v - mean) ** 2 for v in x)),
    }
    for kernel, (name, value) in want.items():
        end, states = execute(told[kernel]["The online algorithm"], x)
        if not close(end[name], value):
            print(kernel, n, name, end[name], "is not", value)
            bad += 1
    holds = told["lse"]["What the state holds"]
    assert holds == ["m = max_i x[i]", "s = Σ_i exp(x[i] - m)"], holds
    for k, state in enumerate(execute(
            told["lse"]["The online algorithm"], x)[1]):
        seen = x[:k + 1]
        if state["m"] != max(seen) or not close(
                state["s"], sum(math.exp(v - max(seen)) for v in seen)):
            print("lse: the invariant fails after", k + 1, "elements")
            bad += 1
sys.exit(bad)
