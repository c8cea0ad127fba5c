"""Motion between two images: optical flow, and stereo by block matching."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import statistic, varied
from ...layouts import chain_of, divisor, factor, kept, let
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT
from .pixels import Picture


def optical_flow(k: Author) -> None:
    """Motion between two frames: Lucas-Kanade in a window, or a Horn-Schunck iteration."""
    c = k.c
    local = c.chance(1, 2)
    pic = Picture(k, radius=2)
    k.name("lucas_kanade|optical_flow|track_flow" if local else "horn_schunck|flow_iteration|optical_flow")
    first, second = pic.input("first|frame0|prev_img"), pic.input("second|frame1|next_img")
    out_u, out_v = pic.floats("u_out|flow_x"), pic.floats("v_out|flow_y")
    if local:
        pic.grid.enter()
        u, v = _lucas_kanade(k, pic, first, second)
    else:
        fu, fv = pic.floats("u_in|flow_u", "input"), pic.floats("v_in|flow_v", "input")
        pic.grid.enter()
        u, v = _horn_schunck(k, pic, first, second, (fu, fv))
    u, v = let(k, "u1|fx", varied(k, u, 0, 1)), let(k, "v1|fy", varied(k, v, 0, 1))
    if c.chance(1, 2):
        top = wp.abs(factor(k, "max_flow|limit", FLOAT, 100, 500))
        u, v = let(k, "uc|cu", wp.clamp(u, -top, top)), let(k, "vc|cv", wp.clamp(v, -top, top))
    pic.grid.put(out_u, u)
    pic.grid.put(out_v, v)
    statistic(k, u * u + v * v)
    what = "Lucas-Kanade flow in a window" if local else "Horn-Schunck update of a flow"
    k.summary(f"Computes the {what} between two frames, {pic.grid.edge}.")


def _lucas_kanade(k: Author, pic: Picture, first: Arr, second: Arr) -> tuple[Term, Term]:
    c = k.c
    sums = [k.var(w, number(0.0)) for w in ("sxx|a11", "sxy|a12", "syy|a22", "sxt|b1", "syt|b2")]
    with k.for_("di|dy", -1, 2) as di, k.for_("dj|dx", -1, 2) as dj:
        gx = let(k, "gx|ix", 0.5 * (pic.read(first, di, dj + 1) - pic.read(first, di, dj - 1)))
        gy = let(k, "gy|iy", 0.5 * (pic.read(first, di + 1, dj) - pic.read(first, di - 1, dj)))
        gt = let(k, "gt|it", pic.read(second, di, dj) - pic.read(first, di, dj))
        for acc, v in zip(sums, (gx * gx, gx * gy, gy * gy, gx * gt, gy * gt), strict=True):
            acc.__iadd__(v)
    a, b, d, p, q = (Term(s.e) for s in sums)
    if c.chance(1, 2):
        ridge = factor(k, "ridge|reg", FLOAT, 1, 10)
        a, d = let(k, "ar|a_reg", a + ridge), let(k, "dr|d_reg", d + ridge)
    det = let(k, "det|disc", a * d - b * b)
    if c.chance(1, 2):
        inv = let(
            k,
            "inv|inv_det",
            where(wp.abs(det) > 1.0e-4, 1.0 / (det + where(det < 0.0, number(-1.0e-5), number(1.0e-5))), number(0.0)),
        )
        return (b * q - d * p) * inv, (b * p - a * q) * inv
    safe = let(k, "safe|det_s", wp.max(wp.abs(det), 1.0e-3))
    return (b * q - d * p) / safe, (b * p - a * q) / safe


def _horn_schunck(k: Author, pic: Picture, first: Arr, second: Arr, flow: tuple[Arr, Arr]) -> tuple[Term, Term]:
    c = k.c
    gx = let(k, "gx|ix", 0.5 * (pic.read(first, 0, 1) - pic.read(first, 0, -1)))
    gy = let(k, "gy|iy", 0.5 * (pic.read(first, 1, 0) - pic.read(first, -1, 0)))
    gt = let(k, "gt|it", pic.read(second, 0, 0) - pic.read(first, 0, 0))
    means = []
    for array, word in zip(flow, ("ub|u_mean", "vb|v_mean"), strict=True):
        cross = chain_of(k, "near|side", [pic.grid.at(array, *o) for o in ((-1, 0), (1, 0), (0, -1), (0, 1))])
        if c.chance(1, 2):
            corner = chain_of(k, "far|corner", [pic.grid.at(array, a, b) for a in (-1, 1) for b in (-1, 1)])
            means.append(let(k, word, cross / 6.0 + corner / 12.0))
        else:
            means.append(let(k, word, cross * 0.25))
    alpha = divisor(k, "alpha|smoothness", FLOAT)
    top = gx * means[0] + gy * means[1] + gt
    rate = let(k, "rate|step", top / (alpha * alpha + gx * gx + gy * gy))
    return means[0] - gx * rate, means[1] - gy * rate


def block_matching(k: Author) -> None:
    """Stereo by block matching: absolute or squared differences, correlation, census; the best shift."""
    c = k.c
    cost = c.pick(("absolute differences", "squared differences", "normalised correlation", "census"))
    pic = Picture(k, radius=1, rules=("clamp", "mirror"))
    k.name("block_match|disparity|stereo_match|sad_search")
    left, right = pic.input("left|ref_img|first"), pic.input("right|other_img|second")
    out = pic.floats("disparity_out|shift_out|best_out")
    pic.grid.enter()
    best, pick = k.var("best|lowest", number(1.0e6)), k.var("pick|arg_d", number(0, INT))
    reach = k.scalar("max_disp|search|reach", INT) if c.chance(1, 2) else number(c.between(4, 16), INT)
    with k.for_("d|shift|disp", reach) as d:
        total = let(k, "total|cost", _cost(k, pic, (left, right), d, cost))
        if c.chance(1, 2):
            total = let(k, "penal|cost1", total + factor(k, "smooth|bias", FLOAT, 1, 10) * cast(d, FLOAT))
        with k.if_(total < best):
            best.set(total)
            pick.set(d)
    value = cast(Term(pick.e), FLOAT)
    if c.chance(1, 2):
        value = where(best > factor(k, "max_cost|reject", FLOAT, 100, 500), number(-1.0), value)
    value = let(k, "value|res", varied(k, let(k, "found|disp0", value), 0, 2))
    pic.grid.put(out, value)
    if c.chance(1, 2):
        pic.grid.put(pic.floats("cost_out|confidence"), varied(k, Term(best.e), 0, 1))
    statistic(k, value)
    k.summary(f"Finds the shift of least {cost} between two images, {pic.grid.edge}.")


def _cost(k: Author, pic: Picture, images: tuple[Arr, Arr], d: Term, cost: str) -> Term:
    c = k.c
    acc = k.var("acc|sum_d", number(0.0))
    more = k.var("norm|energy_b", number(1.0e-3)) if cost == "normalised correlation" else None
    centres = [pic.read(images[0], 0, 0), pic.read(images[1], 0, 0 - d)] if cost == "census" else []
    centres = [kept(k, f"c{n}|mid{n}", x) for n, x in enumerate(centres)]
    line = c.chance(1, 4)
    if line:
        with k.for_("b|dj", -1, 2) as b:
            _compare(k, pic, images, (0, b), d, cost, acc, more, centres)
    else:
        with k.for_("a|di", -1, 2) as a, k.for_("b|dj", -1, 2) as b:
            _compare(k, pic, images, (a, b), d, cost, acc, more, centres)
    if more is not None:
        return -Term(acc.e) / wp.sqrt(Term(more.e))
    return Term(acc.e)


def _compare(k, pic, images, at, d, cost, acc, more, centres) -> None:  # type: ignore[no-untyped-def]
    p = let(k, "p|lp", pic.read(images[0], *at))
    q = let(k, "q|rp", pic.read(images[1], at[0], at[1] - d))
    if cost == "absolute differences":
        acc += wp.abs(p - q)
    elif cost == "squared differences":
        acc += (p - q) * (p - q)
    elif cost == "census":
        acc += wp.abs(wp.step(centres[0] - p) - wp.step(centres[1] - q))
    else:
        acc += p * q
        more += p * p + q * q
