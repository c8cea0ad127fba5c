"""Splits C++ into its definitions, by tokens."""

from __future__ import annotations

from collections.abc import Iterator


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield ``(kind, start, end)``: comment, directive, literal, space, or a single other character."""
    at = 0
    while at < len(text):
        start, char, pair = at, text[at], text[at : at + 2]
        if pair == "//":
            at = _end(text, "\n", at)
            kind = "comment"
        elif pair == "/*":
            at = text.index("*/", at) + 2
            kind = "comment"
        elif char in "\"'" and not (char == "'" and text[at - 1 : at].isalnum()):
            at += 1
            while text[at] != char:
                at += 2 if text[at] == "\\" else 1
            at += 1
            kind = "literal"
        elif char == "#" and text[text.rfind("\n", 0, at) + 1 : at].strip() == "":
            at = _end(text, "\n", at)
            while text[at - 1 : at] == "\\":
                at = _end(text, "\n", at + 1)
            kind = "directive"
        else:
            at += 1
            kind = "space" if char.isspace() else char
        yield kind, start, at


def _end(text: str, what: str, start: int) -> int:
    found = text.find(what, start)
    return len(text) if found < 0 else found


def definitions(text: str) -> list[str]:
    """Return the definitions at the top level: functions, structs and what ``extern "C" {}`` blocks hold.

    Each is the exact text from its first token to its last, comments inside it included; comments and
    preprocessor directives between definitions are left out.
    """
    found: list[str] = []
    depth, begin, was_function = 0, -1, False
    for kind, start, end in _tokens(text):
        if kind in ("space", "comment") or (kind == "directive" and begin < 0):
            continue
        if begin < 0:
            if kind == "}":  # closes extern "C"
                continue
            begin = start
        if kind == "{":
            if depth == 0 and text[begin:start].split() == ["extern", '"C"']:
                begin = -1
                continue
            if depth == 0:
                was_function = text[begin:start].rstrip().endswith((")", "const"))
            depth += 1
        elif kind == "}":
            depth -= 1
        if depth == 0 and (kind == ";" or (kind == "}" and was_function)):
            found.append(text[begin:end])
            begin = -1
    if depth or begin >= 0:
        raise ValueError(f"unbalanced C++ after {found[-1][:80] if found else 'nothing'!r}")
    return found
