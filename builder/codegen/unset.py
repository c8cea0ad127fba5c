"""Whether generated code reads a variable before it sets it.

Warp 1.19.0 does that: a constant of the module that is used as it is, and after that as ``wp.float64(NAME)``, becomes
one variable, which only the second use sets.
"""

from __future__ import annotations

_TO_WORDS = str.maketrans(dict.fromkeys("()[]{},;!&*<>=+-", " "))


def read_before_set(code: str) -> str:
    """Return the first variable that C++ code of a kernel reads before setting it, or nothing.

    Warp writes one statement on a line, and sets each of its variables above all its uses.
    """
    unset: set[str] = set()
    for line in code.splitlines():
        statement = line.strip()
        if statement.startswith(("//", "return ")):
            continue
        target, equals, value = statement.partition(" = ")
        words = target.rpartition(" ")
        if not equals and "(" not in statement and words[2].startswith("var_"):
            unset.add(words[2].rstrip(";"))  # a declaration
        elif unset:
            named = unset.intersection((value or statement).translate(_TO_WORDS).split())
            if named and (equals or statement.startswith("if ")):
                return min(named)
            unset -= named | {words[2]}  # a call may set what it is given
    return ""
