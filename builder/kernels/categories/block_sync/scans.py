"""Scans and repeated exchanges in two buffers that take turns."""

from __future__ import annotations

from ...author import Author
from ...native import BLOCK, MAX, SUM, Cpp, Fold, ctype, literal, native, thread
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index, real


def block_scan(k: Author) -> None:
    """Prefix sums or running maxima of a block: Hillis and Steele's with two buffers, Blelloch's, or by steps."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 1})
    fold = c.weighted({SUM: 3, MAX: 1})
    k.name("block_scan|prefix_block|scan_kernel|cumulative_block|hillis_steele")
    forward = Cpp(c)
    way = c.below(3) if fold is SUM else c.below(2)
    with forward.device(["return {x};" if way < 2 else f"return {literal(0, T)};"]):
        _scan(forward, T, fold, way, "{x}")
        forward("return acc;")
    adjoint = _reversed(k, T, way) if T.is_float and fold is SUM else None
    call = native(k, "scan_block_fn|block_prefix|prefix_in_block", {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 1, 3)
    finish(k, k.let("before|prefix_sum|scanned", call(value)), i, own=value)
    kind = "exclusive" if way == 2 else "inclusive"
    k.summary(f"Takes the {kind} scan ({fold.name}) of {T.name} values over each block of {BLOCK}.")


def _scan(cpp: Cpp, T: Scalar, fold: Fold, way: int, value: str) -> None:
    """Scan ``value`` over the block into ``acc``: inclusive for 0 and 1, exclusive for 2."""
    thread(cpp)
    if way == 0:
        _two_buffers(cpp, T, fold, value)
    elif way == 1:
        _one_buffer(cpp, T, fold, value)
    else:
        _blelloch(cpp, T, value)


def _two_buffers(cpp: Cpp, T: Scalar, fold: Fold, value: str) -> None:
    room = cpp.word("buf|pages|pair")
    cpp(f"__shared__ {ctype(T)} {room}[2][{BLOCK}];", "int from = 0;", f"{room}[0][t] = {value};", "__syncthreads();")
    with cpp.block(cpp.c.pick((f"for (int d = 1; d < {BLOCK}; d <<= 1)", f"for (int d = 1; d < {BLOCK}; d *= 2)"))):
        cpp(f"{ctype(T)} sum = {room}[from][t];")
        cpp(f"if (t >= d) {{ {fold.into(cpp.c, 'sum', f'{room}[from][t - d]')} }}")
        cpp(cpp.c.pick(("from = 1 - from;", "from ^= 1;")), f"{room}[from][t] = sum;", "__syncthreads();")
    cpp(f"const {ctype(T)} acc = {room}[from][t];", "__syncthreads();")


def _one_buffer(cpp: Cpp, T: Scalar, fold: Fold, value: str) -> None:
    room = cpp.word("buf|line|cache")
    cpp(
        f"__shared__ {ctype(T)} {room}[{BLOCK}];", f"{ctype(T)} acc = {value};", f"{room}[t] = acc;", "__syncthreads();"
    )
    with cpp.block(cpp.c.pick((f"for (int d = 1; d < {BLOCK}; d <<= 1)", f"for (int d = 1; d < {BLOCK}; d += d)"))):
        cpp(f"if (t >= d) {{ {fold.into(cpp.c, 'acc', f'{room}[t - d]')} }}")
        cpp("__syncthreads();", f"{room}[t] = acc;", "__syncthreads();")


def _blelloch(cpp: Cpp, T: Scalar, value: str) -> None:
    room, c = cpp.word("buf|tree|cache"), cpp.c
    cpp(f"__shared__ {ctype(T)} {room}[{BLOCK}];", f"{room}[t] = {value};", "__syncthreads();")
    with cpp.block(f"for (int d = 1; d < {BLOCK}; d *= 2)"):
        cpp("const int at = (t + 1) * d * 2 - 1;")
        cpp(f"if (at < {BLOCK}) {{ {SUM.into(c, f'{room}[at]', f'{room}[at - d]')} }}", "__syncthreads();")
    cpp(f"if (t == 0) {room}[{BLOCK - 1}] = {literal(0, T)};", "__syncthreads();")
    with cpp.block(
        c.pick((f"for (int d = {BLOCK // 2}; d > 0; d >>= 1)", f"for (int d = {BLOCK // 2}; d >= 1; d /= 2)"))
    ):
        cpp("const int at = (t + 1) * d * 2 - 1;")
        with cpp.block(f"if (at < {BLOCK})"):
            cpp(f"const {ctype(T)} left = {room}[at - d];", f"{room}[at - d] = {room}[at];", f"{room}[at] += left;")
        cpp("__syncthreads();")
    cpp(f"const {ctype(T)} acc = {room}[t];", "__syncthreads();")


def _reversed(k: Author, T: Scalar, way: int) -> Cpp:
    """The adjoint of a prefix sum is a suffix sum: the same, with the threads counted from the other end."""
    cpp = Cpp(k.c)
    with cpp.device(["adj_{x} += adj_ret;"] if way < 2 else []):
        cpp(f"__shared__ {ctype(T)} after[{BLOCK}];", f"const int t = {BLOCK - 1} - (int)threadIdx.x;")
        cpp(f"{ctype(T)} acc = adj_ret;", "after[t] = acc;", "__syncthreads();")
        with cpp.block(f"for (int d = 1; d < {BLOCK}; d <<= 1)"):
            cpp("if (t >= d) acc += after[t - d];", "__syncthreads();", "after[t] = acc;", "__syncthreads();")
        cpp("adj_{x} += acc;" if way < 2 else "adj_{x} += acc - adj_ret;")
    return cpp


def double_buffer(k: Author) -> None:
    """Turns of relaxation among neighbours of a block, each from one buffer into the other."""
    c, T = k.c, real(k)
    k.name("ping_pong|relax_block|double_buffer|diffuse_block|jacobi_block")
    turns, ends = c.pick((2, 4, 8)), c.pick(("around", "held"))
    a, b = c.between(1, 4) / 10, c.between(1, 4) / 10
    forward, adjoint = Cpp(c), Cpp(c)
    alone = literal(1.0, T) if ends == "held" else literal((a + b + 0.2) ** turns, T)
    with forward.device([f"return {{x}} * {alone};"]):
        _turns(forward, T, "{x}", (a, b), turns, ends)
        forward("return acc;")
    with adjoint.device([f"adj_{{x}} += adj_ret * {alone};"]):
        _turns(adjoint, T, "adj_ret", (b, a), turns, "around")
        adjoint("adj_{x} += acc;")
    call = native(k, "relax|diffuse_fn|smooth_turns", {"x|v|u": T}, T, forward, adjoint if ends == "around" else None)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 1, 3)
    finish(k, k.let("relaxed|smooth|settled", call(value)), i, own=value)
    how = "around the block" if ends == "around" else "with the block's ends held"
    k.summary(f"Mixes {T.name} values of neighbouring threads {turns} times, {how}, in two buffers.")


def _turns(cpp: Cpp, T: Scalar, value: str, weights: tuple[float, float], turns: int, ends: str) -> None:
    room, c = cpp.word("buf|pages|fields"), cpp.c
    left, right, own = (literal(w, T) for w in (*weights, 0.2))
    thread(cpp)
    cpp(f"__shared__ {ctype(T)} {room}[2][{BLOCK}];", f"{ctype(T)} acc = {value};", f"{room}[0][t] = acc;")
    cpp("__syncthreads();")
    with cpp.block(f"for (int turn = 0; turn < {turns}; ++turn)"):
        page = c.pick(("turn & 1", "turn % 2"))
        cpp(f"const int from = {page};")
        before, after = f"{room}[from][(t + {BLOCK - 1}) % {BLOCK}]", f"{room}[from][(t + 1) % {BLOCK}]"
        mixed = f"acc = {left} * {before} + {own} * acc + {right} * {after};"
        cpp(mixed if ends == "around" else f"if (t > 0 && t < {BLOCK - 1}) {mixed}")
        cpp(c.pick((f"{room}[1 - from][t] = acc;", f"{room}[from ^ 1][t] = acc;")), "__syncthreads();")
