"""Counters and sums kept by each block for itself, and added to the whole at the end."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...native import BLOCK, SUM, Cpp, block_fold, ctype, literal, native, pre, shared, thread
from ...terms import cast, number, where, wp
from ...types import FLOAT, INT, Array, Value
from ..around import element, finish, index, real


def private_histogram(k: Author) -> None:
    """A histogram in shared memory for each block; its bins are added to the global one."""
    c = k.c
    T = c.weighted({INT: 2, FLOAT: 1})
    k.name("histogram_shared|block_histogram|private_bins|count_codes|shared_bins")
    bins = c.pick((16, 32, 64, 128, 256))
    cpp = Cpp(c)
    with cpp.device(["if ({slot} >= 0) wp::atomic_add({out}, {slot}, {amount});"]):
        room = cpp.word("local|bins|mine")
        cpp(f"__shared__ {ctype(T)} {room}[{bins}];")
        thread(cpp)
        _each(cpp, bins, f"{room}[{{}}] = {literal(0, T)};")
        cpp("__syncthreads();")
        cpp(c.pick((f"if ({{slot}} >= 0) atomicAdd(&{room}[{{slot}}], {{amount}});",
                    f"if ({{slot}} >= 0 && {{slot}} < {bins}) atomicAdd({room} + {{slot}}, {{amount}});")))  # fmt: skip
        cpp("__syncthreads();")
        skip = f"if ({room}[{{}}] != {literal(0, T)}) " if c.chance(1, 2) else ""
        _each(cpp, bins, f"{skip}wp::atomic_add({{out}}, {{}}, {room}[{{}}]);")
        if c.chance(1, 2):
            cpp("__syncthreads();")
    params: dict[str, Value] = {"out|hist|counts": Array(T, 1), "slot|bin|at": INT, "amount|count|w": T}
    call = native(k, "add_to_bins|count_in_block|bin_up", params, None, cpp)
    i = index(k)
    x = k.input("x|values|samples", FLOAT)
    value = k.let("v|val|sample", varied(k, x[wp.min(i, x.shape(0) - 1)], 1, 3))
    scaled = wp.clamp(wp.abs(value) * coefficient(k, FLOAT, 100, 900), 0.0, 1.0e6)
    found = k.let("cell|place|found", wp.min(cast(scaled, INT), bins - 1))
    slot = k.let("slot0|bin0|target", where(i < x.shape(0), found, -1))
    hist = k.output("hist|bins_out|counts", T)
    k.do(call(hist, slot, number(1, INT) if T is INT else varied(k, value, 0, 2)), hist)
    k.summary(f"Counts values into {bins} bins{' by weight' * (T is FLOAT)}, for each block in shared memory first.")


def _each(cpp: Cpp, count: int, statement: str) -> None:
    """Write a statement for each of ``count`` places, shared among the threads."""
    way = cpp.c.below(3)
    if way == 0:
        cpp(f"if (t < {count}) {{ {statement.replace('{}', 't')} }}")
    elif way == 1:
        step = cpp.c.pick((str(BLOCK), "blockDim.x"))
        cpp(f"for (int n = t; n < {count}; n += {step}) {statement.replace('{}', 'n')}")
    else:
        with cpp.block(f"for (int n = t; n < {count}; n += {BLOCK})"):
            cpp(statement.replace("{}", "n"))


def private_sums(k: Author) -> None:
    """The sum of a block is folded in shared memory; its first thread adds it to the total and keeps it."""
    c, T = k.c, real(k)
    k.name("grid_sum|block_partials|sum_all|loss_sum|accumulate_blocks")
    change = pre(c, T)
    forward, adjoint = Cpp(c), Cpp(c)
    value = change.of("{x}")
    with forward.device([f"wp::atomic_add({{out}}, 0, {value});", f"return {value};"]):
        room = forward.word("buf|cache|partial")
        shared(forward, T, room)
        thread(forward)
        forward(f"{ctype(T)} acc = {value};")
        block_fold(forward, SUM, T, "acc", room)
        forward(
            c.pick(
                (
                    "if (t == 0) wp::atomic_add({out}, 0, acc);",
                    f"if (t == {BLOCK - 1}) wp::atomic_add({{out}}, 0, acc);",
                )
            )
        )
        forward("return acc;")
    slope = change.slope_of("{x}")
    with adjoint.device([f"adj_{{x}} += (adj_ret + adj_{{out}}[0]) * {slope};"]):
        shared(adjoint, T, "room")
        thread(adjoint)
        adjoint(f"{ctype(T)} whole = adj_ret;")
        block_fold(adjoint, SUM, T, "whole", "room")
        adjoint(f"adj_{{x}} += (whole + adj_{{out}}[0]) * {slope};")
    params: dict[str, Value] = {"x|v|mine": T, "out|total|sums": Array(T, 1)}
    call = native(k, "add_block|sum_into|block_add", params, T, forward, adjoint)
    i = index(k)
    own = element(k, "v|part|mine0|own", T, i, 1, 3)
    total = k.output("loss|total|energy", T)
    made = k.let("block_sum|partial|mine_sum", call(own, total))
    finish(k, made, i, own=own)
    k.summary(f"Adds up {T.name} values, by blocks in shared memory and then in one number.")
