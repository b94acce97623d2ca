"""SARIF 2.1.0 as the standard and code-scanning services have it.

    sarif.py FILE.sarif

The standard allows no member that it does not name: MEMBERS lists, for every
object that the tool writes, what the standard names (of it, what the tool may
use) with its type, and what is required, by the standard or by the services.
Beyond the types: texts are not empty and at most 1,024 characters long where
the services cut them, places are 1-based and end behind their begin, every
result has a rule, a place and a fingerprint of its own.
"""
import json
import re
import sys

TEXT, INT, BOOL = str, int, bool

# object: (required, {member: type}); [x] is a list of x, {x} a map to x
MEMBERS = {
    "log": ("$schema version runs",
            {"$schema": TEXT, "version": TEXT, "runs": ["run"]}),
    "run": ("tool results",
            {"tool": "tool", "results": ["result"], "invocations":
             ["invocation"], "columnKind": TEXT, "originalUriBaseIds":
             {"": "artifactLocation"}, "automationDetails": "automation",
             "artifacts": ["artifact"]}),
    "tool": ("driver", {"driver": "driver"}),
    "driver": ("name rules",
               {"name": TEXT, "version": TEXT, "semanticVersion": TEXT,
                "informationUri": TEXT, "rules": ["rule"]}),
    "rule": ("id shortDescription fullDescription help",
             {"id": TEXT, "name": TEXT, "shortDescription": "multiformat",
              "fullDescription": "multiformat", "help": "multiformat",
              "helpUri": TEXT, "defaultConfiguration": "configuration",
              "properties": "bag"}),
    "multiformat": ("text", {"text": TEXT, "markdown": TEXT}),
    "configuration": ("", {"level": TEXT, "enabled": BOOL}),
    "automation": ("", {"id": TEXT}),
    "invocation": ("executionSuccessful", {"executionSuccessful": BOOL}),
    "result": ("message locations partialFingerprints ruleId",
               {"ruleId": TEXT, "ruleIndex": INT, "level": TEXT,
                "message": "message", "locations": ["location"],
                "relatedLocations": ["location"], "fixes": ["fix"],
                "partialFingerprints": {"": TEXT}}),
    "message": ("text", {"text": TEXT, "markdown": TEXT}),
    "location": ("", {"id": INT, "message": "message",
                      "physicalLocation": "physical"}),
    "physical": ("artifactLocation",
                 {"artifactLocation": "artifactLocation",
                  "region": "region"}),
    "artifactLocation": ("", {"uri": TEXT, "uriBaseId": TEXT}),
    "artifact": ("", {"location": "artifactLocation"}),
    "region": ("startLine", {"startLine": INT, "startColumn": INT,
                             "endLine": INT, "endColumn": INT}),
    "fix": ("artifactChanges", {"description": "message",
                                "artifactChanges": ["change"]}),
    "change": ("artifactLocation replacements",
               {"artifactLocation": "artifactLocation",
                "replacements": ["replacement"]}),
    "replacement": ("deletedRegion", {"deletedRegion": "region",
                                      "insertedContent": "content"}),
    "content": ("", {"text": TEXT}),
}
LEVELS = ("none", "note", "warning", "error")
wrong = []


def check(value, kind, where):
    if kind == "bag":
        if not isinstance(value, dict):
            wrong.append(f"{where}: no property bag")
    elif isinstance(kind, list):
        if not isinstance(value, list):
            wrong.append(f"{where}: no list")
        for i, part in enumerate(value):
            check(part, kind[0], f"{where}[{i}]")
    elif isinstance(kind, dict):
        for name, part in value.items():
            check(part, kind[""], f"{where}.{name}")
    elif isinstance(kind, str):
        check_object(value, kind, where)
    elif type(value) is not kind:
        wrong.append(f"{where}: {value!r} is no {kind.__name__}")
    elif kind is TEXT and not value and not where.endswith(
            "insertedContent.text"):
        wrong.append(f"{where}: empty")


def check_object(value, kind, where):
    required, members = MEMBERS[kind]
    if not isinstance(value, dict):
        wrong.append(f"{where}: no object")
        return
    for name in required.split():
        if name not in value:
            wrong.append(f"{where}: no '{name}'")
    for name, part in value.items():
        if name in members:
            check(part, members[name], f"{where}.{name}")
        else:
            wrong.append(f"{where}: '{name}' is not of {kind}")


def check_rules(rules):
    if len({r["id"] for r in rules}) != len(rules):
        wrong.append("two rules have one id")
    for r in rules:
        for text in (r["shortDescription"], r["fullDescription"]):
            if len(text["text"]) > 1024:
                wrong.append(f"{r['id']}: longer than 1,024 characters")


def check_place(place, where, needs_end):
    physical = place["physicalLocation"]
    uri = physical["artifactLocation"].get("uri", "")
    if not uri or re.match(r"[a-z]+:|/", uri) or re.search(r"[ \\]", uri):
        wrong.append(f"{where}: '{uri}' is no relative URI")
    r = physical.get("region")
    if not r:
        if needs_end:
            wrong.append(f"{where}: no region")
        return
    if min(r.values()) < 1:
        wrong.append(f"{where}: places are 1-based")
    if needs_end and (r["endLine"], r["endColumn"]) < (
            r["startLine"], r["startColumn"]):
        wrong.append(f"{where}: ends before it begins")


def check_results(run):
    rules = run["tool"]["driver"]["rules"]
    prints = set()
    for i, r in enumerate(run["results"]):
        where = f"result {i}"
        if rules[r["ruleIndex"]]["id"] != r["ruleId"]:
            wrong.append(f"{where}: 'ruleIndex' is that of another rule")
        if r["level"] not in LEVELS:
            wrong.append(f"{where}: level '{r['level']}'")
        if not r["locations"]:
            wrong.append(f"{where}: no place")
        for place in r["locations"]:
            check_place(place, where, True)
        for place in r.get("relatedLocations", ()):
            check_place(place, where, False)
        prints.add(r["partialFingerprints"]["primaryLocationLineHash"])
    if len(prints) != len(run["results"]):
        wrong.append("two results have one fingerprint")


log = json.load(open(sys.argv[1]))
check_object(log, "log", "log")
if log["version"] != "2.1.0" or "sarif" not in log["$schema"]:
    wrong.append("this is not SARIF 2.1.0")
for run in log["runs"]:
    if not wrong:
        check_rules(run["tool"]["driver"]["rules"])
        check_results(run)
for line in wrong[:20]:
    print(line)
sys.exit(bool(wrong))
