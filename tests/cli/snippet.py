"""The indented block that follows the line with WORDS in a page.

    snippet.py PAGE WORDS
"""
import sys

lines = open(sys.argv[1]).read().split("\n")
at = next(i for i, line in enumerate(lines) if sys.argv[2] in line)
while not lines[at].startswith("    "):
    at += 1
block = []
while at < len(lines) and (lines[at].startswith("    ") or not lines[at]):
    block.append(lines[at][4:])
    at += 1
print("\n".join(block).rstrip())
