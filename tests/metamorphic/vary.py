#!/usr/bin/env python3
"""Write variants of CUDA sources that mean the same.

    vary.py OUT FILE.cu...

For every FILE and every kind of change that applies to its device functions,
OUT/FILE.KIND.cu is written and its path printed. Kinds:

    rename   every local variable and parameter gets another name
    commute  a + b becomes b + a, a * b becomes b * a
    split    declarations are split from initialisations
    max      `if (x > m) m = x` and m = fmaxf(m, x) change places
    while    for loops become while loops
    shuffle  neighbouring statements that do not depend on each other swap
    all      the above, one after the other

The text is cut into tokens, each with the blanks, comments and preprocessor
lines before it. There is no parser: a change that is not certain is not made.
Host code stays as it is, so that a sample still checks itself.
"""

import os
import re
import sys

TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*"
    r"|<<<|>>>|->|\+\+|--|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||<<|::|[^\s\w]"
)
BLANK = re.compile(
    r"(?:(?<![^\n])[ \t]*#(?:\\\n|[^\n])*|\s|//[^\n]*|/\*.*?\*/)+", re.S)
TYPES = set("""void bool char short int long float double unsigned signed auto
    size_t ptrdiff_t float2 float3 float4 int2 int4 __half __half2 half
    __nv_bfloat16""".split())
QUALIFIERS = set("const volatile static extern constexpr __restrict__ "
                 "__shared__ inline __forceinline__".split())
KEYWORDS = TYPES | QUALIFIERS | set("""if else for while do return break
    continue switch case default goto sizeof true false struct template
    typename class __global__ __device__ __host__""".split())
BUILTIN = {"threadIdx", "blockIdx", "blockDim", "gridDim"}


class Token:
    """A token's text and the blank text before it."""

    def __init__(self, blank, text):
        self.blank, self.text = blank, text

    def copy(self):
        return Token(self.blank, self.text)


def tokens_of(source):
    """Cut SOURCE into tokens; the last one is empty and holds the end."""
    out, at = [], 0
    while True:
        blank = BLANK.match(source, at)
        text = TOKEN.match(source, blank.end() if blank else at)
        before = blank.group() if blank else ""
        out.append(Token(before, text.group() if text else ""))
        if not text:
            return out
        at = text.end()


def text_of(tokens):
    return "".join(t.blank + t.text for t in tokens)


def make(text):
    """Tokens of generated TEXT, without the empty one at the end."""
    return tokens_of(text)[:-1]


def is_name(text):
    return re.match(r"[A-Za-z_]\w*$", text) and text not in KEYWORDS


def closing(tokens, at):
    """Index of the bracket that closes the one at AT."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in ("(", "[", "{"):
            depth += 1
        elif tokens[i].text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("unbalanced brackets")


def statement_end(tokens, at):
    """Index after the statement that begins at AT."""
    word = tokens[at].text
    if word == "{":
        return closing(tokens, at) + 1
    if word in ("if", "for", "while"):
        end = statement_end(tokens, closing(tokens, at + 1) + 1)
        if word == "if" and tokens[end].text == "else":
            end = statement_end(tokens, end + 1)
        return end
    if word == "do":
        condition = statement_end(tokens, at + 1) + 1
        return closing(tokens, condition) + 2
    while tokens[at].text != ";":
        if tokens[at].text in ("}", ""):
            raise ValueError("not a statement")
        if tokens[at].text in ("(", "[", "{"):
            at = closing(tokens, at)
        at += 1
    return at + 1


def device_functions(tokens):
    """Spans (begin, end) of device function definitions, last one first."""
    spans, i = [], 0
    while i < len(tokens):
        begin, body = i, i
        while body < len(tokens) and tokens[body].text not in (";", "{", ""):
            body = closing(tokens, body) if tokens[body].text == "(" else body
            body += 1
        if body >= len(tokens) or tokens[body].text == "":
            break
        end = body + 1
        if tokens[body].text == "{":
            end = closing(tokens, body) + 1
            head = {t.text for t in tokens[begin:body]}
            if head & {"__global__", "__device__"} and ")" in head:
                spans.append((begin, end))
        i = end
    return spans[::-1]


def types_in(tokens):
    """Names of types: built in, template parameters, structs of this file."""
    types = set(TYPES)
    for a, b in zip(tokens, tokens[1:]):
        if a.text in ("typename", "class", "struct", "union"):
            types.add(b.text)
    return types


def declarators(tokens, at, types):
    """If a declaration begins at AT: (specifiers' end, [(begin, end)...]).

    The spans are the declarators with their initialisers."""
    i = at
    seen = False
    while tokens[i].text in QUALIFIERS or tokens[i].text in types:
        seen = seen or tokens[i].text in types
        i += 1
    if not seen or not (is_name(tokens[i].text) or tokens[i].text in "*&"):
        return None
    first, parts, begin = i, [], i
    while True:
        word = tokens[i].text
        if word in (",", ";", ":", ")", ""):
            parts.append((begin, i))
            begin = i + 1
            if word != ",":
                return first, parts
        elif word in ("(", "[", "{"):
            i = closing(tokens, i)
        i += 1


def name_in(tokens, begin, end):
    """Index of the name that the declarator in [BEGIN, END) declares."""
    while begin < end and not is_name(tokens[begin].text):
        begin += 1
    return begin if begin < end else None


def starts(tokens):
    """Indices at which a statement, a parameter or a for's clause begins."""
    for i in range(1, len(tokens)):
        if tokens[i - 1].text in (";", "{", "}", "(", ",", ")"):
            yield i


# --- rename

def local_names(tokens, types):
    names = []
    for i in starts(tokens):
        found = declarators(tokens, i, types)
        if not found:
            continue
        parts = found[1]
        if tokens[i - 1].text in ("(", ","):  # one parameter at a time
            parts = parts[:1]
        for begin, end in parts:
            at = name_in(tokens, begin, end)
            after = tokens[at + 1].text if at is not None else "("
            if after in (",", ";", "=", "[", ")", "{", ":"):
                names.append(tokens[at].text)
    return list(dict.fromkeys(names))


def rename(tokens, whole):
    taken = {t.text for t in whole}
    in_macros = set(re.findall(r"\w+", " ".join(
        re.findall(r"#\s*define[^\n]*", text_of(whole)))))
    new = {}
    for name in local_names(tokens, types_in(whole)):
        if name not in in_macros:
            number = len(new)
            while f"{name[0]}{number}_" in taken:
                number += 1
            new[name] = f"{name[0]}{number}_"
            taken.add(new[name])

    def in_marks(blank):
        return re.sub(r"#\s*pragma\s+rf[^\n]*", lambda line: re.sub(
            r"\w+", lambda w: new.get(w.group(), w.group()), line.group()),
            blank)

    for before, t in zip([Token("", "")] + tokens, tokens):
        t.blank = in_marks(t.blank)
        if before.text not in (".", "->", "::"):
            t.text = new.get(t.text, t.text)
    return tokens


# --- commute

START = set("( [ { } ; , = += -= *= /= <= >= == != && || ? : return"
            .split())


def unary_end(tokens, at, types):
    """Index after the unary expression that begins at AT, or None."""
    while tokens[at].text in ("-", "*", "&", "!", "~", "++", "--"):
        at += 1
    word = tokens[at].text
    if word == "(":
        end = closing(tokens, at)
        inside = {t.text for t in tokens[at + 1:end]}
        if inside <= types | QUALIFIERS | {"*"}:  # a cast
            return unary_end(tokens, end + 1, types)
        at = end + 1
    elif is_name(word) and word not in types or re.match(r"\.?\d", word):
        at += 1
    elif word in types and tokens[at + 1].text == "(":  # T(x)
        at += 1
    else:
        return None
    while True:
        word = tokens[at].text
        if word in ("(", "["):
            at = closing(tokens, at) + 1
        elif word in (".", "->", "::"):
            at += 2
        elif word in ("++", "--"):
            at += 1
        elif word == "<" and tokens[at + 2].text == ">" and \
                tokens[at + 3].text == "(":  # f<T>(...)
            at += 3
        else:
            return at


def term_end(tokens, at, types):
    end = unary_end(tokens, at, types)
    while end and tokens[end].text in ("*", "/", "%"):
        end = unary_end(tokens, end + 1, types)
    return end


def swap_spans(tokens, left, right):
    """Exchange two token spans; the blanks before them stay in place."""
    a, b = tokens[left[0]:left[1]], tokens[right[0]:right[1]]
    a[0].blank, b[0].blank = b[0].blank, a[0].blank
    tokens[left[0]:right[1]] = b + tokens[left[1]:right[0]] + a


def commute(tokens, whole):
    types = types_in(whole)
    for operator, operand in (("*", unary_end), ("+", term_end)):
        for i in range(len(tokens) - 1, 0, -1):
            if tokens[i - 1].text not in START:
                continue
            middle = operand(tokens, i, types)
            if not middle or tokens[middle].text != operator:
                continue
            end = operand(tokens, middle + 1, types)
            if end:
                swap_spans(tokens, (i, middle), (middle + 1, end))
    return tokens


# --- split

def split_one(tokens, at, types):
    """Replacement for the declaration at AT, or None."""
    found = declarators(tokens, at, types)
    if not found:
        return None
    first, parts = found
    specifiers = [t.copy() for t in tokens[at:first]]
    words = {t.text for t in specifiers}
    if words & {"static", "extern", "__shared__", "constexpr", "auto"} or \
            tokens[parts[-1][1]].text != ";":
        return None
    pointer = tokens[first].text == "*"
    if "const" in words and not pointer:  # it is to be assigned
        lead = specifiers[0].blank
        specifiers = [t for t in specifiers if t.text != "const"]
        specifiers[0].blank = lead
    declared, assigned = [], []
    for begin, end in parts:
        name = name_in(tokens, begin, end)
        if name is None or tokens[begin].text == "&":
            return None
        head = text_of(tokens[begin:name + 1])
        if name + 1 == end:
            declared.append(head)
            continue
        value = text_of(tokens[name + 2:end])
        if tokens[name + 1].text != "=" or "{" in value or \
                re.fullmatch(r"\s*const|.*\bconst\b.*", head, re.S):
            return None
        declared.append(head)
        assigned.append(f"{tokens[name].text} ={value};")
    if not assigned:
        return None
    indent = re.search(r"[^\n]*$", specifiers[0].blank).group()
    return text_of(specifiers) + ",".join(declared) + ";" + "".join(
        f"\n{indent}{a}" for a in assigned)


def split(tokens, whole):
    types = types_in(whole)
    for i in range(len(tokens) - 1, 0, -1):
        if tokens[i - 1].text not in (";", "{", "}") or in_brackets(tokens, i):
            continue
        new = split_one(tokens, i, types)
        if new:
            tokens[i:statement_end(tokens, i)] = make(new)
    return tokens


def in_brackets(tokens, at):
    """Is AT inside parentheses, as the clauses of a for are?"""
    depth = 0
    for t in tokens[:at]:
        depth += (t.text == "(") - (t.text == ")")
    return depth > 0


# --- max

NAME = r"[A-Za-z_]\w*"
PLACE = rf"{NAME}(?:\[[^][]*\])?"  # m, x[i]
IF_MAX = re.compile(
    rf"if \(({PLACE}) > ({PLACE})\)\s*(?:\{{\s*\2 = \1;\s*\}}|\2 = \1;)")
IF_MAX_TURNED = re.compile(
    rf"if \(({PLACE}) < ({PLACE})\)\s*(?:\{{\s*\1 = \2;\s*\}}|\1 = \2;)")
CALL_MAX = re.compile(rf"({PLACE}) = f?maxf?\(\1, ({PLACE})\);")


def maximum(tokens, whole):
    text = text_of(tokens)

    def to_call(place, value):
        plain = re.search(rf"float\s+(?:{NAME}[^;]*,\s*)?{re.escape(place)}\b",
                          text)
        return f"{place} = {'fmaxf' if plain else 'max'}({place}, {value});"

    new = CALL_MAX.sub(r"if (\2 > \1) { \1 = \2; }", text)
    if new == text:
        new = IF_MAX.sub(lambda m: to_call(m.group(2), m.group(1)), text)
        new = IF_MAX_TURNED.sub(lambda m: to_call(m.group(1), m.group(2)), new)
    return make(new)


# --- while

def to_while(tokens, whole):
    for i in range(len(tokens) - 1, 0, -1):
        if tokens[i].text != "for" or "#" in tokens[i].blank:
            continue
        close = closing(tokens, i + 1)
        semicolons = [j for j in range(i + 2, close)
                      if tokens[j].text == ";"]
        end = statement_end(tokens, close + 1)
        body = tokens[close + 1:end]
        if len(semicolons) != 2 or any(t.text == "continue" for t in body):
            continue
        first, second = semicolons
        init = text_of(tokens[i + 2:first]).strip()
        test = text_of(tokens[first + 1:second]).strip() or "true"
        step = text_of(tokens[second + 1:close]).strip()
        new = (f"{{ {init}; while ({test}) {{{text_of(body)}"
               f" {step + ';' if step else ''} }} }}")
        replacement = make(new)
        replacement[0].blank = tokens[i].blank
        tokens[i:end] = replacement
    return tokens


# --- shuffle

def effects(tokens, types):
    """(written, read) of a simple statement, or None if it is not simple."""
    words = [t.text for t in tokens]
    if "#" in tokens[0].blank or words[0] in KEYWORDS - types - QUALIFIERS or \
            "++" in words or "--" in words or "{" in words:
        return None
    found = declarators(tokens, 0, types)
    if found:
        if {"static", "extern", "__shared__"} & set(words):
            return None
        written = {words[name_in(tokens, *p)] for p in found[1]}
    elif is_name(words[0]) and words[1] in ("=", "+=", "-=", "*=", "/="):
        written = {words[0]}
    else:
        return None
    if sum(w in ("=", "+=", "-=", "*=", "/=") for w in words) > len(written):
        return None
    read = {w for w in words if is_name(w)} - BUILTIN
    return written, read


def next_two(tokens, at):
    """Ends of the two statements that begin at AT, or None."""
    if tokens[at - 1].text not in (";", "{", "}") or in_brackets(tokens, at):
        return None
    try:
        middle = statement_end(tokens, at)
        return middle, statement_end(tokens, middle)
    except (ValueError, IndexError):
        return None


def shuffle(tokens, whole):
    types = types_in(whole)
    i = 1
    while i < len(tokens):
        ends = next_two(tokens, i)
        if ends:
            middle, end = ends
            one = effects(tokens[i:middle], types)
            two = effects(tokens[middle:end], types)
            if one and two and not one[0] & two[1] and not two[0] & one[1]:
                tokens[i:end] = tokens[middle:end] + tokens[i:middle]
                i = end
                continue
        i += 1
    return tokens


KINDS = {"rename": rename, "commute": commute, "split": split,
         "max": maximum, "while": to_while, "shuffle": shuffle}


def vary(source, kinds):
    """SOURCE with its device functions changed by KINDS, in turn."""
    for kind in kinds:
        tokens = tokens_of(source)
        for begin, end in device_functions(tokens):
            part = [t.copy() for t in tokens[begin:end]]
            tokens[begin:end] = KINDS[kind](part, tokens)
        source = text_of(tokens)
    return source


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as f:
            source = f.read()
        stem = os.path.splitext(os.path.basename(path))[0]
        for kind in list(KINDS) + ["all"]:
            kinds = list(KINDS) if kind == "all" else [kind]
            varied = vary(source, kinds)
            if varied == source:
                continue
            target = os.path.join(out, f"{stem}.{kind}.cu")
            with open(target, "w", encoding="utf-8") as f:
                f.write(varied)
            print(target)


if __name__ == "__main__":
    main()
