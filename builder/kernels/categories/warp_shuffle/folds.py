"""Warp reductions, scans and statistics by shuffles."""

from __future__ import annotations

from ...author import Author
from ...native import (
    MAX,
    MIN,
    PRODUCT,
    SUM,
    Cpp,
    Fold,
    Lanes,
    Pre,
    ctype,
    lanes,
    literal,
    native,
    offsets,
    pre,
    warp_fold,
)
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index, real

_FUNCTIONS = "warp_reduce|lane_reduce|reduce_lanes|warp_total|warp_fold"


def lane_fold(k: Author) -> None:
    """The sum, product or an extreme of the lanes of a warp or of a part of it."""
    c = k.c
    T = c.weighted({FLOAT: 4, real(k): 1, INT: 1})
    fold = c.weighted({SUM: 3, MAX: 1, MIN: 1, PRODUCT: 1})
    k.name("warp_sum|warp_reduce_kernel|lane_totals|shuffle_reduce|warp_stats")
    everywhere = c.chance(1, 2)
    change = pre(c, T)
    width, forward = _fold_body(k, T, fold, change, everywhere)
    adjoint = _fold_adjoint(k, T, fold, change, everywhere, width) if T.is_float else None
    reduce = native(k, _FUNCTIONS, {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 1, 2)
    finish(k, k.let("total|folded|warp_value", reduce(value)), i, own=value)
    who = "all lanes" if everywhere else "its first lane"
    k.summary(f"Gives {who} of every group of {width} lanes the {fold.name} of their {T.name} values by shuffles.")


def _start(cpp: Cpp, T: Scalar, change: str, name: str) -> None:
    cpp(f"{ctype(T)} {name} = {change};")


def _fold_body(k: Author, T: Scalar, fold: Fold, change: Pre, everywhere: bool) -> tuple[int, Cpp]:
    cpp, name = Cpp(k.c), k.c.pick(("acc", "sum", "total", "value"))
    value = change.of("{x}")
    with cpp.device([f"return {value};"]):
        group = lanes(cpp)
        _start(cpp, T, value, name)
        warp_fold(cpp, group, fold, name, everywhere=everywhere)
        if everywhere:
            cpp(f"return {name};")
        else:
            first = k.c.pick((f"(threadIdx.x & {group.width - 1}) == 0", f"threadIdx.x % {group.width} == 0"))
            cpp(f"return {first} ? {name} : {literal(0, T)};")
    return group.width, cpp


def _fold_adjoint(k: Author, T: Scalar, fold: Fold, change: Pre, everywhere: bool, width: int) -> Cpp:
    cpp, group = Cpp(k.c), Lanes(width, "0xffffffffu")
    value, slope = change.of("{x}"), change.slope_of("{x}")
    with cpp.device([f"adj_{{x}} += adj_ret * {slope};"]):
        if everywhere:
            cpp(f"{ctype(T)} whole = adj_ret;")
            warp_fold(cpp, group, SUM, "whole", everywhere=True)
        else:
            cpp(f"const {ctype(T)} whole = {group.shuffle('', 'adj_ret', '0')};")
        if fold is not SUM:
            cpp(f"const {ctype(T)} own = {value};", f"{ctype(T)} best = own;")
            warp_fold(cpp, group, fold, "best", everywhere=True)
        cpp(f"adj_{{x}} += {fold.share(k.c, 'own', 'best', 'whole', T)} * {slope};")
    return cpp


def lane_scan(k: Author) -> None:
    """Inclusive or exclusive prefix sums or running extremes over the lanes."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 2})
    fold = c.weighted({SUM: 3, MAX: 1, MIN: 1})
    inclusive = c.chance(2, 3) or fold is not SUM
    k.name("warp_scan|lane_prefix|shuffle_scan|running_lane|prefix_lanes")
    change = pre(c, T)
    width, forward = _scan_body(k, T, fold, change, inclusive)
    adjoint = _scan_adjoint(k, T, change, inclusive, width) if T.is_float and fold is SUM else None
    scan = native(k, "warp_scan_fn|scan_lanes|lane_scan|prefix", {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|part|mine|own", T, i, 1, 2)
    finish(k, k.let("before|prefix_sum|scanned", scan(value)), i, own=value)
    kind = "inclusive" if inclusive else "exclusive"
    k.summary(f"Takes the {kind} scan ({fold.name}) of {T.name} values over groups of {width} lanes.")


def _scan_body(k: Author, T: Scalar, fold: Fold, change: Pre, inclusive: bool) -> tuple[int, Cpp]:
    cpp, c = Cpp(k.c), k.c
    value = change.of("{x}")
    with cpp.device([f"return {value if inclusive else literal(0, T)};"]):
        group = lanes(cpp)
        lane = cpp.word("lane|lane_id|rank")
        cpp(f"const int {lane} = threadIdx.x & {group.width - 1};")
        name = cpp.word("acc|prefix|run")
        _start(cpp, T, value, name)
        _scan(cpp, group, fold, name, lane, T)
        if inclusive:
            cpp(f"return {name};")
        elif c.chance(1, 2):
            cpp(f"return {name} - ({value});")
        else:
            cpp(f"const {ctype(T)} before = {group.shuffle('up', name, '1')};")
            cpp(f"return {lane} == 0 ? {literal(0, T)} : before;")
    return group.width, cpp


def _scan(cpp: Cpp, group: Lanes, fold: Fold, name: str, lane: str, T: Scalar, kind: str = "up") -> None:
    """Hillis and Steele's scan: in every turn a lane takes in the one twice as far away."""
    by_name = cpp.word("offset|step|delta")
    with cpp.block(f"for (int {by_name} = 1; {by_name} < {group.width}; {by_name} {cpp.c.pick(('<<= 1', '*= 2'))})"):
        cpp(f"const {ctype(T)} other = {group.shuffle(kind, name, by_name)};")
        reach = f"{lane} >= {by_name}" if kind == "up" else f"{lane} + {by_name} < {group.width}"
        if cpp.c.chance(1, 2):
            cpp(f"if ({reach}) {{ {fold.into(cpp.c, name, 'other')} }}")
        else:
            with cpp.block(f"if ({reach})"):
                cpp(fold.into(cpp.c, name, "other"))


def _scan_adjoint(k: Author, T: Scalar, change: Pre, inclusive: bool, width: int) -> Cpp:
    """The adjoint of a prefix sum is the suffix sum of the adjoints."""
    cpp, group = Cpp(k.c), Lanes(width, "0xffffffffu")
    slope = change.slope_of("{x}")
    with cpp.device([f"adj_{{x}} += adj_ret * {slope};"] if inclusive else []):
        cpp(f"const int lane = threadIdx.x & {width - 1};", f"{ctype(T)} after = adj_ret;")
        _scan(cpp, group, SUM, "after", "lane", T, "down")
        cpp(f"adj_{{x}} += {'after' if inclusive else '(after - adj_ret)'} * {slope};")
    return cpp


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
            _start(cpp, T, value, "mean")
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
        _start(forward, T, "{x} * {y}", "acc")
        warp_fold(forward, group, SUM, "acc", everywhere=True)
        forward("return acc;")
    with adjoint.device(["adj_{x} += adj_ret * {y};", "adj_{y} += adj_ret * {x};"]):
        group = lanes_of_warp(adjoint)
        _start(adjoint, T, "adj_ret", "whole")
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
