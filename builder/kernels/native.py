"""Writing the bodies of native functions: typed pieces of C++ from which the families of block and warp code are made.

Everything below writes statements into a :class:`Cpp`; a number's C++ type, the operation that folds and the form of
a loop are values, not text. What needs the threads of a block stands under ``__CUDA_ARCH__``; beside it stands what a
block of one thread computes, which is what Warp's CPU code runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from .author import Author, Callee
from .choices import Choices
from .types import DOUBLE, FLOAT, INT, UINT, Scalar, Value

BLOCK = 256
_NAMES = {FLOAT: "float", DOUBLE: "double", INT: "int", UINT: "unsigned int"}
_MASK = "0xffffffffu"


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
        """Return the adjoint of one operand: ``whole`` is the adjoint of ``result``."""
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


# --- warps ---


@dataclass(frozen=True, slots=True)
class Lanes:
    """A group of ``width`` neighbouring lanes of a warp, and how its shuffles are written."""

    width: int
    mask: str

    def shuffle(self, kind: str, value: str, by: str) -> str:
        """Return a shuffle; ``kind`` is down, up, xor or nothing (from a lane)."""
        name = f"__shfl_{kind}_sync" if kind else "__shfl_sync"
        width = f", {self.width}" if self.width < 32 else ""
        return f"{name}({self.mask}, {value}, {by}{width})"


def lanes(cpp: Cpp) -> Lanes:
    """Draw a group of lanes; write the name of its mask where it has one."""
    width = cpp.c.weighted({32: 3, 16: 1, 8: 1})
    if cpp.c.chance(1, 2):
        return Lanes(width, _MASK)
    name = cpp.word("mask|full|members|all_lanes")
    cpp(f"const unsigned int {name} = {_MASK};")
    return Lanes(width, name)


def offsets(cpp: Cpp, width: int) -> Iterator[str]:
    """Write a loop over powers of two below ``width``, from above or from below, or its turns one by one."""
    name, way = cpp.word("offset|step|delta|d"), cpp.c.below(4)
    if way == 3:
        turns = [width >> turn for turn in range(1, width.bit_length())]
        yield from map(str, turns if cpp.c.chance(1, 2) else turns[::-1])
        return
    if cpp.c.chance(1, 3):
        cpp("#pragma unroll")
    half = {0: f"{name} >>= 1", 1: f"{name} /= 2", 2: f"{name} <<= 1"}[way]
    head = f"int {name} = {width // 2}; {name} > 0; {half}" if way < 2 else f"int {name} = 1; {name} < {width}; {half}"
    with cpp.block(f"for ({head})"):
        yield name


def warp_fold(cpp: Cpp, group: Lanes, fold: Fold, name: str, *, everywhere: bool) -> None:
    """Fold the lanes' values of ``name``; lane 0 has the result, and all of them if ``everywhere``."""
    kind = "xor" if everywhere and cpp.c.chance(2, 3) else "down"
    spare = cpp.c.chance(1, 3) and fold in (SUM, PRODUCT)
    for by in offsets(cpp, group.width):
        moved = group.shuffle(kind, name, by)
        if fold in (SUM, PRODUCT) and not spare:
            cpp(fold.into(cpp.c, name, moved))
        else:
            with cpp.block(""):
                other = cpp.word("other|theirs|from|peer")
                cpp(f"const auto {other} = {moved};", fold.into(cpp.c, name, other))
    if everywhere and kind == "down":
        cpp(f"{name} = {group.shuffle('', name, '0')};")


# --- blocks ---


def block_fold(cpp: Cpp, fold: Fold, T: Scalar, name: str, room: str) -> None:
    """Fold the values of ``name`` of all threads of the block, in shared memory ``room``; all get the result."""
    t, c = "t", cpp.c
    cpp(f"{room}[{t}] = {name};", "__syncthreads();")
    way = c.below(5)
    if way == 0:
        with cpp.block(
            c.pick((f"for (int s = {BLOCK // 2}; s > 0; s >>= 1)", f"for (int s = {BLOCK // 2}; s > 0; s /= 2)"))
        ):
            with cpp.block(f"if ({t} < s)"):
                cpp(fold.into(c, f"{room}[{t}]", f"{room}[{t} + s]"))
            cpp("__syncthreads();")
    elif way == 1:
        with cpp.block(f"for (int s = 1; s < {BLOCK}; s *= 2)"):
            cpp(f"const int at = 2 * s * {t};")
            with cpp.block(f"if (at < {BLOCK})"):
                cpp(fold.into(c, f"{room}[at]", f"{room}[at + s]"))
            cpp("__syncthreads();")
    elif way == 2:
        with cpp.block(f"for (int s = 1; s < {BLOCK}; s <<= 1)"):
            with cpp.block(f"if (({t} & (2 * s - 1)) == 0)" if c.chance(1, 2) else f"if ({t} % (2 * s) == 0)"):
                cpp(fold.into(c, f"{room}[{t}]", f"{room}[{t} + s]"))
            cpp("__syncthreads();")
    elif way == 3:
        with cpp.block(f"if ({t} == 0)"), cpp.block(f"for (int n = 1; n < {BLOCK}; ++n)"):
            cpp(fold.into(c, f"{room}[0]", f"{room}[n]"))
        cpp("__syncthreads();")
    else:
        _by_warps(cpp, fold, t, room)
    cpp(f"{name} = {room}[0];", "__syncthreads();")


def _by_warps(cpp: Cpp, fold: Fold, t: str, room: str) -> None:
    """Every warp folds its part by itself, then the first thread the parts."""
    with cpp.block("for (int s = 16; s > 0; s >>= 1)"):
        with cpp.block(f"if (({t} & 31) < s)"):
            cpp(fold.into(cpp.c, f"{room}[{t}]", f"{room}[{t} + s]"))
        cpp("__syncwarp();")
    cpp("__syncthreads();")
    with cpp.block(f"if ({t} == 0)"), cpp.block(f"for (int w = 32; w < {BLOCK}; w += 32)"):
        cpp(fold.into(cpp.c, f"{room}[0]", f"{room}[w]"))
    cpp("__syncthreads();")


def shared(cpp: Cpp, T: Scalar, name: str, count: int = BLOCK) -> None:
    """Declare an array in shared memory, with or without a little padding."""
    size = f"{count} + {cpp.c.pick((1, 8, 32))}" if cpp.c.chance(1, 4) else str(count)
    cpp(f"__shared__ {ctype(T)} {name}[{size}];")


def thread(cpp: Cpp) -> None:
    """Name the thread's place in its block ``t``."""
    cpp(cpp.c.pick(("const int t = threadIdx.x;", "int t = threadIdx.x;", "const int t = int(threadIdx.x);")))


# --- functions ---


def native(k: Author, words: str, params: Mapping[str, Value], result: Value | None, *texts: Cpp | None) -> Callee:
    """Add a native function; ``texts`` are its forward body and, where it has one, its adjoint."""
    forward, adjoint = (*texts, None)[:2]
    assert forward is not None
    return k.native(words, params, result, forward.text, adjoint=adjoint.text if adjoint is not None else "")
