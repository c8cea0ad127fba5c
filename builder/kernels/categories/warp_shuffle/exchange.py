"""Values that move between lanes: broadcasts, rotations, butterflies, neighbours; their adjoints move back."""

from __future__ import annotations

from ...author import Author
from ...native import Cpp, Lanes, ctype, lanes, literal, native
from ...types import INT, Scalar
from ..around import element, finish, index, real


def exchange(k: Author) -> None:
    """Each lane takes the value of another: a fixed one, the next, the mirrored, its partner."""
    c, T = k.c, real(k)
    k.name("lane_exchange|rotate_lanes|broadcast_lane|mirror_warp|swap_partners")
    forward, adjoint, words = Cpp(c), Cpp(c), "take_from|exchange_lane|shuffle_value|from_lane"
    width, what = _moves(forward, adjoint, T)
    call = native(k, words, {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|mine0|own", T, i, 1, 3)
    theirs = k.let("theirs|moved|peer", call(value))
    if c.chance(1, 3):
        theirs = k.let("twice|again|second", call(theirs))
    finish(k, theirs, i, own=value)
    k.summary(f"Gives each lane of a group of {width} the {T.name} value of {what}.")


def _moves(forward: Cpp, adjoint: Cpp, T: Scalar) -> tuple[int, str]:
    """Write a permutation or a broadcast of the lanes and what takes its adjoint back."""
    c, way = forward.c, forward.c.below(5)
    with forward.device(["return {x};"]):
        group = lanes(forward)
        back = Lanes(group.width, "0xffffffffu")
        w, moves = group.width, {}
        by = c.between(1, w - 1)
        place = f"(threadIdx.x & {w - 1})" if c.chance(1, 2) else f"(threadIdx.x % {w})"
        moves[0] = ("xor", str(1 << c.below(w.bit_length() - 1)), "a lane whose number differs in one bit")
        moves[1] = ("", f"({place} + {by}) & {w - 1}", f"the lane {by} places on, around the end")
        moves[2] = ("", f"{w - 1} - {place}", "the lane mirrored")
        moves[3] = ("", str(by), f"lane {by}")
        moves[4] = ("xor", str(w - 1), "the lane mirrored")
        kind, lane, what = moves[way]
        if c.chance(1, 2):
            forward(f"const int source = {lane};")
            lane = "source"
        forward(f"return {group.shuffle(kind, '{x}', lane)};")
    with adjoint.device(["adj_{x} += adj_ret;"]):
        if way == 1:
            adjoint(f"const int back = ({place} + {w - by}) & {w - 1};")
            adjoint(f"adj_{{x}} += {back.shuffle('', 'adj_ret', 'back')};")
        elif way == 3:
            adjoint(f"{ctype(T)} whole = adj_ret;")
            with adjoint.block(f"for (int d = {w // 2}; d > 0; d >>= 1)"):
                adjoint(f"whole += {back.shuffle('xor', 'whole', 'd')};")
            adjoint(f"if ({place} == {by}) adj_{{x}} += whole;")
        else:
            adjoint(f"adj_{{x}} += {back.shuffle(kind, 'adj_ret', moves[way][1])};")
    return w, what


def butterfly(k: Author) -> None:
    """Log-many turns of exchange with a partner: Walsh-Hadamard transform, bitonic sort."""
    c, T = k.c, k.c.weighted({real(k): 3, INT: 1})
    k.name("warp_sort|walsh_hadamard|bitonic_lanes|butterfly_warp|warp_transform")
    forward = Cpp(c)
    sorts = T is INT or c.chance(1, 2)
    adjoint = None if sorts else Cpp(c)
    if sorts:
        _bitonic(forward, T, descending=c.chance(1, 2))
    else:
        assert adjoint is not None
        norm = literal(c.pick((1.0, 0.1767767)), T)
        _hadamard(forward, T, "{x}", f"return {{}} * {norm};", "return {x} * " + norm + ";")
        _hadamard(adjoint, T, "adj_ret", f"adj_{{x}} += {{}} * {norm};", f"adj_{{x}} += adj_ret * {norm};")
    call = native(k, "butterfly_fn|sort_lane|transform_lane|mix_lanes", {"x|v|key": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|mine0|own", T, i, 1, 3)
    finish(k, k.let("sorted_value|coef|moved", call(value)), i, own=None if sorts and c.chance(1, 2) else value)
    k.summary(f"{'Sorts' if sorts else 'Takes the Walsh-Hadamard transform of'} the {T.name} values of each warp.")


def _hadamard(cpp: Cpp, T: Scalar, value: str, last: str, host: str) -> None:
    with cpp.device([host]):
        cpp("const int lane = threadIdx.x & 31;", f"{ctype(T)} acc = {value};")
        turns = cpp.c.pick(("int d = 1; d < 32; d <<= 1", "int d = 16; d > 0; d >>= 1", "int d = 1; d < 32; d *= 2"))
        with cpp.block(f"for ({turns})"):
            cpp(f"const {ctype(T)} other = {Lanes(32, '0xffffffffu').shuffle('xor', 'acc', 'd')};")
            forms = (
                "acc = (lane & d) ? other - acc : acc + other;",
                "acc = other + ((lane & d) != 0 ? -acc : acc);",
            )
            cpp(cpp.c.pick(forms))
        cpp(last.format("acc") if last.startswith("return") else last.replace("{}", "acc"))


def _bitonic(cpp: Cpp, T: Scalar, *, descending: bool) -> None:
    group = Lanes(32, "0xffffffffu")
    c = cpp.c
    with cpp.device(["return {x};"]):
        lane = cpp.word("lane|lane_id")
        cpp(f"const int {lane} = threadIdx.x & 31;", f"{ctype(T)} acc = {{x}};")
        with (
            cpp.block("for (int size = 2; size <= 32; size <<= 1)"),
            cpp.block("for (int d = size / 2; d > 0; d /= 2)"),
        ):
            cpp(f"const {ctype(T)} other = {group.shuffle('xor', 'acc', 'd')};")
            up, low = f"({lane} & size) == 0", f"({lane} & d) == 0"
            sign = "!=" if descending else "=="
            if c.chance(1, 2):
                cpp(f"const bool smaller = ({up}) {sign} ({low});")
                cpp("acc = smaller ? wp::min(acc, other) : wp::max(acc, other);")
            else:
                cpp(f"const bool keeps = (acc < other) == (({up}) {sign} ({low}));")
                cpp("if (!keeps) acc = other;")
        cpp("return acc;")


def smoothing(k: Author) -> None:
    """Each lane mixes its value with its neighbours': differences, averages, several turns of diffusion."""
    c, T = k.c, real(k)
    k.name("warp_stencil|lane_diffuse|neighbour_average|lane_gradient|smooth_lanes")
    weights = [literal(c.between(-9, 9) / 8 or 0.5, T) for _ in range(3)]
    turns = c.pick((1, 1, 2, 4))
    forward, adjoint = Cpp(c), Cpp(c)
    for cpp, value, sides in ((forward, "{x}", weights), (adjoint, "adj_ret", weights[::-1])):
        total = sum(float(weight.rstrip("f")) for weight in weights)
        alone = literal(total**turns, T)
        host = f"return {{x}} * {alone};" if cpp is forward else f"adj_{{x}} += adj_ret * {alone};"
        with cpp.device([host]):
            _mix(cpp, T, value, sides, turns)
            cpp("return acc;" if cpp is forward else "adj_{x} += acc;")
    call = native(k, "mix_neighbours|blur_lane|stencil_lane", {"x|v|u": T}, T, forward, adjoint)
    i = index(k)
    mine = element(k, "v|mine0|own", T, i, 1, 3)
    finish(k, k.let("smooth|mixed|lap", call(mine)), i, own=mine)
    k.summary(f"Mixes the {T.name} value of each lane with both neighbours, around the warp, in {turns} turn(s).")


def _mix(cpp: Cpp, T: Scalar, value: str, weights: list[str], turns: int) -> None:
    group = Lanes(32, "0xffffffffu")
    cpp("const int lane = threadIdx.x & 31;", f"{ctype(T)} acc = {value};")
    left, right = group.shuffle("", "acc", "(lane + 31) & 31"), group.shuffle("", "acc", "(lane + 1) & 31")
    lines = [f"const {ctype(T)} before = {left};", f"const {ctype(T)} after = {right};"]
    if cpp.c.chance(1, 2):
        lines.reverse()
    lines.append(f"acc = {weights[0]} * before + {weights[1]} * acc + {weights[2]} * after;")
    if turns == 1:
        cpp(*lines)
        return
    with cpp.block(f"for (int turn = 0; turn < {turns}; ++turn)"):
        cpp(*lines)
