"""What kernels move when they are executed, and the loop around such checks."""
import json
import os
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
