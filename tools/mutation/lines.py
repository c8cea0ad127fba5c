"""Lines of generated code: their tokens, their calls, and the types of the variables in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from builder.curate.snippets import lex

Span = tuple[str, int, int]


def spans(line: str) -> list[Span]:
    """Return ``(kind, start, end)`` of each C++ token of a line."""
    found, at = [], 0
    for kind, token in lex(line):
        start = line.find(token, at)
        if start < 0:  # a directive, whose blanks the lexer evens out
            return []
        at = start + len(token)
        found.append((kind, start, at))
    return found


def replaced(line: str, start: int, end: int, text: str) -> str:
    """Return a line with other text from ``start`` to ``end``."""
    return line[:start] + text + line[end:]


@dataclass(frozen=True, slots=True)
class Call:
    """A line that is one call, of Warp's or of the row's own functions.

    Attributes:
        target: the variable that takes the result, or empty.
        name: the function's name, without ``wp::``.
        at: where the name starts and ends.
        arguments: where each argument starts and ends.
        whole: where the call starts (with ``wp::``) and ends.
    """

    target: str
    name: str
    at: tuple[int, int]
    arguments: tuple[tuple[int, int], ...]
    whole: tuple[int, int]


def call_of(line: str) -> Call | None:
    """Return the call that a line is: ``target = wp::name<...>(...);``, or the same without target or ``wp::``."""
    tokens = spans(line)
    words = [line[start:end] for _, start, end in tokens]
    target, first = (words[0], 2) if len(words) > 2 and words[1] == "=" else ("", 0)
    name = first + 2 if words[first : first + 2] == ["wp", "::"] else first
    if len(words) < name + 4 or tokens[name][0] != "word" or words[-2:] != [")", ";"]:
        return None
    opening = name + 1
    if words[opening] == "<":
        opening = next((n for n in range(opening, len(words)) if words[n : n + 2] == [">", "("]), -2) + 1
    if opening < 0 or words[opening] != "(":
        return None
    arguments = tuple(_arguments(tokens, words, opening))
    return Call(target, words[name], tokens[name][1:], arguments, (tokens[first][1], tokens[-2][2]))


def _arguments(tokens: list[Span], words: list[str], opening: int) -> Iterator[tuple[int, int]]:
    depth, start = 0, opening + 1
    for place in range(opening + 1, len(words)):
        if words[place] in "([{":
            depth += 1
        elif words[place] in ",)" and depth == 0:
            if place > start:
                yield tokens[start][1], tokens[place - 1][2]
            start = place + 1
        elif words[place] in ")]}":
            depth -= 1


def declared(line: str) -> tuple[str, str] | None:
    """Return ``(variable, type)`` of a line that declares a variable or a parameter of generated code."""
    text = line.strip().removeprefix("const ")
    text = text.partition(" = ")[0].removesuffix("{};")
    for end in (";", ",", ")"):
        text = text.removesuffix(end)
    kind, _, name = text.rpartition(" ")
    if name.startswith(("var_", "adj_")) and kind and "(" not in kind and "=" not in kind:
        return name, kind
    return None
