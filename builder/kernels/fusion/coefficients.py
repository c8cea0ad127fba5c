"""Factors of steps, and names for terms that are repeated."""

from __future__ import annotations

from ..author import Author, Scope
from ..program import Name
from ..terms import Term, number
from ..types import FLOAT, Scalar

_MAX_SCALARS = 6
_ARGUMENTS = (
    "alpha|beta|gain|scale|weight|rate|sigma|tau|lam|strength|factor|limit|gamma|kappa|eta|theta|rho|cutoff|slope|"
    "offset_scale|decay|momentum|width_scale|sharpness|contrast|stiffness|mix_ratio|temperature|level_scale|softness|"
    "tolerance|bandwidth|exponent|attenuation|blend|ramp|reg|coupling|damping_factor|amplitude|bias_scale|threshold_k"
)
_CONSTANTS = (
    "SCALE|GAIN|LIMIT|EPS|RATE|ALPHA|BETA|TAU|KAPPA|SIGMA|CUTOFF|SLOPE|DECAY|WIDTH|SHARPNESS|STRENGTH|FACTOR|RHO|LAMBDA|"
    "SOFTNESS|BANDWIDTH|COUPLING|AMPLITUDE|ATTENUATION|RAMP|BLEND|OFFSET|STEEPNESS"
)
_LOCALS = (
    "v|val|t|r|s|u|w|h|q|z|m|y|g|f|e|a0|b0|c0|x0|x1|y0|z0|tmp|cur|raw|part|adj|lifted|scaled|mapped|shaped|folded|"
    "bounded|smooth|inner|outer|mid|core|peak_v|base_v|resp|act|score|gate_v|term|level|signal|drive|kern|amp"
)


def coefficient(k: Scope, type_: Scalar, low: int = 5, high: int = 300) -> Term:
    """Return a positive factor, ``low`` to ``high`` hundredths: a literal, an argument or a constant of the module."""
    c = k.c
    value = c.between(low, high) / 100 if c.chance(1, 4) else c.between(1000 * low, 1000 * high) / 100_000
    way = c.weighted({"literal": 3, "argument": 2, "constant": 1, "static": 1})
    if way == "argument" and isinstance(k, Author) and k.scalar_count < _MAX_SCALARS:
        return k.scalar(_ARGUMENTS, type_)
    if way == "constant":
        return k.constant(_CONSTANTS, value, type_)
    if way == "static" and type_ is FLOAT:
        return k.static(number(value) * number(c.pick((2.0, 0.5, 3.0))))
    return number(value, type_)


def named(k: Scope, value: Term) -> Term:
    """Return a term that may be repeated."""
    return value if isinstance(value.e, Name) else k.let(_LOCALS, value)
