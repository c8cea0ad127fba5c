"""Groups that form when threads meet: those that took one branch, those with one label."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...native import Cpp, ctype, literal, native
from ...terms import cast, number, where, wp
from ...types import FLOAT, INT, Array, Scalar, Value
from ..around import element, finish, index, real


def _met(cpp: Cpp, members: tuple[str, ...]) -> str:
    """Define the group of the lanes of a mask, with its rank and size among them; return the type's name."""
    kind = cpp.c.pick(("met_group", "coalesced_group", "active_group", "lanes_met"))
    below = cpp.c.pick(("((1u << (threadIdx.x & 31)) - 1u)", "~(0xffffffffu << (threadIdx.x & 31))"))
    bodies = {
        "size": "__device__ int size() const { return __popc(mask); }",
        "thread_rank": f"__device__ int thread_rank() const {{ return __popc(mask & {below}); }}",
        "leader": "__device__ int leader() const { return __ffs(mask) - 1; }",
        "sync": "__device__ void sync() const { __syncwarp(mask); }",
    }
    with cpp.block(f"struct {kind}", ";"):
        cpp("unsigned int mask;", *(bodies[member] for member in cpp.c.sample(members, len(members))))
    return kind


def aggregated(k: Author) -> None:
    """Warp-aggregated atomics: of the threads that pass a test, one adds for all, and each learns its slot."""
    c = k.c
    T = c.weighted({FLOAT: 3, real(k): 1, INT: 1})
    k.name("aggregated_atomic|filter_group|append_group|reserve_slots|compact_group")
    cpp, sign = Cpp(c), c.pick((">", "<", ">=", "<="))
    test = f"{{x}} {sign} {{limit}}"
    with cpp.device([f"return ({test}) ? wp::atomic_add({{counter}}, 0, 1) : -1;"]):
        kind = _met(cpp, ("size", "thread_rank", "leader"))
        form = c.below(3)
        if form == 0:
            cpp(f"if (!({test})) return -1;", f"const {kind} met = {{__activemask()}};")
        else:
            cpp(f"const unsigned int passing = __ballot_sync(0xffffffffu, {test});")
            cpp(f"if (!({test})) return -1;", f"const {kind} met{c.pick((' = ', ''))}{{passing}};")
        cpp("int first = 0;")
        lead = c.pick(("met.thread_rank() == 0", "(threadIdx.x & 31) == met.leader()"))
        cpp(f"if ({lead}) first = wp::atomic_add({{counter}}, 0, met.size());")
        cpp("first = __shfl_sync(met.mask, first, met.leader());", "return first + met.thread_rank();")
    params: dict[str, Value] = {"x|v|value": T, "limit|bound|level": T, "counter|count|tail": Array(INT, 1)}
    call = native(k, "take_slot|append_slot|next_place", params, INT, cpp)
    i = index(k)
    own = element(k, "v|own|mine0|part", T, i, 1, 3)
    counter, out = k.inout("counter|count|tail", INT), k.output("out|kept|list_out", T)
    limit = coefficient(k, T) if T.is_float else number(c.between(2, 40), INT)
    slot = k.let("slot|place|at", call(own, limit, counter))
    bounds = slot >= 0 if c.chance(1, 2) else slot > -1
    with k.if_(bounds):
        out[wp.min(slot, out.shape(0) - 1)] = varied(k, own, 1, 3)
    k.summary(f"Collects {T.name} values that pass a test; each group of threads that met adds once to the counter.")


def labeled(k: Author) -> None:
    """Threads of one label form a group: their number, their rank, their sum, the value of their first."""
    c, T = k.c, real(k)
    k.name("labeled_partition|group_by_label|label_sum|partition_lanes|per_label")
    cpp, way = Cpp(c), c.below(4)
    one = literal(1, T)
    hosts = ("return {x};", f"return {{x}} * {one};", f"return {literal(0, T)};", "return {x};")
    with cpp.device([hosts[way]]):
        kind = _met(cpp, ("size", "thread_rank", "leader"))
        cpp(f"const {kind} peers{c.pick((' = ', ''))}{{__match_any_sync(0xffffffffu, {{label}})}};")
        _by_label(cpp, T, way)
    params: dict[str, Value] = {"x|v|value": T, "label|key|kind": INT}
    call = native(k, "label_value|with_peers|group_figure", params, T, cpp)
    i = index(k)
    own = element(k, "v|own|mine0|part", T, i, 1, 3)
    if c.chance(1, 2):
        labels = k.input("labels|kinds|owners", INT)
        label = k.let("label|key|kind", varied(k, labels[i % labels.shape(0)], 0, 2) % c.between(2, 8))
    else:
        steps = cast(wp.clamp(own * coefficient(k, T), -4.0, 4.0), INT)
        label = k.let("label|key|kind", where(steps < 0, -steps, steps))
    finish(k, k.let("figure|shared0|met_value", call(own, label)), i, own=own)
    what = ("their sum", "its value times their number", "its rank among them", "the value of the first of them")[way]
    k.summary(f"Gives each thread, of the threads of its warp with its label, {what} ({T.name}).")


def _by_label(cpp: Cpp, T: Scalar, way: int) -> None:
    number_type, c = ctype(T), cpp.c
    if way == 0:
        cpp(f"{number_type} acc = {literal(0, T)};")
        with cpp.block("for (int lane = 0; lane < 32; ++lane)"):
            cpp(f"const {number_type} theirs = __shfl_sync(0xffffffffu, {{x}}, lane);")
            cpp(
                c.pick(
                    (
                        "if ((peers.mask >> lane) & 1u) acc += theirs;",
                        "if (peers.mask & (1u << lane)) acc = acc + theirs;",
                    )
                )
            )
        cpp("return acc;")
    elif way == 1:
        cpp(
            c.pick(
                (
                    f"return {{x}} * static_cast<{number_type}>(peers.size());",
                    f"const {number_type} n = peers.size();\nreturn n * {{x}};",
                )
            )
        )
    elif way == 2:
        cpp(f"return static_cast<{number_type}>(peers.thread_rank());")
    else:
        if c.chance(1, 2):
            cpp("const int first = peers.leader();", "return __shfl_sync(0xffffffffu, {x}, first);")
        else:
            cpp("return __shfl_sync(peers.mask, {x}, peers.leader());")
