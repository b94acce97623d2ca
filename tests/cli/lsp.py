"""The language server, spoken to by a script."""
import os
import subprocess
import sys
import tempfile
import time

from lsp_client import Client, apply

RF = os.environ["RF"]
KERNEL = ("void f() // \u00e4\U0001f600\n{\n#pragma rf cascade launch\n"
          "    loop(); // \U0001f600\n    launch();\n}\n")


def rewritten(text):
    return subprocess.run([RF, "-"], input=text, text=True,
                          capture_output=True, check=True).stdout


def position(text, what, units="utf-16"):
    before = text[:text.index(what)]
    line = before.rsplit("\n", 1)[-1]
    n = (len(line.encode()) if units == "utf-8"
         else len(line.encode("utf-16-le")) // 2)
    return {"line": before.count("\n"), "character": n}


def at(client, uri, text, what):
    p = position(text, what)
    return dict(textDocument={"uri": uri}, range={"start": p, "end": p},
                context={"diagnostics": []})


def titles(actions):
    return [a["title"] for a in actions]


def session(folder, encodings, units):
    path = folder + "/a.cu"
    uri = "file://" + path
    c = Client(RF)
    early = c.ask("textDocument/hover")
    assert early["error"]["code"] == -32002
    can = c.start(encodings)
    assert can["positionEncoding"] == units
    assert can["textDocumentSync"]["change"] == 2
    assert c.ask("initialize")["error"]["code"] == -32600
    assert c.ask("no/such")["error"]["code"] == -32601

    # a request right after opening waits for the result
    c.open(path, KERNEL)
    actions = c.ask("textDocument/codeAction",
                    **at(c, uri, KERNEL, "#pragma"))["result"]
    found = c.diagnostics(1)
    assert [d["code"] for d in found] == ["rf-cascade"], found
    start = found[0]["range"]["start"]
    assert start == position(KERNEL, "#pragma", units), start
    assert found[0]["range"]["end"]["character"] == 25
    assert titles(actions) == ["Fuse this", "Fuse all in this file",
                               "Explain this fusion"], actions
    want = rewritten(KERNEL)
    for a in actions[:2]:
        assert apply(KERNEL, a["edit"]["changes"][uri], units) == want
    only = dict(at(c, uri, KERNEL, "#pragma"))
    only["context"] = {"diagnostics": [], "only": ["source.fixAll"]}
    assert titles(c.ask("textDocument/codeAction", **only)["result"]) == [
        "Fuse all in this file"]

    lens = c.ask("textDocument/codeLens", textDocument={"uri": uri})["result"]
    assert lens[0]["command"]["title"] == "fuse: 3 passes -> 1"
    hover = c.ask("textDocument/hover", textDocument={"uri": uri},
                  position=position(KERNEL, "loop"))["result"]
    assert "proof 7/7" in hover["contents"]["value"]
    assert "## cascade" in hover["contents"]["value"]
    assert c.ask("textDocument/hover", textDocument={"uri": uri},
                 position={"line": 0, "character": 0})["result"] is None

    # commands: the editor is asked to apply the edit
    lens[0]["command"].pop("title")
    c.ask("workspace/executeCommand", **lens[0]["command"])
    while not c.asked:
        c._sort(c.read())
    edit = c.asked.pop()
    assert edit["method"] == "workspace/applyEdit"
    assert apply(KERNEL, edit["params"]["edit"]["changes"][uri], units) == want
    c.ask("workspace/executeCommand", command="rf-rewrite.explain",
          arguments=lens[0]["command"]["arguments"])
    assert any("## cascade" in n["params"].get("message", "")
               for n in c.notes), c.notes

    # the editor applies it, change by change
    edits = sorted(edit["params"]["edit"]["changes"][uri],
                   key=lambda e: (e["range"]["start"]["line"],
                                  e["range"]["start"]["character"]))
    c.notify("textDocument/didChange",
             textDocument={"uri": uri, "version": 2},
             contentChanges=[{"range": e["range"], "text": e["newText"]}
                             for e in reversed(edits)])
    assert c.diagnostics(2) == []
    actions = c.ask("textDocument/codeAction",
                    **at(c, uri, want, "    loop"))["result"]
    assert titles(actions) == ["Revert to the author's code",
                               "Explain this fusion"], actions
    assert apply(want, actions[0]["edit"]["changes"][uri], units) == KERNEL
    lens = c.ask("textDocument/codeLens", textDocument={"uri": uri})["result"]
    assert lens[0]["command"]["title"] == "fused: 3 passes -> 1"

    # typing: one result for many changes, of the last text
    for v in range(3, 23):
        c.notify("textDocument/didChange",
                 textDocument={"uri": uri, "version": v},
                 contentChanges=[{"text": KERNEL.replace("launch\n",
                                                         "refuse\n", 1)}])
    number = c.post("textDocument/codeLens", textDocument={"uri": uri})
    c.notify("$/cancelRequest", id=number)
    assert c.reply(number)["error"]["code"] == -32800
    found = c.diagnostics()
    assert [d["code"] for d in found] == ["rf-alias"]
    assert found[0]["relatedInformation"][0]["message"] == (
        "'out' is written here")
    assert found[0]["severity"] == 2

    # a crash of the analysis is survived
    c.notify("textDocument/didChange", textDocument={"uri": uri, "version": 30},
             contentChanges=[{"text": "#pragma rf cascade crash\nx;\n"}])
    assert c.diagnostics(30) == []
    c.notify("textDocument/didChange", textDocument={"uri": uri, "version": 31},
             contentChanges=[{"text": "#pragma rf cascade wrong\nx;\n"}])
    assert [d["severity"] for d in c.diagnostics(31)] == [1]

    # odd input
    c.send_raw(b"Content-Length: 3\r\n\r\n{x}")
    assert c.read()["error"]["code"] == -32700
    c.send_raw(b"Content-Type: x\r\ncontent-length: 2\r\n\r\n[]")
    assert c.read()["error"]["code"] == -32700
    c.notify("textDocument/didChange", textDocument={"uri": "file:///none"})
    c.notify("textDocument/didSave", textDocument={"uri": uri})
    assert [d["severity"] for d in c.diagnostics(31)] == [1]
    c.notify("textDocument/didClose", textDocument={"uri": uri})
    assert c.diagnostics() == []
    r = c.ask("textDocument/hover", textDocument={"uri": uri})
    assert r["error"]["code"] == -32602
    assert not os.path.exists(path), "the server wrote a file"
    assert c.stop() == 0


UNMARKED = '''__global__ void lse(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = m + logf(s);
}
'''


def mark(folder):
    """Unmarked loops that would fuse can be marked; nobody is nagged."""
    path = folder + "/b.cu"
    uri = "file://" + path
    c = Client(RF)
    c.start()
    c.open(path, UNMARKED)
    actions = c.ask("textDocument/codeAction",
                    **at(c, uri, UNMARKED, "m = fmaxf"))["result"]
    assert titles(actions) == ["Mark as cascade (3 passes -> 1)"], actions
    assert actions[0]["kind"] == "refactor.rewrite"
    marked = apply(UNMARKED, actions[0]["edit"]["changes"][uri])
    assert marked == "#pragma rf cascade\n" + UNMARKED, marked
    assert c.diagnostics(1) == []
    assert c.stop() == 0


def latency():
    """Time from a change to its diagnostics, without the pause."""
    c = Client(RF)
    c.start()
    text = KERNEL + "int x;\n" * 1000
    c.open("/tmp/latency.cu", text)
    c.diagnostics(1)
    begin = time.monotonic()
    c.notify("textDocument/didChange",
             textDocument={"uri": "file:///tmp/latency.cu", "version": 2},
             contentChanges=[{"text": text + "int y;\n"}])
    c.diagnostics(2)
    print("change to diagnostics: %.0f ms, 100 of them a pause" % (
        1e3 * (time.monotonic() - begin)))
    c.stop()


def rude():
    """Input that ends, or makes no sense, ends the server with 1."""
    for data in (b"", b"Content-Length: 20\r\n\r\n{}", b"what\r\n\r\n",
                 b"Content-Length: -5\r\n\r\n"):
        p = subprocess.run([RF, "--lsp"], input=data, capture_output=True,
                           timeout=20)
        assert p.returncode == 1, (data, p)


sys.stdout.reconfigure(line_buffering=True)
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + (
    ":handle_abort=0")
with tempfile.TemporaryDirectory() as folder:
    session(folder, ["utf-16"], "utf-16")
    session(folder, ["utf-8", "utf-16"], "utf-8")
    mark(folder)
    rude()
    latency()
print("passed")
