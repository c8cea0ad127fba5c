"""Small meshes, trees, grids and volumes for kernels that take handles of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp

from .layout import Memory, UnsupportedArgument

_PREFIXES = {"mesh": "mesh", "bvh": "bvh", "hash_grid": "hash_grid", "volume": "volume"}
# Warp frees what a handle names with the object; the process that runs a kernel ends soon after.
_alive: list[Any] = []


def handles(tree: ast.Module, names: Sequence[str]) -> dict[str, str]:
    """Return for each of these arguments what its handle is of, if it is one, told by the builtins that take it.

    Raises:
        UnsupportedArgument: the kernel makes arrays of addresses that it is given.
    """
    found: dict[str, str] = {}
    if any(_takes_address(node) for node in ast.walk(tree)):
        raise UnsupportedArgument("no values are made for addresses")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            first, name = node.args[0], node.func.attr.removeprefix("tile_")
            if isinstance(first, ast.Name) and first.id in names:
                for prefix, family in _PREFIXES.items():
                    if name.startswith(f"{prefix}_"):
                        found[first.id] = family
    unknown = [name for name in names if name not in found]
    if unknown and any(
        isinstance(node, ast.Attribute) and node.attr.startswith(tuple(f"{p}_" for p in _PREFIXES))
        for node in ast.walk(tree)
    ):
        found.update(dict.fromkeys(unknown, ""))
    return found


def _takes_address(node: ast.AST) -> bool:
    """Say whether a node is ``wp.array(ptr=...)``, which a kernel may call."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "array"
        and any(word.arg == "ptr" for word in node.keywords)
    )


def fill_handles(memory: Memory, wanted: Mapping[str, str], rng: np.random.Generator, size: int) -> None:
    """Give the arguments that are handles objects of their families.

    Args:
        size: how many points, boxes and so on an object is of where that can be chosen.

    Raises:
        UnsupportedArgument: it is not known what a handle is of.
    """
    for leaf in memory.leaves:
        if leaf.name in wanted:
            leaf.values[...] = _make(wanted[leaf.name], rng, size)


def _mesh(size: int) -> Any:
    """Return a mesh of cubes in a row, the first one around the origin; it has at least ``size`` points and faces."""
    cube = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32) * 1.3
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = np.array([i for a, b, c, d in sides for i in (a, b, c, a, c, d)], np.int32)
    cubes = range(-(-size // len(cube)))
    corners = np.concatenate([cube + np.array([4.0 * n, 0.0, 0.0], np.float32) for n in cubes])
    return wp.Mesh(
        wp.array(corners, dtype=wp.vec3, device="cpu"),
        wp.array(np.concatenate([faces + len(cube) * n for n in cubes]), dtype=wp.int32, device="cpu"),
        velocities=wp.array(corners * 0.1, dtype=wp.vec3, device="cpu"),
        support_winding_number=True,
    )


def _make(family: str, rng: np.random.Generator, size: int) -> int:
    points = rng.uniform(-2.0, 2.0, (size, 3)).astype(np.float32)
    made: Any
    if family == "mesh":
        made = _mesh(size)
    elif family == "bvh":
        lower, upper = points - 0.3, points + 0.3
        made = wp.Bvh(wp.array(lower, dtype=wp.vec3, device="cpu"), wp.array(upper, dtype=wp.vec3, device="cpu"))
    elif family == "hash_grid":
        made = wp.HashGrid(8, 8, 8, device="cpu")
        made.build(wp.array(points, dtype=wp.vec3, device="cpu"), 0.5)
    elif family == "volume":
        made = wp.Volume.load_from_numpy(rng.uniform(-1.0, 1.0, (8, 8, 8)).astype(np.float32), device="cpu")
    else:
        raise UnsupportedArgument(f"no object is made for a handle of {family or 'an unknown kind'}")
    _alive.append(made)
    return int(made.id)
