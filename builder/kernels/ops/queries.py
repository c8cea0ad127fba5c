"""Spatial queries on hash grids, bounding volume hierarchies, meshes, volumes and textures.

What takes and gives plain values is a row of the table; what gives a query, a result with fields, or a value of a
type that an argument names is a special (see ``special.py``). All work on ``uint64`` ids but textures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..types import (
    BOOL,
    DOUBLE,
    FLOAT,
    FLOATS,
    INT,
    UINT64,
    VEC2,
    VEC3,
    VEC4,
    Array,
    Opaque,
    Scalar,
    Value,
    Vec,
    mat,
    scalar_of,
    vec,
)
from .row import Row, row
from .special import SPECIALS, Special, special

if TYPE_CHECKING:
    from ..program import Expr

_POINTS = Array(VEC3, 1)
MESH = Opaque("Mesh", "wp.Mesh", (("points", _POINTS), ("velocities", _POINTS), ("indices", Array(INT, 1))))
_HIT = (("result", BOOL), ("sign", FLOAT), ("face", INT))
MESH_POINT = Opaque("MeshQueryPoint", "wp.MeshQueryPoint", (*_HIT, ("u", FLOAT), ("v", FLOAT)))
MESH_RAY = Opaque(
    "MeshQueryRay", "wp.MeshQueryRay", (*_HIT, ("t", FLOAT), ("u", FLOAT), ("v", FLOAT), ("normal", VEC3))
)
BVH_QUERY = Opaque("BvhQuery", "wp.BvhQuery")
MESH_QUERY = Opaque("MeshQuery", "wp.MeshQuery")
GRID_QUERIES = {scalar: Opaque("HashGridQuery", "wp.HashGridQuery") for scalar in FLOATS}
TEXTURES = {n: Opaque(f"Texture{n}D", f"wp.Texture{n}D") for n in (1, 2, 3)}


def _mesh_rows() -> Iterator[Row]:
    p = "V3.f32"
    yield row("wp.mesh_eval_position", f"u64 i32 f32 f32 -> {p}", "mesh", "position on a mesh face")
    yield row("wp.mesh_eval_velocity", f"u64 i32 f32 f32 -> {p}", "mesh", "velocity on a mesh face")
    yield row("wp.mesh_eval_face_normal", f"u64 i32 -> {p}", "mesh", "normal of a mesh face", smooth=False)
    yield row("wp.mesh_get_point", f"u64 i32 -> {p}", "mesh", "corner of a mesh face", smooth=False)
    yield row("wp.mesh_get_velocity", f"u64 i32 -> {p}", "mesh", "velocity of a corner", smooth=False)
    yield row("wp.mesh_get_index", "u64 i32 -> i32", "mesh", "vertex of a corner", smooth=False)
    yield row("wp.mesh_get_bvh", "u64 -> u64", "mesh", "hierarchy of a mesh", smooth=False)
    yield row("wp.mesh_get_group_root", "u64 i32 -> i32", "mesh", "root of a mesh's group", smooth=False)
    yield row("wp.bvh_get_group_root", "u64 i32 -> i32", "bvh", "root of a group", smooth=False)
    for root in ("", "i32 "):
        ray = f"u64 {p} {p} "
        yield row("wp.mesh_query_ray_anyhit", f"{ray}f32 {root}-> b", "mesh_ray", "test of a ray", smooth=False)
        phrase = "count of ray intersections"
        yield row("wp.mesh_query_ray_count_intersections", f"{ray}{root}-> i32", "mesh_ray", phrase, smooth=False)
    yield row("wp.hash_grid_point_id", "u64 i32 -> i32", "grid", "point in order of cells", smooth=False)
    for t in ("f32", "f64"):
        six = f"V3.{t} " * 6
        yield row("wp.intersect_tri_tri", f"{six}-> i32", "triangle", "intersection of triangles", smooth=False)
    yield row("wp.closest_point_edge_edge", f"{f'{p} ' * 4}f32 -> {p}", "triangle", "closest points of two edges")


def _volume_rows() -> Iterator[Row]:
    p = "V3.f32"
    for suffix, result in (("f", "f32"), ("v", p)):
        yield row(f"wp.volume_sample_{suffix}", f"u64 {p} i32 -> {result}", "volume", "volume sampling")
        yield row(f"wp.volume_lookup_{suffix}", f"u64 i32 i32 i32 -> {result}", "volume", "voxel lookup", smooth=False)
    yield row("wp.volume_sample_i", f"u64 {p} -> i32", "volume", "volume sampling", smooth=False)
    yield row("wp.volume_lookup_i", "u64 i32 i32 i32 -> i32", "volume", "voxel lookup", smooth=False)
    yield row("wp.volume_lookup_index", "u64 i32 i32 i32 -> i32", "volume", "index of a voxel", smooth=False)
    yield row("wp.volume_voxel_count", "u64 -> i32", "volume", "count of voxels", smooth=False)
    for t in ("f32", "f64"):
        for what, words in (("", "point"), ("_dir", "direction")):
            signature = f"u64 V3.{t} -> V3.{t}"
            yield row(f"wp.volume_index_to_world{what}", signature, "volume", f"index-space {words} in the world")
            yield row(f"wp.volume_world_to_index{what}", signature, "volume", f"world {words} in index space")


def rows() -> Iterator[Row]:
    """Yield the rows in table order."""
    yield from _mesh_rows()
    yield from _volume_rows()


def _query(name: str, params: tuple[Value, ...], optional: int, result: Value, phrase: str, family: str) -> None:
    """Register a special of fixed parameter types, of which the last ``optional`` may be left out."""

    def infer(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
        given = tuple(arg.type for arg in args)
        least = len(params) - optional
        if keywords or not least <= len(given) <= len(params) or given != params[: len(given)]:
            wanted = ", ".join(param.name for param in params)
            raise ValueError(f"{name}() takes {wanted}, not {', '.join(type_.name for type_ in given)}")
        return result

    SPECIALS[name] = Special(infer, phrase, family, smooth=result in (MESH_POINT, MESH_RAY))


_ID_POINT = (UINT64, VEC3, FLOAT)
for _name, _extra in (
    ("point", ()), ("point_no_sign", ()), ("furthest_point_no_sign", ()), ("point_sign_normal", (FLOAT,)),
    ("point_sign_winding_number", (FLOAT, FLOAT)), ("point_sign_parity", (INT, FLOAT)),
):  # fmt: skip
    _which = "furthest" if "furthest" in _name else "closest"
    _query(
        f"mesh_query_{_name}", (*_ID_POINT, *_extra), len(_extra), MESH_POINT, f"{_which} point of a mesh", "mesh_query"
    )
_query(
    "mesh_query_ray", (UINT64, VEC3, VEC3, FLOAT, INT), 1, MESH_RAY, "intersection of a ray and a mesh", "mesh_query"
)
_query("mesh_query_aabb", (UINT64, VEC3, VEC3), 0, MESH_QUERY, "faces of a mesh in a box", "mesh_query")
_query("mesh_query_sphere", _ID_POINT, 0, MESH_QUERY, "faces of a mesh in a ball", "mesh_query")
_query("mesh_query_next", (MESH_QUERY, INT), 0, BOOL, "next face", "mesh_query")
_query("mesh_query_aabb_next", (MESH_QUERY, INT), 0, BOOL, "next face", "mesh_query")
_query("mesh_get", (UINT64,), 0, MESH, "mesh of an id", "mesh_query")
_query("bvh_query_aabb", (UINT64, VEC3, VEC3, INT), 1, BVH_QUERY, "boxes that overlap a box", "bvh_query")
_query("bvh_query_sphere", (UINT64, VEC3, FLOAT, INT), 1, BVH_QUERY, "boxes that overlap a ball", "bvh_query")
_query("bvh_query_ray", (UINT64, VEC3, VEC3, INT), 1, BVH_QUERY, "boxes that a ray meets", "bvh_query")
_query("bvh_query_capsule", (UINT64, VEC3, VEC3, FLOAT, INT), 1, BVH_QUERY, "boxes that a capsule meets", "bvh_query")
_query("bvh_query_next", (BVH_QUERY, INT, FLOAT), 1, BOOL, "next box", "bvh_query")


@special("hash_grid_query", "points of a hash grid near a point", "grid_query", smooth=False)
def _hash_grid_query(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    point = args[1].type
    if not isinstance(point, Vec) or point.n != 3 or args[2].type is not point.dtype or args[0].type is not UINT64:
        raise ValueError("hash_grid_query() takes an id, a 3-vector and a distance of its scalar type")
    return GRID_QUERIES[point.dtype]


@special("hash_grid_query_next", "next point", "grid_query", smooth=False)
def _hash_grid_query_next(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    if args[0].type not in GRID_QUERIES.values() or args[1].type is not INT:
        raise ValueError("hash_grid_query_next() takes a query and an int")
    return BOOL


def _sampled(args: tuple[Expr, ...], dtype: Value) -> Value:
    if args[0].type is not UINT64 or args[1].type is not VEC3:
        raise ValueError("a volume is sampled by its id at a 3-vector")
    if scalar_of(dtype) not in (FLOAT, DOUBLE, INT):
        raise ValueError(f"no volume of {dtype.name}")
    return dtype


@special("volume_sample", "volume sampling", "volume_query")
def _volume_sample(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    return _sampled(args, keywords["dtype"].type)


def gradient_of(dtype: Value) -> Value:
    """Return the type of the gradient of a field of such values in space: a 3-vector, or for a vector a matrix."""
    if isinstance(dtype, Vec):
        return mat(dtype.n, 3, dtype.dtype)
    assert isinstance(dtype, Scalar)
    return vec(3, dtype)


@special("volume_sample_grad", "volume sampling with gradient", "volume_query")
def _volume_sample_grad(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    dtype = _sampled(args, keywords["dtype"].type)
    if args[3].type is not gradient_of(dtype):
        raise ValueError(f"the gradient of {dtype.name} is a {gradient_of(dtype).name}, not a {args[3].type.name}")
    return dtype


_query("volume_sample_grad_f", (UINT64, VEC3, INT, VEC3), 0, FLOAT, "volume sampling with gradient", "volume_query")


@special("volume_sample_index", "sampling of values kept by voxel", "volume_query")
def _volume_sample_index(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    data, background = args[3].type, args[4].type
    if not isinstance(data, Array) or data.dtype != background:
        raise ValueError("volume_sample_index() needs an array of values and a background of their type")
    return _sampled(args, background)


@special("volume_sample_grad_index", "sampling of values kept by voxel, with gradient", "volume_query")
def _volume_sample_grad_index(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    dtype = _volume_sample_index(args, keywords)
    if args[5].type is not gradient_of(dtype):
        raise ValueError(f"the gradient of {dtype.name} is a {gradient_of(dtype).name}, not a {args[5].type.name}")
    return dtype


@special("volume_lookup", "voxel lookup", "volume_query", smooth=False)
def _volume_lookup(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    if args[0].type is not UINT64 or any(k.type is not INT for k in args[1:]):
        raise ValueError("volume_lookup() takes an id and three whole indices")
    return keywords["dtype"].type


for _suffix, _value in (("f", FLOAT), ("v", VEC3), ("i", INT)):
    _query(f"volume_store_{_suffix}", (UINT64, INT, INT, INT, _value), 0, INT, "voxel store", "volume_query")


@special("volume_store", "voxel store", "volume_query", smooth=False)
def _volume_store(args: tuple[Expr, ...], _: Mapping[str, Expr]) -> Value:
    if args[0].type is not UINT64 or any(k.type is not INT for k in args[1:4]) or len(args) != 5:
        raise ValueError("volume_store() takes an id, three whole indices and a value")
    return INT


@special("texture_sample", "texture sampling", "texture")
def _texture_sample(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    n = next((n for n, texture in TEXTURES.items() if texture is args[0].type), 0)
    place = tuple(arg.type for arg in args[1:])
    forms: list[tuple[Value, ...]] = [(FLOAT,) * n] if n else []
    forms += [(vec(n),)] if n > 1 else []
    if place not in forms:
        raise ValueError(f"texture_sample() takes a texture and a place, not {', '.join(a.type.name for a in args)}")
    dtype = keywords["dtype"].type
    if dtype not in (FLOAT, VEC2, VEC4):
        raise ValueError(f"no texture of {dtype.name}; allowed: float32, vec2, vec4")
    return dtype
