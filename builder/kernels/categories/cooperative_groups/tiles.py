"""Tiles of a warp: reductions, scans, exchanges and votes by the members of a group."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...native import MAX, MIN, PRODUCT, SUM, Cpp, Fold, Pre, ctype, literal, native, pre
from ...terms import number, where
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index, real
from .groups import Group, reduce, warp_tile

_SIZES = {32: 2, 16: 2, 8: 1, 4: 1}


def tile_reduce(k: Author) -> None:
    """A tile folds its values: to its first thread, or to all of them."""
    c = k.c
    T = c.weighted({FLOAT: 4, real(k): 1, INT: 1})
    fold, change = c.weighted({SUM: 3, MAX: 1, MIN: 1, PRODUCT: 1}), pre(c, T)
    size, everywhere = c.weighted(_SIZES), c.chance(1, 2)
    k.name("tile_reduce_group|group_sum|reduce_tile|cg_reduce|partition_sum")
    forward = _reduce(k, T, fold, change, size, everywhere)
    adjoint = _reduce_adjoint(k, T, fold, change, size, everywhere) if T.is_float else None
    call = native(k, "reduce_group|group_fold|tile_total", {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    value = element(k, "v|own|mine0|part", T, i, 1, 3)
    finish(k, k.let("total|folded|group_value", call(value)), i, own=value)
    who = "all threads" if everywhere else "the first thread"
    k.summary(f"Gives {who} of every tile of {size} threads the {fold.name} of their {T.name} values.")


def _reduce(k: Author, T: Scalar, fold: Fold, change: Pre, size: int, everywhere: bool) -> Cpp:
    cpp, value = Cpp(k.c), change.of("{x}")
    members = ("thread_rank", "size", "shfl_xor" if everywhere else "shfl_down")
    with cpp.device([f"return {value};"]):
        group = warp_tile(cpp, T, size, members)
        cpp(f"{ctype(T)} acc = {value};")
        reduce(cpp, group, fold, T, "acc", everywhere=everywhere)
        cpp("return acc;" if everywhere else f"return {group.name}.thread_rank() == 0 ? acc : {literal(0, T)};")
    return cpp


def _reduce_adjoint(k: Author, T: Scalar, fold: Fold, change: Pre, size: int, everywhere: bool) -> Cpp:
    cpp, value, slope = Cpp(k.c), change.of("{x}"), change.slope_of("{x}")
    with cpp.device([f"adj_{{x}} += adj_ret * {slope};"]):
        group = warp_tile(cpp, T, size, ("size", "shfl", "shfl_xor"))
        cpp(f"{ctype(T)} whole = adj_ret;")
        if everywhere:
            reduce(cpp, group, SUM, T, "whole", everywhere=True)
        else:
            cpp(f"whole = {group.name}.shfl(adj_ret, 0);")
        if fold is not SUM:
            cpp(f"const {ctype(T)} own = {value};", f"{ctype(T)} best = own;")
            reduce(cpp, group, fold, T, "best", everywhere=True)
        cpp(f"adj_{{x}} += {fold.share(k.c, 'own', 'best', 'whole', T)} * {slope};")
    return cpp


def tile_scan(k: Author) -> None:
    """Prefix sums within a tile, with or without the thread's own value, and places counted from them."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 1})
    size, inclusive, change = c.weighted(_SIZES), c.chance(1, 2), pre(c, T)
    k.name("tile_scan_group|group_prefix|cg_scan|partition_scan|scan_tile")
    forward, adjoint = Cpp(c), Cpp(c)
    value = change.of("{x}")
    with forward.device([f"return {value if inclusive else literal(0, T)};"]):
        group = warp_tile(forward, T, size, ("thread_rank", "size", "shfl_up"))
        _scan(forward, group, T, value, "shfl_up")
        forward("return acc;" if inclusive else f"return acc - {value};")
    slope = change.slope_of("{x}")
    with adjoint.device([f"adj_{{x}} += adj_ret * {slope};"] if inclusive else []):
        group = warp_tile(adjoint, T, size, ("thread_rank", "size", "shfl_down"))
        _scan(adjoint, group, T, "adj_ret", "shfl_down")
        adjoint(f"adj_{{x}} += {'acc' if inclusive else '(acc - adj_ret)'} * {slope};")
    call = native(k, "scan_group|prefix_in_tile|running", {"x|v|mine": T}, T, forward, adjoint if T.is_float else None)
    i = index(k)
    own = element(k, "v|own|mine0|part", T, i, 1, 3)
    finish(k, k.let("before|prefix_sum|run", call(own)), i, own=own)
    kind = "inclusive" if inclusive else "exclusive"
    k.summary(f"Takes {kind} prefix sums of {T.name} values within tiles of {size} threads.")


def _scan(cpp: Cpp, group: Group, T: Scalar, value: str, member: str) -> None:
    c, name = cpp.c, group.name
    cpp(f"{ctype(T)} acc = {value};")
    limit = c.pick((f"{name}.size()", str(group.size)))
    rank = f"{name}.thread_rank()"
    if c.chance(1, 2):
        cpp(f"const int rank = {rank};")
        rank = "rank"
    with cpp.block(f"for (int d = 1; d < {limit}; d {c.pick(('<<= 1', '*= 2'))})"):
        cpp(f"const {ctype(T)} other = {name}.{member}(acc, d);")
        test = f"{rank} >= d" if member == "shfl_up" else f"{rank} + d < {limit}"
        cpp(f"if ({test}) {SUM.into(c, 'acc', 'other')}")


def tile_exchange(k: Author) -> None:
    """Threads of a tile take values of others: a leader's, the mirrored, the next; mixed with their own."""
    c, T = k.c, real(k)
    size = c.weighted(_SIZES)
    k.name("tile_exchange|group_broadcast|mirror_group|rotate_group|leader_blend")
    forward, adjoint, way = Cpp(c), Cpp(c), c.below(3)
    mine, theirs = literal(c.between(1, 9) / 4, T), literal(c.between(1, 9) / 4, T)
    by = c.between(1, size - 1)
    sources = ("{n}.size() - 1 - {n}.thread_rank()", f"({{n}}.thread_rank() + {by}) % {{n}}.size()", str(by))
    with forward.device([f"return {mine} * {{x}} + {theirs} * {{x}};"]):
        group = warp_tile(forward, T, size, ("thread_rank", "size", "shfl"))
        forward(f"const int from = {sources[way].replace('{n}', group.name)};")
        forward(f"const {ctype(T)} other = {group.name}.shfl({{x}}, from);")
        forward(f"return {mine} * {{x}} + {theirs} * other;")
    with adjoint.device([f"adj_{{x}} += ({mine} + {theirs}) * adj_ret;"]):
        group = warp_tile(adjoint, T, size, ("thread_rank", "size", "shfl", "shfl_xor"))
        _exchange_back(adjoint, group, T, way, by, sources[0])
        adjoint(f"adj_{{x}} += {mine} * adj_ret + {theirs} * back;")
    call = native(k, "blend_with|exchange_value|mix_group", {"x|v|mine": T}, T, forward, adjoint)
    i = index(k)
    own = element(k, "v|own|mine0|part", T, i, 1, 3)
    finish(k, k.let("blend|mixed|met", call(own)), i, own=own)
    what = ("mirrored one", "one further on", "leader")[way]
    k.summary(f"Mixes the {T.name} value of each thread with that of the {what} of its tile of {size}.")


def _exchange_back(cpp: Cpp, group: Group, T: Scalar, way: int, by: int, mirrored: str) -> None:
    name = group.name
    if way == 0:
        cpp(f"const {ctype(T)} back = {name}.shfl(adj_ret, {mirrored.replace('{n}', name)});")
    elif way == 1:
        cpp(f"const int to = ({name}.thread_rank() + {group.size - by}) % {name}.size();")
        cpp(f"const {ctype(T)} back = {name}.shfl(adj_ret, to);")
    else:
        cpp(f"{ctype(T)} whole = adj_ret;")
        reduce(cpp, group, SUM, T, "whole", everywhere=True)
        cpp(f"const {ctype(T)} back = {name}.thread_rank() == {by} ? whole : {literal(0, T)};")


def tile_vote(k: Author) -> None:
    """A tile asks its threads: any, all, how many, which first."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 1})
    size, way, sign = c.weighted(_SIZES), c.below(4), c.pick((">", "<", ">=", "<="))
    k.name("tile_vote|group_any|group_all|group_count|elect_in_group")
    cpp, test = Cpp(c), f"{{x}} {sign} {{limit}}"
    alone = ("1 : 0", "1 : 0", "1 : 0", "0 : -1")[way]
    with cpp.device([f"return ({test}) ? {alone};"]):
        member = ("any", "all", "ballot", "ballot")[way]
        group = warp_tile(cpp, T, size, (member, *c.sample(("thread_rank", "size", "sync"), c.below(3))))
        if c.chance(1, 2):
            cpp(f"const int pass = ({test}) ? 1 : 0;")
            test = "pass"
        asked = f"{group.name}.{member}({test})"
        if c.chance(1, 2):
            cpp(f"const {'bool' if way < 2 else 'unsigned int'} votes = {asked};")
            asked = "votes"
        ones = f"0x{(1 << size) - 1:x}u"
        results = (f"{asked} ? 1 : 0", f"{asked} ? 1 : 0", f"__popc({asked} & {ones})", f"__ffs({asked} & {ones}) - 1")
        cpp(f"return {results[way]};")
    call = native(k, "ask_group|group_votes|poll_tile", {"x|v|value": T, "limit|bound|level": T}, INT, cpp)
    i = index(k)
    own = element(k, "v|own|mine0|part", T, i, 2, 3)
    votes = k.let("votes|verdict|count", call(own, coefficient(k, T) if T.is_float else number(c.between(2, 40), INT)))
    if c.chance(1, 2):
        finish(k, votes, i)
    else:
        finish(k, where(votes > c.below(3), own, number(0, T)), i, own=own, low=2)
    asks = ("whether any passes", "whether all pass", "how many pass", "which is the first to pass")[way]
    k.summary(f"Asks the threads of tiles of {size} {asks} a test of their {T.name} values.")
