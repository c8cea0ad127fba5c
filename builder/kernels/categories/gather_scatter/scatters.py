"""Scatters: sums, histograms, splats and deposits into places that elements name."""

from __future__ import annotations

from itertools import product

from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...loops import over, weighted_type
from ...terms import Term, cast, number, wp, zero
from ...types import DOUBLE, FLOAT, HALF, INT, UINT, VEC2, VEC3, Scalar, Value, vec
from .places import inside


def _scatter(k: Author) -> None:
    """Each thread adds its element where its index says, perhaps to several places or with a weight."""
    c = k.c
    T = weighted_type(k, {FLOAT: 5, DOUBLE: 2, INT: 2, VEC3: 3, VEC2: 1, HALF: 1})
    k.name("scatter_add|accumulate_at|index_add|assemble|splat")
    x = k.input("x|values|src|contrib", T)
    ids = k.input("indices|idx|targets|dest", INT)
    out = k.output("out|sums|dst|assembled", T)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    e = inside(k, ids[i], out.shape(0))
    value = k.let("value|v|amount", varied(k, x[i], 0, 3))
    kind = c.weighted({"add": 5, "sub": 1, "max": 1, "min": 1}) if T is not HALF else "add"
    k.atomic(kind, out, e, value, augmented=kind in ("add", "sub") and c.chance(1, 2))
    if c.chance(1, 3):
        beside = k.let("beside|also|twin", (e + c.between(1, 5)) % out.shape(0))
        k.atomic(kind, out, beside, varied(k, value, 1, 2))
    if c.chance(1, 3):
        counts = k.output("counts|uses|degree", INT)
        counts.add_at(e, 1)
    k.summary(f"Scatters {T.name} elements by an atomic {kind} to the places that indices name.")


def _scatter_rows(k: Author) -> None:
    """Each thread adds a row of values to the row of a table that its index names."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE))
    k.name("scatter_rows|embedding_backward|index_add_rows|segment_add")
    grads = k.input("grads|rows_in|updates", T, 2)
    ids = k.input("indices|ids|tokens", INT)
    table = k.output("table|grad_table|sums", T, 2)
    flat = c.chance(1, 2)
    threads = k.tid("i|row|n", "j|col|d") if flat else k.tid("i|row|n")
    i = threads[0] if flat else threads
    e = inside(k, ids[i], table.shape(0))
    scale = coefficient(k, T)
    if c.chance(1, 2):
        weights = k.input("weights|masks|importance", T)
        scale = k.let("w|scaled|share", varied(k, weights[i] * scale, 0, 2))
    if flat:
        j = threads[1]
        k.atomic("add", table, (e, j), varied(k, grads[i, j] * scale, 0, 3), augmented=c.chance(1, 2))
    else:
        with over(k, "j|col|d", 0, grads.shape(1)) as j:
            k.atomic("add", table, (e, j), varied(k, grads[i, j] * scale, 0, 3), augmented=c.chance(1, 2))
    if c.chance(1, 3):
        hits = k.output("hits|counts|touched", INT)
        hits.add_at(e, 1)
    k.summary(f"Adds rows of {T.name} updates to the rows of a table that indices name.")


def _histogram(k: Author) -> None:
    """Each thread counts or weighs its element in a bin: 1-D, 2-D joint, per channel, soft between two bins."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE))
    k.name("weighted_histogram|joint_histogram|soft_histogram|spectrum_bins|channel_histogram")
    x = k.input("x|values|samples|energy", T)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    v = k.let("v|sample|level", varied(k, x[i], 0, 2))
    weight = varied(k, k.input("weights|mass|w_in", T)[i], 0, 1) if c.chance(1, 2) else coefficient(k, T)
    way = c.below(3)
    if way == 1:
        y = k.input("y|other|second", T)
        hist = k.output("joint|hist2d|table", T, 2)
        a = k.let("a|bin_x|r", _bin(k, v, hist.shape(0)))
        b = k.let("b|bin_y|s", _bin(k, varied(k, y[i], 0, 2), hist.shape(1)))
        k.atomic("add", hist, (a, b), weight)
    elif way == 0:
        hist = k.output("hist|bins|spectrum", T)
        b = k.let("b|bin_no|slot", _bin(k, v, hist.shape(0)))
        k.atomic("add", hist, b, varied(k, weight, 0, 1), augmented=c.chance(1, 2))
    else:
        hist = k.output("hist|bins|soft", T)
        place = k.let("place|pos|q", wp.clamp(wp.abs(v) * coefficient(k, T, 100, 900), 0.0, 1.0e5))
        low = k.let("low|b0|left", wp.min(cast(place, INT), hist.shape(0) - 1))
        share = k.let("share|frac|f", varied(k, place - cast(low, T), 0, 1))
        k.atomic("add", hist, low, (1.0 - share) * weight)
        k.atomic("add", hist, wp.min(low + 1, hist.shape(0) - 1), share * weight)
    statistic(k, v)
    what = ("in one bin", "in a joint table of two values", "in two neighbouring bins")[way]
    k.summary(f"Weighs each {T.name} sample {what}.")


def _bin(k: Author, v: Term, count: Term) -> Term:
    """Return the bin of a value, inside ``0 <= bin < count``."""
    c, type_ = k.c, v.type
    assert isinstance(type_, Scalar)
    way = c.below(3)
    if way == 0:
        return wp.clamp(cast(wp.clamp(v * coefficient(k, type_, 100, 900), -1.0e4, 1.0e4), INT), 0, count - 1)
    if way == 1:
        unit = wp.clamp(v, 0.0, 0.999)
        return wp.clamp(cast(unit * cast(count, type_), INT), 0, count - 1)
    scaled = wp.clamp(wp.floor(v / coefficient(k, type_, 5, 90)), -1.0e4, 1.0e4)
    return wp.abs(cast(scaled, INT)) % count


def _deposit(k: Author) -> None:
    """Each particle spreads its mass over the nodes around it: nearest, linear or quadratic weights, 2-D or 3-D."""
    c = k.c
    n = c.pick((2, 3, 1))
    V: Value = FLOAT if n == 1 else vec(n)
    k.name("deposit|particles_to_grid|cloud_in_cell|splat_particles|charge_density")
    points = k.input("points|particles|positions", V)
    masses = k.input("masses|charges|values", FLOAT)
    grid = k.output("grid|density|nodes", FLOAT, n)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    p = k.let("p|pos|x0", varied(k, points[i], 0, 1))
    m = k.let("m|mass_i|q", varied(k, masses[i], 0, 2))
    scale = coefficient(k, FLOAT, 50, 400)
    nearest = c.chance(1, 4)
    bases: list[Term] = []
    shares: list[Term] = []
    for axis in range(n):
        at = k.let(f"g{axis}|s{axis}", wp.clamp((p if n == 1 else p[axis]) * scale, -1.0e4, 1.0e4))
        base = k.let(f"b{axis}|n{axis}", cast(wp.floor(at), INT))
        bases.append(base)
        if not nearest:
            shares.append(k.let(f"f{axis}|t{axis}", at - cast(base, FLOAT)))
    _spread(k, grid, bases, shares, m)
    how = "to the nearest node below" if nearest else "linearly over the nodes around"
    k.summary(f"Spreads the mass of each particle {how} it, on a {n}-D grid that wraps around.")


def _spread(k: Author, grid: Arr, bases: list[Term], shares: list[Term], mass: Term) -> None:
    """Write the atomics on the nodes around a particle; without shares on the first node alone."""
    for corner in product((0, 1) if shares else (0,), repeat=len(bases)):
        weight = mass
        for side, share in zip(corner, shares, strict=False):
            weight = weight * (share if side else 1.0 - share)
        place = tuple(
            wp.abs(base + side if side else base) % grid.shape(axis)
            for axis, (base, side) in enumerate(zip(bases, corner, strict=True))
        )
        k.atomic("add", grid, place, weight, augmented=k.c.chance(1, 2))


def _votes(k: Author) -> None:
    """Each thread goes over a short list of its own and votes: Hough lines, label counts, local ternary codes."""
    c = k.c
    k.name("hough_votes|label_votes|cooccurrence|transition_counts|bag_of_words")
    labels = k.input("labels|tokens|codes", INT, 2)
    kind = c.pick((INT, UINT, FLOAT))
    votes = k.output("votes|counts|tally", kind, 2)
    i = k.tid("i|row|doc")
    weight = zero(kind)
    one = number(1, kind)
    prev = k.var("prev|before|last_label", number(0, INT))
    total = k.var("total|seen|mass", weight)
    with over(k, "j|pos|t", 0, labels.shape(1)) as j:
        a = k.let("a|label|code", varied(k, labels[i, j], 0, 2))
        row = k.let("r|from_label|b0", wp.abs(prev if c.chance(1, 2) else i) % votes.shape(0))
        col = k.let("s|to_label|b1", wp.abs(a) % votes.shape(1))
        if c.chance(1, 2):
            with k.if_(a != prev if c.chance(1, 2) else a > c.between(0, 5)):
                k.atomic("add", votes, (row, col), one)
                total += one
        else:
            k.atomic("add", votes, (row, col), one, augmented=c.chance(1, 2))
            total += one
        prev.set(a)
    totals = k.output("totals|lengths|row_mass", kind)
    totals[i] = varied(k, total, 0, 2)
    k.summary("Counts the labels of each row, or the pairs of labels that follow each other, in a table.")


FAMILIES = (_scatter, _scatter_rows, _histogram, _deposit, _votes)
