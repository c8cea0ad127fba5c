"""The tables of what is done with tiles: what makes one, and what changes something."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...codegen.typed import Called

if TYPE_CHECKING:
    from .printing import Tiles
    from .values import Tile

Maker = Callable[["Tiles", ast.expr, Called], "Tile"]
Doer = Callable[["Tiles", ast.Call, Called], None]
# By the name of a builtin, or of a kind of node.
MAKERS: dict[str, Maker] = {}
DOERS: dict[str, Doer] = {}
# Those whose result is a variable of its own, which may have the name that it is assigned to.
NAMES_ITSELF = frozenset(
    [
        *("tile", "tile_sum", "tile_min", "tile_max", "tile_reduce", "tile_dot", "tile_argmin", "tile_argmax"),
        *("tile_matmul", "tile_cholesky", "tile_cholesky_solve", "tile_lower_solve", "tile_upper_solve"),
        *("tile_scan_inclusive", "tile_scan_max_inclusive", "tile_scan_min_inclusive", "tile_from_thread"),
        *("tile_randf", "tile_randi"),
    ]
)


def makes(*names: str) -> Callable[[Maker], Maker]:
    """Register what makes a tile of a call."""

    def register(maker: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(names, maker))
        return maker

    return register


def does(*names: str) -> Callable[[Doer], Doer]:
    """Register what a call that is a statement does."""

    def register(doer: Doer) -> Doer:
        DOERS.update(dict.fromkeys(names, doer))
        return doer

    return register
