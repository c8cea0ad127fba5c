"""Statements of C++, its numbers, the operations that fold them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..choices import Choices
from ..types import DOUBLE, FLOAT, INT, UINT, Scalar

BLOCK = 256
_NAMES = {FLOAT: "float", DOUBLE: "double", INT: "int", UINT: "unsigned int"}
MASK = "0xffffffffu"


def ctype(T: Scalar) -> str:
    """Return the C++ name of a scalar."""
    return _NAMES[T]


def literal(value: float, T: Scalar) -> str:
    """Return a number as C++ writes it for a scalar type."""
    if T.is_int:
        return f"{int(value)}u" if T is UINT else str(int(value))
    return f"{float(value)!r}f" if T is FLOAT else repr(float(value))


class Cpp:
    """Statements of C++ in the order written, with their indentation."""

    def __init__(self, choices: Choices) -> None:
        self.c = choices
        self._lines: list[str] = []
        self._depth = 0

    def __call__(self, *lines: str) -> None:
        """Add lines at the present depth."""
        self._lines += ["    " * self._depth + line for line in lines]

    @contextmanager
    def block(self, head: str, end: str = "") -> Iterator[None]:
        """Write the body of ``head { ... }``, with ``end`` after it."""
        self(f"{head} {{")
        self._depth += 1
        yield
        self._depth -= 1
        self("}" + end)

    @contextmanager
    def device(self, host: list[str]) -> Iterator[None]:
        """Write what the GPU does; ``host`` is what one thread alone does."""
        self("#if defined(__CUDA_ARCH__)")
        yield
        self("#else", *host, "#endif")

    def word(self, words: str) -> str:
        """Return one of several names for a local."""
        return self.c.pick(tuple(words.split("|")))

    @property
    def text(self) -> str:
        return "\n".join(self._lines)


@dataclass(frozen=True, slots=True)
class Fold:
    """An associative operation of two numbers: sum, product, maximum, minimum."""

    name: str

    def into(self, c: Choices, target: str, other: str) -> str:
        """Return a statement that folds ``other`` into ``target``."""
        way = c.below(3)
        if self.name in ("sum", "product"):
            sign = "+" if self.name == "sum" else "*"
            forms = (f"{target} {sign}= {other};", f"{target} = {target} {sign} {other};")
            return forms[min(way, 1)]
        sign = ">" if self.name == "max" else "<"
        return (
            f"{target} = wp::{self.name}({target}, {other});",
            f"{target} = {other} {sign} {target} ? {other} : {target};",
            f"if ({other} {sign} {target}) {target} = {other};",
        )[way]

    def share(self, c: Choices, value: str, result: str, whole: str, T: Scalar) -> str:
        """Return the adjoint of one operand: ``whole`` is the adjoint of ``result``.

        Equal extremes all have it; a factor of zero has none.
        """
        zero = literal(0, T)
        if self.name == "sum":
            return whole
        if self.name == "product":
            return f"({value} != {zero} ? {whole} * {result} / {value} : {zero})"
        return f"({value} == {result} ? {whole} : {zero})"


SUM, PRODUCT, MAX, MIN = (Fold(name) for name in ("sum", "product", "max", "min"))


@dataclass(frozen=True, slots=True)
class Pre:
    """What is done to a number before it is folded, with its derivative; ``{}`` is the number."""

    value: str
    slope: str

    def of(self, name: str) -> str:
        return self.value.replace("{}", name)

    def slope_of(self, name: str) -> str:
        return self.slope.replace("{}", name)


def pre(c: Choices, T: Scalar) -> Pre:
    """Return a drawn change of a number."""
    one, zero, two = literal(1, T), literal(0, T), literal(2, T)
    below = f"({one} + {{}} * {{}})"
    factor = literal(c.between(2, 9) / (1 if T.is_int else 4), T)
    plain = Pre("{}", one)
    options = (
        plain, plain, Pre("{} * {}", f"{two} * {{}}"), Pre(f"{factor} * {{}}", factor),
        Pre(f"({{}} < {zero} ? -{{}} : {{}})", f"({{}} < {zero} ? -{one} : {one})"),
        Pre(f"{{}} - {factor}", one), Pre(f"wp::max({{}}, {zero})", f"({{}} > {zero} ? {one} : {zero})"),
        Pre(f"({{}} + {factor}) * {{}}", f"({two} * {{}} + {factor})"),
        Pre(f"{{}} / {below}", f"(({one} - {{}} * {{}}) / ({below} * {below}))"),
    )  # fmt: skip
    return c.pick(options[:6] if T.is_int else options)
