"""Steps of the Fourier, cosine and wavelet transforms."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, precise, setting, settled, transform
from ...fusion.sweeps import TermOf, sweep, total
from ...terms import Term, cast, make, number, where, wp
from ...types import INT, Scalar, Vec, vec


def butterfly(k: Author) -> None:
    """One pass of a fast Fourier or Walsh transform, on real and imaginary parts or on pairs."""
    c, T = k.c, precise(k)
    kind = c.pick(("dit", "dif", "walsh", "stockham", "twist"))
    k.name(f"fft_{kind}|{kind}_butterfly|{kind}_pass|radix2_{kind}")
    pairs = c.chance(1, 2)
    batch = c.chance(1, 3)
    tid = k.tid("b|batch|row", "i|tid|bfly") if batch else k.tid("i|tid|bfly")
    i = tid[1] if batch else tid
    dims = 2 if batch else 1
    V = vec(2, T)
    data = k.inout("data|z|signal", V, dims) if pairs else k.inout("re|real_part|xr", T, dims)
    other = None if pairs else k.inout("im|imag_part|xi", T, dims)
    h = local(k, "h|half|m", wp.max(k.scalar("half_in|stride|span", INT), 1))
    n = data.shape(dims - 1)
    j = local(k, "j|k0|pos", i % h)
    low = local(k, "lo|a|top", (i // h) * 2 * h + j if c.chance(1, 2) else 2 * i - j)
    high = local(k, "hi|b0|bottom", low + h)
    with k.if_(high >= n):
        k.leave()

    def at(p: Term) -> tuple[Term, ...]:
        return (tid[0], p) if batch else (p,)

    def read(p: Term, name: str) -> tuple[Term, Term]:
        if other is not None:
            return local(k, f"{name}r|re{name}", data[at(p)]), local(k, f"{name}i|im{name}", other[at(p)])
        z = local(k, f"z{name}|{name}v", data[at(p)])
        return z[0], z[1]

    (xr, xi), (yr, yi) = read(low, "x"), read(high, "y")
    wr, wi = _twiddle(k, kind, j, h, T)
    sums = _crossed(k, kind, (xr, xi), (yr, yi), (wr, wi), T)
    for place, pair in zip((low, high), sums, strict=True):
        _write(k, data, other, at(place), pair, V)
    figure = settled(k, wr * xr - wi * xi, 0, 2)
    if c.chance(1, 2):
        k.atomic("add", k.output("energy|power|checksum", T), 0, figure)
        statistic(k, figure)
    k.summary(f"Makes one {kind} butterfly pass of a radix-2 transform on {'pairs' if pairs else 'split parts'}.")


def _write(k: Author, data: Arr, other: Arr | None, at: tuple[Term, ...], pair: tuple[Term, Term], V: Vec) -> None:
    """Write a complex number to split parts or to a pair."""
    re, im = pair
    if other is not None:
        data[at] = varied(k, re, 0, 1)
        other[at] = varied(k, im, 0, 1)
    else:
        data[at] = make(V, re, im)


def _twiddle(k: Author, kind: str, j: Term, h: Term, T: Scalar) -> tuple[Term, Term]:
    c = k.c
    if kind == "walsh":
        w = local(k, "w|gain|half_w", number(c.pick((1.0, 0.70710678, 0.5)), T) * coefficient(k, T, 50, 150))
        return w, local(k, "wi|skew|zero_w", w - w * coefficient(k, T, 95, 105))
    way = c.below(3)
    if way == 0:
        table_r, table_i = k.input("tw_re|cos_table|wr_in", T), k.input("tw_im|sin_table|wi_in", T)
        place = local(k, "tw|t_idx|slot", j * (table_r.shape(0) // wp.max(h, 1)) % table_r.shape(0))
        return local(k, "wr|cs|cw", table_r[place]), local(k, "wi|sn|sw", table_i[place])
    sign = -1.0 if c.chance(1, 2) else 1.0
    angle = number(sign * 3.14159265, T) * cast(j, T) / cast(h, T)
    angle = local(k, "ang|phi|theta", angle if way == 1 else angle + setting(k, "twist|phase|shift_a", 0.1, T))
    return local(k, "wr|cs|cw", wp.cos(angle)), local(k, "wi|sn|sw", wp.sin(angle))


Pair = tuple[Term, Term]


def _crossed(k: Author, kind: str, x: Pair, y: Pair, w: Pair, T: Scalar) -> tuple[Pair, Pair]:
    c = k.c
    if kind in ("dit", "twist"):
        tr = local(k, "tr|pr|vr", w[0] * y[0] - w[1] * y[1])
        ti = local(k, "ti|pi_v|vi", w[0] * y[1] + w[1] * y[0])
        first, second = (x[0] + tr, x[1] + ti), (x[0] - tr, x[1] - ti)
        scale = coefficient(k, T, 40, 100) if kind == "twist" else None
        return (first, second) if scale is None else ((first[0] * scale, first[1] * scale), second)
    dr, di = local(k, "dr|er|gap_r", x[0] - y[0]), local(k, "di|ei|gap_i", x[1] - y[1])
    turned = (dr * w[0] - di * w[1], dr * w[1] + di * w[0])
    first = (x[0] + y[0], x[1] + y[1])
    if kind == "stockham" and c.chance(1, 2):
        return ((first[0] * 0.5, first[1] * 0.5), (turned[0] * 0.5, turned[1] * 0.5))
    return first, turned


def spectrum(k: Author) -> None:
    """One coefficient of a direct cosine, sine, Fourier, Goertzel or Hartley transform of each row, windowed."""
    c, T = k.c, precise(k)
    kind = c.pick(("dct2", "dct3", "dst", "dft_power", "hartley", "goertzel"))
    k.name(f"{kind}|{kind}_row|{kind}_coefficient|direct_{kind}")
    r, f = k.tid("r|row|signal_id", "f|freq|bin")
    x = k.input("x|signal|rows_in", T, 2)
    flip = c.chance(1, 4)
    n = local(k, "n|length|size", x.shape(0 if flip else 1))
    if c.chance(1, 2):
        with k.if_(f >= (n // 2 + 1 if c.chance(1, 2) else n)):
            k.leave()
    window = k.input("window|taper|w_in", T) if c.chance(1, 2) else None
    change = transform(k, "pre|load_x|prepare", T, 1)

    def sample(t: Term) -> Term:
        v = change(x[(t, r) if flip else (r, t)])
        return v if window is None else v * window[t]

    value = _coefficient(k, kind, f, n, sample, T)
    if c.chance(1, 2):
        value = value * wp.sqrt(2.0 / cast(wp.max(n, 1), T))
    value = settled(k, value, 0, 2)
    k.output("out|spectrum_out|coeffs", T, 2)[r, f] = value
    statistic(k, value)
    k.summary(f"Computes each coefficient of the {kind.replace('_', ' ')} transform of rows of {change.words}samples.")


def _coefficient(k: Author, kind: str, f: Term, n: Term, sample: TermOf, T: Scalar) -> Term:
    c = k.c
    step = local(k, "step|omega|dw", number(3.14159265, T) * cast(f, T) / cast(wp.max(n, 1), T))
    if kind == "goertzel":
        two = local(k, "two|coeff|k2", 2.0 * wp.cos(2.0 * step))
        s1, s2 = k.var("s1|q1|last_s", number(0, T)), k.var("s2|q2|older_s", number(0, T))
        with sweep(k, n, "t|j|m", ordered=True) as t:
            s = local(k, "s0|q0|cur", sample(t) + two * s1 - s2)
            s2.set(s1)
            s1.set(s)
        return s1 * s1 + s2 * s2 - two * s1 * s2
    if kind in ("dft_power", "hartley"):
        re, im = k.var("re|cs|real_s", number(0, T)), k.var("im|sn|imag_s", number(0, T))
        with sweep(k, n, "t|j|m") as t:
            angle = local(k, "ang|phi|wt", 2.0 * step * cast(t, T))
            v = local(k, "v|xt|smp", sample(t))
            re += v * wp.cos(angle)
            im += v * wp.sin(angle) if c.chance(1, 2) else -(v * wp.sin(angle))
        return re * re + im * im if kind == "dft_power" else re + im
    shift = 0.5 if kind != "dct3" else 0.0

    def term(t: Term) -> Term:
        angle = step * (cast(t, T) + shift) if shift else step * cast(t, T)
        return sample(t) * (wp.sin(angle) if kind == "dst" else wp.cos(angle))

    return total(k, "acc|s|proj", n, term, T)


def wavelet(k: Author) -> None:
    """A level of a Haar, Daubechies-4, lifting (5/3) or B-spline filter bank, forward or back, along rows."""
    c, T = k.c, precise(k)
    kind = c.pick(("haar", "daubechies", "lifting", "spline"))
    back = c.chance(1, 3)
    k.name(f"{kind}_{'inverse' if back else 'forward'}|{kind}_level|{kind}_step|{kind}_lines")
    batch = c.chance(1, 2)
    tid = k.tid("b|row|line", "i|pair|m") if batch else k.tid("i|pair|m")
    i = tid[1] if batch else tid
    dims = 2 if batch else 1
    x = k.input("x|signal|low_in" if back else "x|signal|data", T, dims)
    n = local(k, "n|length|size", x.shape(dims - 1))
    half = local(k, "half|mid|n2", n // 2)
    with k.if_(i >= half):
        k.leave()
    wrap = c.chance(1, 2)
    change = transform(k, "pre|load_x|prepare", T, 1)

    def at(p: Term) -> tuple[Term, ...]:
        return (tid[0], p) if batch else (p,)

    def read(p: Term) -> Term:
        return change(x[at((p + n) % n if wrap else wp.clamp(p, 0, n - 1))])

    low, high = _filtered(k, kind, read, i, half, back, T)
    limit = k.scalar("threshold|cut|shrink", T) if c.chance(1, 2) else None
    high = local(k, "hi|detail|w1", high)
    if limit is not None:
        soft = wp.sign(high) * wp.max(wp.abs(high) - limit, 0.0)
        high = soft if c.chance(1, 2) else where(wp.abs(high) < limit, number(0, T), high)
    out = k.output("out|bands|y", T, dims)
    first, second = (2 * i, 2 * i + 1) if back else (i, half + i)
    out[at(first)] = varied(k, low, 0, 2)
    value = settled(k, high, 0, 2)
    out[at(second)] = value
    statistic(k, value)
    k.summary(f"Makes one {'inverse' if back else 'forward'} {kind} wavelet level of {change.words}samples.")


def _filtered(k: Author, kind: str, read: TermOf, i: Term, half: Term, back: bool, T: Scalar) -> tuple[Term, Term]:
    c = k.c
    root = number(0.70710678, T) if c.chance(1, 2) else coefficient(k, T, 40, 80)
    if back:
        a, d = local(k, "a|approx|s", read(i)), local(k, "d|detail_in|w0", read(half + i))
        if kind == "haar":
            return root * (a + d), root * (a - d)
        before = local(k, "d_prev|w_left|dl", read(half + i - 1))
        even = local(k, "even|e0|ev", a - 0.25 * (before + d))
        after = read(i + 1) if c.chance(1, 2) else a
        return even, d + 0.5 * (even + after)
    u, v = local(k, "u|x0|even", read(2 * i)), local(k, "v|x1|odd", read(2 * i + 1))
    if kind == "haar":
        return root * (u + v), root * (u - v)
    beside = 2 * i + 3 if kind == "daubechies" else 2 * i - 1
    w, z = local(k, "w|x2|next_e", read(2 * i + 2)), local(k, "z|x3|next_o", read(beside))
    if kind == "daubechies":
        h = (0.48296291, 0.8365163, 0.22414387, -0.12940952)
        return h[0] * u + h[1] * v + h[2] * w + h[3] * z, h[3] * u - h[2] * v + h[1] * w - h[0] * z
    if kind == "lifting":
        detail = local(k, "dd|odd_d|pred", v - 0.5 * (u + w))
        left = local(k, "dl|left_d|pred0", z - 0.5 * (read(2 * i - 2) + u))
        return u + 0.25 * (left + detail), detail
    return 0.125 * (z + w) + 0.375 * (u + v) * 2.0 * root, 0.5 * (v - u) + root * (w - z)
