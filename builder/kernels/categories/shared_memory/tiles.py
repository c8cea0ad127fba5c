"""Two-dimensional tiles in shared memory: transposes, products, all pairs of two sets."""

from __future__ import annotations

from ...author import Author
from ...fusion.steps import varied
from ...native import BLOCK, Cpp, ctype, literal, native, thread
from ...terms import wp
from ...types import INT, Array, Scalar, Value
from ..around import element, finish, index, real


def transposed(k: Author) -> None:
    """Each block turns a tile of its values: rows become columns, in a padded array without bank conflicts."""
    c, T = k.c, real(k)
    k.name("transpose_shared|turn_tile|shared_transpose|swap_rows_cols|corner_turn")
    rows = c.pick((16, 8, 32, 4))
    cols = BLOCK // rows
    forward, adjoint = Cpp(c), Cpp(c)
    for cpp, value, (height, width) in ((forward, "{x}", (rows, cols)), (adjoint, "adj_ret", (cols, rows))):
        with cpp.device(["return {x};" if cpp is forward else "adj_{x} += adj_ret;"]):
            _turn(cpp, T, value, height, width)
            cpp("return turned;" if cpp is forward else "adj_{x} += turned;")
    call = native(k, "turn|transpose_in_block|across", {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    mine = element(k, "v|part|mine0|own", T, i, 1, 3)
    turned = k.let("turned0|across0|flipped", call(mine))
    if c.chance(1, 3):
        turned = k.let("second|again|shaped", call(varied(k, turned, 1, 2)))
    finish(k, turned, i, own=mine)
    k.summary(f"Transposes tiles of {rows} by {cols} {T.name} values, one for each block.")


def _turn(cpp: Cpp, T: Scalar, value: str, rows: int, cols: int) -> None:
    """Write element (row, col) and read element (row, col) of the transpose, which has ``cols`` rows."""
    c = cpp.c
    thread(cpp)
    room, pad = cpp.word("tile|room|page"), c.pick(("", " + 1"))
    way = c.below(3)
    if way == 0:
        cpp(f"__shared__ {ctype(T)} {room}[{rows}][{cols}{pad}];", f"{room}[t / {cols}][t % {cols}] = {value};")
        cpp("__syncthreads();", f"const {ctype(T)} turned = {room}[t % {rows}][t / {rows}];")
    elif way == 1:
        cpp(f"__shared__ {ctype(T)} {room}[{rows}][{cols}{pad}];")
        cpp(f"const int row = t / {cols}, col = t - row * {cols};", f"{room}[row][col] = {value};", "__syncthreads();")
        cpp(f"const int down = t & {rows - 1}, over = t / {rows};", f"const {ctype(T)} turned = {room}[down][over];")
    else:
        cpp(f"__shared__ {ctype(T)} {room}[{BLOCK}{pad}];", f"{room}[t] = {value};", "__syncthreads();")
        cpp(f"const {ctype(T)} turned = {room}[(t % {rows}) * {cols} + t / {rows}];")
    cpp("__syncthreads();")


_LAWS = {
    "squared distances": ("gap * gap", "2 * gap"),
    "Gaussian weights": ("wp::exp(-wp::min(gap * gap, limit))", "(-2 * gap * wp::exp(-wp::min(gap * gap, limit)))"),
    "softened inverses": ("1 / (gap * gap + soft)", "(-2 * gap / ((gap * gap + soft) * (gap * gap + soft)))"),
    "distances": ("wp::sqrt(gap * gap + soft)", "(gap / wp::sqrt(gap * gap + soft))"),
    "attractions": ("gap / (gap * gap + soft)", "((soft - gap * gap) / ((gap * gap + soft) * (gap * gap + soft)))"),
}


def interactions(k: Author) -> None:
    """Each thread adds up what all elements of an array do to its value; they pass through shared memory in tiles."""
    c, T = k.c, real(k)
    k.name("all_pairs|n_body_1d|kernel_sum|pairwise_sum|interaction_tiles")
    law = c.pick(tuple(_LAWS))
    value, slope = _LAWS[law]
    forward, adjoint = Cpp(c), Cpp(c)
    consts = [f"const {ctype(T)} soft = {literal(c.between(1, 40) / 20, T)};"] if "soft" in value else []
    consts += [f"const {ctype(T)} limit = {literal(30, T)};"] if "limit" in value else []
    forward(*consts, f"{ctype(T)} acc = {literal(0, T)};")
    host = Cpp(c)
    with host.block("for (int n = 0; n < {count}; ++n)"):
        host(f"const {ctype(T)} gap = {{x}} - {{others}}[n];", f"acc += {value};")
    with forward.device(host.text.splitlines()):
        _over_tiles(forward, T, value)
    forward("return acc;")
    adjoint(*consts)
    with adjoint.block("for (int n = 0; n < {count}; ++n)"):
        adjoint(f"const {ctype(T)} gap = {{x}} - {{others}}[n];", f"const {ctype(T)} pull = {slope} * adj_ret;")
        adjoint("adj_{x} += pull;", "wp::atomic_add(adj_{others}, n, -pull);")
    params: dict[str, Value] = {"x|v|mine": T, "others|sources|bodies": Array(T, 1), "count|length|bodies_n": INT}
    call = native(k, "sum_over|total_pull|accumulate_pairs", params, T, forward, adjoint)
    i = index(k)
    own = element(k, "v|part|mine0|own", T, i, 1, 3)
    sources = k.input("sources|others|bodies", T)
    total = k.let("total|pull|density", call(own, sources, sources.shape(0)))
    finish(k, total, i, own=own)
    k.summary(f"Adds up {law} between each {T.name} value and all of an array, in tiles of {BLOCK}.")


def _over_tiles(cpp: Cpp, T: Scalar, value: str) -> None:
    c = cpp.c
    cpp(f"__shared__ {ctype(T)} room[{BLOCK}];")
    thread(cpp)
    with cpp.block(f"for (int first = 0; first < {{count}}; first += {BLOCK})"):
        if c.chance(1, 2):
            cpp("if (first + t < {count}) room[t] = {others}[first + t];")
        else:
            cpp("room[t] = {others}[wp::min(first + t, {count} - 1)];")
        cpp("__syncthreads();", f"const int here = wp::min({BLOCK}, {{count}} - first);")
        with cpp.block(c.pick(("for (int n = 0; n < here; ++n)", "for (int n = here - 1; n >= 0; --n)"))):
            if c.chance(1, 2):
                cpp(f"const {ctype(T)} gap = {{x}} - room[n];", f"acc += {value};")
            else:
                cpp(
                    f"const {ctype(T)} other = room[n];",
                    f"const {ctype(T)} gap = {{x}} - other;",
                    f"acc = acc + {value};",
                )
        cpp("__syncthreads();")


def tile_product(k: Author) -> None:
    """One element of a product of two matrices for each thread, whose rows and columns are staged in tiles."""
    c, T = k.c, real(k)
    k.name("matmul_shared|shared_gemm|tiled_product|block_matmul|gemm_16")
    forward, adjoint = Cpp(c), Cpp(c)
    zero = literal(0, T)
    forward(f"{ctype(T)} acc = {zero};")
    with forward.device(
        ["for (int n = 0; n < {inner}; ++n) acc += {a}[{row} * {inner} + n] * {b}[n * {width} + {col}];"]
    ):
        _product(forward, T)
    forward("return acc;")
    with adjoint.block("for (int n = 0; n < {inner}; ++n)"):
        adjoint("const int left = {row} * {inner} + n, right = n * {width} + {col};")
        lines = [
            "wp::atomic_add(adj_{a}, left, {b}[right] * adj_ret);",
            "wp::atomic_add(adj_{b}, right, {a}[left] * adj_ret);",
        ]
        adjoint(*(lines if c.chance(1, 2) else lines[::-1]))
    flat = Array(T, 1)
    params: dict[str, Value] = {
        "a|lhs|left_m": flat,
        "b|rhs|right_m": flat,
        "row|y0": INT,
        "col|x0": INT,
        "inner|depth": INT,
        "width|pitch": INT,
    }
    call = native(k, "product_at|row_times_col|dot_tile", params, T, forward, adjoint)
    _product_kernel(k, T, call)


def _product_kernel(k: Author, T: Scalar, call: object) -> None:
    assert callable(call)
    c = k.c
    a, b = k.input("a|lhs|m", T), k.input("b|rhs|w", T)
    tiles = k.scalar("tiles|tiles_x|blocks_x", INT)
    i = index(k)
    block, t = k.let("block|tile_id|bid", i // BLOCK), k.let("t0|lane|place", i % BLOCK)
    across = k.let("across|nx|grid_x", wp.max(tiles, 1))
    row, col = block // across * 16 + t // 16, block % across * 16 + t % 16
    width = k.let("width|pitch|cols_n", across * 16)
    inner = k.let("inner|depth|steps", wp.max(b.shape(0) // width // 16 * 16, 0))
    last = k.let("last_row|limit|end", wp.max(a.shape(0) // wp.max(inner, 1) - 1, 0))
    row = k.let("row|r0|y", wp.min(row, last))
    col = k.let("col|c0|x_at", col)
    made = k.let("dot|total|entry", call(a, b, row, col, inner, width))
    own = None
    if c.chance(1, 2):
        bias = k.input("bias|shift|beta_in", T)
        own = k.let("base|b0|offset", varied(k, bias[col % bias.shape(0)], 1, 3))
    scaled = k.let("scaled|act|shaped", varied(k, made, 2, 3))
    finish(k, scaled, i, own=own, low=2, high=4)
    k.summary(f"Multiplies two {T.name} matrices in row-major order, in shared tiles of 16 by 16.")


def _product(cpp: Cpp, T: Scalar) -> None:
    c, pad = cpp.c, cpp.c.pick(("", " + 1"))
    cpp(f"__shared__ {ctype(T)} ta[16][16{pad}];", f"__shared__ {ctype(T)} tb[16][16{pad}];")
    thread(cpp)
    cpp(*c.pick((["const int ty = t / 16, tx = t % 16;"], ["const int ty = t >> 4;", "const int tx = t & 15;"])))
    with cpp.block("for (int first = 0; first < {inner}; first += 16)"):
        loads = ["ta[ty][tx] = {a}[{row} * {inner} + first + tx];", "tb[ty][tx] = {b}[(first + ty) * {width} + {col}];"]
        cpp(*(loads if c.chance(1, 2) else loads[::-1]), "__syncthreads();")
        if c.chance(1, 3):
            cpp("#pragma unroll")
        if c.chance(1, 2):
            cpp("for (int n = 0; n < 16; ++n) acc += ta[ty][n] * tb[n][tx];")
        else:
            with cpp.block("for (int n = 0; n < 16; ++n)"):
                cpp(f"const {ctype(T)} left = ta[ty][n];", "acc += left * tb[n][tx];")
        cpp("__syncthreads();")
