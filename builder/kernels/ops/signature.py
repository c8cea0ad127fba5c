"""Signatures: which types an operation takes and gives, for whole families of types at once.

``V V -> F`` reads: two vectors of one length and one float type give a scalar of that type. Words:

- ``F`` a float type, ``I`` an integer type, ``N`` any of both; the same letter is the same type throughout;
- ``V``, ``M`` a vector, a square matrix of ``n`` scalars; ``V3``, ``M3`` of three; ``V.N``, ``V.I`` of other scalars
  than ``F``;
- ``R`` a matrix of ``r`` by ``c``, ``Rt`` its transpose, ``Vr`` and ``Vc`` vectors of those lengths;
- ``Q`` a quaternion, ``T`` a transform;
- ``f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 b`` one type.

``F`` and ``N`` stand for bfloat16 too, but the random grammar does not draw it. A signature without a result is a call
for its effect, which gives a :class:`Several` of nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from ..types import (
    BFLOAT,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOATS,
    HALF,
    INT,
    INT8,
    INT16,
    INT64,
    INTS,
    NUMBERS,
    UINT,
    UINT8,
    UINT16,
    UINT64,
    Mat,
    Quat,
    Scalar,
    Several,
    Transform,
    Value,
    Vec,
    mat,
    quat,
    transform,
    vec,
)

_FIXED = {
    "f32": FLOAT, "f64": DOUBLE, "f16": HALF, "bf16": BFLOAT, "i8": INT8, "u8": UINT8, "i16": INT16, "u16": UINT16,
    "i32": INT, "u32": UINT, "i64": INT64, "u64": UINT64, "b": BOOL,
}  # fmt: skip
SHORT = {scalar: word for word, scalar in _FIXED.items()}
_SCALARS: dict[str, tuple[Scalar, ...]] = {"F": FLOATS, "I": INTS, "N": NUMBERS}
_LENGTHS = (2, 3, 4)
_SHAPES = ((2, 3), (3, 2), (3, 4), (4, 3), (2, 4), (4, 2))

Binding = dict[str, "Scalar | int"]


@dataclass(frozen=True, slots=True)
class Word:
    """One type of a signature: a kind, its sizes (numbers or the names of variables) and its scalar."""

    kind: str
    sizes: tuple[int | str, ...]
    scalar: str

    def match(self, type_: Value, binding: Binding) -> bool:
        """Say whether ``type_`` fits what is bound, and bind what is not."""
        if self.kind == "fixed":
            return type_ is _FIXED[self.scalar]
        if self.kind == "scalar":
            return isinstance(type_, Scalar) and self._bind(self.scalar, type_, binding)
        if not isinstance(type_, _KINDS[self.kind]):
            return False
        sizes = (type_.n,) if isinstance(type_, Vec) else (type_.rows, type_.cols) if isinstance(type_, Mat) else ()
        return self._bind(self.scalar, type_.dtype, binding) and all(
            self._bind(name, size, binding) for name, size in zip(self.sizes, sizes, strict=True)
        )

    def _bind(self, name: int | str, value: Scalar | int, binding: Binding) -> bool:
        if isinstance(name, int):
            return name == value
        if name in _FIXED:
            return _FIXED[name] is value
        if name in binding:
            return binding[name] == value
        allowed = _SCALARS.get(name)
        if allowed is not None and value not in allowed and not (value is BFLOAT and name != "I"):
            return False
        binding[name] = value
        return True

    def type(self, binding: Binding) -> Value:
        """Return the type for a complete binding."""
        scalar = _FIXED.get(self.scalar) or binding[self.scalar]
        assert isinstance(scalar, Scalar)
        sizes = [size if isinstance(size, int) else int(binding[size]) for size in self.sizes]  # type: ignore[arg-type]
        if self.kind == "vec":
            return vec(sizes[0], scalar)
        if self.kind == "mat":
            return mat(sizes[0], sizes[1], scalar)
        if self.kind == "quat":
            return quat(scalar)
        return transform(scalar) if self.kind == "transform" else scalar

    def variables(self) -> set[str]:
        """Return the names of the variables."""
        names = {size for size in self.sizes if isinstance(size, str)}
        return names | ({self.scalar} if self.scalar in _SCALARS else set())


_KINDS: dict[str, type[Vec] | type[Mat] | type[Quat] | type[Transform]] = {
    "vec": Vec, "mat": Mat, "quat": Quat, "transform": Transform,
}  # fmt: skip


@cache
def _word(text: str) -> Word:
    head, _, scalar = text.partition(".")
    scalar = scalar or "F"
    if head in _FIXED:
        return Word("fixed", (), head)
    if head in _SCALARS:
        return Word("scalar", (), head)
    if head in ("Q", "T"):
        return Word("quat" if head == "Q" else "transform", (), scalar)
    if head[0] == "R":
        return Word("mat", ("c", "r") if head == "Rt" else ("r", "c"), scalar)
    size: int | str = int(head[1:]) if head[1:].isdigit() else head[1:] or "n"
    if head[0] == "V":
        return Word("vec", (size,), scalar)
    if head[0] == "M":
        return Word("mat", (size, size), scalar)
    raise ValueError(f"no such type in a signature: {text!r}")


@dataclass(frozen=True, slots=True)
class Signature:
    """A parsed signature; ``text`` as written."""

    text: str
    params: tuple[Word, ...]
    results: tuple[Word, ...]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Return the signature of a text such as ``V V -> F``; several results stand side by side."""
        before, _, after = text.partition("->")
        return cls(text, tuple(map(_word, before.split())), tuple(map(_word, after.split())))

    def bind(self, params: tuple[Value, ...], result: Value | None = None) -> Binding | None:
        """Return what the variables are for these parameter types (and result), or None if they do not fit."""
        binding: Binding = {}
        if len(params) != len(self.params):
            return None
        if not all(word.match(type_, binding) for word, type_ in zip(self.params, params, strict=True)):
            return None
        if result is not None and not (len(self.results) == 1 and self.results[0].match(result, binding)):
            return None
        return binding if self.variables() <= set(binding) else None

    def variables(self) -> set[str]:
        """Return the names of all variables."""
        return set().union(*(word.variables() for word in (*self.params, *self.results)))

    def bindings(self) -> Iterator[Binding]:
        """Yield every binding over the types that the random grammar uses, the commonest first."""
        names = self.variables()
        shapes = _SHAPES if names & {"r", "c"} else ((0, 0),)
        lengths = _LENGTHS if "n" in names else (0,)
        scalars = [name for name in _SCALARS if name in names]
        for chosen in product(*(_SCALARS[name] for name in scalars)):
            for n, (r, c) in product(lengths, shapes):
                sizes: Mapping[str, Scalar | int] = {"n": n, "r": r, "c": c}
                yield {**dict(zip(scalars, chosen, strict=True)), **{k: v for k, v in sizes.items() if k in names}}

    def types(self, binding: Binding) -> tuple[tuple[Value, ...], Value]:
        """Return the parameter types and the result for a binding."""
        results = tuple(word.type(binding) for word in self.results)
        return tuple(word.type(binding) for word in self.params), results[0] if len(results) == 1 else Several(results)
