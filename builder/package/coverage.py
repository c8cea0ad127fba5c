"""Which of Warp's builtins a dataset's rows call, on which types, and why the others are not called."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .. import codegen
from ..kernels.coverage import name_of
from ..shipped import unused_builtins
from .stats import Stats
from .totals import counted, merged

# Columns of the matrix: the scalar type that the first argument is made of.
SCALARS = (
    "float32", "float64", "float16", "bfloat16", "int32", "uint32", "int64", "uint64", "int16", "uint16", "int8",
    "uint8", "bool",
)  # fmt: skip
OTHER = "other"
_SUFFIXES = {
    "": "float32", "d": "float64", "h": "float16", "i": "int32", "ui": "uint32", "l": "int64", "ul": "uint64",
    "s": "int16", "us": "uint16", "b": "int8", "ub": "uint8",
}  # fmt: skip
_INTERNAL = "internal:"


@dataclass(frozen=True)
class Coverage:
    """Coverage of one config's rows.

    Attributes:
        used: builtins that a kernel may call by name or operator, and that some row calls, sorted.
        unused: the others, with the reason.
        types: how many (builtin, type of its first argument) there are.
    """

    used: tuple[str, ...]
    unused: dict[str, str]
    types: int

    @property
    def share(self) -> float:
        """Share of the callable builtins that are used, 0 to 1."""
        return len(self.used) / max(1, len(self.used) + len(self.unused))


@cache
def callable_builtins() -> tuple[str, ...]:
    """Return the builtins that a kernel may call, operators included; not those that Warp calls by itself."""
    reasons = unused_builtins()
    names = (builtin.name for builtin in codegen.builtins())
    return tuple(name for name in names if not reasons.get(name, "").startswith(_INTERNAL))


def coverage(stats: Stats) -> Coverage:
    """Return which builtins the rows call."""
    calls = counted(stats, "calls")
    called = {name for name, _ in map(_parts, calls)}
    called |= {name_of(tag) for tags in merged(stats, "features").values() for tag in tags}
    reasons = unused_builtins()
    used = tuple(name for name in callable_builtins() if name in called)
    unused = {name: reasons.get(name, "no row calls it") for name in callable_builtins() if name not in called}
    return Coverage(used, unused, len([call for call in calls if _parts(call)[0] in used]))


def matrix(stats: Stats) -> tuple[list[str], list[str], Any]:
    """Return builtins (by name), scalar types, and rows, shape (builtins, types): a row counts once for each type.

    Only types that occur have a column; :data:`OTHER` stands for structs, queries and calls without arguments.
    """
    counts: dict[str, Counter[str]] = {}
    wanted = set(callable_builtins())
    for call, rows in counted(stats, "calls").items():
        name, kind = _parts(call)
        if name in wanted:
            counts.setdefault(name, Counter())[scalar_of(kind)] += rows
    names = sorted(counts)
    present = [kind for kind in (*SCALARS, OTHER) if any(counts[name][kind] for name in names)]
    table = np.array([[counts[name][kind] for kind in present] for name in names], dtype=np.int64)
    return names, present, table.reshape(len(names), len(present))


def scalar_of(kind: str) -> str:
    """Return the scalar type of a type as ``calls`` names it: ``float64`` for ``vec3d``."""
    if kind in SCALARS:
        return kind
    shaped = re.fullmatch(r"(?:vec|mat|quat|transform)\d+(?:x\d+)?_?([a-z]*\d*)", kind)
    return _SUFFIXES.get(shaped[1], shaped[1] if shaped[1] in SCALARS else OTHER) if shaped else OTHER


def _parts(call: str) -> tuple[str, str]:
    name, _, kind = call.rstrip(")").partition("(")
    return name, kind
