"""Native snippets in the layout of the rest of a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

# Conditions on whether the GPU's code is compiled, and whether what follows them is it.
_ON_DEVICE = {
    "#if defined(__CUDA_ARCH__)": True,
    "#ifdef __CUDA_ARCH__": True,
    "#if !defined(__CUDA_ARCH__)": False,
    "#ifndef __CUDA_ARCH__": False,
}


def on_device(text: str) -> str:
    """Return a snippet without what it does on a CPU, and without the question."""
    lines: list[str] = []
    # For each condition around a line: whether its branch is kept, or None where the condition stays.
    around: list[bool | None] = []
    for line in text.splitlines():
        bare = " ".join(line.split())
        own = around[-1] if around and bare in ("#else", "#endif") else None
        if bare.startswith("#if"):
            around.append(_ON_DEVICE.get(bare))
            own = around[-1]
        elif bare == "#else" and own is not None:
            around[-1] = not own
        elif bare == "#endif" and around:
            around.pop()
        if own is None and False not in around:
            lines.append(line)
    return "\n".join(lines)


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
