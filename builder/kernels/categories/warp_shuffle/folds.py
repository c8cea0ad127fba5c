"""Warp reductions and scans by shuffles."""

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


def start(cpp: Cpp, T: Scalar, change: str, name: str) -> None:
    """Declare the number that is folded."""
    cpp(f"{ctype(T)} {name} = {change};")


def _fold_body(k: Author, T: Scalar, fold: Fold, change: Pre, everywhere: bool) -> tuple[int, Cpp]:
    cpp, name = Cpp(k.c), k.c.pick(("acc", "sum", "total", "value"))
    value = change.of("{x}")
    with cpp.device([f"return {value};"]):
        group = lanes(cpp)
        start(cpp, T, value, name)
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
        start(cpp, T, value, name)
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
