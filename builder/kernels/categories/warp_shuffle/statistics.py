"""What a lane's value is beside those of its warp; two values of each lane folded together."""

from __future__ import annotations

from ...author import Author
from ...native import SUM, Cpp, Lanes, ctype, lanes, literal, native, offsets, warp_fold
from ...types import INT, Scalar
from ..around import element, finish, index, real
from .folds import start


def lane_statistics(k: Author) -> None:
    """Each lane gets its value less the warp's mean, over its spread, or as a share of the sum."""
    c, T = k.c, real(k)
    k.name("warp_normalize|center_lanes|warp_softmax|lane_share|warp_standardize")
    way = c.below(3)
    forward, adjoint = Cpp(c), Cpp(c)
    if way == 0:
        _centre(forward, adjoint, T)
    elif way == 1:
        _share(forward, adjoint, T, positive=c.chance(1, 2))
    else:
        _spread(forward, T)
    call = native(k, "normalize_lane|relative|standing", {"x|v": T}, T, forward, adjoint if way < 2 else None)
    i = index(k)
    value = element(k, "v|part|score", T, i, 1, 3)
    finish(k, k.let("rel|share|unit", call(value)), i, own=value)
    what = ("less the mean of its warp", "as a share of its warp's sum", "in standard deviations of its warp")[way]
    k.summary(f"Gives each {T.name} value {what}.")


def _centre(forward: Cpp, adjoint: Cpp, T: Scalar) -> None:
    scale = literal(1 / 32, T)
    for cpp, value, last, host in (
        (forward, "{x}", "return {x} - mean * " + scale + ";", "return {x} - {x};"),
        (adjoint, "adj_ret", "adj_{x} += adj_ret - mean * " + scale + ";", ""),
    ):
        with cpp.device([host] if host else []):
            group = lanes_of_warp(cpp)
            start(cpp, T, value, "mean")
            warp_fold(cpp, group, SUM, "mean", everywhere=True)
            cpp(last)


def lanes_of_warp(cpp: Cpp) -> Lanes:
    """Return all lanes of a warp."""
    if cpp.c.chance(1, 2):
        return Lanes(32, "0xffffffffu")
    cpp("const unsigned int everyone = 0xffffffffu;")
    return Lanes(32, "everyone")


def _share(forward: Cpp, adjoint: Cpp, T: Scalar, *, positive: bool) -> None:
    """y = w / sum(w) with w = exp(x) or 1 + x * x; dL/dx = w' / S * (adj - sum(adj y))."""
    one = literal(1, T)
    weight = "wp::exp(wp::min({x}, " + literal(10, T) + "))" if positive else f"({one} + {{x}} * {{x}})"
    slope = f"({{x}} < {literal(10, T)} ? w : {literal(0, T)})" if positive else f"({literal(2, T)} * {{x}})"
    with forward.device([f"return {one};"]):
        group = lanes_of_warp(forward)
        forward(f"const {ctype(T)} w = {weight};", f"{ctype(T)} total = w;")
        warp_fold(forward, group, SUM, "total", everywhere=True)
        forward("return w / total;")
    with adjoint.device([]):
        group = lanes_of_warp(adjoint)
        adjoint(f"const {ctype(T)} w = {weight};", f"{ctype(T)} total = w;")
        warp_fold(adjoint, group, SUM, "total", everywhere=True)
        adjoint(f"{ctype(T)} mixed = adj_ret * w / total;")
        warp_fold(adjoint, group, SUM, "mixed", everywhere=True)
        adjoint(f"adj_{{x}} += {slope} / total * (adj_ret - mixed);")


def _spread(cpp: Cpp, T: Scalar) -> None:
    scale, small = literal(1 / 32, T), literal(cpp.c.between(1, 9) / 1000, T)
    with cpp.device([f"return {literal(0, T)};"]):
        group = lanes_of_warp(cpp)
        cpp(f"{ctype(T)} mean = {{x}};")
        warp_fold(cpp, group, SUM, "mean", everywhere=True)
        cpp(f"const {ctype(T)} gap = {{x}} - mean * {scale};", f"{ctype(T)} power = gap * gap;")
        warp_fold(cpp, group, SUM, "power", everywhere=True)
        cpp(f"return gap / wp::sqrt(power * {scale} + {small});")


def paired_fold(k: Author) -> None:
    """Two values of each lane folded together: a dot product, or an extreme with the lane that has it."""
    c, T = k.c, real(k)
    k.name("warp_dot|warp_argmax|lane_dot|best_lane|warp_inner")
    forward, i_words = Cpp(c), {"x|a": T, "y|b": T}
    if c.chance(1, 2):
        adjoint = Cpp(c)
        _dot(forward, adjoint, T)
        call = native(k, "dot_lanes|warp_inner_product|inner", i_words, T, forward, adjoint)
        i = index(k)
        left, right = element(k, "u|left", T, i), element(k, "w|right", T, i, 0, 2)
        finish(k, k.let("dot|inner0|prod", call(left, right)), i, own=left)
        k.summary(f"Gives all lanes of a warp the dot product of their {T.name} values.")
        return
    _best(forward, T, c.chance(1, 2))
    call = native(k, "best_of|arg_best|winner", {"x|score": T, "y|tag": INT}, INT, forward)
    i = index(k)
    score = element(k, "u|score0", T, i, 1, 3)
    finish(k, k.let("who|best|winner_id", call(score, i)), i)
    k.summary(f"Finds which thread of each warp has the extreme {T.name} score.")


def _dot(forward: Cpp, adjoint: Cpp, T: Scalar) -> None:
    with forward.device(["return {x} * {y};"]):
        group = lanes_of_warp(forward)
        start(forward, T, "{x} * {y}", "acc")
        warp_fold(forward, group, SUM, "acc", everywhere=True)
        forward("return acc;")
    with adjoint.device(["adj_{x} += adj_ret * {y};", "adj_{y} += adj_ret * {x};"]):
        group = lanes_of_warp(adjoint)
        start(adjoint, T, "adj_ret", "whole")
        warp_fold(adjoint, group, SUM, "whole", everywhere=True)
        adjoint("adj_{x} += whole * {y};", "adj_{y} += whole * {x};")


def _best(cpp: Cpp, T: Scalar, largest: bool) -> None:
    sign = ">" if largest else "<"
    with cpp.device(["return {y};"]):
        group = lanes(cpp)
        cpp(f"{ctype(T)} top = {{x}};", "int who = {y};")
        for by in offsets(cpp, group.width):
            with cpp.block(""):
                cpp(f"const {ctype(T)} other = {group.shuffle('xor', 'top', by)};")
                cpp(f"const int rival = {group.shuffle('xor', 'who', by)};")
                tie = f" || (other == top && rival {cpp.c.pick(('<', '>'))} who)"
                with cpp.block(f"if (other {sign} top{tie})"):
                    cpp("top = other;", "who = rival;")
        cpp("return who;")
