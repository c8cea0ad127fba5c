"""Native snippets in the layout of the rest of a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator


def laid_out(text: str) -> str:
    """Return a snippet with two spaces for each level and each statement on a line of its own, nothing else changed."""
    lines: list[str] = []
    for line in textwrap.dedent(text).strip("\n").splitlines():
        indent = 2 + (len(line) - len(line.lstrip())) // 4 * 2
        if line.lstrip().startswith("#"):
            lines.append(line.strip())
        else:
            lines += (" " * deep + part for deep, part in _split(line.strip(), indent))
    laid = "\n".join(line.rstrip() for line in lines)
    for number in ("float", "double", "int"):
        laid = laid.replace(f"{number}* ", f"{number} *")
    return laid


def _split(line: str, indent: int) -> Iterator[tuple[int, str]]:
    """Yield the head of a control statement and what it controls as lines of their own."""
    if line.startswith(("if (", "for (", "while (", "else if (")):
        end = _closing(line, line.index("("))
        rest = line[end + 1 :].strip()
        if rest.startswith("{") and rest.endswith("}") and rest.count(";") == 1:
            yield indent, f"{line[: end + 1]} {{"
            yield from _split(rest[1:-1].strip(), indent + 2)
            yield indent, "}"
            return
        if rest and not rest.startswith(("{", ";", "//")):
            yield indent, line[: end + 1]
            yield from _split(rest, indent + 2)
            return
    elif line.startswith("else ") and not line.startswith("else {"):
        yield indent, "else"
        yield from _split(line[5:].strip(), indent + 2)
        return
    yield indent, line


def _closing(line: str, start: int) -> int:
    depth = 0
    for place in range(start, len(line)):
        depth += (line[place] == "(") - (line[place] == ")")
        if depth == 0:
            return place
    return len(line) - 1
