"""Vector updates."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, gate, statistic, varied


def axpy(k: Author) -> None:
    """y = alpha x + beta y: precision, in place or not, gated, with what is fused before and after it."""
    c, T = k.c, k.real()
    k.name("axpy|scaled_add|vector_update|axpby|saxpy")
    x = k.input("x|src|u|p", T)
    in_place = c.chance(1, 3)
    y = k.inout("y|dst|v", T) if in_place else k.input("y|base|v", T)
    out = y if in_place else k.output("out|result|z", T)
    alpha = k.scalar("alpha|a|scale", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    xi = k.let("xi|a0|left", varied(k, x[i], 0, 2))
    yi = k.let("yi|b0|right", varied(k, y[i], 0, 1))
    scaled = yi if c.chance(1, 2) else yi * coefficient(k, T)
    value = k.let("value|w|r", varied(k, alpha * xi + scaled, 0, 2))
    out[i] = value
    statistic(k, value)
    k.summary(f"Adds a scaled {T.name} vector to another{', in place' if in_place else ''}.")
