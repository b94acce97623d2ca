#!/bin/sh
# The files that docs/editors.md gives for Helix, Sublime Text and Visual
# Studio Code.
. "$1"
python3 -c 'import tomllib' 2>/dev/null || exit 77
on_path
snippet "Helix counts" >helix.toml
snippet "Sublime Text" >sublime.json
snippet "Visual Studio Code" >tasks.json
kernel a.cu refuse
PYTHONPATH="$SOURCE/tests/cli" python3 -B "$SOURCE/tests/cli/editors.py" . a.cu ||
    fail "a snippet"
finish
