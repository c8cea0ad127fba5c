"""Tone curves, levels and lookup tables."""

from __future__ import annotations

from ...author import Author
from ...fusion import statistic, varied
from ...layouts import divisor, factor, let
from ...terms import Term, cast, wp
from ...types import FLOAT, INT
from .pixels import Picture


def tone_map(k: Author) -> None:
    """Tone curves: exposure, Reinhard, filmic, ACES, gamma, levels, lookup tables, histogram equalisation."""
    c = k.c
    curve = c.pick(("Reinhard", "filmic", "ACES", "gamma", "levels", "lookup-table", "logarithmic", "sigmoid"))
    k.name(f"{curve.lower().replace('-', '_')}_tone|tone_map|apply_curve|grade")
    pic = Picture(k, radius=0, rules=("clamp",))
    src, dst = pic.input("src|hdr|img"), pic.output("dst|ldr|out")
    pic.grid.enter()
    x = let(k, "x|value|v0", varied(k, pic.read(src, 0, 0) * factor(k, "exposure|gain|ev", FLOAT), 0, 1))
    y = let(k, "y|mapped|tone", _curve(k, curve, x))
    if c.chance(1, 2):
        inverse = divisor(k, "gamma|display_g", FLOAT, 100, 280)
        y = let(k, "encoded|y1", wp.pow(wp.max(y, 0.0), 1.0 / inverse))
    if c.chance(1, 2):
        mask = pic.floats("mask|weight_map|amount", "input")
        y = let(k, "mixed|y2", wp.lerp(x, y, wp.clamp(pic.grid.at(mask, 0, 0), 0.0, 1.0)))
    y = let(k, "final|y3", varied(k, y, 0, 2))
    pic.write(dst, y)
    statistic(k, y)
    k.summary(f"Maps the tones of an image by a {curve} curve.")


def _curve(k: Author, curve: str, x: Term) -> Term:
    c = k.c
    pos = let(k, "pos|xp|lum", wp.max(x, 0.0))
    if curve == "Reinhard":
        if c.chance(1, 2):
            return pos / (1.0 + pos)
        white = divisor(k, "white|l_white", FLOAT, 100, 400)
        return pos * (1.0 + pos / (white * white)) / (1.0 + pos)
    if curve == "filmic":
        t = let(k, "t|shift", wp.max(pos - 0.004, 0.0))
        return (t * (6.2 * t + 0.5)) / (t * (6.2 * t + 1.7) + 0.06)
    if curve == "ACES":
        return wp.clamp((pos * (2.51 * pos + 0.03)) / (pos * (2.43 * pos + 0.59) + 0.14), 0.0, 1.0)
    if curve == "gamma":
        return wp.pow(pos + 1.0e-4, 1.0 / divisor(k, "g|gam", FLOAT, 100, 300))
    if curve == "levels":
        low = factor(k, "black|low_in", FLOAT, 1, 40)
        return wp.clamp((pos - low) / (wp.abs(factor(k, "white|high_in", FLOAT, 100, 300) - low) + 0.01), 0.0, 1.0)
    if curve == "logarithmic":
        return wp.log(1.0 + pos * wp.abs(factor(k, "a|boost", FLOAT))) / wp.log(
            2.0 + wp.abs(divisor(k, "peak|top", FLOAT))
        )
    if curve == "sigmoid":
        slope = factor(k, "contrast|slope", FLOAT, 100, 900)
        return 1.0 / (1.0 + wp.exp(wp.clamp(slope * (0.5 - pos), -20.0, 20.0)))
    table = k.input("lut|table|cdf", FLOAT)
    last = table.shape(0) - 1
    place = let(k, "place|pos_l", wp.clamp(pos, 0.0, 1.0) * cast(last, FLOAT))
    at = let(k, "i0|slot", wp.clamp(cast(place, INT), 0, last))
    if c.chance(1, 2):
        return table[at]
    return wp.lerp(table[at], table[wp.min(at + 1, last)], place - wp.floor(place))
