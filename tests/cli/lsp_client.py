"""A scripted client of the language server, for tests."""
import json
import os
import select
import subprocess
import time


class Client:
    def __init__(self, program, env=None):
        self.p = subprocess.Popen([program, "--lsp"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, env=env)
        self.buffer = b""
        self.last = 0
        self.notes = []
        self.asked = []

    def send_raw(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()

    def send(self, **message):
        message["jsonrpc"] = "2.0"
        body = json.dumps(message).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, **params):
        self.send(method=method, params=params)

    def read(self, seconds=20):
        """The next message, or None when none comes in time."""
        end = time.monotonic() + seconds
        while True:
            head, mark, rest = self.buffer.partition(b"\r\n\r\n")
            if mark:
                n = int(head.split(b":")[1])
                if len(rest) >= n:
                    self.buffer = rest[n:]
                    return json.loads(rest[:n])
            wait = end - time.monotonic()
            ready = wait > 0 and select.select([self.p.stdout], [], [], wait)[0]
            chunk = os.read(self.p.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                return None
            self.buffer += chunk

    def _sort(self, message):
        if "method" in message and "id" in message:
            self.asked.append(message)
            self.send(id=message["id"], result={"applied": True})
        elif "method" in message:
            self.notes.append(message)

    def ask(self, method, **params):
        """Send a request; return its reply ("result" or "error")."""
        return self.reply(self.post(method, **params))

    def post(self, method, **params):
        self.last += 1
        self.send(id=self.last, method=method, params=params)
        return self.last

    def reply(self, number):
        while True:
            message = self.read()
            assert message, "no reply to %d" % number
            if "method" not in message and message["id"] == number:
                return message
            self._sort(message)

    def diagnostics(self, version=None):
        """Wait for published diagnostics (of this version)."""
        while True:
            for i, m in enumerate(self.notes):
                if (m["method"] == "textDocument/publishDiagnostics"
                        and version in (None, m["params"].get("version"))):
                    del self.notes[i]
                    return m["params"]["diagnostics"]
            message = self.read()
            assert message, "no diagnostics"
            self._sort(message)

    def start(self, encodings=("utf-16",)):
        capabilities = {"general": {"positionEncodings": list(encodings)}}
        r = self.ask("initialize", processId=None, rootUri=None,
                     capabilities=capabilities)
        self.notify("initialized")
        return r["result"]["capabilities"]

    def open(self, path, text, version=1):
        self.notify("textDocument/didOpen", textDocument={
            "uri": "file://" + path, "languageId": "cuda", "version": version,
            "text": text})

    def stop(self):
        assert self.ask("shutdown")["result"] is None
        self.notify("exit")
        return self.p.wait(10)


def offset(text, position, units="utf-16"):
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[:position["line"]])
    line = lines[position["line"]] if position["line"] < len(lines) else ""
    n, i = position["character"], 0
    while n > 0 and i < len(line):
        size = (len(line[i].encode("utf-8")) if units == "utf-8"
                else len(line[i].encode("utf-16-le")) // 2)
        n -= size
        i += 1
    return before + i


def apply(text, edits, units="utf-16"):
    spans = [(offset(text, e["range"]["start"], units),
              offset(text, e["range"]["end"], units), e["newText"])
             for e in edits]
    for begin, end, new in sorted(spans, reverse=True):
        text = text[:begin] + new + text[end:]
    return text
