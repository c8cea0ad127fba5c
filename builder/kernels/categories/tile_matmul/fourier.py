"""Fourier transforms of tiles of complex numbers (``vec2``): spectra, filters, convolutions."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope, Tiled
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import extent, loaded, named_tile, shaped, size_of, stored
from ...terms import Term, cast, make, number, where, wp
from ...types import DOUBLE, FLOAT, INT, Scalar, Tile, Vec, vec

_SIZES = (256, 512, 1024)
_MEASURES: tuple[Callable[[Term], Term], ...] = (
    wp.length_sq, wp.length, lambda z: wp.atan2(z[1], z[0]), lambda z: wp.abs(z[0]) + wp.abs(z[1]),
)  # fmt: skip


def _complex(k: Author) -> tuple[Scalar, Vec]:
    T = k.c.weighted({FLOAT: 4, DOUBLE: 1})
    return T, vec(2, T)


def _windowed(k: Author, tile: Term, T: Scalar) -> Term:
    """Return the signal under a window, or changed value by value."""
    C = tile.type.dtype  # type: ignore[union-attr]
    assert isinstance(C, Vec)
    if k.c.chance(1, 2):
        length = tile.type.shape[-1]  # type: ignore[union-attr]
        line = wp.tile_arange(length, dtype=T) * number(1.0 / length, T)
        weights = named_tile(k, shaped(k, line, 1, 2), "window|taper|w")
        spread = wp.tile_broadcast(weights, tile.type.shape)  # type: ignore[union-attr]
        return named_tile(k, tile * spread)
    return _kept(k, wp.tile_map(_scaled(k, C), tile), C)


def _kept(k: Author, mapped: Term, C: Vec) -> Tiled:
    """Return what a function gave as a tile of the named type, as the transforms ask for: added to zeros."""
    shape = mapped.type.shape  # type: ignore[union-attr]
    if k.c.chance(1, 2):
        return k.let("zs|work|buf", wp.tile_zeros(shape=shape, dtype=C) + mapped)  # type: ignore[no-any-return]
    work: Tiled = k.let("zs|work|buf", wp.tile_zeros(shape=shape, dtype=C))
    work += mapped
    return work


def _scaled(k: Author, C: Vec) -> Term:
    def body(s: Scope, z: Term) -> Term:
        way = s.c.below(3)
        if way == 0:
            scaled: Term = z * varied(s, wp.length(z), 1, 2)
            return scaled
        if way == 1:
            return make(C, varied(s, z[0], 0, 2), varied(s, z[1], 0, 1))
        return make(C, varied(s, z[0] + z[1], 0, 2), z[0] - z[1])

    return k.function("shape_z|limit_z|gain_fn|adjust", {"z|v|s0": C}, body).word


def _signal(k: Author, C: Vec) -> tuple[Term, Term, Term, Term]:
    """Return a loaded tile of signals, its two lengths and the block."""
    batch, length = extent(k, "BATCH|ROWS|B", (1, 2, 4)), extent(k, "FFT|LENGTH|N", _SIZES)
    x = k.input("x|signal|samples", C, 2)
    i = k.blocks("i|bid|chunk")
    return loaded(k, x, (batch, length), (i * batch, 0), "z|sig|t", register=True), batch, length, i


def spectrum(k: Author) -> None:
    """Power, amplitude or phase of each signal of a batch."""
    T, C = _complex(k)
    k.name("power_spectrum|fft_rows|amplitudes|periodogram|spectrum")
    tile, batch, _, i = _signal(k, C)
    tile = _windowed(k, tile, T)
    k.do((wp.tile_fft if k.c.chance(3, 4) else wp.tile_ifft)(tile))
    if k.c.chance(1, 3):
        stored(k, k.output("out|coefs|fx", C, 2), wp.tile_map(_scaled(k, C), tile), (i * batch, 0))
    else:
        measure = k.c.pick(_MEASURES)
        power = k.function("power|measure|level", {"z|v": C}, lambda s, z: varied(s, measure(z), 0, 2))
        figures = shaped(k, wp.tile_map(power.word, tile), 0, 2)
        if k.c.chance(1, 3):
            stored(k, k.output("out|bands|total", T), wp.tile_sum(named_tile(k, figures), axis=1), (i * batch,))
        else:
            stored(k, k.output("out|power_out|levels", T, 2), figures, (i * batch, 0))
    k.summary(f"Transforms signals of complex {T.name} and takes a figure of each coefficient.")


def filtered(k: Author) -> None:
    """There and back: a filter by frequency, a product with another spectrum, a phase shift."""
    c = k.c
    T, C = _complex(k)
    k.name("fft_filter|low_pass|convolve_fft|spectral_filter|smooth_fft")
    tile, batch, length, i = _signal(k, C)
    if c.chance(1, 2):
        tile = _windowed(k, tile, T)
    k.do(wp.tile_fft(tile))
    way = c.below(3)
    if way == 0:
        mask = loaded(k, k.input("response|mask|gain", T, 2), (batch, length), (0, 0), "gain_tile|h")
        tile = named_tile(k, tile * shaped(k, mask, 1, 2))
    elif way == 1:
        other = loaded(k, k.input("kernel_f|h|filter_f", C, 2), (batch, length), (0, 0), "h_tile|other")
        times = k.function("cmul|complex_mul|times", {"a|x": C, "b|y": C}, _product)
        tile = _kept(k, wp.tile_map(times.word, tile, other), C)
    else:
        tile = _by_place(k, tile, size_of(batch), size_of(length), T)
    k.do(wp.tile_ifft(tile))
    scaled = tile * number(1.0 / size_of(length), T) if c.chance(1, 2) else tile * coefficient(k, T)
    result = wp.tile_map(_scaled(k, C), named_tile(k, scaled)) if c.chance(1, 2) else scaled
    stored(k, k.output("out|dst|smooth", C, 2), result, (i * batch, 0))
    what = ("a given gain", "another spectrum", "a function of the frequency")[way]
    k.summary(f"Filters signals of complex {T.name}: their spectrum is multiplied with {what}.")


def _product(s: Scope, a: Term, b: Term) -> Term:
    C = a.type
    real, imaginary = a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]
    if s.c.chance(1, 2):
        real, imaginary = s.let("re|p", real), s.let("im|q", imaginary)
    return make(C, varied(s, real, 0, 1), imaginary)


def _by_place(k: Author, tile: Term, batch: int, length: int, T: Scalar) -> Term:
    """Return each coefficient times a function of its place."""
    places = k.let("freq|bins|order", wp.tile_arange(length, dtype=INT))
    half, cut = length // 2, k.c.between(4, length // 4)

    def body(s: Scope, n: Term) -> Term:
        away = s.let("away|d|f", wp.min(n, length - n) if s.c.chance(1, 2) else half - wp.abs(n - half))
        if s.c.chance(1, 2):
            return where(away < cut, number(1.0, T), number(0.0, T))
        falling: Term = varied(s, 1.0 / (1.0 + cast(away, T) * coefficient(s, T, 1, 40)), 0, 2)
        return falling

    gain = wp.tile_map(k.function("gain|pass_band|response", {"n|bin": INT}, body).word, places)
    assert isinstance(tile.type, Tile)
    return named_tile(k, tile * wp.tile_broadcast(shaped(k, gain, 0, 1), (batch, length)))
