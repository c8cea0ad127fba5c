"""Mutants of the default sample that do what their rows do, by an argument that no program here can make.

Each was read by a person. One whose row or lines are no longer these is not found here, and counts as surviving.
"""

from __future__ import annotations

from .planting import Mutant

# By row and kind: the line as it became, and why that changes no number that is written.
ARGUED: dict[tuple[str, str], tuple[str, str]] = {
    ("e6cdb36c7c373b35", "operator swapped"): (
        "var_8 = wp::add(var_9, var_7);",
        "u >= 2 holds already, so both u * 3.14 and u + 3.14 are larger than 2",
    ),
    ("3d7cb90af276d601", "operator swapped"): ("var_2 = wp::min(var_1);", "both elements of vec2(dt) are dt"),
    ("753e185b9d0b2847", "constant changed"): (
        "const wp::int32 var_43 = 3 + 1;",
        "the arm before it is taken by every number: d <= 2 or d >= 1",
    ),
    ("c3b5f7287ca5a897", "constant changed"): (
        "const wp::float32 var_153 = 0.0 + 0.5;",
        "the whole part of clamp(v, 0, c) is that of clamp(v, 0.5, c)",
    ),
    ("5eae76d75f7aeb9c", "constant changed"): (
        "const wp::float64 var_5 = 0.66822 + 0.5;",
        "an absolute value is below neither -1.66 + 0.66822 nor -1.66 + 1.16822",
    ),
    ("4f8e8ba15f99018f", "constant changed"): (
        "var_5 = 0.23541 + 0.5;",
        "it multiplies min(x * x + y * y, 0), which is 0",
    ),
    ("01de561d23c10be8", "term dropped"): ("var_61 = var_59;", "selected where a logistic function is not above 0"),
    ("4cb457bd7a7de67e", "term dropped"): (
        "var_65 = var_64;",
        "selected where a logistic function of a mean of numbers below 1.3 is above 0.86",
    ),
    ("b42b2f9b35eebec8", "term dropped"): ("var_25 = var_24;", "the factor is the sign of a smoothstep, which is 1"),
    ("0808636a86cae0f6", "term dropped"): ("var_15 = var_14;", "selected where 0.85 / (1 + q * q) is not above 0"),
    ("e1fd3b4cacbe494e", "adjoint term missing"): (
        "",
        "max(u, lerp(u, 0.42641, 2)) is reached for u > 1.24 only, where it is u",
    ),
}


def equal_by_argument(mutant: Mutant) -> str:
    """Return the argument that a mutant does what its row does, or nothing."""
    new, why = ARGUED.get((mutant.of["id"], mutant.kind), ("", ""))
    return f"by argument: {why}" if why and new == mutant.new.strip() else ""
