"""Helpers for transforms and spatial vectors."""

from __future__ import annotations

from ..codegen.arguments import Block
from .helpers import Helpers, helper
from .types import make, part, quaternion, vector


@helper
def transform_multiply(h: Helpers, kind: Block) -> str:
    """The product of two transforms."""
    v, q = vector(3, kind.number), quaternion(kind.number)
    h.need("quat_rotate", q)
    h.need("quat_mul", q)
    h.need("operator", "add", v, v, v)
    text = f"{h.type(kind)}{{quat_rotate(a.q, b.p) + a.p, a.q * b.q}}"
    return h.function("transform_multiply", kind, [(kind, "a"), (kind, "b")], f"return {text};")


@helper
def transform_inverse(h: Helpers, kind: Block) -> str:
    """The opposite transform."""
    q, v = quaternion(kind.number), vector(3, kind.number)
    h.need("quat_rotate", q)
    h.need("quat_inverse", q)
    h.need("negative", v)
    return h.function(
        "transform_inverse", kind, [(kind, "t")], f"const {h.type(q)} q = quat_inverse(t.q);",
        f"return {h.type(kind)}{{-quat_rotate(q, t.p), q}};",
    )  # fmt: skip


@helper
def transform_point(h: Helpers, kind: Block) -> str:
    """A point, moved."""
    q, v = quaternion(kind.number), vector(3, kind.number)
    h.need("quat_rotate", q)
    h.need("operator", "add", v, v, v)
    return h.function("transform_point", v, [(kind, "t"), (v, "p")], "return t.p + quat_rotate(t.q, p);")


@helper
def transform_vector(h: Helpers, kind: Block) -> str:
    """A direction, turned."""
    q, v = quaternion(kind.number), vector(3, kind.number)
    h.need("quat_rotate", q)
    return h.function("transform_vector", v, [(kind, "t"), (v, "v")], "return quat_rotate(t.q, v);")


def _by_matrix(name: str, moves: bool) -> None:
    def write(h: Helpers, kind: Block) -> str:
        v = vector(3, kind.number)
        last = [f" + m.m[{i}][3]" if moves else "" for i in range(3)]
        parts = [f"m.m[{i}][0] * v.x + m.m[{i}][1] * v.y + m.m[{i}][2] * v.z{last[i]}" for i in range(3)]
        return h.function(name.removesuffix("_by_matrix"), v, [(kind, "m"), (v, "v")], f"return {make(v, parts)};")

    write.__name__ = name
    helper(write)


_by_matrix("transform_point_by_matrix", True)
_by_matrix("transform_vector_by_matrix", False)


def _half(name: str, first: int) -> None:
    def write(h: Helpers, kind: Block) -> str:
        v = vector(3, kind.number)
        parts = [part(kind, "a", first + i) for i in range(3)]
        return h.function(name, v, [(kind, "a")], f"return {make(v, parts)};")

    write.__name__ = name
    helper(write)


_half("spatial_top", 0)
_half("spatial_bottom", 3)


def _spatial_cross(name: str, dual: bool) -> None:
    def write(h: Helpers, kind: Block) -> str:
        v = vector(3, kind.number)
        for needed in ("spatial_top", "spatial_bottom"):
            h.need(needed, kind)
        h.need("cross", v)
        h.need("operator", "add", v, v, v)
        mixed = "cross(av, bw) + cross(aw, bv)"
        w, u = ("cross(aw, bw) + cross(av, bv)", "cross(aw, bv)") if dual else ("cross(aw, bw)", mixed)
        t = h.type(v)
        return h.function(
            name, kind, [(kind, "a"), (kind, "b")],
            f"const {t} aw = spatial_top(a), av = spatial_bottom(a);",
            f"const {t} bw = spatial_top(b), bv = spatial_bottom(b);",
            f"const {t} w = {w}, v = {u};",
            f"return {make(kind, ['w.x', 'w.y', 'w.z', 'v.x', 'v.y', 'v.z'])};",
        )  # fmt: skip

    write.__name__ = name
    helper(write)


_spatial_cross("spatial_cross", False)
_spatial_cross("spatial_cross_dual", True)


@helper
def spatial_vector(h: Helpers, kind: Block) -> str:
    """A spatial vector of its two halves."""
    v = vector(3, kind.number)
    text = make(kind, ["w.x", "w.y", "w.z", "v.x", "v.y", "v.z"])
    return h.function("spatial_vector", kind, [(v, "w"), (v, "v")], f"return {text};")
