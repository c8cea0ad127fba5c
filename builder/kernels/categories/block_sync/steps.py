"""Barriers between phases: a value handed over by one thread, neighbours that read what others wrote."""

from __future__ import annotations

from math import prod

from ...author import Author
from ...choices import Choices
from ...native import BLOCK, Cpp, ctype, literal, native, pre, shared, thread
from ...terms import Term
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index, real


def handover(k: Author) -> None:
    """One thread of the block (or of each part of it) leaves a value in shared memory, which all read."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 1})
    k.name("broadcast_block|leader_value|pivot_block|share_first|elect_leader")
    parts, change = c.pick((1, 1, 2, 4, 8)), pre(c, T)
    size, who = BLOCK // parts, c.below(32)
    forward, adjoint = Cpp(c), Cpp(c)
    value = change.of("{x}")
    place, lead = f"t / {size}", f"t % {size} == {who}"
    with forward.device([f"return {value};"]):
        _room(forward, T, "slot", parts)
        at = "slot" if parts == 1 else f"slot[{place}]"
        forward(f"if ({lead}) {at} = {value};", "__syncthreads();", f"const {ctype(T)} given = {at};")
        forward("__syncthreads();", "return given;")
    with adjoint.device([f"adj_{{x}} += adj_ret * {change.slope_of('{x}')};"]):
        _room(adjoint, T, "sums", parts)
        at = "sums" if parts == 1 else f"sums[{place}]"
        adjoint(f"if ({lead}) {at} = {literal(0, T)};", "__syncthreads();", f"atomicAdd(&{at}, adj_ret);")
        adjoint("__syncthreads();", f"if ({lead}) adj_{{x}} += {at} * {change.slope_of('{x}')};", "__syncthreads();")
    call = native(k, "from_leader|shared_value|leader_fn", {"x|v|mine": T}, T, forward, adjoint if T.is_float else None)
    i = index(k)
    value_in = element(k, "v|part|mine0|own", T, i, 2, 3)
    finish(k, k.let("lead|pivot|common", call(value_in)), i, own=value_in)
    k.summary(f"Hands a {T.name} value of one thread to all of its block{f' part of {size}' * (parts > 1)}.")


def _room(cpp: Cpp, T: Scalar, name: str, parts: int) -> None:
    cpp(f"__shared__ {ctype(T)} {name}{f'[{parts}]' if parts > 1 else ''};")
    thread(cpp)


def phases(k: Author) -> None:
    """Several phases with a barrier after each: shifts, reversals, strides, one after another, with what they add."""
    c, T = k.c, real(k)
    k.name("exchange_phases|shift_block|reverse_block|stride_permute|block_permutation")
    forward, adjoint = Cpp(c), Cpp(c)
    moves = [_move(c) for _ in range(c.between(1, 3))]
    factors = [c.between(1, 7) / 8 for _ in moves]
    alone = prod(1.0 + factor for factor in factors)
    with forward.device([f"return {{x}} * {literal(alone, T)};"]):
        _phases(forward, T, "{x}", [move for move, _ in moves], factors)
        forward("return acc;")
    with adjoint.device([f"adj_{{x}} += adj_ret * {literal(alone, T)};"]):
        _phases(adjoint, T, "adj_ret", [back for _, back in moves[::-1]], factors[::-1])
        adjoint("adj_{x} += acc;")
    call = native(k, "exchange_fn|mix_phases|permute_block", {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|part|mine0|own", T, i, 1, 3)
    finish(k, _twice(k, call(value)), i, own=value)
    k.summary(f"Adds {T.name} values of other threads of the block in {len(moves)} phases.")


def _twice(k: Author, value: Term) -> Term:
    return k.let("moved|mixed|met", value)  # type: ignore[no-any-return]


def _move(c: Choices) -> tuple[str, str]:
    """Return a permutation of the block's threads and its inverse, as C++ of ``t``."""
    way, by = c.below(4), c.between(1, BLOCK - 1)
    if way == 0:
        return f"(t + {by}) % {BLOCK}", f"(t + {BLOCK - by}) % {BLOCK}"
    if way == 1:
        return f"{BLOCK - 1} - t", f"{BLOCK - 1} - t"
    if way == 2:
        flip = str(1 << c.below(8))
        return f"t ^ {flip}", f"t ^ {flip}"
    odd = 2 * c.between(1, 60) + 1
    return f"(t * {odd}) & {BLOCK - 1}", f"(t * {pow(odd, -1, BLOCK)}) & {BLOCK - 1}"


def _phases(cpp: Cpp, T: Scalar, value: str, moves: list[str], factors: list[float]) -> None:
    room = cpp.word("buf|board|cells")
    shared(cpp, T, room)
    thread(cpp)
    cpp(f"{ctype(T)} acc = {value};")
    named = cpp.c.chance(1, 2)
    if named:
        cpp(f"{ctype(T)} theirs;")
    for move, factor in zip(moves, factors, strict=True):
        cpp(f"{room}[t] = acc;", "__syncthreads();")
        taken = f"{room}[{move}]"
        if named:
            cpp(f"theirs = {taken};")
            taken = "theirs"
        cpp(f"acc += {literal(factor, T)} * {taken};", "__syncthreads();")
