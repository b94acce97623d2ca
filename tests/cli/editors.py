"""What editors that are not run here are told: their files are read as they
read them, the commands in them are run, and the problem matcher finds what was
printed.

    editors.py FOLDER-WITH-SNIPPETS FILE
"""
import json
import os
import re
import subprocess
import sys
import tomllib

from lsp_client import Client

folder, file = sys.argv[1:]


def serves(command):
    """The command of a server is run by its name and answers."""
    program, *rest = command
    assert (program, rest) == ("rf-rewrite", ["--lsp"]), command
    client = Client(program)
    client.start()
    client.open(os.path.realpath(file), open(file).read())
    found = client.diagnostics(1)
    client.stop()
    return len(found)


def helix():
    words = tomllib.load(open(folder + "/helix.toml", "rb"))
    server = words["language-server"]["rf-rewrite"]
    cpp, = words["language"]
    assert cpp["name"] == "cpp"
    assert cpp["language-servers"] == ["clangd", "rf-rewrite"]
    assert serves([server["command"], *server["args"]]) > 0


def sublime():
    words = json.load(open(folder + "/sublime.json"))
    client = words["clients"]["rf-rewrite"]
    assert client["enabled"] and client["selector"] == "source.cuda-c++"
    assert serves(client["command"]) > 0


def vscode():
    words = json.load(open(folder + "/tasks.json"))
    check, rewrite = words["tasks"]
    matcher = check["problemMatcher"]
    assert matcher["fileLocation"] == "absolute"
    pattern = matcher["pattern"]
    before = open(file).read()
    command = [check["command"]] + [a.replace("${file}", file)
                                    for a in check["args"]]
    printed = subprocess.run(command, text=True, capture_output=True)
    said = [re.match(pattern["regexp"], line)
            for line in (printed.stdout + printed.stderr).split("\n")]
    found = [tuple(m[pattern[k]] for k in ("file", "line", "column",
                                            "severity"))
             for m in said if m]
    path = os.path.realpath(file)
    assert (path, "3", "1", "warning") in found, (found, printed)
    assert all(f[0] == path for f in found), found
    assert any(f[3] == "note" for f in found), found
    assert open(file).read() == before
    assert rewrite["args"] == ["${file}"]


helix()
sublime()
vscode()
