"""Identifiers: drawn from the words of a role, never twice in one kernel."""

from __future__ import annotations

from .choices import Choices
from .types import BOOL, INT, Mat, Value, Vec

_INPUTS = {
    "float": ("x", "y", "a", "b", "u", "values", "data", "src", "weights", "signal", "heights", "p", "q"),
    "int": ("keys", "ids", "labels", "codes", "counts", "ranks", "flags_in", "cells"),
    "vec": (
        "points",
        "positions",
        "velocities",
        "normals",
        "forces",
        "dirs",
        "offsets",
        "colors",
        "pa",
        "pb",
    ),
    "mat": ("mats", "rotations", "bases", "frames", "jacobians", "tensors", "ma", "mb"),
}
_LOCALS = {
    "float": ("s", "t", "w", "r", "val", "tmp", "c", "d", "e", "g", "h", "mag", "term", "part", "z"),
    "int": ("k0", "m", "code", "slot", "bit", "rank", "step", "id0", "q0"),
    "vec": ("v", "dv", "dir", "vec", "rel", "axis", "vn", "vt", "vs"),
    "mat": ("mat", "rot", "jac", "basis", "mt", "ms", "mr"),
    "bool": ("flag", "inside", "active", "valid", "hit"),
}
_SCALARS = {
    "float": ("alpha", "beta", "gamma", "scale", "bias", "threshold", "dt", "eps", "rate", "limit", "gain"),
    "int": ("n", "count", "stride", "steps", "shift", "width", "modulus"),
    "vec": ("origin", "gravity", "center", "up", "tint"),
    "mat": ("transform", "metric", "camera"),
    "bool": ("enabled", "invert", "clamp_on"),
}
_OUTPUTS = ("out", "result", "dst", "res", "output", "target")
_ACCUMULATORS = ("acc", "total", "sum", "best", "state", "energy")
_LOOPS = ("k", "l", "j1", "jj", "it", "step_i")
_BINS = ("bins", "hist", "sums", "totals", "buckets", "counters")
# An argument keeps its name in the generated C++, where these are no names.
_CPP_WORDS = (
    "alignas", "alignof", "asm", "auto", "bool", "case", "catch", "char", "const", "constexpr", "decltype", "default",
    "delete", "do", "double", "enum", "explicit", "export", "extern", "float", "friend", "goto", "inline", "int",
    "long", "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "private", "protected", "public",
    "register", "short", "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "typedef",
    "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
)  # fmt: skip
THREADS = {
    1: (("i",), ("tid",), ("idx",), ("gid",)),
    2: (("i", "j"), ("row", "col"), ("ix", "iy")),
    3: (("i", "j", "k3"), ("ix", "iy", "iz")),
}


def kind_of(type_: Value) -> str:
    """Return the key of the word lists for a type."""
    if isinstance(type_, Vec):
        return "vec"
    if isinstance(type_, Mat):
        return "mat"
    return "int" if type_ == INT else "bool" if type_ == BOOL else "float"


class Names:
    """Hands out identifiers of one kernel."""

    __slots__ = ("_choices", "_taken")

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._taken = {"wp", "range", "float", "int", "bool", "sum", "len", "min", "max", "abs", "pow", "round", "Any"}
        self._taken.update(_CPP_WORDS)

    def claim(self, name: str) -> str:
        """Mark a fixed identifier as taken."""
        self._taken.add(name)
        return name

    def fresh(self, words: tuple[str, ...]) -> str:
        """Return one of ``words`` that is not taken yet, or the first with a number."""
        free = [word for word in words if word not in self._taken]
        if free:
            return self.claim(self._choices.pick(free))
        number = 1
        while f"{words[0]}{number}" in self._taken:
            number += 1
        return self.claim(f"{words[0]}{number}")

    def input(self, type_: Value) -> str:
        return self.fresh(_INPUTS[kind_of(type_)])

    def local(self, type_: Value) -> str:
        return self.fresh(_LOCALS[kind_of(type_)])

    def scalar(self, type_: Value) -> str:
        return self.fresh(_SCALARS[kind_of(type_)])

    def output(self) -> str:
        return self.fresh(_OUTPUTS)

    def accumulator(self) -> str:
        return self.fresh(_ACCUMULATORS)

    def loop(self) -> str:
        return self.fresh(_LOOPS)

    def bins(self) -> str:
        return self.fresh(_BINS)

    def threads(self, ndim: int) -> tuple[str, ...]:
        names = self._choices.pick(THREADS[ndim])
        for name in names:
            self.claim(name)
        return names
