"""The whole block as a group, and tiles that report to it."""

from __future__ import annotations

from ...author import Author
from ...native import BLOCK, MAX, MIN, SUM, Cpp, Fold, ctype, literal, native, pre
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index, real
from .groups import Group, block_group, reduce, warp_tile


def block_reduce(k: Author) -> None:
    """The block folds its values through shared memory, with the barrier of its group."""
    c = k.c
    T = c.weighted({FLOAT: 4, real(k): 1, INT: 1})
    fold, change = c.weighted({SUM: 3, MAX: 1, MIN: 1}), pre(c, T)
    k.name("block_group_sum|cta_reduce|whole_block_fold|group_block|cg_block_reduce")
    value, forward, adjoint = change.of("{x}"), Cpp(c), Cpp(c)
    with forward.device([f"return {value};"]):
        _fold(forward, T, fold, value, "acc")
        forward("return acc;")
    slope = change.slope_of("{x}")
    with adjoint.device([f"adj_{{x}} += adj_ret * {slope};"]):
        block = _fold(adjoint, T, SUM, "adj_ret", "whole")
        if fold is not SUM:
            adjoint(
                f"const {ctype(T)} own = {value};", f"room[{block.name}.thread_rank()] = own;", f"{block.name}.sync();"
            )
            adjoint(f"{ctype(T)} best = own;")
            with adjoint.block(f"for (int n = 0; n < {block.name}.size(); ++n)"):
                adjoint(fold.into(c, "best", "room[n]"))
        adjoint(f"adj_{{x}} += {fold.share(c, 'own', 'best', 'whole', T)} * {slope};")
    call = native(k, "fold_block|block_value|cta_total", {"x|v|mine": T}, T, forward, adjoint if T.is_float else None)
    i = index(k)
    own = element(k, "v|own|mine0|part", T, i, 1, 3)
    finish(k, k.let("total|whole0|block_sum", call(own)), i, own=own)
    k.summary(f"Gives every thread the {fold.name} of the {T.name} values of its block, as a group with a barrier.")


def _fold(cpp: Cpp, T: Scalar, fold: Fold, value: str, name: str) -> Group:
    """Fold ``value`` over the block into ``name``."""
    c = cpp.c
    block = block_group(cpp)
    cpp(f"__shared__ {ctype(T)} room[{BLOCK}];", f"const int rank = {block.name}.thread_rank();")
    cpp(f"room[rank] = {value};", f"{block.name}.sync();")
    half = f"{block.name}.size() / 2" if c.chance(1, 2) else str(BLOCK // 2)
    way = c.below(3)
    if way == 0:
        with cpp.block(f"for (int s = {half}; s > 0; s {c.pick(('>>= 1', '/= 2'))})"):
            cpp(f"if (rank < s) {{ {fold.into(c, 'room[rank]', 'room[rank + s]')} }}", f"{block.name}.sync();")
    elif way == 1:
        with cpp.block(f"for (int s = 1; s < {block.name}.size(); s {c.pick(('<<= 1', '*= 2'))})"):
            cpp(
                f"if (rank % (2 * s) == 0) {{ {fold.into(c, 'room[rank]', 'room[rank + s]')} }}",
                f"{block.name}.sync();",
            )
    else:
        with cpp.block("if (rank == 0)"), cpp.block(f"for (int n = 1; n < {block.name}.size(); ++n)"):
            cpp(fold.into(c, "room[0]", "room[n]"))
        cpp(f"{block.name}.sync();")
    cpp(f"const {ctype(T)} {name} = room[0];", f"{block.name}.sync();")
    return block


def tile_hierarchy(k: Author) -> None:
    """Tiles fold by shuffles, their first threads leave the parts in shared memory, and the block joins those."""
    c = k.c
    T = c.weighted({FLOAT: 4, real(k): 1})
    size, fold, change = c.pick((32, 16, 8)), c.weighted({SUM: 3, MAX: 1}), pre(c, T)
    k.name("two_level_reduce|tile_then_block|hierarchy_sum|meta_group_reduce|nested_groups")
    value, forward, adjoint = change.of("{x}"), Cpp(c), Cpp(c)
    with forward.device([f"return {value};"]):
        _two_levels(forward, T, size, fold, value)
        forward("return acc;")
    slope = change.slope_of("{x}")
    with adjoint.device([f"adj_{{x}} += adj_ret * {slope};"]):
        _two_levels(adjoint, T, size, SUM, "adj_ret")
        adjoint(f"adj_{{x}} += acc * {slope};")
    call = native(
        k, "fold_levels|hierarchical|joined_total", {"x|v|mine": T}, T, forward, adjoint if fold is SUM else None
    )
    i = index(k)
    own = element(k, "v|own|mine0|part", T, i, 1, 3)
    finish(k, k.let("total|whole0|joined", call(own)), i, own=own)
    k.summary(f"Takes the {fold.name} of {T.name} values in tiles of {size} threads and then over the block.")


def _two_levels(cpp: Cpp, T: Scalar, size: int, fold: Fold, value: str) -> None:
    c = cpp.c
    block = block_group(cpp)
    tile = warp_tile(cpp, T, size, ("thread_rank", "size", "shfl_down"))
    parts = BLOCK // size
    cpp(f"__shared__ {ctype(T)} room[{parts}];", f"{ctype(T)} part = {value};")
    reduce(cpp, tile, fold, T, "part", everywhere=False)
    which = c.pick((f"{block.name}.thread_rank() / {size}", f"{block.name}.thread_rank() / {tile.name}.size()"))
    cpp(f"if ({tile.name}.thread_rank() == 0) room[{which}] = part;", f"{block.name}.sync();")
    if fold is SUM:
        cpp(f"{ctype(T)} acc = {literal(0, T)};")
        first = 0
    else:
        cpp(f"{ctype(T)} acc = room[0];")
        first = 1
    with cpp.block(
        c.pick((f"for (int n = {first}; n < {parts}; ++n)", f"for (int n = {parts - 1}; n >= {first}; --n)"))
    ):
        cpp(fold.into(c, "acc", "room[n]"))
    cpp(f"{block.name}.sync();")
