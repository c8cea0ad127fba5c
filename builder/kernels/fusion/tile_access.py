"""What kernels on tiles have in common: sizes, loads and stores in their forms, functions that map and fold."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ..author import Arr, Author, Scope, Tiled
from ..ops.tiles import known
from ..program import Name
from ..terms import Like, Term, builtin, number, quoted, where, wp
from ..types import DOUBLE, FLOAT, HALF, INT, Scalar, Tile
from .steps import varied

_FUNCTIONS = "act|shape_fn|transfer|phi|response|adjust|map_fn|kernel_fn|curve|activation|squash|bend"
_TILES = "t|u|v|w|r|s|p|q|z|m"


def real(k: Author) -> Scalar:
    """Return a float type for tiles: float32 mostly."""
    return k.c.weighted({FLOAT: 7, DOUBLE: 2, HALF: 1})


def extent(k: Author, words: str, lengths: tuple[int, ...]) -> Term:
    """Return a length: a constant of the module, or a literal."""
    value = k.c.pick(lengths)
    return k.constant(words, value) if k.c.chance(2, 3) else number(value, INT)


def derived(k: Author, whole: Term, words: str = "WHOLE|TOTAL|SPAN|WIDE") -> Term:
    """Return a length worked out of others, as Warp asks for one: a number, a constant, or ``wp.static(...)``."""
    value, way = size_of(whole), k.c.below(3)
    if way == 0:
        return number(value, INT)
    return k.constant(words, value) if way == 1 else k.static(whole)


def _place(k: Author, given: tuple[Like, ...]) -> Like:
    """Return a shape or an offset; one alone may stand without its tuple."""
    return given[0] if len(given) == 1 and k.c.chance(1, 2) else given


def loaded(
    k: Author,
    array: Arr,
    shape: tuple[Like, ...],
    offset: tuple[Like, ...],
    words: str = "t|tile|x_tile|block_data",
    *,
    inside: bool = False,
    register: bool = False,
) -> Tiled:
    """Load a tile into a local; ``inside`` says that it lies in the array, so that no bounds need a check.

    ``register`` keeps it out of shared memory.
    """
    # A lone number and a tuple may not be mixed.
    bare = len(shape) == 1 and k.c.chance(1, 2)
    keywords: dict[str, Like] = {"shape": shape[0] if bare else shape, "offset": offset[0] if bare else offset}
    if k.c.chance(1, 4):
        keywords["storage"] = quoted("register" if register else k.c.pick(("shared", "register")))
    if inside and k.c.chance(1, 3):
        keywords["bounds_check"] = False
    return k.let(words, wp.tile_load(array, **keywords))  # type: ignore[no-any-return]


def stored(k: Author, array: Arr, tile: Term, offset: tuple[Like, ...]) -> None:
    """Store a tile, or add it atomically to what is there."""
    call = wp.tile_store if k.c.chance(5, 6) or not _adds(tile) else wp.tile_atomic_add
    k.do(call(array, tile, offset=_place(k, offset)), array)


def _adds(tile: Term) -> bool:
    return isinstance(tile.type, Tile) and tile.type.dtype in (FLOAT, DOUBLE, INT)


def single(k: Author, tile: Term, words: str = "s|total|acc|value|res") -> Term:
    """Return the one element of a tile, in one of the ways to read it."""
    named = named_tile(k, tile, words)
    return named[0] if k.c.chance(1, 2) else wp.tile_extract(named, number(0, INT))


def give_single(k: Author, out: Arr, tile: Term, place: Term) -> None:
    """Store a tile of one element, as a tile or as a number."""
    if k.c.chance(1, 2):
        stored(k, out, tile, (place,))
    else:
        out[place] = varied(k, single(k, tile), 0, 1)


def function(k: Scope, T: Scalar, params: int = 1, low: int = 1, high: int = 3) -> Term:
    """Add a function of ``params`` numbers that gives one; return it as an argument."""
    words = ("x|v|a", "y|b|w", "z|c|q", "r|d|p")[:params]

    def body(s: Scope, *given: Term) -> Any:
        value = given[0]
        for other in given[1:]:
            value = s.c.pick(_JOINS)(value, other)
        return varied(s, value, low, high)

    return k.function(_FUNCTIONS, dict.fromkeys(words, T), body).word


Join = Callable[[Term, Term], Term]
_JOINS: tuple[Join, ...] = (
    lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, lambda x, y: wp.max(x, y), lambda x, y: wp.min(x, y),
    lambda x, y: x / (wp.abs(y) + 1.0), lambda x, y: x * x + y * y, lambda x, y: x - y * 0.5,
)  # fmt: skip


_COMBINERS: tuple[Join, ...] = (
    lambda x, y: x + y, wp.max, wp.min, lambda x, y: where(wp.abs(x) > wp.abs(y), x, y),
    lambda x, y: wp.sqrt(x * x + y * y), lambda x, y: wp.max(wp.abs(x), wp.abs(y)),
    lambda x, y: wp.max(x, y) + wp.log(1.0 + wp.exp(-wp.abs(x - y))), lambda x, y: where(x * x < y * y, x, y),
)  # fmt: skip


def combiner(k: Author, T: Scalar) -> Term:
    """Return a function that a reduction folds with: a builtin, or an own one that is associative and commutative."""
    if k.c.chance(1, 3):
        return builtin(k.c.pick(("max", "min")), T, T)
    way = k.c.pick(_COMBINERS)
    return k.function(
        "combine|merge|join|fold|pick_one", {"a|x|left": T, "b|y|right": T}, lambda s, a, b: way(a, b)
    ).word


def reduced(k: Author, tile: Term, axis: int | None = None) -> Term:
    """Return a tile reduced to one element, or along an axis."""
    T, c = tile.type.dtype, k.c  # type: ignore[union-attr]
    assert isinstance(T, Scalar)
    way = c.weighted({"sum": 3, "mean": 2, "fold": 3, "extreme": 1 if axis is None else 0, "dot": 1})
    keywords = {} if axis is None else {"axis": axis}
    if way == "extreme":
        return c.pick((wp.tile_max, wp.tile_min))(tile)
    if way == "fold":
        return wp.tile_reduce(combiner(k, T), tile, **keywords)
    if way == "dot":
        named = named_tile(k, tile)
        return wp.tile_dot(named, named) if axis is None else wp.tile_sum(named * named, axis=axis)
    total = wp.tile_sum(tile, **keywords)
    if way == "sum":
        return total
    shape = tile.type.shape  # type: ignore[union-attr]
    count = prod(shape) if axis is None else shape[axis]
    return total * number(1.0 / count, T) if c.chance(1, 2) else total / number(float(count), T)


def named_tile(k: Scope, tile: Term, words: str = _TILES) -> Tiled:
    if isinstance(tile, Tiled):
        return tile
    return Tiled(k, tile.e.name, tile.type) if _is_name(tile) else k.let(words, tile)  # type: ignore


def _is_name(tile: Term) -> bool:
    return isinstance(tile.e, Name)


def others(k: Scope, tile: Term) -> list[Term]:
    """Return the tiles of the same type in scope."""
    own = tile.e.name if isinstance(tile.e, Name) else ""
    return [Term(Name(local.name, local.type)) for local in k.draft.of_type(tile.type) if local.name != own]


def size_of(length: Like) -> int:
    """Return a length as a number."""
    return known(length.e) if isinstance(length, Term) else int(length)
