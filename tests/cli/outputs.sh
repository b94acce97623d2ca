#!/bin/sh
# Fixes that clang-apply-replacements takes, SARIF, remarks, summary, NOLINT.
. "$1"

kernel a.cu launch
kernel b.cu refuse
cp a.cu orig
run 0 --export-fixes=fixes.yaml a.cu b.cu
same a.cu orig
has fixes.yaml "# rf-content: "
has fixes.yaml "  - DiagnosticName:  rf-cascade"
has fixes.yaml "      - Message:         '''out'' is written here'"
run 0 -o want.cu a.cu
if command -v clang-apply-replacements >/dev/null; then
    mkdir fixes
    cp fixes.yaml fixes
    clang-apply-replacements fixes >log 2>&1 || fail "$(cat log)"
    same a.cu want.cu
    cp orig a.cu
fi

# nothing to say: no file, and none of before
echo 'int x;' >none.cu
run 0 --export-fixes=no.yaml none.cu
[ ! -e no.yaml ] || fail "an empty file of fixes"
cp fixes.yaml no.yaml
run 0 --export-fixes=no.yaml none.cu
[ ! -s no.yaml ] || fail "stale fixes"
run 0 --fix --export-fixes=no.yaml a.cu
cp orig a.cu

run 0 --sarif=s.json --remarks=r.yaml a.cu b.cu
run 0 --summary=sum.json --diff a.cu
sarif() {
    python3 "$SOURCE/tests/cli/sarif.py" "$1" >log || fail "$1: $(cat log)"
}
sarif s.json
printf 'x\n#pragma rf cascade wrong\n y;\n' >"sp ace.cu"
kernel twice.cu refuse
sed -n '3,4p' twice.cu >lines
cat lines >>twice.cu
run 1 --sarif=t.json "sp ace.cu" twice.cu none.cu
sarif t.json
run 0 --sarif=n.json --checks='-*' b.cu
sarif n.json
python3 - <<'P' || fail "outputs are not as they should be"
import json
log = json.load(open("s.json"))
run = log["runs"][0]
rules = run["tool"]["driver"]["rules"]
assert log["version"] == "2.1.0" and log["$schema"]
for r in rules:
    for text in (r["shortDescription"]["text"], r["fullDescription"]["text"],
                 r["help"]["text"], r["help"]["markdown"]):
        assert 0 < len(text) <= 1024
seen = set()
assert len(run["results"]) == 2
for r in run["results"]:
    assert rules[r["ruleIndex"]]["id"] == r["ruleId"]
    where = r["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] in ("a.cu", "b.cu")
    region = where["region"]
    assert region["startLine"] == 3 and region["startColumn"] == 1
    assert region["endLine"] == 3 and region["endColumn"] == 2
    assert r["message"]["text"] and r["level"] == "warning"
    seen.add(r["partialFingerprints"]["primaryLocationLineHash"])
assert len(seen) == 2
fused = run["results"][0]
# apply SARIF's own fix
lines = open("a.cu").read().splitlines(True)
starts = [0]
for line in lines:
    starts.append(starts[-1] + len(line))
text = "".join(lines)
def at(line, column):
    return starts[line - 1] + column - 1
for rep in reversed(fused["fixes"][0]["artifactChanges"][0]["replacements"]):
    d = rep["deletedRegion"]
    text = (text[:at(d["startLine"], d["startColumn"])]
            + rep["insertedContent"]["text"]
            + text[at(d["endLine"], d["endColumn"]):])
assert text == open("want.cu").read()
assert run["results"][1]["relatedLocations"][0]["message"]["text"]
s = json.load(open("sum.json"))
assert s["totals"]["fusible"] == 1 and s["totals"]["regions"] == 1
assert s["totals"]["fused"] == 0
assert s["files"][0]["regions"][0]["passes_after"] == 1
P
if python3 -c 'import yaml' 2>/dev/null; then
    python3 - <<'P' || fail "YAML does not read back"
import yaml
fixes = yaml.safe_load(open("fixes.yaml"))
d = fixes["Diagnostics"]
assert [x["DiagnosticName"] for x in d] == ["rf-cascade", "rf-alias"]
reps = d[0]["DiagnosticMessage"]["Replacements"]
assert len(reps) == 3 and all(type(r["Offset"]) is int for r in reps)
P
fi
has r.yaml "--- !Passed"
has r.yaml "Function:        'f'"
has r.yaml "--- !Missed"

# errors and globs
run 1 --warnings-as-errors='rf-al*' b.cu
has out "error: not fused: 'x' and 'out' may overlap [rf-alias,-warnings-as-errors]"
run 0 --warnings-as-errors='*,-rf-alias' b.cu
run 0 --checks='-*,rf-cascade' b.cu
hasnt out "rf-alias"
run 1 --werror b.cu
run 0 --werror --fix --summary=sum.json a.cu
has sum.json '"fused": 1'
cp orig a.cu

# lines
run 0 --line-filter='[{"name":"b.cu","lines":[[1,2]]}]' b.cu
[ ! -s out ] || fail "--line-filter lets a line through"
run 0 --line-filter='[{"name":"b.cu","lines":[[3,3]]}]' b.cu
has out "[rf-alias]"
run 2 --line-filter='[{"nam":"b.cu"}]' b.cu
has err "an entry has no \"name\""
run 2 --line-filter='[' b.cu

# NOLINT
nolint() {
    printf '%b' "$1" >n.cu
    run "${3:-0}" n.cu
    if [ "$2" = silent ]; then
        hasnt out "rf-alias"
    else
        has out "rf-alias"
    fi
}
mark='#pragma rf cascade refuse'
nolint "$mark // NOLINT\n x;\n" silent
nolint "$mark // NOLINT(rf-alias)\n x;\n" silent
nolint "$mark /* NOLINT(a, rf-al*) because */\n x;\n" silent
nolint "$mark // NOLINT (other)\n x;\n" silent
nolint "$mark // NOLINT()\n x;\n" said
nolint "$mark // NOLINT(other)\n x;\n" said
nolint "// NOLINTNEXTLINE(rf-*)\n$mark\n x;\n" silent
nolint "// NOLINTNEXTLINE\n\n$mark\n x;\n" said
nolint "// NOLINTBEGIN(rf-alias)\n\n$mark\n x;\n// NOLINTEND(rf-alias)\n" silent
nolint "// NOLINTBEGIN\n\n$mark\n x;\n" said 1
has out "unmatched 'NOLINTBEGIN' comment"
nolint "\n$mark\n x;\n// NOLINTEND\n" said 1
nolint "char *s = \"NOLINT\";\n$mark\n x;\n" said

# colours
run 0 --use-color b.cu
grep -q "$(printf '\033')" out || fail "no colour"
run 0 b.cu
! grep -q "$(printf '\033')" out || fail "colour in a file"
finish
