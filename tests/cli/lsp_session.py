"""The language server with the real analysis: what it keeps between two texts
of a file changes no answer.

    lsp_session.py RF-REWRITE SAMPLES
"""
import glob
import os
import signal
import sys
import tempfile
import time

from lsp_client import Client

KERNEL = """#include "scale.h"
#pragma rf cascade
__global__ void norm(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, SCALE(x[i]));
    for (int i = 0; i < n; i++)
        s += expf(SCALE(x[i]) - m);
    y[threadIdx.x] = m + logf(s);
}
"""
REFUSED = """// a line
__global__ void early(const float *x, float *y, int n)
{
#pragma rf cascade
    for (int r = 0; r < 1; r++) {
        float m = 0, s = 0;
        for (int i = 0; i < n; i++)
            m = fmaxf(m, x[i]);
        for (int i = 0; i < n; i++) {
            s += expf(x[i] - m);
            y[i] = s;
        }
    }
}
"""
FUSES = "#define SCALE(v) (2 * (v))\n"
FAILS = "#define SCALE(v) missing(v)\n"


def change(c, path, version, text):
    c.notify("textDocument/didChange",
             textDocument={"uri": "file://" + path, "version": version},
             contentChanges=[{"text": text}])
    return whole(c, path, version)


def whole(c, path, version):
    """Everything the server says of a text: the last diagnostics, lenses and
    actions."""
    found = c.diagnostics(version)
    about = {"textDocument": {"uri": "file://" + path}}
    lenses = c.ask("textDocument/codeLens", **about)["result"]
    span = {"start": {"line": 0, "character": 0},
            "end": {"line": 9999, "character": 0}}
    actions = c.ask("textDocument/codeAction", range=span,
                    context={"diagnostics": []}, **about)["result"]
    for note in c.notes:
        if note["method"] == "textDocument/publishDiagnostics":
            found = note["params"]["diagnostics"]
    c.notes.clear()
    return found, lenses, actions


def codes(answer):
    return [d["code"] for d in answer[0]]


def fresh(tool, path, text):
    c = Client(tool)
    c.start()
    c.open(path, text)
    answer = whole(c, path, 1)
    assert c.stop() == 0
    return answer


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(word) for word in f.read().split()]


def headers(tool, folder):
    """A header that changes on disk counts once something is saved; lines
    above the first function count at once."""
    path, header = folder + "/norm.cu", folder + "/scale.h"
    with open(header, "w") as f:
        f.write(FUSES)
    c = Client(tool)
    c.start()
    c.open(path, KERNEL)
    assert codes(whole(c, path, 1)) == ["rf-cascade"]
    assert codes(change(c, path, 2, KERNEL + "int y;\n")) == ["rf-cascade"]
    with open(header, "w") as f:
        f.write(FAILS)
    c.notify("textDocument/didSave", textDocument={"uri": "file://" + path})
    broken = whole(c, path, 2)
    assert codes(broken) == ["rf-error", "rf-error"]
    assert [lens["command"]["title"] for lens in broken[1]] == [
        "error: rf-error"]
    own = KERNEL.replace('#include "scale.h"\n', FUSES)
    assert codes(change(c, path, 3, own)) == ["rf-cascade"]
    assert codes(change(c, path, 4, KERNEL)) == ["rf-error"] * 2
    assert codes(change(c, path, 5, "\n\n" + own)) == ["rf-cascade"]

    # whatever happens to the processes behind it, the server answers
    for child in children(c.p.pid):
        os.kill(child, signal.SIGKILL)
    assert codes(change(c, path, 6, own + "\n"))[-1:] in ([], ["rf-cascade"])
    assert codes(change(c, path, 7, own)) == ["rf-cascade"]

    # not every open file is kept parsed
    for i in range(6):
        c.open("%s/%d.cu" % (folder, i), own)
        whole(c, "%s/%d.cu" % (folder, i), 1)
    assert 1 <= len(children(c.p.pid)) <= 4, children(c.p.pid)
    pid = c.p.pid
    assert c.stop() == 0
    assert not os.path.exists("/proc/%d" % pid)


def hover(c, path, line):
    r = c.ask("textDocument/hover", textDocument={"uri": "file://" + path},
              position={"line": line, "character": 4})["result"]
    return r["contents"]["value"] if r else None


def why_not(tool, folder):
    """A refusal stands at its mark and says why from any line of the loop; a
    fusion says what it saves."""
    path = folder + "/early.cu"
    uri = {"uri": "file://" + path}
    c = Client(tool)
    c.start()
    c.open(path, REFUSED)
    found, lenses, actions = whole(c, path, 1)
    assert [(d["code"], d["range"]["start"]["line"]) for d in found] == [
        ("rf-order", 10)], found
    assert [(lens["range"]["start"]["line"], lens["command"]["title"])
            for lens in lenses] == [(3, "refused: rf-order")], lenses
    assert [hover(c, path, n) is None for n in (2, 3, 9, 13)] == [
        True, False, False, True]
    assert "11:20: not fused" in hover(c, path, 6)
    at = {"line": 7, "character": 12}
    actions = c.ask("textDocument/codeAction", textDocument=uri,
                    range={"start": at, "end": at},
                    context={"diagnostics": []})["result"]
    assert [a["title"] for a in actions] == ["Why is this not fused?"]
    c.ask("workspace/executeCommand", **{
        k: actions[0]["command"][k] for k in ("command", "arguments")})
    assert "11:20: not fused" in c.notes[-1]["params"]["message"], c.notes
    fuses = KERNEL.replace('#include "scale.h"\n', FUSES)
    change(c, path, 2, fuses)
    text = hover(c, path, 5)
    assert "bytes" in text and "2 passes -> 1" in text, text
    assert c.stop() == 0


def samples(tool, folder, files):
    """A file that was changed and changed back is what it was at first."""
    for file in files:
        with open(file) as f:
            text = f.read()
        c = Client(tool)
        c.start()
        c.open(file, text)
        first = whole(c, file, 1)
        change(c, file, 2, "int above;\n" + text)
        change(c, file, 3, text.replace("for", "fro", 1))
        assert change(c, file, 4, text) == first, file
        below = text + "int below;\n"
        assert change(c, file, 5, below) == fresh(tool, file, below), file
        assert c.stop() == 0


with tempfile.TemporaryDirectory() as folder:
    headers(sys.argv[1], folder)
    why_not(sys.argv[1], folder)
    samples(sys.argv[1], folder, sorted(glob.glob(sys.argv[2] + "/*.cu"))[::30])
print("passed")
