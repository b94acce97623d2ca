"""Many files: 2,000 without a mark (aim: under 2 ms each), 200 with one, and
clang-tidy with one check on the same 200 where it is installed.

    bench_batch.py RF-REWRITE
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench_lsp import OTHER, SOFTMAX


def write(folder, n, text):
    os.mkdir(folder)
    files = ["%s/%04d.cu" % (folder, i) for i in range(n)]
    for file in files:
        with open(file, "w") as f:
            f.write(text)
    return files


def run(name, command, files):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    p = subprocess.run(command + files, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("%-38s exit %d  %8.2f ms a file  %8.2f ms of processor  %4d MB" % (
        name, p.returncode, 1e3 * wall / len(files), 1e3 * cost / len(files),
        after.ru_maxrss / 1024))


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        plain = write(folder + "/plain", 2000,
                      "".join(OTHER % i for i in range(20)))
        marked = write(folder + "/marked", 200,
                       SOFTMAX % ("#pragma rf cascade\n", 0))
        run("2,000 files without a mark", [tool], plain)
        run("200 files with a mark, --check", [tool, "--check", "-j0"], marked)
        tidy = shutil.which("clang-tidy-22") or shutil.which("clang-tidy")
        if tidy:
            run("clang-tidy, modernize-use-nullptr",
                [tidy, "--checks=-*,modernize-use-nullptr", "--quiet"],
                marked + ["--", "-xcuda", "--cuda-device-only", "-nocudalib",
                          "-Wno-unknown-cuda-version"])


main()
