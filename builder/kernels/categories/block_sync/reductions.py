"""Totals, extremes, statistics and votes of a block."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...native import BLOCK, MAX, MIN, SUM, Cpp, Fold, Pre, block_fold, ctype, literal, native, pre, shared, thread
from ...terms import number, where
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index, real


def block_total(k: Author) -> None:
    """Sum or extreme of the values of a block, in shared memory, in one of the classic trees."""
    c = k.c
    T = c.weighted({FLOAT: 4, real(k): 1, INT: 1})
    fold, change = c.weighted({SUM: 3, MAX: 1, MIN: 1}), pre(c, T)
    k.name("block_reduce|block_sum|tree_reduction|block_max_kernel|reduce_block")
    forward, adjoint = _total(k, T, fold, change), _total_adjoint(k, T, fold, change) if T.is_float else None
    call = native(k, "block_reduce_fn|block_fold|tree_sum|reduce_all", {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 1, 3)
    finish(k, k.let("total|whole|block_value", call(value)), i, own=value)
    k.summary(f"Gives every thread the {fold.name} of the {T.name} values of its block of {BLOCK}.")


def _total(k: Author, T: Scalar, fold: Fold, change: Pre) -> Cpp:
    cpp, value = Cpp(k.c), change.of("{x}")
    with cpp.device([f"return {value};"]):
        room = cpp.word("buf|cache|partial|sums")
        shared(cpp, T, room)
        thread(cpp)
        name = cpp.word("acc|value|own")
        cpp(f"{ctype(T)} {name} = {value};")
        block_fold(cpp, fold, T, name, room)
        cpp(f"return {name};")
    return cpp


def _total_adjoint(k: Author, T: Scalar, fold: Fold, change: Pre) -> Cpp:
    cpp, value, slope = Cpp(k.c), change.of("{x}"), change.slope_of("{x}")
    with cpp.device([f"adj_{{x}} += adj_ret * {slope};"]):
        shared(cpp, T, "room")
        thread(cpp)
        cpp(f"{ctype(T)} whole = adj_ret;")
        block_fold(cpp, SUM, T, "whole", "room")
        if fold is not SUM:
            cpp(f"const {ctype(T)} given = {value};", f"{ctype(T)} best = given;")
            block_fold(cpp, fold, T, "best", "room")
        cpp(f"adj_{{x}} += {fold.share(k.c, 'given', 'best', 'whole', T)} * {slope};")
    return cpp


def block_statistics(k: Author) -> None:
    """A value less its block's mean, or scaled by its block's norm or range."""
    c, T = k.c, real(k)
    k.name("center_block|block_normalize|block_standardize|scale_by_norm|relative_to_block")
    way = c.below(3)
    forward, adjoint = Cpp(c), Cpp(c)
    share, small = literal(1 / BLOCK, T), literal(c.between(1, 9) / 100, T)
    with forward.device(
        [("return {x} - {x};", f"return {{x}} / wp::sqrt({{x}} * {{x}} + {small});", "return {x};")[way]]
    ):
        room = forward.word("buf|cache|partial")
        shared(forward, T, room)
        thread(forward)
        if way == 0:
            forward(f"{ctype(T)} mean = {{x}};")
            block_fold(forward, SUM, T, "mean", room)
            forward(f"return {{x}} - mean * {share};")
        elif way == 1:
            forward(f"{ctype(T)} power = {{x}} * {{x}};")
            block_fold(forward, SUM, T, "power", room)
            forward(f"return {{x}} / wp::sqrt(power + {small});")
        else:
            forward(f"{ctype(T)} low = {{x}};", f"{ctype(T)} high = {{x}};")
            block_fold(forward, MIN, T, "low", room)
            block_fold(forward, MAX, T, "high", room)
            forward("return high > low ? ({x} - low) / (high - low) : {x};")
    if way == 0:
        with adjoint.device([]):
            shared(adjoint, T, "room")
            thread(adjoint)
            adjoint(f"{ctype(T)} mean = adj_ret;")
            block_fold(adjoint, SUM, T, "mean", "room")
            adjoint(f"adj_{{x}} += adj_ret - mean * {share};")
    call = native(k, "relative|standing|in_block", {"x|v|mine": T}, T, forward, adjoint if way == 0 else None)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 1, 3)
    finish(k, k.let("rel|unit|place", call(value)), i, own=value)
    what = ("less its block's mean", "over its block's norm", "as its place between its block's extremes")[way]
    k.summary(f"Gives each {T.name} value {what}.")


def block_vote(k: Author) -> None:
    """Barriers that count: how many threads pass, whether all do, whether any does."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 1})
    k.name("count_block|block_any|block_all|barrier_vote|block_consensus")
    cpp, way, sign = Cpp(c), c.below(3), c.pick((">", "<", ">=", "<="))
    test = f"{{x}} {sign} {{limit}}"
    with cpp.device([f"return ({test}) ? 1 : 0;"]):
        if c.chance(1, 2):
            cpp(f"const int passes = ({test}) ? 1 : 0;")
            test = "passes"
        calls = ("__syncthreads_count", "__syncthreads_and", "__syncthreads_or")
        result = f"{calls[way]}({test})"
        if way and c.chance(1, 2):
            result += " != 0 ? 1 : 0"
        if c.chance(1, 2):
            cpp(f"const int votes = {result};", "return votes;")
        else:
            cpp(f"return {result};")
    call = native(k, "block_votes|ask_block|poll_block", {"x|v|value": T, "limit|bound|level": T}, INT, cpp)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 2, 3)
    votes = k.let(
        "votes|count|verdict", call(value, coefficient(k, T) if T.is_float else number(c.between(2, 50), INT))
    )
    if c.chance(1, 2):
        finish(k, votes, i)
    else:
        finish(k, where(votes > c.below(9), value, number(0, T)), i, own=value, low=2)
    asks = ("how many threads pass", "whether all threads pass", "whether any thread passes")[way]
    k.summary(f"Asks at a barrier {asks} a test of their {T.name} values.")
