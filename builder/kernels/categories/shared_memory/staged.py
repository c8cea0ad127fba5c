"""Elements that several threads of a block need are loaded once: stencils with a halo, tables, packed records."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...native import BLOCK, Cpp, ctype, literal, native, thread
from ...terms import Term, cast, wp
from ...types import INT, Array, Scalar, Value
from ..around import finish, index, real


def stencil(k: Author) -> None:
    """Weighted sum, largest or smallest of an element and its neighbours, read from shared memory with a halo."""
    c, T = k.c, real(k)
    k.name("shared_stencil|halo_stencil|staged_blur|tile_convolve|shared_laplacian")
    radius = c.between(1, 3)
    taps = sorted(c.sample(tuple(range(-radius, radius + 1)), c.between(2, 2 * radius + 1)))
    weights = [literal(c.between(-8, 9) / 8 or 0.25, T) for _ in taps]
    extreme = c.weighted({"": 3, "max": 1, "min": 1})
    forward, adjoint = Cpp(c), Cpp(c)
    pairs = list(zip(taps, weights, strict=True))
    host = Cpp(c)
    _fold_taps(host, T, pairs, extreme, lambda tap: f"{{x}}[{_inside(f'{{i}} + {tap}')}]")
    with forward.device([*host.text.splitlines(), "return acc;"]):
        _load_halo(forward, T, radius)
        _fold_taps(forward, T, pairs, extreme, lambda tap: f"room[t + {radius + tap}]")
        forward("__syncthreads();", "return acc;")
    for tap, weight in pairs:
        adjoint(f"wp::atomic_add(adj_{{x}}, {_inside(f'{{i}} + {tap}')}, {weight} * adj_ret);")
    params: dict[str, Value] = {"x|u|src": Array(T, 1), "i|at|place": INT, "count|length|extent": INT}
    call = native(k, "apply_stencil|stencil_at|neighbours_of", params, T, forward, None if extreme else adjoint)
    i = index(k)
    x = k.input("x|u|field|signal", T)
    made = k.let("s|mixed|lap", call(x, i, x.shape(0)))
    here = k.let("here|centre|own", varied(k, x[wp.min(i, x.shape(0) - 1)], 1, 3))
    finish(k, varied(k, made, 1, 2), i, own=here, low=2)
    what = {"": "the weighted sum", "max": "the largest", "min": "the smallest"}[extreme]
    k.summary(f"Takes {what} of {len(taps)} {T.name} neighbours, staged in shared memory with a halo of {radius}.")


def _inside(place: str) -> str:
    return f"wp::min(wp::max({place}, 0), {{count}} - 1)"


def _load_halo(cpp: Cpp, T: Scalar, radius: int) -> None:
    """Load the block's elements and ``radius`` on both sides, held at the ends of the array."""
    cpp(f"__shared__ {ctype(T)} room[{BLOCK} + 2 * {radius}];")
    thread(cpp)
    way = cpp.c.below(3)
    if way == 0:
        cpp(f"room[t + {radius}] = {{x}}[{_inside('{i}')}];")
        with cpp.block(f"if (t < {radius})"):
            cpp(f"room[t] = {{x}}[{_inside(f'{{i}} - {radius}')}];")
            cpp(f"room[t + {BLOCK + radius}] = {{x}}[{_inside(f'{{i}} + {BLOCK}')}];")
    elif way == 1:
        cpp(f"const int first = {{i}} - t - {radius};")
        with cpp.block(f"for (int n = t; n < {BLOCK + 2 * radius}; n += {BLOCK})"):
            cpp(f"room[n] = {{x}}[{_inside('first + n')}];")
    else:
        cpp(f"room[t + {radius}] = {{x}}[{_inside('{i}')}];")
        cpp(f"if (t < {radius}) room[t] = {{x}}[{_inside(f'{{i}} - {radius}')}];")
        cpp(f"if (t >= {BLOCK - radius}) room[t + {2 * radius}] = {{x}}[{_inside(f'{{i}} + {radius}')}];")
    cpp("__syncthreads();")


def _fold_taps(cpp: Cpp, T: Scalar, pairs: list[tuple[int, str]], extreme: str, read: object) -> None:
    assert callable(read)
    terms = [read(tap) if extreme else f"{weight} * {read(tap)}" for tap, weight in pairs]
    cpp(f"{ctype(T)} acc = {terms[0]};")
    for term in terms[1:]:
        cpp(f"acc = wp::{extreme}(acc, {term});" if extreme else f"acc += {term};")


def lookup(k: Author) -> None:
    """A table is copied to shared memory; each thread reads one entry, or two and mixes them."""
    c, T = k.c, real(k)
    k.name("table_lookup|shared_lut|interpolate_table|apply_curve|palette")
    size, mixed = c.pick((16, 32, 64, 128)), c.chance(1, 2)
    forward, adjoint = Cpp(c), Cpp(c)
    params: dict[str, Value] = {"table|lut|curve": Array(T, 1), "at|slot|entry": INT, "share|frac|weight": T}
    _read_table(forward, T, size, mixed)
    _read_table_adjoint(adjoint, T, mixed)
    call = native(k, "look_up|table_value|read_table", params, T, forward, adjoint)
    i = index(k)
    table, x = k.input("table|lut|curve", T), k.input("x|keys|values", T)
    value = k.let("v|val|mine", varied(k, x[i % x.shape(0)], 1, 2))
    scaled = k.let("pos|scaled|u", wp.clamp(wp.abs(value) * coefficient(k, T, 100, 900), 0.0, float(size - 2)))
    slot = k.let("slot|cell|lower", cast(scaled, INT))
    fraction = k.let("frac0|part|rest", scaled - cast(slot, T))
    finish(k, k.let("entry0|looked|level", call(table, slot, fraction)), i, own=value)
    k.summary(f"Looks {T.name} values up in a table of {size}{', between entries,' * mixed} copied to shared memory.")


def _read_table(cpp: Cpp, T: Scalar, size: int, mixed: bool) -> None:
    def result(name: str) -> str:
        low, high = f"{name}[{{at}}]", f"{name}[{{at}} + 1]"
        if not mixed:
            return f"{low} * {{share}}"
        return (f"{low} + ({high} - {low}) * {{share}}", f"({literal(1, T)} - {{share}}) * {low} + {{share}} * {high}")[
            way
        ]

    way = cpp.c.below(2)
    with cpp.device([f"return {result('{table}')};"]):
        cpp(f"__shared__ {ctype(T)} room[{size}];")
        thread(cpp)
        if cpp.c.chance(1, 2):
            cpp(f"if (t < {size}) room[t] = {{table}}[t];")
        else:
            with cpp.block(f"for (int n = t; n < {size}; n += {cpp.c.pick((str(BLOCK), 'blockDim.x'))})"):
                cpp("room[n] = {table}[n];")
        cpp("__syncthreads();", f"const {ctype(T)} found = {result('room')};", "__syncthreads();", "return found;")


def _read_table_adjoint(cpp: Cpp, T: Scalar, mixed: bool) -> None:
    one = literal(1, T)
    if mixed:
        cpp(f"wp::atomic_add(adj_{{table}}, {{at}}, ({one} - {{share}}) * adj_ret);")
        cpp("wp::atomic_add(adj_{table}, {at} + 1, {share} * adj_ret);")
        cpp("adj_{share} += ({table}[{at} + 1] - {table}[{at}]) * adj_ret;")
    else:
        cpp("wp::atomic_add(adj_{table}, {at}, {share} * adj_ret);", "adj_{share} += {table}[{at}] * adj_ret;")


def unpacked(k: Author) -> None:
    """Records of two to four numbers lie one after the other: loaded in order, and read by a thread for each."""
    c, T = k.c, real(k)
    k.name("unpack_records|load_interleaved|aos_block|strided_records|record_norm")
    width = c.between(2, 4)
    forward, adjoint = Cpp(c), Cpp(c)
    weights = [literal(c.between(1, 9) / 4, T) for _ in range(width)]
    square = c.chance(1, 2)
    host = [f"{{x}}[wp::min({width} * {{i}} + {part}, {{count}} - 1)]" for part in range(width)]
    with forward.device([f"return {_record(host, weights, square)};"]):
        _load_records(forward, T, width)
        own = [f"room[{width} * t + {part}]" for part in range(width)]
        forward(f"const {ctype(T)} made = {_record(own, weights, square)};", "__syncthreads();", "return made;")
    for part, weight in enumerate(weights):
        slope = f"{literal(2, T)} * {weight} * {host[part]}" if square else weight
        adjoint(f"wp::atomic_add(adj_{{x}}, wp::min({width} * {{i}} + {part}, {{count}} - 1), {slope} * adj_ret);")
    params: dict[str, Value] = {"x|packed|records": Array(T, 1), "i|at|record": INT, "count|length|extent": INT}
    call = native(k, "record_value|read_record|combine_record", params, T, forward, adjoint)
    i = index(k)
    x = k.input("packed|records|xyz", T)
    made = k.let("rec|value|figure", call(x, i, x.shape(0)))
    finish(k, made, i, own=_other(k, T, i), low=1)
    k.summary(f"Combines the {width} {T.name} numbers of each record, loaded in order through shared memory.")


def _other(k: Author, T: Scalar, i: Term) -> Term:
    y = k.input("y|scale_in|gains", T)
    return k.let("gain0|other|w", varied(k, y[i % y.shape(0)], 0, 2))  # type: ignore[no-any-return]


def _load_records(cpp: Cpp, T: Scalar, width: int) -> None:
    cpp(f"__shared__ {ctype(T)} room[{width * BLOCK}];")
    thread(cpp)
    cpp(f"const int first = {width} * ({{i}} - t);")
    if cpp.c.chance(1, 2):
        with cpp.block(f"for (int n = t; n < {width * BLOCK}; n += {BLOCK})"):
            cpp("room[n] = {x}[wp::min(first + n, {count} - 1)];")
    else:
        for part in range(width):
            cpp(f"room[t + {part * BLOCK}] = {{x}}[wp::min(first + t + {part * BLOCK}, {{count}} - 1)];")
    cpp("__syncthreads();")


def _record(parts: list[str], weights: list[str], square: bool) -> str:
    terms = [f"{weight} * {part}{f' * {part}' * square}" for part, weight in zip(parts, weights, strict=True)]
    return " + ".join(terms)
