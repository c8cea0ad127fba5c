"""Votes and matches: how many lanes pass a test, ranks among them, lanes of one key, segments."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...native import SUM, Cpp, Lanes, ctype, literal, native
from ...terms import cast, number, where
from ...types import FLOAT, INT, Scalar
from ..around import element, finish, index, real

_ALL = Lanes(32, "0xffffffffu")


def _test(cpp: Cpp, T: Scalar) -> str:
    """Return the test of a lane's value, named or not."""
    sign = cpp.c.pick((">", "<", ">=", "<="))
    test = f"{{x}} {sign} {{limit}}"
    if cpp.c.chance(1, 2):
        name = cpp.word("passes|pass|hit|wanted")
        cpp(cpp.c.pick((f"const bool {name} = {test};", f"const int {name} = ({test}) ? 1 : 0;")))
        return name
    return test


def _limit(k: Author, T: Scalar) -> object:
    return coefficient(k, T) if T.is_float else number(k.c.between(1, 40), T)


def vote(k: Author) -> None:
    """How many lanes pass, whether all or any do, which is the first: one number for the whole warp."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 1})
    k.name("warp_vote|count_passing|ballot_count|any_above|first_lane")
    cpp, way = Cpp(c), c.below(5)
    host = Cpp(c)
    host_test = _test(host, T)
    alone = ("? 1 : 0", "? 1 : 0", "? 1 : 0", "? 0 : -1", "? 1 : 0")[way]
    with cpp.device([*host.text.splitlines(), f"return ({host_test}) {alone};"]):
        test = _test(cpp, T)
        ballot = f"__ballot_sync(0xffffffffu, {test})"
        if c.chance(1, 2) and way in (0, 3, 4):
            cpp(f"const unsigned int votes = {ballot};")
            ballot = "votes"
        results = (
            f"return __popc({ballot});",
            f"return __all_sync(0xffffffffu, {test}) ? 1 : 0;",
            f"return __any_sync(0xffffffffu, {test}) ? 1 : 0;",
            f"return __ffs({ballot}) - 1;",
            f"return __popc({ballot}) > 16 ? 1 : 0;",
        )
        cpp(results[way])
    call = native(k, "warp_votes|ask_warp|count_lanes|poll", {"x|v|value": T, "limit|bound|level": T}, INT, cpp)
    i = index(k)
    value = element(k, "v|mine|own", T, i, 1, 3)
    verdict = k.let("votes|count|verdict", call(value, _limit(k, T)))
    if T.is_float and c.chance(1, 2):
        finish(k, where(verdict > c.below(2), value, cast(verdict, T)), i, own=value)
    else:
        finish(k, verdict, i)
    asks = ("how many lanes pass", "whether all lanes pass", "whether any lane passes", "which lane passes first",
            "whether most lanes pass")  # fmt: skip
    k.summary(f"Asks in each warp {asks[way]} a test of their {T.name} values.")


def ranked(k: Author) -> None:
    """The rank of a lane among those that pass, for writing them without gaps."""
    c = k.c
    T = c.weighted({FLOAT: 3, INT: 1})
    k.name("compact_warp|warp_rank|stream_compact|pack_lanes|rank_passing")
    cpp = Cpp(c)
    host = Cpp(c)
    host_test = _test(host, T)
    with cpp.device([*host.text.splitlines(), f"return ({host_test}) ? 0 : -1;"]):
        test = _test(cpp, T)
        cpp(f"const unsigned int votes = __ballot_sync(0xffffffffu, {test});")
        masks = ("(1u << (threadIdx.x & 31)) - 1u", "~(0xffffffffu << (threadIdx.x & 31))")
        cpp(f"const unsigned int below = {c.pick(masks)};")
        rank = "__popc(votes & below)"
        if c.chance(1, 2):
            cpp(f"const int rank = {rank};", f"return ({test}) ? rank : -1;")
        else:
            cpp(f"if (!({test})) return -1;", f"return {rank};")
    call = native(k, "rank_of|slot_in_warp|place_of|rank_lane", {"x|v|value": T, "limit|bound|level": T}, INT, cpp)
    i = index(k)
    value = element(k, "v|mine|own", T, i, 1, 3)
    slot = k.let("slot|rank0|place0", call(value, _limit(k, T)))
    out = k.output("out|packed|dst|kept", T)
    with k.if_(slot >= 0):
        base = i // 32 * 32 if c.chance(1, 2) else i - i % 32
        out[(base + slot) % out.shape(0)] = varied(k, value, 0, 2)
    k.summary(f"Packs the {T.name} values of each warp that pass a test.")


def matched(k: Author) -> None:
    """Lanes with the same key work together: how many there are, their sum, their first."""
    c, T = k.c, real(k)
    k.name("match_keys|warp_group_sum|aggregate_keys|same_key|count_equal")
    cpp, way = Cpp(c), c.below(3)
    hosts = ("return {x};", "return " + literal(1, T) + ";", "return {x} * {x};")
    with cpp.device([hosts[way]]):
        peers = cpp.word("peers|same|group")
        cpp(f"const unsigned int {peers} = __match_any_sync(0xffffffffu, {{key}});")
        if way == 1:
            cpp(f"return static_cast<{ctype(T)}>(__popc({peers}));")
        else:
            _sum_of(cpp, T, peers, "{x}" if way == 0 else "{x} * {x}")
    call = native(k, "sum_by_key|per_key|group_value", {"x|v|value": T, "key|label|bin_id": INT}, T, cpp)
    i = index(k)
    keys = k.input("keys|labels|ids", INT)
    key = k.let("key|label|bin", varied(k, keys[i % keys.shape(0)], 0, 2))
    value = element(k, "v|mine|own", T, i, 1, 2)
    finish(k, k.let("group_sum|shared_value|figure", call(value, key)), i, own=value)
    what = ("the sum", "how many there are", "the sum of squares")[way]
    k.summary(f"Gives each lane {what} of the {T.name} values of its warp with the same key.")


def _sum_of(cpp: Cpp, T: Scalar, peers: str, value: str) -> None:
    """Add the values of the lanes of a mask: every lane walks through all, and takes in those of its own."""
    cpp(f"{ctype(T)} acc = {literal(0, T)};")
    way = cpp.c.below(2)
    head = "for (int lane = 0; lane < 32; ++lane)" if way else "for (int lane = 31; lane >= 0; --lane)"
    with cpp.block(head):
        cpp(f"const {ctype(T)} theirs = {_ALL.shuffle('', value, 'lane')};")
        test = f"({peers} >> lane) & 1u" if cpp.c.chance(1, 2) else f"({peers} & (1u << lane)) != 0u"
        cpp(f"if ({test}) {SUM.into(cpp.c, 'acc', 'theirs')}")
    cpp("return acc;")


def segmented(k: Author) -> None:
    """Scans within segments: a lane adds up its values back to the last head."""
    c, T = k.c, real(k)
    k.name("segmented_scan|warp_segments|reset_scan|run_sums|head_flags")
    cpp = Cpp(c)
    with cpp.device(["return {x};"]):
        cpp("const int lane = threadIdx.x & 31;")
        cpp("const unsigned int heads = __ballot_sync(0xffffffffu, {head} != 0) | 1u;")
        masks = ("0xffffffffu >> (31 - lane)", "(2u << lane) - 1u")
        cpp(f"const unsigned int upto = {c.pick(masks)};")
        first = "31 - __clz(heads & upto)"
        cpp(f"const int start = {first};", f"{ctype(T)} acc = {{x}};")
        with cpp.block(c.pick(("for (int d = 1; d < 32; d <<= 1)", "for (int d = 1; d < 32; d *= 2)"))):
            cpp(f"const {ctype(T)} other = {_ALL.shuffle('up', 'acc', 'd')};")
            cpp(f"if ({c.pick(('lane - d >= start', 'lane >= start + d'))}) {SUM.into(c, 'acc', 'other')}")
        cpp("return acc;")
    call = native(k, "scan_segment|run_sum|segment_prefix", {"x|v|value": T, "head|flag|starts": INT}, T, cpp)
    i = index(k)
    value = element(k, "v|mine|own", T, i, 1, 3)
    if c.chance(1, 2):
        flags = k.input("flags|heads_in|starts_in", INT)
        head = k.let("head|flag|starts", flags[i % flags.shape(0)] % c.between(2, 9))
    else:
        head = k.let("head|flag|starts", where(value > coefficient(k, T), number(1, INT), number(0, INT)))
    finish(k, k.let("run|segment_sum|scanned", call(value, head)), i, own=value)
    k.summary(f"Adds up {T.name} values of the lanes of a warp, anew from every lane that begins a segment.")
