"""How long an editor waits: from a change to its diagnostics.

    bench_lsp.py RF-REWRITE

Files of 1,000 lines with none, one and five marks, with and without the headers
of the C++ library. The pause after typing (100 ms) is taken off; "processor" is
what one whole analysis costs, proofs and candidates included.
"""
import os
import resource
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "tests", "cli"))
from lsp_client import Client

LINES, PAUSE, CHANGES = 1000, 0.1, 9
SOFTMAX = """%s__global__ void softmax_%d(const float *__restrict__ x,
                          float *__restrict__ y, int n)
{
    const float *row = x + (size_t)blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, row[i]);
    for (int i = 0; i < n; i++)
        s += expf(row[i] - m);
    for (int i = 0; i < n; i++)
        y[(size_t)blockIdx.x * n + i] = expf(row[i] - m) / s;
}

"""
OTHER = """__global__ void clamp_%d(float *x, float f, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = x[i] * f;
        if (v > 1.0f)
            v = 1.0f;
        x[i] = v;
    }
}

"""


def source(marks, head):
    text = head + "".join(SOFTMAX % ("#pragma rf cascade\n" if marks else "", i)
                          for i in range(max(marks, 1)))
    i = 0
    while text.count("\n") < LINES:
        text += OTHER % i
        i += 1
    return text


def measure(tool, path, text):
    with open(path, "w") as f:
        f.write(text)
    client = Client(tool)
    client.start()
    client.open(path, text)
    client.diagnostics(1)
    waits = []
    for version in range(2, 2 + CHANGES):
        time.sleep(1)  # for the rest of the analysis before
        begin = time.monotonic()
        client.notify("textDocument/didChange",
                      textDocument={"uri": "file://" + path,
                                    "version": version},
                      contentChanges=[{"text": text + "int y%d;\n" %
                                       version}])
        client.diagnostics(version)
        waits.append(time.monotonic() - begin - PAUSE)
    time.sleep(1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    client.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return statistics.median(waits), min(waits), cost / (CHANGES + 1)


def main():
    print("editor, %d lines: change to diagnostics (aim 100 ms), the median and "
          "the least;\nprocessor time of an analysis" % LINES)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for head in ("", "#include <vector>\n#include <cstdio>\n"):
            for marks in (0, 1, 5):
                wait, least, cost = measure(sys.argv[1], folder + "/a.cu",
                                            source(marks, head))
                print("%d marks, %-18s %5.0f ms %5.0f ms %5.0f ms" % (
                    marks, "C++ headers" if head else "no headers",
                    1e3 * wait, 1e3 * least, 1e3 * cost))


if __name__ == "__main__":
    main()
