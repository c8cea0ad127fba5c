"""grid_stride: how a launch covers its elements: Warp's grid-stride loop, lean launches, loops of one's own."""

from __future__ import annotations

from collections.abc import Callable

from ..author import Arr, Author, Scope
from ..families import one_of
from ..fusion import coefficient, statistic, varied
from ..terms import Term, number, wp
from ..types import DOUBLE, FLOAT, INT, VEC2, VEC3, Scalar, Value

_ELEMENTS: tuple[Value, ...] = (FLOAT, FLOAT, VEC3, DOUBLE, INT, VEC2)


def _options(k: Author, *, own_loop: bool = False) -> None:
    """Set the arguments of the decorator: the loop, the backward pass, launch bounds or registers."""
    c = k.c
    if c.chance(3, 4):
        k.option("grid_stride", c.chance(1, 4) if own_loop else c.chance(1, 2))
    if c.chance(1, 3):
        k.option("enable_backward", False)
    way = c.below(5)
    if way == 1:
        k.option("launch_bounds", c.pick((128, 256, 512, 64)))
    elif way == 2:
        k.option("launch_bounds", c.pick(((256, 2), (128, 4), (256, 1), (512, 1))))
    elif way == 3:
        k.option("cuda_max_registers", c.pick((32, 64, 48, 128)))


def _strided(k: Author, i: Term, n: Term, step: Callable[[Term], None]) -> str:
    """Write a loop of thread ``i`` over every ``stride``-th of ``n`` elements; return how it is written."""
    c = k.c
    way = c.below(4)
    stride = k.scalar("stride|num_threads|total_threads|step_size", INT)
    if way == 0:
        j = k.var("j|e|pos|cur", i)
        with k.while_(j < n):
            step(Term(j.e))
            j += wp.max(stride, 1)
        return "every stride-th element"
    if way == 1:
        with k.for_("b|turn|it", (n - i + stride) // wp.max(stride, 1)) as b:
            place = k.let("j|e|pos", i + b * stride)
            with k.if_(place < n):
                step(place)
        return "every stride-th element"
    if way == 2:
        chunk = k.let("chunk|span|per", (n + wp.max(stride, 1) - 1) // wp.max(stride, 1))
        with k.for_("j|e|pos", i * chunk, wp.min((i + 1) * chunk, n)) as place:
            step(place)
        return "a block of elements"
    with k.for_("b|turn|it", k.scalar("turns|per_thread|rounds", INT)) as b:
        place = k.let("j|e|pos", b * stride + i)
        with k.if_(place >= n):
            k.leave("break" if c.chance(2, 3) else "continue")
        step(place)
    return "every stride-th element"


def _map(k: Author) -> None:
    """Element-wise work of threads that each take several elements."""
    c = k.c
    T = c.pick(_ELEMENTS)
    k.name("strided_map|grid_loop|persistent_map|many_per_thread|strided_update")
    _options(k, own_loop=True)
    x, y = k.input("x|a|src", T), k.input("y|b|aux", T) if c.chance(1, 2) else None
    out = k.output("out|dst|result", T)
    i = k.tid("i|tid|gid")

    def body(s: Scope, v: Term) -> Term:
        return varied(s, v, 1, 3)  # type: ignore[no-any-return]

    f = k.helper("work|apply|one", {"v|e|t": T}, body)

    def step(j: Term) -> None:
        made = f(varied(k, x[j], 0, 1))
        if y is not None:
            made = made + varied(k, y[j % y.shape(0)], 0, 1) if c.chance(1, 2) else made - y[j % y.shape(0)]
        out[j] = varied(k, made, 0, 2)

    n = x.shape(0) if c.chance(1, 2) else wp.min(k.scalar("n|count|size", INT), x.shape(0))
    how = _strided(k, i, k.let("n0|length|end", n), step)
    k.summary(f"Maps {T.name} elements, each thread over {how}.")


def _fold(k: Author) -> None:
    """Sums and extremes: each thread folds several elements, then one atomic."""
    c = k.c
    T = c.pick((FLOAT, FLOAT, INT, DOUBLE))
    way = c.below(4)
    k.name(("strided_sum|grid_sum", "strided_dot|grid_dot", "strided_max|grid_max", "strided_count|grid_count")[way])
    _options(k, own_loop=True)
    x = k.input("x|a|src", T)
    y = k.input("y|b|other", T) if way == 1 else None
    total = k.output("total|result|out", INT if way == 3 else T)
    i = k.tid("i|tid|gid")
    acc = k.var("acc|part|mine", number(0, INT if way == 3 else T) if way != 2 else x[i % x.shape(0)])

    def step(j: Term) -> None:
        v = k.let("v|xj|e0", varied(k, x[j], 0, 2))
        if y is not None:
            acc.set(Term(acc.e) + v * varied(k, y[j % y.shape(0)], 0, 1))
        elif way == 2:
            acc.set(wp.max(Term(acc.e), v))
        elif way == 3:
            with k.if_(v > coefficient(k, T) if T.is_float else v > number(c.between(1, 9), T)):
                acc.set(Term(acc.e) + 1)
        else:
            acc.set(Term(acc.e) + v)

    how = _strided(k, i, k.let("n0|length|end", x.shape(0)), step)
    value = varied(k, Term(acc.e), 0, 1) if c.chance(1, 2) else Term(acc.e)
    slot = 0 if c.chance(2, 3) else i % total.shape(0)
    if way == 2:
        k.atomic("max", total, slot, value)
    elif c.chance(1, 2):
        total.add_at(slot, value)
    else:
        k.atomic("add", total, slot, value)
    if c.chance(1, 3):
        k.output("parts|partial|per_thread", acc.type)[i] = Term(acc.e)
    what = ("Sums", "Takes the dot product of", "Takes the largest of", "Counts large")[way]
    k.summary(f"{what} {T.name} elements, each thread over {how} and then one atomic.")


def _plain(k: Author) -> None:
    """Element-wise kernels in one to three dimensions with the decorator's options."""
    c = k.c
    T = c.pick(_ELEMENTS)
    ndim = c.pick((1, 2, 3))
    k.name("lean_map|bounded_map|tuned_update|launch_tuned|register_capped")
    _options(k)
    x = k.input("x|a|src", T, ndim)
    extra = k.input("w|b|aux", T, ndim) if c.chance(1, 2) else None
    out = k.output("out|dst|result", T, ndim)
    index = k.tid(*("i|row|ix", "j|col|iy", "k0|layer|iz")[:ndim])
    places = index if isinstance(index, tuple) else (index,)
    if c.chance(1, 2):
        axis = c.below(ndim)
        with k.if_(places[axis] >= (x.shape(axis) if c.chance(1, 2) else k.scalar("n|limit|size", INT))):
            k.leave()
    v = k.let("v|e|t", varied(k, x[index], 1, 2))
    if extra is not None:
        w = varied(k, extra[index], 0, 2)
        v = k.let("u|m|joined", v + w if c.chance(1, 2) else v - w)
    made = k.let("r|value|res", varied(k, v, 1, 3))
    out[index] = made
    statistic(k, made)
    k.summary(f"Maps {T.name} elements of {ndim}-D arrays in a launch with chosen options.")


def _rows(k: Author) -> None:
    """A thread for each row, or each row and lane: strided columns, transposes, row sums."""
    c = k.c
    T: Scalar = c.pick((FLOAT, FLOAT, DOUBLE, INT))
    k.name("row_lanes|strided_rows|lane_sum|row_loop|warp_rows")
    _options(k)
    x = k.input("x|a|rows", T, 2)
    lanes = c.pick((32, 16, 8, 4))
    row, lane = k.tid("row|i|r", "lane|j|t")
    acc = k.var("acc|part|mine", number(0, T))
    count = k.let("n|cols|width", x.shape(1))
    with k.for_("b|turn|it", (count + lanes - 1) // lanes) as b:
        col = k.let("col|e|at", b * lanes + lane if c.chance(2, 3) else lane * ((count + lanes - 1) // lanes) + b)
        with k.if_(col < count):
            v = k.let("v|xj|e0", varied(k, x[row % x.shape(0), col], 0, 2))
            acc.set(Term(acc.e) + v if c.chance(2, 3) else wp.max(Term(acc.e), v))
            if c.chance(1, 3):
                k.output("copy|dst|mapped", T, 2)[row, col] = varied(k, v, 1, 2)
    value = varied(k, Term(acc.e), 0, 2)
    if c.chance(1, 2):
        k.output("sums|result|out", T).add_at(row, value)
    else:
        k.output("parts|partial|out", T, 2)[row, lane] = value
    k.summary(f"Folds {T.name} rows with {lanes} lanes each, every lane over its share of the columns.")


def _neighbours(k: Author, x: Arr, r: Term, q: Term, h: Term, w: Term) -> Term:
    """Return neighbours of a pixel, clamped or wrapped."""
    if k.c.chance(1, 2):
        return x[wp.min(r + 1, h - 1), q] + x[r, wp.max(q - 1, 0)]
    return x[(r + 1) % h, (q + k.c.between(1, 3)) % w]


def _tiles(k: Author) -> None:
    """Two-dimensional grids covered by loops over both axes."""
    c = k.c
    T: Scalar = c.pick((FLOAT, FLOAT, DOUBLE))
    k.name("tiled_grid|block_cover|strided_stencil|cover_image|two_axis_loop")
    _options(k, own_loop=True)
    x = k.input("x|image|src", T, 2)
    out = k.output("out|dst|result", T, 2)
    rows, cols = k.tid("ty|i|bi", "tx|j|bj")
    size = number(c.pick((2, 4, 8)), INT) if c.chance(1, 2) else k.scalar("block|tile|size", INT)
    h, w = k.let("h|height|ny", x.shape(0)), k.let("w|width|nx", x.shape(1))
    inner = c.chance(1, 2)

    def body(r: Term, q: Term) -> None:
        v = varied(k, x[r, q], 0, 2)
        if inner:
            side = _neighbours(k, x, r, q, h, w)
            v = v + side * coefficient(k, T)
        out[r, q] = varied(k, v, 0, 2)

    if c.chance(1, 2):
        with (
            k.for_("r|y|row", rows * size, wp.min((rows + 1) * size, h)) as r,
            k.for_("q|x0|col", cols * size, wp.min((cols + 1) * size, w)) as q,
        ):
            body(r, q)
        how = "a block of it"
    else:
        r = k.var("r|y|row", rows)
        with k.while_(r < h):
            q = k.var("q|x0|col", cols)
            with k.while_(q < w):
                body(Term(r.e), Term(q.e))
                q += wp.max(size, 1)
            r += wp.max(size, 1)
        how = "a lattice of its pixels"
    k.summary(f"Maps a {T.name} image, each thread over {how}.")


build = one_of("grid_stride", _map, _fold, _plain, _rows, _tiles)
