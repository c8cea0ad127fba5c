"""Raw text of Warp's code generator -> canonical text: a function of the kernel source alone."""

from __future__ import annotations

from collections.abc import Iterable, Set

# Warp echoes the Python line it translates as `// <source><padding>       <L 12>`, and in the adjoint as
# `// adj: <source><padding>  <L 12>`.
_MARK = "  <L "


def canonical(
    raw: str,
    *,
    echoes: Set[str],
    renames: Iterable[tuple[str, str]] = (),
    origins: Iterable[str] = (),
    source_comments: bool = True,
) -> str:
    """Return canonical code.

    Args:
        raw: text as Warp generates it.
        echoes: the comments (stripped) by which Warp may echo a Python line; only these are taken for echoes.
        renames: ``(symbol with Warp's content hash, symbol without)``.
        origins: the comment lines that name the Python file, without line end.
        source_comments: keep the echoed Python lines; Warp's own comments always stay.

    Returns:
        Text that starts with a non-space and ends with one line end; no trailing whitespace, at most one
        empty line in a row. Empty if there is no code.
    """
    text = _echoes(raw, echoes, source_comments)
    for origin in origins:
        text = text.replace(f"\n{origin}\n", "\n")
    for hashed, plain in renames:
        text = text.replace(hashed, plain)
    return _tidy(text)


def _echoes(raw: str, echoes: Set[str], keep: bool) -> str:
    """Return the text with each echoed line stripped to its comment, or dropped."""
    head, *parts = raw.split(_MARK)
    out = [head]
    for part in parts:
        before = out[-1]
        start = before.rfind("\n") + 1
        number, closed, rest = part.partition(">\n")
        if before[start:].strip() not in echoes or not closed or not number.isdigit():
            out[-1] = before + _MARK + part
        elif keep:
            # A backslash that ends the line would make C++ take the next line into the comment.
            out[-1] = before.rstrip(" \t\\")
            out.append("\n" + rest)
        else:
            out[-1] = before[:start]
            out.append(rest)
    return "".join(out)


def _tidy(text: str) -> str:
    if " \n" in text or "\t\n" in text:
        text = "\n".join([line.rstrip() for line in text.split("\n")])
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    text = text.strip()
    return text + "\n" if text else ""
