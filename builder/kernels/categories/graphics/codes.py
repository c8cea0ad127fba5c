"""Codes of cells along curves: Morton, Hilbert, Gray, hashes."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, varied
from ...layouts import Layout, factor, let
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT, vec


def morton_codes(k: Author) -> None:
    """Codes along curves: Morton in two or three dimensions, cells of a hash, Hilbert in the plane, bounding boxes."""
    c, T = k.c, FLOAT
    n = c.pick((3, 2))
    kind = c.pick(
        ("Morton", "hash", "row-major", "Gray-coded") if n == 3 else ("Morton", "hash", "Hilbert", "row-major")
    )
    k.name(f"{kind.lower().replace('-', '_')}_codes|spatial_keys|cell_codes|sort_keys")
    layout = Layout(k, n, T)
    pos = layout.input("points|pos|cloud")
    i = gate(k, k.tid("i|tid|pt"), pos.count)
    p = pos.load(k, "p|here", i)
    scale = factor(k, "inv_cell|res|scale", T, 100, 900)
    origin = k.scalar("lower|origin", vec(n, T)) if c.chance(1, 2) else None
    limit = c.pick((255, 1023, 31))
    q = []
    for m in range(n):
        x = (p[m] - origin[m] if origin is not None else p[m]) * scale
        q.append(let(k, f"c{m}|q{'xyz'[m]}", cast(wp.clamp(x, 0.0, float(limit)), INT)))
    code = let(k, "code|key", _code(k, kind, q, limit))
    code = let(k, "result|key1", varied(k, code, 0, 2))
    k.output("codes|keys_out", INT)[i] = code
    if c.chance(1, 2):
        bins = k.output("counts|cell_count", INT)
        k.atomic("add", bins, wp.abs(code) % bins.shape(0), 1)
    if c.chance(1, 3):
        low = k.output("bounds_lo|aabb_min", T)
        for m in range(n):
            k.atomic("min", low, wp.min(number(m, INT), low.shape(0) - 1), p[m])
    k.summary(f"Computes a {kind} code of the cell of each point in {n} dimensions.")


def _code(k: Author, kind: str, q: list[Term], limit: int) -> Term:
    c = k.c
    bits = {255: 8, 1023: 10, 31: 5}[limit]
    if kind == "row-major":
        code = q[0]
        for x in q[1:]:
            code = code * (limit + 1) + x if c.chance(1, 2) else (code << bits) | x
        return code
    if kind == "hash":
        primes = (73856093, 19349663, 83492791)
        code = q[0] * primes[0]
        for x, prime in zip(q[1:], primes[1:], strict=False):
            code = code ^ (x * prime)
        return code % c.pick((1021, 4096, 65521)) if c.chance(1, 2) else code & 0xFFFF
    if kind == "Hilbert":
        return _hilbert(k, q, bits)
    if kind == "Gray-coded":
        q = [let(k, f"g{m}|gray{m}", x ^ (x >> 1)) for m, x in enumerate(q)]
    if c.chance(1, 2):
        code = k.var("code_acc|z", number(0, INT))
        with k.for_("b|bit", bits) as b:
            for m, x in enumerate(q):
                code.set(Term(code.e) | (((x >> b) & 1) << (b * len(q) + m if m else b * len(q))))
        return Term(code.e)
    spread = k.function("spread|expand_bits|part", {"x|v": INT}, lambda f, x: _spread(f, x, len(q)))
    whole = spread(q[0])
    for m, x in enumerate(q[1:], 1):
        whole = whole | (spread(x) << m)
    return whole


def _spread(f, x: Term, n: int) -> Term:  # type: ignore[no-untyped-def]
    masks = ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)) if n == 3 else (
        (8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))  # fmt: skip
    for shift, mask in masks:
        x = let(f, "v1|w|u", (x | (x << shift)) & mask)
    return x


def _hilbert(k: Author, q: list[Term], bits: int) -> Term:
    x, y, d = k.var("x|hx", q[0]), k.var("y|hy", q[1]), k.var("d|order", number(0, INT))
    s = k.var("s|level", number(1 << (bits - 1), INT))
    with k.while_(s > 0):
        rx = let(k, "rx|bx", where((Term(x.e) & s) > 0, number(1, INT), number(0, INT)))
        ry = let(k, "ry|by", where((Term(y.e) & s) > 0, number(1, INT), number(0, INT)))
        d += s * s * ((3 * rx) ^ ry)
        with k.if_(ry == 0):
            with k.if_(rx == 1):
                x.set((1 << bits) - 1 - Term(x.e))
                y.set((1 << bits) - 1 - Term(y.e))
            t = let(k, "t|old_x", Term(x.e) + 0)
            x.set(Term(y.e) + 0)
            y.set(t)
        s.set(Term(s.e) // 2)
    return Term(d.e)
