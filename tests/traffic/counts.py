"""What kernels move when they are executed, and the loop around such checks."""
import json
import os
import re
import subprocess
import sys
import tempfile


def rewrite_file(rewrite, path):
    subprocess.run([rewrite, "-q", path], check=True,
                   stdout=subprocess.DEVNULL)


def kernels_of(rf_run, path, *flags):
    """The kernels of the program PATH, executed, as rf-run reports them."""
    report = subprocess.run([rf_run, "--report=json", *flags, path], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return json.loads(report[report.index("{"):])["kernels"]


def arguments(text):
    """The parts of TEXT between commas that no bracket encloses."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def sizes_at(source, names):
    """The integers that a launch of the kernel k passes, where NAMES have
    their values: {parameter: value}."""
    head = re.search(r"\bk\(([^()]*)\)\s*\{", source)
    launch = re.search(r"DRIVE\w*\(.*?<<<.*?>>>\((.*)\)\)", source, re.S)
    pairs = zip(arguments(head.group(1)), arguments(launch.group(1)))
    return {p.split()[-1]: eval(a, dict(names)) for p, a in pairs
            if re.match(r"(const )?(int|unsigned|long|size_t) \w+$", p)}


def run_all(check, names):
    """Print what CHECK(name, RF-REWRITE, RF-RUN, folder) says of the names on
    the command line, or of NAMES; true if it says anything."""
    rewrite, rf_run = sys.argv[1:3]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for name in sys.argv[3:] or names:
            for failure in check(name, rewrite, rf_run, folder):
                print("%s: %s" % (name, failure))
                failed += 1
    return failed > 0
