#!/bin/sh
# Style that a machine can check: clang-format, 80 columns, layers, and a
# report of function lengths.
#
#   scripts/check-style.sh [FILE...]    default: all files under version control
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0

complain() {
    echo "style: $*"
    bad=1
}

if [ $# -gt 0 ]; then
    files=$*
else
    files=$( (git ls-files '*.c' '*.h' 2>/dev/null ||
        find lib tool tests scripts -name '*.[ch]') |
        grep -Ev '^(lib/front/include|samples)/')
fi
existing=
for f in $files; do
    [ -f "$f" ] && existing="$existing $f"
done

# Versions differ in small things: the reference is Debian 12's.
check_format() {
    version=$(clang-format --version 2>/dev/null | grep -o '[0-9]*' | head -n 1)
    if [ "${version:-0}" -ne 14 ]; then
        echo "style: clang-format ${version:-is missing}, not 14:" \
            "the format is not checked"
        return
    fi
    # shellcheck disable=SC2086
    clang-format --dry-run -Werror $existing 2>&1 | grep -E '^[^ ]+: error' |
        sed 's/:[0-9:]* error.*//' | sort -u >"$log"
    [ ! -s "$log" ] || complain "run clang-format -i: $(tr '\n' ' ' <"$log")"
}

# 80 columns, no tabs, no blanks at a line's end.
check_lines() {
    # shellcheck disable=SC2086
    awk 'length > 80 { print FILENAME ":" FNR ": longer than 80 columns" }
         /\t/ { print FILENAME ":" FNR ": a tab" }
         / $/ { print FILENAME ":" FNR ": a blank at the end" }' $existing \
        >"$log"
    [ ! -s "$log" ] || complain "$(cat "$log")"
}

# A stage includes only stages before it; each library has one owner.
check_layers() {
    # shellcheck disable=SC2086
    awk '
    BEGIN {
        n = split("support ir front depend algebra plan emit proof edit report",
                  order, " ")
        for (i = 1; i <= n; i++) rank[order[i]] = i
        rank["exec"] = 2
        owner["clang-c"] = "front"; owner["isl"] = "depend"
        owner["flint"] = "algebra"
    }
    FILENAME ~ /^lib\// && /^#include / {
        split(FILENAME, path, "/")
        stage = path[2]
        split($2, name, "[\"<>/]")
        from = name[2]
        if ($2 ~ /^</ && from in owner && owner[from] != stage)
            print FILENAME ":" FNR ": only " owner[from] "/ includes " $2
        if ($2 !~ /^"/ || !(from in rank) || from == stage) next
        if (rank[from] >= rank[stage] || (stage == "exec" && from != "support"))
            print FILENAME ":" FNR ": " stage "/ must not include " $2
    }' $existing >"$log"
    [ ! -s "$log" ] || complain "$(cat "$log")"
}

# Median, 90th percentile and the longest functions of lib and tool.
report_lengths() {
    # shellcheck disable=SC2086
    awk '
    FNR == 1 { open = 0 }
    /^\{/ { open = FNR; head = last }
    /^\}/ && open { print FNR - open - 1, FILENAME ":" open, head; open = 0 }
    { last = $0 }' $existing | grep -E ' (lib|tool)/' | sort -n >"$log"
    n=$(wc -l <"$log")
    [ "$n" -gt 0 ] || return
    median=$(sed -n "$(((n + 1) / 2))p" "$log" | cut -d' ' -f1)
    most=$(sed -n "$(((n * 9 + 9) / 10))p" "$log" | cut -d' ' -f1)
    over=$(awk '$1 > 45' "$log" | wc -l)
    echo "style: $n functions, lines: median $median, 90 % $most," \
        "$over over 45; the longest:"
    tail -n 5 "$log" | sed 's/^/    /'
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
check_format
check_lines
check_layers
report_lengths
exit $bad
