"""Single steps of parallel scans: Hillis-Steele, Blelloch's sweeps, offsets of blocks, summed-area tables."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, gate, varied
from ...loops import one_type
from ...terms import Term, cast, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, VEC2, VEC3, Scalar, scalar_of


def _joined(k: Author, way: int, left: Term, right: Term) -> Term:
    if way == 0:
        return left + right
    if way == 1:
        return wp.max(left, right)
    if way == 2:
        return wp.min(left, right)
    return left * _decay(k, right) + right


def _decay(k: Author, like: Term) -> Term:
    type_ = scalar_of(like.type)
    return coefficient(k, type_, 20, 95) if type_.is_float else number(2, type_)


_JOINS = ("sums", "maxima", "minima", "decayed sums")


def _stride(k: Author) -> Term:
    """Write the distance of a step: an argument, or a power of two of the level."""
    c, way = k.c, k.c.below(3)
    if way == 0:
        return wp.max(k.scalar("stride|offset|gap", INT), 1)
    if way == 1:
        return k.let("hop|reach|stride", number(1, INT) << wp.clamp(k.scalar("level|round_no|d", INT), 0, 20))  # type: ignore[no-any-return]
    return k.constant("STRIDE|HOP|GAP", c.pick((1, 2, 4, 8, 16)), INT)


def _unbroken(test: Term, flag: Term) -> Term:
    """Return whether a test holds and no run begins at the flag."""
    return (where(test, number(1, INT), number(0, INT)) + where(flag == 0, number(1, INT), number(0, INT))) == 2


def _hillis_steele(k: Author) -> None:
    """One step of the Hillis-Steele scan from one buffer to another, plain or with head flags, 1-D or per row."""
    c = k.c
    T = one_type(k, FLOAT, INT, DOUBLE, VEC3)
    k.name("hillis_steele|scan_step|doubling_step|scan_pass")
    rows = c.chance(1, 3)
    ndim = 2 if rows else 1
    src, dst = k.input("src|x|ping", T, ndim), k.output("dst|y|pong", T, ndim)
    flags = k.input("flags|heads|starts", INT, ndim) if c.chance(1, 3) else None
    threads = k.tid("row|b|line_no", "i|j|lane") if rows else (k.tid("i|tid|lane"),)
    i = threads[-1]

    def at(j: Term) -> tuple[Term, ...]:
        return (*threads[:-1], j)

    stride = _stride(k)
    way = c.below(4)
    x = k.let("x0|own|right", varied(k, src[at(i)], 0, 2))
    test = i >= stride
    if flags is not None:
        test = _unbroken(test, flags[at(i)])
    form = c.below(3)
    if form == 0:
        with k.if_(test):
            left = varied(k, src[at(i - stride)], 0, 2)
            dst[at(i)] = varied(k, _joined(k, way, left, x), 0, 2)
        with k.else_():
            dst[at(i)] = x
    elif form == 1:
        acc = k.var("acc|value|total", x)
        with k.if_(test):
            acc.set(varied(k, _joined(k, way, varied(k, src[at(wp.max(i - stride, 0))], 0, 1), acc), 0, 1))
        dst[at(i)] = varied(k, acc, 0, 1)
    else:
        partner = k.let("partner|mate|from_at", wp.max(i - stride, 0))
        left = k.let("left|before|other", varied(k, src[at(partner)], 0, 2))
        dst[at(i)] = varied(k, where(test, _joined(k, way, left, x), x), 0, 2)
    begin = " that starts afresh at flags" if flags is not None else ""
    k.summary(f"Does one step of a Hillis-Steele scan by {_JOINS[way]} of {T.name}{' per row' if rows else ''}{begin}.")


def _blelloch(k: Author) -> None:
    """One level of Blelloch's up-sweep or down-sweep, in place, on a tree laid over the array."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    up = c.chance(1, 2)
    k.name("up_sweep|reduce_level|build_tree" if up else "down_sweep|distribute_level|unwind_tree")
    x = k.inout("x|tree|buf|work", T)
    i = k.tid("i|tid|node")
    stride = k.let("half|step|width", _stride(k))
    form = c.below(3)
    left = k.let("left|a_at|lo", i * stride * 2 + stride - 1 if form else (2 * i + 1) * stride - 1)
    right = k.let("right|b_at|hi", left + stride)
    if form == 2:
        with k.if_(right >= x.shape(0)):
            k.leave()
        _blelloch_node(k, x, left, right, up)
    else:
        with k.if_(right < x.shape(0)):
            _blelloch_node(k, x, left, right, up)
    sweep = "up-sweep" if up else "down-sweep"
    k.summary(f"Does one level of the {sweep} of Blelloch's scan on {T.name}, in place.")


def _blelloch_node(k: Author, x: Arr, left: Term, right: Term, up: bool) -> None:
    c, way = k.c, k.c.below(3)
    a = k.let("a|lv|child", varied(k, x[left], 0, 2))
    b = k.let("b|rv|root", varied(k, x[right], 0, 1))
    if not up:
        x[left] = b
    value = varied(k, _joined(k, way, a, b), 0, 2)
    if not up or c.chance(1, 2):
        x[right] = value
    else:
        with k.if_(right > left):
            x[right] = varied(k, value, 0, 1)


def _offsets(k: Author) -> None:
    """The last pass of a scan in blocks: each element gets what stands before its block, by block or by search."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    k.name("add_offsets|uniform_add|block_offsets|carry_in")
    x = k.input("partial|scanned|x", T)
    sums = k.input("block_sums|carries|totals", T)
    out = k.output("out|result|full", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    size = number(c.pick((64, 128, 256, 512)), INT) if c.chance(1, 2) else wp.max(k.scalar("block|block_size", INT), 1)
    block = k.let("b|blk|chunk", wp.min(i // size, sums.shape(0) - 1))
    way = c.below(3)
    own = varied(k, x[i], 0, 2)
    if way == 0:
        carry = k.var("carry|before|lead", zero(T))
        with k.if_(block > 0):
            carry.set(varied(k, sums[block - 1], 0, 2))
        value = own + carry
    elif way == 1:
        value = own + where(block > 0, sums[wp.max(block - 1, 0)], zero(T))
    else:
        carry = k.var("carry|before|lead", zero(T))
        with k.for_("q|j|prior", block) as q:
            carry += varied(k, sums[q], 0, 1)
        value = own + carry
    out[i] = varied(k, value, 0, 3)
    k.summary(f"Adds to each {T.name} of a scan in blocks what the blocks before it sum to.")


def _chunk_scan(k: Author) -> None:
    """The first pass of a scan in blocks: each thread scans its chunk and keeps the chunk's total."""
    c = k.c
    T = one_type(k, FLOAT, INT, DOUBLE, VEC2)
    k.name("scan_chunk|local_scan|block_scan|first_pass")
    x = k.input("x|values|src", T)
    out, totals = k.output("out|scanned|dst", T), k.output("totals|block_sums|tails", T)
    i = k.tid("i|worker|tid|blk")
    grain = number(c.pick((16, 32, 64, 128)), INT) if c.chance(1, 2) else wp.max(k.scalar("grain|chunk|per", INT), 1)
    begin = k.let("begin|lo|first", i * grain)
    end = k.let("end|hi|stop", wp.min(begin + grain, x.shape(0)))
    acc = k.var("acc|running|total", zero(T))
    way, exclusive = c.below(3), c.chance(1, 2)
    with k.for_("j|p|pos", begin, end) as j:
        v = k.let("v|x0|cur", varied(k, x[j], 0, 2))
        if exclusive:
            out[j] = varied(k, acc, 0, 1)
        acc.set(_joined(k, way, acc, v))
        if not exclusive:
            out[j] = varied(k, acc, 0, 2)
    totals[i] = varied(k, acc, 0, 2)
    kind = "exclusive" if exclusive else "inclusive"
    k.summary(f"Scans each chunk of {T.name} by {_JOINS[way]}, {kind}, and keeps the chunk's last value.")


def _summed_area(k: Author) -> None:
    """Summed-area tables: one pass along rows or columns, or the sum over a box from four corners."""
    c = k.c
    T: Scalar = c.pick((FLOAT, DOUBLE, INT))
    k.name("summed_area|integral_image|box_from_table|area_pass")
    table = k.input("table|integral|img", T, 2)
    out = k.output("out|boxes|sums", T, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    if c.chance(1, 3):
        axis, acc = c.below(2), k.var("acc|strip|total", zero(T))
        reach = number(c.between(1, 9), INT) if c.chance(1, 2) else wp.clamp(k.scalar("reach|span", INT), 0, 64)
        own = i if axis == 0 else j
        with k.for_("q|s|back_to", wp.max(own - reach, 0), own + 1) as q:
            acc += varied(k, table[q, j] if axis == 0 else table[i, q], 0, 2)
        out[i, j] = varied(k, acc, 0, 3)
        k.summary(f"Sums a strip of {T.name} before each element along axis {axis} of an image.")
        return
    radius = number(c.between(1, 6), INT) if c.chance(1, 2) else wp.clamp(k.scalar("radius|half", INT), 1, 32)
    y0, x0 = k.let("y0|top", wp.max(i - radius, 0)), k.let("x0|left", wp.max(j - radius, 0))
    y1 = k.let("y1|bottom", wp.min(i + radius, table.shape(0) - 1))
    x1 = k.let("x1|right", wp.min(j + radius, table.shape(1) - 1))
    total = k.let("total|box|area_sum", table[y1, x1] - table[y0, x1] - table[y1, x0] + table[y0, x0])
    if T.is_float and c.chance(1, 2):
        total = varied(k, total / cast(wp.max((y1 - y0) * (x1 - x0), 1), T), 0, 1)
    out[i, j] = varied(k, total, 0, 3)
    k.summary(f"Sums a box around each pixel from the corners of a summed-area table of {T.name}.")


def _affine_step(k: Author) -> None:
    """One step of a parallel scan of affine maps, kept as vectors, structs or two arrays."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE))
    k.name("affine_scan_step|compose_step|linear_scan_pass|pair_scan")
    slope, shift = k.input("a_in|slopes|decay", T), k.input("b_in|shifts|drive", T)
    slope_out, shift_out = k.output("a_out|slopes_out", T), k.output("b_out|shifts_out", T)
    i = gate(k, k.tid("i|tid|lane"), slope.shape(0))
    stride = _stride(k)
    a, b = k.let("a|s1", varied(k, slope[i], 0, 2)), k.let("b|t1", varied(k, shift[i], 0, 2))
    ra, rb = k.var("ra|new_a", a), k.var("rb|new_b", b)
    with k.if_(i >= stride):
        p = k.let("p|from_at|partner", i - stride)
        pa, pb = k.let("pa|s0", varied(k, slope[p], 0, 1)), k.let("pb|t0", varied(k, shift[p], 0, 1))
        ra.set(pa * a)
        rb.set(a * pb + b)
    slope_out[i] = varied(k, ra, 0, 2)
    shift_out[i] = varied(k, rb, 0, 2)
    k.summary(f"Composes pairs of affine {T.name} maps a stride apart: one step of a scan of a linear recurrence.")


FAMILIES = (_hillis_steele, _blelloch, _offsets, _chunk_scan, _summed_area, _affine_step)
