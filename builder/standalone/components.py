"""Helpers that look at the components of vectors one by one: least, largest, signs, tests."""

from __future__ import annotations

from ..codegen.arguments import Block
from .helpers import Helpers, helper, plain
from .scalars import absolute, least, special, to_float
from .types import BOOL, UINT, count, part


def _least(name: str) -> None:
    def both(h: Helpers, kind: Block) -> str:
        def one(a: str, b: str) -> str:
            return least(name, kind.number, plain(kind.number, a), plain(kind.number, b)).text

        return h.elementwise(name, kind, [(kind, "a"), (kind, "b")], one)

    def all_of(h: Helpers, kind: Block) -> str:
        text = plain(kind.number, part(kind, "a", 0))
        for n in range(1, count(kind)):
            text = least(name, kind.number, text, plain(kind.number, part(kind, "a", n)))
        return h.function(name, kind.number, [(kind, "a")], f"return {text.text};")

    both.__name__, all_of.__name__ = name, f"{name}_of"
    helper(both)
    helper(all_of)


_least("min")
_least("max")


def _best(name: str, symbol: str) -> None:
    def write(h: Helpers, kind: Block) -> str:
        n = count(kind)
        lines = ["unsigned int best = 0;"]
        if n > 4 and kind.family == "vector":
            loop = [f"for (int i = 1; i < {n}; ++i)", f"  if (a.c[i] {symbol} a.c[best])", "    best = i;"]
            return h.function(name, UINT, [(kind, "a")], *lines, *loop, "return best;")
        for at in range(1, n):
            held = h.need("at", kind)
            lines.append(f"if ({part(kind, 'a', at)} {symbol} {held}(a, best))")
            lines.append(f"  best = {at};")
        return h.function(name, UINT, [(kind, "a")], *lines, "return best;")

    write.__name__ = name
    helper(write)


_best("argmin", "<")
_best("argmax", ">")


@helper
def abs_(h: Helpers, kind: Block) -> str:
    """Absolute values."""
    number = kind.number
    return h.elementwise("abs", kind, [(kind, "a")], lambda a: absolute(number, plain(number, a)).text)


@helper
def sign(h: Helpers, kind: Block) -> str:
    """Signs, that of zero being 1."""

    def one(a: str) -> str:
        found = special("sign", kind.number, (plain(kind.number, a),))
        assert found is not None
        return found.text

    return h.elementwise("sign", kind, [(kind, "a")], one)


@helper
def predicate(h: Helpers, name: str, kind: Block) -> str:
    """Whether a number among the components, or all of them, is infinite and the like."""
    joint = " && " if name == "isfinite" else " || "
    tests = [f"{name}({to_float(plain(kind.number, part(kind, 'a', i))).text})" for i in range(count(kind))]
    return h.function(
        f"{name}_any" if joint == " || " else f"{name}_all", BOOL, [(kind, "a")], f"return {joint.join(tests)};"
    )
