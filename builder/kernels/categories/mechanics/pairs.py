"""Forces between pairs of particles: all pairs or neighbour lists, potentials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, divisor, factor, kept, let, precise
from ...terms import Term, make, where, wp, zero
from ...types import INT, Scalar, Vec


class Around:
    """The others that a particle looks at: all, a window, a row of a neighbour table, or a CSR list."""

    def __init__(self, k: Author, count: Term) -> None:
        self._k, self._count = k, count
        self.way = k.c.weighted({"all": 3, "table": 2, "csr": 2, "window": 1})
        self._skips = k.c.chance(1, 2)

    @contextmanager
    def each(self, i: Term) -> Iterator[Term]:
        """Write the body of the loop over the others; gives the index of one, never ``i``."""
        k, n = self._k, self._count
        if self.way == "all":
            loop = k.for_("j|other|nb", n)
        elif self.way == "window":
            half = k.scalar("window|reach|half", INT)
            loop = k.for_("j|other|nb", wp.max(i - half, 0), wp.min(i + half + 1, n))
        elif self.way == "table":
            table = k.input("neighbors|nbrs|neighbour_table", INT, 2)
            row = i if k.c.chance(1, 2) else let(k, "row|line", i)
            loop = k.for_("s|slot|m", table.shape(1))
        else:
            starts, items = k.input("offsets|starts|row_ptr", INT), k.input("neighbors|nbrs|adjacency", INT)
            first = let(k, "first|begin|lo", wp.clamp(starts[i], 0, items.shape(0)))
            last = let(k, "last|stop|hi", wp.min(starts[wp.min(i + 1, starts.shape(0) - 1)], items.shape(0)))
            loop = k.for_("s|slot|m", first, last)
        with loop as at:
            j = at
            if self.way == "table":
                j = let(k, "j|other|nb", table[row, at])
            elif self.way == "csr":
                j = let(k, "j|other|nb", wp.clamp(items[at], 0, n - 1))
            if self.way == "table":
                with k.if_(j < 0):
                    k.leave("break" if k.c.chance(1, 2) else "continue")
                with k.if_(j >= n):
                    k.leave("continue")
            if self._skips:
                with k.if_(j == i):
                    k.leave("continue")
                yield j
            else:
                with k.if_(j != i):
                    yield j


def _image(k: Author, d: Term, box: Term | None) -> Term:
    """Return a distance vector by the minimum image in a periodic box."""
    if box is None:
        return d
    type_ = d.type
    assert isinstance(type_, Vec)
    return let(k, "dm|img|wrapped", make(type_, *(d[n] - box * wp.round(d[n] / box) for n in range(type_.n))))


def _magnitude(k: Scope, law: str, r2: Term, T: Scalar) -> Term:
    """Return the force over the distance, for the squared distance ``r2 > 0``."""
    if law == "gravity":
        inv = let(k, "inv|inv_r", 1.0 / wp.sqrt(r2))
        return inv * inv * inv if k.c.chance(1, 2) else inv / r2
    if law == "Coulomb":
        return 1.0 / (r2 * wp.sqrt(r2))
    if law == "Lennard-Jones":
        s2 = let(k, "s2|sr2|inv2", factor(k, "sigma2|sig_sq", T) / r2)
        s6 = let(k, "s6|sr6|inv6", wp.min(s2 * s2 * s2, 50.0))
        return -factor(k, "eps24|well|depth", T) * (2.0 * s6 * s6 - s6) / r2
    r = let(k, "r|dist|length", wp.sqrt(r2))
    if law == "Morse":
        e = let(k, "e|decay", wp.exp(-wp.clamp(factor(k, "a|width", T) * (r - factor(k, "r_eq|rest", T)), -10.0, 10.0)))
        return 2.0 * factor(k, "depth|d_e", T) * e * (1.0 - e) / r
    if law == "Yukawa":
        screen = divisor(k, "debye|screening", T)
        return wp.exp(-r / screen) * (1.0 / r + 1.0 / screen) / r2
    stiff = wp.exp(-wp.min(factor(k, "b|steepness", T) * r, 20.0))
    return -factor(k, "a|repulsion", T) * stiff / r + factor(k, "c6|dispersion", T) / (r2 * r2 + 0.1)


def _scaled(k: Scope, law: str, r2: Term, T: Scalar) -> Term:
    return _magnitude(k, law, kept(k, "q|rr", r2), T)


_LAWS = ("gravity", "Coulomb", "Lennard-Jones", "Morse", "Yukawa", "Buckingham")


def pair_forces(k: Author) -> None:
    """Pair forces by a potential: all pairs or lists, cut off, periodic; gathered, or scattered to both particles."""
    c, T = k.c, precise(k)
    law = c.pick(_LAWS)
    k.name(f"{law.lower().replace('-', '_')}_forces|pair_forces|compute_forces|accumulate_forces")
    layout = Layout(k, c.pick((3, 2)), T)
    pos = layout.input("pos|positions|xs")
    charges = k.input("mass|charge|weight", T) if c.chance(2, 3) else None
    symmetric = c.chance(1, 5)
    out = layout.output("force|acc_out|f_out")
    i = gate(k, k.tid("i|tid|p"), pos.count)
    p = pos.load(k, "pi|xi|here", i)
    box = divisor(k, "box|box_len|period", T, 200, 900) if c.chance(1, 3) else None
    cutoff = factor(k, "cutoff2|rc2|range_sq", T, 50, 300) if c.chance(1, 2) else None
    soft = factor(k, "soft2|eps2|softening", T, 1, 20)
    pair = k.helper("pair_force|pair_scale|slope_of", {"r2|dist2": T}, lambda f, r2: _scaled(f, law, r2, T))
    parts = (pos, p, charges, box, cutoff, soft, pair)
    if symmetric:
        with k.for_("j|other", i + 1, pos.count) as j:
            f = let(k, "f|push|fij", _pair(k, j, None, parts))
            out.add(k, i, f)
            out.add(k, j, f, "sub")
        k.summary(f"Adds the {law} force of each pair of {pos.type.n}-D points to both of them.")
        return
    total = k.var("total|acc|fsum", zero(pos.type))
    with Around(k, pos.count).each(i) as j:
        f = _pair(k, j, None, parts)
        total += f
    q = Term(total.e)
    if charges is not None:
        q = let(k, "scaled|fq", q * charges[i])
    result = let(k, "result|res|fi", varied(k, q, 0, 2))
    out.store(k, i, result)
    statistic(k, wp.length(result))
    k.summary(f"Sums the {law} forces on each {pos.type.n}-D point.")


def _pair(k: Author, j: Term, _: None, parts: tuple) -> Term:  # type: ignore[type-arg]
    """Return the force of particle ``j`` on the one in hand; beyond the cutoff it is zero."""
    pos, p, charges, box, cutoff, soft, pair = parts
    c = k.c
    d = _image(k, let(k, "d|rel|dr", pos.at(j) - p), box)
    r2 = let(
        k,
        "r2|dist2|d2",
        wp.dot(d, d) + wp.abs(soft) + 1.0e-4 if c.chance(1, 2) else wp.length_sq(d) + soft * soft + 1.0e-3,
    )
    s = let(k, "s|scale|mag", pair(r2) if charges is None else pair(r2) * charges[j])
    if cutoff is not None:
        if c.chance(1, 2):
            s = where(r2 < cutoff, s, zero(s.type))
        else:
            s = s * wp.max(1.0 - r2 / (wp.abs(cutoff) + 0.1), 0.0)
    result: Term = d * s
    return result
