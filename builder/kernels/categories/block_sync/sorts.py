"""Sorting a block's values, and counting what is smaller."""

from __future__ import annotations

from ...author import Author
from ...native import BLOCK, Cpp, ctype, native, shared, thread
from ...terms import cast
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index


def block_sort(k: Author) -> None:
    """Bitonic or odd-even sorting of a block in shared memory; each thread gets the value of its place."""
    c = k.c
    T = c.weighted({FLOAT: 2, INT: 1})
    k.name("block_sort|bitonic_block|odd_even_sort|sort_in_block|order_block")
    cpp = Cpp(c)
    descending, bitonic = c.chance(1, 2), c.chance(2, 3)
    with cpp.device(["return {x};"]):
        room = cpp.word("buf|keys|cells")
        shared(cpp, T, room)
        thread(cpp)
        cpp(f"{room}[t] = {{x}};", "__syncthreads();")
        (_bitonic if bitonic else _odd_even)(cpp, T, room, descending)
        place = f"{room}[t]" if c.chance(1, 2) else f"{room}[{BLOCK - 1} - t]"
        cpp(f"const {ctype(T)} sorted = {place};", "__syncthreads();", "return sorted;")
    call = native(k, "sorted_in_block|sort_block_fn|value_at_rank", {"x|v|key": T}, T, cpp)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 1, 3)
    finish(k, k.let("sorted_value|ranked|ordered", call(value)), i, own=value)
    k.summary(
        f"Sorts the {T.name} values of each block of {BLOCK} {'bitonically' if bitonic else 'by odd-even turns'}."
    )


def _exchange(cpp: Cpp, T: Scalar, room: str, a: str, b: str, test: str) -> None:
    with cpp.block(f"if ({test})"):
        if cpp.c.chance(1, 2):
            cpp(f"const {ctype(T)} kept = {room}[{a}];", f"{room}[{a}] = {room}[{b}];", f"{room}[{b}] = kept;")
        else:
            cpp(
                f"const {ctype(T)} low = {room}[{a}], high = {room}[{b}];",
                f"{room}[{a}] = high;",
                f"{room}[{b}] = low;",
            )


def _bitonic(cpp: Cpp, T: Scalar, room: str, descending: bool) -> None:
    c = cpp.c
    sign = "<" if descending else ">"
    with (
        cpp.block(
            c.pick(
                (f"for (int size = 2; size <= {BLOCK}; size <<= 1)", f"for (int size = 2; size <= {BLOCK}; size *= 2)")
            )
        ),
        cpp.block(c.pick(("for (int d = size / 2; d > 0; d /= 2)", "for (int d = size >> 1; d > 0; d >>= 1)"))),
    ):
        cpp("const int mate = t ^ d;")
        up = c.pick(("(t & size) == 0", "!(t & size)"))
        if c.chance(1, 2):
            cpp(f"const bool rising = {up};")
            up = "rising"
        with cpp.block("if (mate > t)"):
            _exchange(cpp, T, room, "t", "mate", f"({room}[t] {sign} {room}[mate]) == ({up})")
        cpp("__syncthreads();")


def _odd_even(cpp: Cpp, T: Scalar, room: str, descending: bool) -> None:
    sign = "<" if descending else ">"
    with cpp.block(f"for (int turn = 0; turn < {BLOCK}; ++turn)"):
        parity = cpp.c.pick(("(t & 1) == (turn & 1)", "t % 2 == turn % 2", "((t + turn) & 1) == 0"))
        with cpp.block(f"if ({parity} && t + 1 < {BLOCK})"):
            _exchange(cpp, T, room, "t", "t + 1", f"{room}[t] {sign} {room}[t + 1]")
        cpp("__syncthreads();")


def rank_count(k: Author) -> None:
    """The rank of each value among its block's: every thread counts the smaller ones."""
    c = k.c
    T = c.weighted({FLOAT: 2, INT: 1})
    k.name("rank_in_block|count_smaller|order_statistic|percentile_rank|median_block")
    cpp = Cpp(c)
    median = T is FLOAT and c.chance(1, 3)
    with cpp.device(["return {x};" if median else "return 0;"]):
        room = cpp.word("buf|values|cells")
        shared(cpp, T, room)
        thread(cpp)
        cpp(f"{room}[t] = {{x}};", "__syncthreads();", "int rank = 0;")
        with cpp.block(f"for (int n = 0; n < {BLOCK}; ++n)"):
            cpp(f"const {ctype(T)} other = {room}[n];")
            test = c.pick(("other < {x} || (other == {x} && n < t)", "other <= {x} && (other != {x} || n < t)"))
            cpp(c.pick((f"if ({test}) ++rank;", f"rank += ({test}) ? 1 : 0;", f"if ({test}) rank += 1;")))
        cpp("__syncthreads();")
        if median:
            at = c.between(1, 7) * BLOCK // 8
            cpp(f"if (rank == {at}) {room}[0] = {{x}};", "__syncthreads();")
            cpp(f"const {ctype(T)} middle = {room}[0];", "__syncthreads();", "return middle;")
        else:
            cpp("return rank;")
    call = native(k, "rank_fn|place_in_block|smaller_than_me", {"x|v|key": T}, T if median else INT, cpp)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 2, 3)
    rank = k.let("rank0|place|order", call(value))
    if not median and T is FLOAT and c.chance(1, 2):
        finish(k, k.let("share|quantile|pct", cast(rank, FLOAT) * (1.0 / BLOCK)), i, own=value)
    else:
        finish(k, rank, i, own=value, low=2)
    k.summary(f"Finds {'one quantile' if median else 'each rank'} among the {T.name} values of a block of {BLOCK}.")
