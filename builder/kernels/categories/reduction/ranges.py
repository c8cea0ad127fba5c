"""Reductions in which one thread runs over its own elements: rows, columns, segments, chunks, windows, lists."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, gate, varied
from ...loops import over
from ...terms import Term, cast, number, wp, zero
from ...types import FLOAT, INT, INT64, Scalar
from .kinds import At, Run, reduced


def _element(k: Author) -> Scalar:
    return k.c.weighted({FLOAT: 5, k.real(): 3, INT: 1, INT64: 1})


def _mapped(k: Author, type_: Scalar, at: At) -> At:
    """Return ``at``, perhaps followed by a function of the module."""
    if not k.c.chance(1, 3):
        return at
    change = k.function("f|term|transform|phi|prepared", {"x|v|s": type_}, lambda s, x: varied(s, x, 1, 2))
    return lambda j: change(at(j))


def _finish(k: Author, i: Term | tuple[Term, ...], value: Term, what: str, where: str) -> None:
    """Store what the thread found, perhaps changed, in place or atomically."""
    type_ = value.type
    assert isinstance(type_, Scalar)
    out = k.output("out|result|res|stats", type_)
    place = i if isinstance(i, Term) else i[0]
    value = varied(k, value, 0, 3)
    if k.c.chance(1, 5) and type_.bits >= 32:
        k.atomic(k.c.pick(("add", "max", "min")), out, place, value)
    else:
        out[place] = value
    k.summary(f"Computes {what} of {where}, of {type_.name}.")


def _rows(k: Author) -> None:
    """Each thread reduces a row (or a column) of a matrix: 2-D, a view of the row, or a flat array."""
    c, T = k.c, _element(k)
    k.name("row_reduce|reduce_rows|row_stats|line_reduce|reduce_axis")
    layout = c.weighted({"2d": 3, "view": 2, "flat": 2, "column": 2})
    a = k.input("a|mat|values|x|grid", T, 1 if layout == "flat" else 2)
    row = gate(k, k.tid("row|i|r|tid"), a.shape(0))
    if layout == "flat":
        width = k.scalar("width|ncols|stride", INT)
        first = k.let("first|begin|base", wp.min(wp.max(row * width, 0), a.shape(0)))
        stop = k.let("stop|end|limit_at", wp.min(first + wp.max(width, 1), a.shape(0)))
        run = Run(k, T, _mapped(k, T, lambda j: a[j]), first, stop)
    elif layout == "view":
        line: Arr = k.let("line|row_values|slab", a[row])
        run = Run(k, T, _mapped(k, T, lambda j: line[j]), 0, a.shape(1) if c.chance(1, 2) else line.shape(0))
    else:
        axis = 0 if layout == "column" else 1
        stop = k.let("n|count|ncols", a.shape(axis)) if c.chance(1, 2) else a.shape(axis)
        at: At = (lambda j: a[j, row]) if layout == "column" else (lambda j: a[row, j])
        run = Run(k, T, _mapped(k, T, at), 0, stop)
    value, what = reduced(run)
    _finish(k, row, value, what, f"each {'column' if layout == 'column' else 'row'} of a matrix")


def _segments(k: Author) -> None:
    """Each thread reduces the segment between two offsets, perhaps through a list of indices."""
    c, T = k.c, _element(k)
    k.name("segment_reduce|segmented_reduce|reduce_by_offsets|csr_reduce|ragged_reduce")
    x = k.input("x|values|data|edges", T)
    offsets = k.input("offsets|row_ptr|starts|indptr", INT)
    s = k.tid("s|seg|i|tid")
    with k.if_(s + 1 >= offsets.shape(0)):
        k.leave()
    first = k.let("first|begin|lo", wp.max(offsets[s], 0))
    stop = k.let("stop|end|hi", wp.min(offsets[s + 1], x.shape(0)))
    if c.chance(1, 3):
        with k.if_(first >= stop):
            k.leave()
    if c.chance(1, 3):
        ids = k.input("ids|indices|cols|order", INT)
        at: At = lambda j: x[wp.clamp(ids[j], 0, x.shape(0) - 1)]  # noqa: E731
    else:
        at = lambda j: x[j]  # noqa: E731
    value, what = reduced(Run(k, T, _mapped(k, T, at), first, stop))
    _finish(k, s, value, what, "each segment between two offsets")


def _chunks(k: Author) -> None:
    """Each thread reduces a chunk or every n-th element of a long array: partial results."""
    c, T = k.c, _element(k)
    k.name("partial_reduce|block_reduce|chunk_reduce|partials|coarse_reduce")
    x = k.input("x|values|data|signal", T)
    i = k.tid("i|tid|worker|lane")
    size = _chunk_size(k)
    begin = k.let("begin|lo|first", i * size if c.chance(1, 2) else size * i)
    end = k.let("end|hi|stop", wp.min(begin + size, x.shape(0)))
    if c.chance(1, 2):
        with k.if_(begin >= end):
            k.leave()
    value, what = reduced(Run(k, T, _mapped(k, T, lambda j: x[j]), begin, end))
    _finish(k, i, value, what, "each chunk of an array")


def _chunk_size(k: Author) -> Term:
    c = k.c
    way = c.below(3)
    if way == 0:
        return wp.max(k.scalar("chunk|per_thread|grain", INT), 1)
    if way == 1:
        return k.constant("CHUNK|GRAIN|PER_THREAD", c.pick((16, 32, 64, 128)), INT)
    return number(c.pick((32, 64, 100, 256)), INT)


def _strided(k: Author) -> None:
    """Each thread sums every n-th element and adds its partial result to one total."""
    c, T = k.c, k.real()
    k.name("strided_sum|grid_stride_reduce|partial_sums|strided_reduce")
    x = k.input("x|values|data|signal", T)
    others = [k.input("y|weights|other", T)] if c.chance(1, 2) else []
    i = k.tid("i|tid|idx|lane")
    if c.chance(1, 4):
        stride = wp.block_dim() * wp.max(k.scalar("n_blocks|blocks|grid_size", INT), 1)
    else:
        stride = wp.max(k.scalar("stride|step|n_threads", INT), 1)
    if c.chance(1, 2):
        stride = k.let("hop|jump|pitch", stride)
    acc = k.var("acc|partial|total", zero(T))
    j = k.var("j|at|cursor", i)
    with k.while_(j < x.shape(0)):
        value = varied(k, x[j], 0, 2)
        acc += varied(k, value * others[0][j], 0, 1) if others else value
        j += stride
    if c.chance(1, 2):
        out = k.output("out|total_out|result", T)
        out.add_at(0, varied(k, acc, 0, 2)) if c.chance(1, 2) else k.atomic("add", out, 0, varied(k, acc, 0, 2))
        where = "into one total"
    else:
        out = k.output("partials|sums|out", T)
        out[i] = varied(k, acc, 0, 2)
        where = "into one partial sum per thread"
    k.summary(f"Sums every n-th {T.name}{' product' if others else ''} of an array {where}.")


def _windows(k: Author) -> None:
    """Each thread reduces a window around its element, clamped at the ends or cut there."""
    c, T = k.c, _element(k)
    k.name("moving_reduce|window_reduce|rolling|sliding_window|local_reduce")
    x = k.input("x|series|signal|samples", T)
    i = gate(k, k.tid("i|t|tid|idx"), x.shape(0))
    radius = number(c.between(1, 8), INT) if c.chance(1, 2) else wp.clamp(k.scalar("radius|reach|half", INT), 1, 64)
    if c.chance(1, 2):
        radius = k.let("half_width|span|rad", radius)
    trailing = c.chance(1, 3)
    if c.chance(1, 2):
        first = k.let("first|lo|begin", wp.max(i - radius, 0))
        stop = k.let("stop|hi|end", i + 1 if trailing else wp.min(i + radius + 1, x.shape(0)))
        at: At = lambda j: x[j]  # noqa: E731
    else:
        first = k.let("first|lo|begin", i - radius)
        stop = k.let("stop|hi|end", i + 1 if trailing else i + radius + 1)
        last = k.let("last|edge|n_last", x.shape(0) - 1)
        at = lambda j: x[wp.min(wp.max(j, 0), last)]  # noqa: E731
    value, what = reduced(Run(k, T, _mapped(k, T, at), first, stop))
    _finish(k, i, value, what, "a window of neighbours" + (" before the element" if trailing else ""))


def _filtered(k: Author) -> None:
    """Each thread reduces the elements of a row that a mask, a label or a limit lets through."""
    c, T = k.c, k.real()
    k.name("masked_row_sum|masked_mean|label_mean|conditional_reduce|filtered_row")
    a = k.input("a|values|scores|grid", T, 2)
    row = k.tid("row|i|b|tid")
    way = c.below(3)
    acc, weight = k.var("acc|total|s", zero(T)), k.var("weight|kept|n_kept", zero(T))
    mask = k.input("mask|labels|valid", INT, 2) if way != 1 else None
    wanted = number(c.below(4), INT) if c.chance(1, 2) else k.scalar("label|wanted|group", INT)
    low = coefficient(k, T)
    with over(k, "j|c|col", 0, a.shape(1)) as j:
        v = k.let("v|x0|value", varied(k, a[row, j], 0, 1))
        if mask is None:
            test = wp.abs(v) > low * cast(wp.clamp(wanted, 1, 8), T)
        else:
            test = mask[row, j] == wanted
            v = varied(k, v * low, 0, 1)
        with k.if_(test):
            acc += v
            weight += 1.0
    mean = acc / wp.max(weight, 1.0)
    result = varied(k, mean if c.chance(2, 3) else acc * coefficient(k, T) - weight, 0, 2)
    out = k.output("out|means|result", T)
    out[row] = result
    kept = "that exceed a limit" if mask is None else "whose label is wanted"
    k.summary(f"Sums and counts the {T.name} elements {kept} in each row of a matrix.")


FAMILIES = (_rows, _segments, _chunks, _strided, _windows, _filtered)
