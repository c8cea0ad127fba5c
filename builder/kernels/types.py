"""The types a program's values may have. Equal types are one object, so they compare and hash by identity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

# Suffixes of Warp's short names for vectors, matrices, quaternions and transforms of other than float32.
_SUFFIXES = {
    "float16": "h", "float32": "", "float64": "d", "int8": "b", "uint8": "ub", "int16": "s", "uint16": "us",
    "int32": "i", "uint32": "ui", "int64": "l", "uint64": "ul",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A scalar; ``name`` is Warp's dtype name, ``text`` how kernels write it."""

    name: str
    text: str

    @property
    def is_float(self) -> bool:
        return "float" in self.name

    @property
    def is_int(self) -> bool:
        return "int" in self.name

    @property
    def bits(self) -> int:
        return int(self.name.lstrip("bufloaint") or 1)

    @property
    def signed(self) -> bool:
        return not self.name.startswith("u")


@dataclass(frozen=True, slots=True, eq=False)
class Vec:
    """A vector of ``n`` scalars. ``alias`` is its definition where Warp has no name for it."""

    n: int
    dtype: Scalar
    name: str
    text: str
    alias: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Mat:
    """A matrix of ``rows`` by ``cols`` scalars. ``alias`` as for :class:`Vec`."""

    rows: int
    cols: int
    dtype: Scalar
    name: str
    text: str
    alias: str = ""

    @property
    def n(self) -> int:
        """Rows of a square matrix."""
        return self.rows


@dataclass(frozen=True, slots=True, eq=False)
class Quat:
    """A quaternion, components x, y, z, w."""

    dtype: Scalar
    name: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Transform:
    """A rigid transform: a translation and a rotation."""

    dtype: Scalar
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Struct:
    """A ``@wp.struct``: its name and its fields in order."""

    name: str
    fields: tuple[tuple[str, Value], ...]

    @property
    def text(self) -> str:
        return self.name

    def field(self, name: str) -> Value:
        """Return a field's type; KeyError if there is none."""
        return dict(self.fields)[name]


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile: elements that the threads of a block hold together. ``text`` never appears in a source."""

    dtype: Value
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"tile{len(self.shape)}d"

    @property
    def text(self) -> str:
        return f"wp.tile(dtype={self.dtype.text}, shape={self.shape})"


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """What only Warp's own functions look into: a query, a stack, a texture. ``fields`` can be read."""

    name: str
    text: str
    fields: tuple[tuple[str, Value], ...] = ()

    def field(self, name: str) -> Value:
        """Return a field's type; KeyError if there is none."""
        return dict(self.fields)[name]


@dataclass(frozen=True, slots=True)
class Several:
    """What a function with several results gives; it is taken apart by an assignment to several names."""

    items: tuple[Value, ...]

    @property
    def name(self) -> str:
        return "several"

    @property
    def text(self) -> str:
        return f"tuple[{', '.join(item.text for item in self.items)}]"


@dataclass(frozen=True, slots=True)
class Array:
    """An array of 1 to 4 dimensions; ``kind`` is ``array`` or ``indexedarray``."""

    dtype: Value
    ndim: int
    kind: str = "array"

    @property
    def name(self) -> str:
        return f"{self.kind}{self.ndim}d"

    @property
    def text(self) -> str:
        return f"wp.{self.kind}{'' if self.ndim == 1 else f'{self.ndim}d'}(dtype={self.dtype.text})"


Value = Scalar | Vec | Mat | Quat | Transform | Struct | Tile | Opaque | Several | Array

FLOAT = Scalar("float32", "float")
INT = Scalar("int32", "int")
BOOL = Scalar("bool", "bool")
HALF, DOUBLE = (Scalar(name, f"wp.{name}") for name in ("float16", "float64"))
BFLOAT = Scalar("bfloat16", "wp.bfloat16")
INT8, INT16, INT64 = (Scalar(name, f"wp.{name}") for name in ("int8", "int16", "int64"))
UINT8, UINT16, UINT, UINT64 = (Scalar(name, f"wp.{name}") for name in ("uint8", "uint16", "uint32", "uint64"))

FLOATS = (FLOAT, DOUBLE, HALF)
INTS = (INT, UINT, INT64, UINT64, INT16, UINT16, INT8, UINT8)
NUMBERS = (*FLOATS, *INTS)


def vec(n: int, dtype: Scalar = FLOAT) -> Vec:
    """Return the vector type of ``n`` scalars."""
    return _vec(n, dtype)


@cache
def _vec(n: int, dtype: Scalar) -> Vec:
    suffix = _SUFFIXES.get(dtype.name)
    if suffix is not None and n in (2, 3, 4):
        return Vec(n, dtype, f"vec{n}{suffix}", f"wp.vec{n}{suffix}")
    if n == 6 and dtype in FLOATS:
        return Vec(n, dtype, f"spatial_vector{suffix}", f"wp.spatial_vector{suffix}")
    name = f"vec{n}{suffix or ''}" if suffix is not None else f"vec{n}_{dtype.name}"
    return Vec(n, dtype, name, name, f"wp.types.vector(length={n}, dtype={dtype.text})")


def mat(rows: int, cols: int, dtype: Scalar = FLOAT) -> Mat:
    """Return the matrix type of ``rows`` by ``cols`` scalars."""
    return _mat(rows, cols, dtype)


@cache
def _mat(rows: int, cols: int, dtype: Scalar) -> Mat:
    suffix = _SUFFIXES.get(dtype.name, "")
    if rows == cols and rows in (2, 3, 4) and dtype in FLOATS:
        return Mat(rows, cols, dtype, f"mat{rows}{cols}{suffix}", f"wp.mat{rows}{cols}{suffix}")
    if rows == cols == 6 and dtype in FLOATS:
        return Mat(rows, cols, dtype, f"spatial_matrix{suffix}", f"wp.spatial_matrix{suffix}")
    name = f"mat{rows}{cols}{suffix}" if max(rows, cols) < 10 else f"mat{rows}x{cols}{suffix}"
    return Mat(rows, cols, dtype, name, name, f"wp.types.matrix(shape=({rows}, {cols}), dtype={dtype.text})")


def quat(dtype: Scalar = FLOAT) -> Quat:
    """Return the quaternion type of a float scalar."""
    return _quat(dtype)


@cache
def _quat(dtype: Scalar) -> Quat:
    suffix = _SUFFIXES[dtype.name]
    return Quat(dtype, f"quat{suffix}", f"wp.quat{suffix}")


def transform(dtype: Scalar = FLOAT) -> Transform:
    """Return the transform type of a float scalar."""
    return _transform(dtype)


@cache
def _transform(dtype: Scalar) -> Transform:
    suffix = _SUFFIXES[dtype.name]
    return Transform(dtype, f"transform{suffix}", f"wp.transform{suffix}")


VEC2, VEC3, VEC4 = (vec(n) for n in (2, 3, 4))
MAT22, MAT33, MAT44 = (mat(n, n) for n in (2, 3, 4))
VEC_OF = {2: VEC2, 3: VEC3, 4: VEC4}
QUAT, TRANSFORM = quat(), transform()
SPATIAL_VECTOR = vec(6)


def scalar_of(type_: Value) -> Scalar:
    """Return the scalar a type is made of; TypeError for a type that is made of none."""
    if isinstance(type_, Scalar):
        return type_
    if isinstance(type_, (Vec, Mat, Quat, Transform)):
        return type_.dtype
    if isinstance(type_, (Tile, Array)):
        return scalar_of(type_.dtype)
    raise TypeError(f"{type_.name} is not made of one scalar type")
