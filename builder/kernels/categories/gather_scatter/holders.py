"""What holds arrays: structs, arrays of structs, addresses, arrays of a thread's own, views passed to functions."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import coefficient, gate, varied
from ...loops import one_type, over
from ...program import Word
from ...terms import Term, both, cast, lift, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, UINT, UINT64, VEC3, Array, Scalar, Value, scalar_of
from .places import inside


def text(value: str) -> Term:
    """Return a string as an argument."""
    return Term(Word(f'"{value}"'))


def _debugged(k: Author, i: Term, value: Term) -> None:
    """Perhaps print or check the value of one thread, as in a kernel being debugged."""
    c, type_ = k.c, value.type
    if not isinstance(type_, Scalar) or type_.bits < 32 or not c.chance(1, 3):
        return
    way = c.below(5)
    with k.if_(i == c.below(3)):
        if way == 0:
            shown = "%f" if type_.is_float else "%d"
            k.do(wp.printf(text(f"element %d: {shown}\\n"), i, value))
        elif way == 1:
            k.do(wp.print(value))
        else:
            expected = k.scalar("expected|reference|golden", type_)
            if type_.is_float and way == 2:
                k.do(wp.expect_near(value, expected, coefficient(k, type_, 1, 9)))
            else:
                k.do((wp.expect_eq if way == 3 else wp.expect_neq)(value, expected))


def _struct_of_arrays(k: Author) -> None:
    """Each thread reads arrays out of a struct: a table with its scale, a mesh, a batch of levels."""
    c = k.c
    T = one_type(k, FLOAT, DOUBLE, VEC3)
    k.name("struct_arrays|level_lookup|pyramid_read|model_gather|nested_arrays")
    fields: dict[str, Value] = {"data|values": Array(T, 1), "scale|gain": scalar_of(T), "first|offset": INT}
    holder = k.struct("Level|Table|Part|Layer", fields)
    data_name, scale_name, first_name = (name for name, _ in holder.fields)
    ids = k.input("indices|ids|map_to", INT)
    nested = c.chance(1, 2)
    if nested:
        levels = k.input("levels|parts|tables", holder)
        which = k.input("which|level_of|owner", INT)
        i = gate(k, k.tid("i|tid|n"), ids.shape(0))
        part = k.let("part|level|entry", levels[inside(k, which[i], levels.shape(0), "l|owner_i|g")])
    else:
        part = k.scalar("part|level|model", holder)
        i = gate(k, k.tid("i|tid|n"), ids.shape(0))
    data: Arr = k.let("data_view|column|buf", getattr(part, data_name))
    e = k.let("e|src|at", wp.abs(ids[i] + getattr(part, first_name)) % wp.max(data.shape(0), 1))
    value = k.let("value|v|read", varied(k, data[e] * getattr(part, scale_name), 0, 3))
    out = k.output("out|result|gathered", T)
    out[i] = varied(k, value, 0, 2)
    _debugged(k, i, value)
    k.summary(f"Gathers {T.name} elements from an array in {'one of an array of structs' if nested else 'a struct'}.")


def _addresses(k: Author) -> None:
    """Each thread makes an array over an address that another array holds: ragged batches without copies."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE, INT))
    k.name("pointer_gather|ragged_batch|from_addresses|gather_buffers")
    pointers, sizes = k.input("pointers|addresses|ptrs", UINT64), k.input("sizes|lengths|counts", INT)
    two = c.chance(1, 2)
    threads = k.tid("b|buffer|i", "j|pos|n") if two else k.tid("b|buffer|i")
    b = threads[0] if two else threads
    n = k.let("n0|size|length", sizes[b])
    shape: object = (n,) if c.chance(2, 3) else (wp.max(n // 4, 1), number(4, INT))
    flat = len(shape) == 1  # type: ignore[arg-type]
    buf: Arr = k.let("buf|view|data", wp.array(ptr=pointers[b], shape=shape, dtype=T))
    if two:
        j = threads[1]
        with k.if_(j >= (n if flat else n // 4)):
            k.leave()
        value = varied(k, buf[j] if flat else buf[j, c.below(4)], 0, 3)
        out = k.output("out|padded|dense", T, 2)
        out[b, j] = value
        k.summary(f"Copies ragged {T.name} buffers, of which an array holds the addresses, to a dense array.")
        return
    acc = k.var("acc|total|s", zero(T))
    with over(k, "j|pos|e", 0, n if flat else n // 4) as j:
        acc += varied(k, buf[j] if flat else buf[j, 0] + buf[j, 3], 0, 2)
    out = k.output("out|sums|result", T)
    out[b] = varied(k, acc, 0, 2)
    k.summary(f"Sums ragged {T.name} buffers of which an array holds the addresses.")


def _own_array(k: Author) -> None:
    """Each thread fills a small array of its own: a sort for a median, a histogram, a delay line, a small table."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    k.name("local_array|private_histogram|sort_small|median_filter|ring_buffer")
    x = k.input("x|values|src", T)
    size = c.between(3, 9)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    shape: object = (size,) if c.chance(1, 2) else size
    own: Arr = k.let("own|local|window|tmp", wp.zeros(shape=shape, dtype=T))
    with k.for_("j|l|slot", size) as j:
        own[j] = varied(k, x[wp.clamp(i + j - size // 2, 0, x.shape(0) - 1)], 0, 2)
    way = c.below(3)
    if way == 0:
        _sort(k, own, size)
        picked = own[number(c.pick((size // 2, 0, size - 1)), INT)]
    elif way == 1:
        acc = k.var("acc|total|s", zero(T))
        with k.for_("q|m|lag", 1, number(size, INT)) as q:
            acc += varied(k, own[q] * own[q - 1] if T is not INT else wp.abs(own[q] - own[q - 1]), 0, 2)
        picked = acc
    else:
        bins: Arr = k.let("bins|tally|counts_of", wp.zeros(shape=(4,), dtype=INT))
        with k.for_("q|m|lag", number(size, INT)) as q:
            level = own[q] if T is INT else cast(wp.clamp(own[q] * number(4.0, T), -100.0, 100.0), INT)
            b = k.let("b|bin_no|s0", wp.abs(level) % 4)
            bins[b] = bins[b] + 1
        picked = cast(varied(k, bins[number(c.below(4), INT)] + bins[number(c.below(4), INT)] * 2, 0, 1), T)
    value = k.let("value|figure|v", varied(k, picked, 0, 2))
    out = k.output("out|result|filtered", T)
    out[i] = value
    _debugged(k, i, value)
    what = ("sorts them and picks one", "sums what neighbours make of each other", "counts them by level")[way]
    k.summary(f"Copies {size} neighbours to an array of the thread's own, and {what}.")


def _sort(k: Author, own: Arr, size: int) -> None:
    """Write an insertion or an exchange sort of a small array."""
    with k.for_("p|outer|a0", 1, Term(lift(size, INT))) as p:
        key = k.let("key|cur|pivot", own[p])
        if k.c.chance(1, 2):
            q = k.var("q|hole|b0", p - 1)
            with k.while_(q >= 0):
                with k.if_(own[q] <= key):
                    k.leave("break")
                own[q + 1] = own[q]
                q -= 1
            own[q + 1] = key
        else:
            moved = k.var("moved|carry|held", key)
            with k.for_("q|inner|b0", p) as at:
                here = k.let("here|old|was", own[at])
                with k.if_(here > moved):
                    own[at] = moved
                    moved.set(here)
            own[p] = moved


def _passed(k: Author) -> None:
    """Each thread passes rows or slices to a function that takes an array: dot, distance, norm, polynomial."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE))
    V = Array(T, 1)
    k.name("row_function|apply_to_rows|pairwise_call|horner_rows|row_distance")
    a = k.input("a|rows_a|left", T, 2)
    way = c.below(3)
    i = gate(k, k.tid("i|row|n"), a.shape(0))

    def body(s: Scope, u: Arr, v: Arr) -> Term:
        acc = s.var("acc|total|s", zero(T))
        with over(s, "j|l|m", 0, u.shape(0)) as j:
            left, right = s.let("p|uj|x0", varied(s, u[j], 0, 1)), varied(s, v[j], 0, 1)
            acc.set((acc + left * right, acc + wp.abs(left - right), acc * number(0.5, T) + left * right)[way])
        return varied(s, acc, 0, 1)  # type: ignore[no-any-return]

    row: Arr = k.let("row_i|line|mine", a[i])
    other: Arr = _second_row(k, a, i, T)
    joined = k.function("join_rows|row_dot|row_gap|compare", {"u|p0|first": V, "v|q0|second": V}, body)
    value = k.let("value|score|v0", varied(k, joined(row, other), 0, 3))
    out = k.output("out|scores|result", T)
    out[i] = value
    _debugged(k, i, value)
    what = ("the product", "the distance", "a weighted product")[way]
    k.summary(f"Computes {what} of pairs of {T.name} rows by a function that takes arrays.")


def _second_row(k: Author, a: Arr, i: Term, type_: Scalar) -> Arr:
    c, way = k.c, k.c.below(3)
    if way == 0:
        b = k.input("b|rows_b|right", type_, 2)
        ids = k.input("pairs|ids|match", INT)
        return k.let("other_row|mate|its", b[wp.clamp(ids[i], 0, b.shape(0) - 1)])  # type: ignore[no-any-return]
    if way == 1:
        return k.let("other_row|mate|its", a[(i + c.between(1, 4)) % a.shape(0)])  # type: ignore[no-any-return]
    return k.input("query|reference|mean_row", type_)


def _bit_tricks(k: Author) -> None:
    """Each thread keeps a float extreme through its bits: an order-keeping code, an atomic on whole numbers."""
    c = k.c
    k.name("float_bits|ordered_bits|bitwise_max|sortable_keys|pack_bits")
    x = k.input("x|values|depths", FLOAT)
    codes = k.inout("codes|best_bits|tops", UINT)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    v = k.let("v|depth|s", varied(k, x[i], 1, 3))
    bits = k.let("bits|word|u", wp.cast(v, UINT))
    top = number(1, UINT) << number(31, UINT)
    if c.chance(1, 2):
        top = k.let("top_bit|sign_bit|msb", top)
    negative = (bits >> number(31, UINT)) != number(0, UINT)
    if c.chance(1, 2):
        code = k.let("code|key|ordered", where(negative, ~bits, bits ^ top))
    else:
        code_ = k.var("code|key|ordered", bits)
        with k.if_(negative):
            code_.set(~bits)
        with k.else_():
            code_.set(bits | top)
        code = Term(code_.e)
    group = k.let("group|g|bucket", i % codes.shape(0)) if c.chance(1, 2) else number(0, INT)
    k.atomic(c.pick(("max", "min")), codes, group, code)
    low = code & number(c.pick((255, 65535, 1023)), UINT)
    back = k.let(
        "back|trimmed|r", varied(k, cast(low, FLOAT), 0, 1) if c.chance(1, 2) else wp.cast(bits & ~low, FLOAT) * 0.5
    )
    out = k.output("out|result|rounded", FLOAT)
    test = both(wp.isfinite(back), wp.abs(back) < 1.0e6)
    out[i] = varied(k, where(test, back, zero(FLOAT)), 0, 2)
    k.summary("Turns each float32 into bits that sort like it, and keeps an extreme of them by an atomic.")


FAMILIES = (_struct_of_arrays, _addresses, _own_array, _passed, _bit_tricks)
