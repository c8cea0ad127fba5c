"""Numbers, statistics, records and colours as structs."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, number, where, wp
from ...types import DOUBLE, FLOAT, INT, QUAT, VEC2, VEC3, Struct, Value
from .common import at, fill


def complex_numbers(k: Author) -> None:
    """Complex numbers as structs: products, powers, escape times, polynomials."""
    c = k.c
    T = c.weighted({FLOAT: 3, DOUBLE: 1})
    k.name("complex_map|iterate_complex|complex_poly|zpow|complex_step")
    Z = k.struct("Complex|Cplx|Z", {"re|r|x": T, "im|i|y": T})

    def product(s: Scope, a: Term, b: Term) -> Term:
        re, im = at(a, 0) * at(b, 0) - at(a, 1) * at(b, 1), at(a, 0) * at(b, 1) + at(a, 1) * at(b, 0)
        return fill(s, "r|prod|w", Z, re, im)

    def total(s: Scope, a: Term, b: Term) -> Term:
        return fill(s, "r|total|w", Z, at(a, 0) + at(b, 0), at(a, 1) + at(b, 1))

    times = k.function("cmul|mul|times", {"a|z|p": Z, "b|w|q": Z}, product)
    plus = k.helper("cadd|plus|added", {"a|z|p": Z, "b|w|q": Z}, total)
    src = k.input("z_in|points|roots", Z if c.chance(1, 2) else VEC2)
    out = k.output("out|result|z_out", T)
    i = gate(k, k.tid("i|tid|idx"), src.shape(0))
    first = src[i]
    if src.type.dtype is VEC2:  # type: ignore[union-attr]
        v = k.let("v|xy|pt", first)
        first = fill(k, "z0|base|start", Z, *(cast(varied(k, v[n], 0, 1), T) for n in range(2)))
    shift = k.let("c0|seed|shift", first)
    z = k.var("z|cur|state", shift)
    count = k.var("n|iters|count", number(0, INT))
    with k.for_("it|step|j", k.scalar("max_iter|steps|limit", INT) if c.chance(1, 2) else c.between(3, 24)):
        z.set(plus(times(z, z), shift) if c.chance(2, 3) else times(plus(z, shift), z))
        if c.chance(1, 3):
            k.put(at(Term(z.e), c.below(2)), coefficient(k, T, 1, 60), "+")
        with k.if_(at(z, 0) * at(z, 0) + at(z, 1) * at(z, 1) > number(c.pick((4.0, 16.0, 100.0)), T)):
            k.leave("break")
        count += 1
    size = (
        wp.sqrt(at(z, 0) * at(z, 0) + at(z, 1) * at(z, 1)) if c.chance(1, 2) else wp.atan2(at(z, 1), at(z, 0) + 1.0e-3)
    )
    value = k.let("value|mag|r0", varied(k, wp.min(size, 100.0) + cast(Term(count.e), T), 0, 2))
    out[i] = value
    statistic(k, value)
    k.summary("Iterates a quadratic map of complex numbers kept as structs.")


def dual_numbers(k: Author) -> None:
    """Forward-mode derivatives by dual numbers as structs."""
    c, T = k.c, k.c.weighted({FLOAT: 3, DOUBLE: 1})
    k.name("dual_eval|forward_diff|jet_eval|dual_newton|tangent")
    D = k.struct("Dual|Jet|Num", {"v|val|f": T, "d|dv|eps": T})
    two = {"a|p|x": D, "b|q|y": D}
    mul = k.function(
        "dmul|mul|times", two,
        lambda s, a, b: fill(s, "r|m|out", D, at(a, 0) * at(b, 0), at(a, 0) * at(b, 1) + at(a, 1) * at(b, 0)),
    )  # fmt: skip
    rest = []
    if c.chance(2, 3):
        f = c.below(3)

        def unary(s: Scope, a: Term) -> Term:
            if f == 0:
                return fill(s, "r|sn|out", D, wp.sin(at(a, 0)), wp.cos(at(a, 0)) * at(a, 1))
            if f == 1:
                e = s.let("e|ex", wp.exp(-wp.min(wp.abs(at(a, 0)), 20.0)))
                return fill(s, "r|g|out", D, e, -wp.sign(at(a, 0)) * e * at(a, 1))
            q = s.let("q|root", wp.sqrt(wp.abs(at(a, 0)) + coefficient(s, T)))
            return fill(s, "r|h|out", D, q, wp.sign(at(a, 0)) * at(a, 1) / (2.0 * q))

        rest.append(k.function(("dsin|sin_of", "dexp|decay", "droot|root_of")[f], {"a|p|x": D}, unary))
    x = k.input("x|points|u", T)
    value, slope = k.output("value|f_out|y", T), k.output("slope|df_out|dy", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    t = fill(k, "t|x0|seed", D, k.let("xv|u0|base", varied(k, x[i], 0, 1)), number(1.0, T))
    acc = k.var("acc|poly|res", t)
    order = c.pick((k.scalar("order|degree|terms", INT), c.between(2, 6))) if c.chance(1, 2) else c.between(2, 5)
    with k.for_("j|n|m", order):
        acc.set(mul(acc, t))
        k.put(at(Term(acc.e), 0), varied(k, coefficient(k, T) * at(t, 0), 0, 1), "+")
        for f1 in rest:
            acc.set(f1(acc))
    value[i] = varied(k, at(Term(acc.e), 0), 0, 1)
    slope[i] = varied(k, at(Term(acc.e), 1), 0, 1)
    k.summary(f"Evaluates a {T.name} function and its derivative with dual numbers kept as structs.")


def statistics(k: Author) -> None:
    """Running statistics of rows as a struct: mean, variance, extremes, merged."""
    c, T = k.c, k.c.weighted({FLOAT: 3, DOUBLE: 1})
    k.name("row_stats|running_stats|moments|summarize|welford")
    fields: dict[str, Value] = {"n|count|num": T, "mean|avg|mu": T, "m2|var|spread": T}
    peaks = c.chance(1, 2)
    if peaks:
        fields |= {"peak|hi|largest": T}
    S = k.struct("Stats|Moments|Running|Summary", fields)

    def push(s: Scope, a: Term, x: Term) -> Term:
        n = s.let("n1|cnt", at(a, 0) + 1.0)
        delta = s.let("delta|d|dx", x - at(a, 1))
        mean = s.let("mu1|mean1", at(a, 1) + delta / n)
        values = [n, mean, at(a, 2) + delta * (x - mean)]
        return fill(s, "r|next_|upd", S, *values, *([wp.max(at(a, 3), x)] if peaks else []))

    pushed = k.helper("push|accumulate|observe", {"a|st|acc": S, "x|value|sample": T}, push)
    x = k.input("x|rows|samples", T, 2)
    as_struct = c.chance(1, 3)
    out = k.output("out|stats|result", S if as_struct else T)
    i = gate(k, k.tid("i|tid|row"), x.shape(0))
    st = k.var("st|acc|run", k.new("zero|empty|init", S))
    with k.for_("j|col|n", x.shape(1)) as j:
        v = k.let("v|xj|val", varied(k, x[i, j], 0, 2))
        if c.chance(1, 3):
            with k.if_(wp.abs(v) > coefficient(k, T, 200, 900)):
                k.leave("continue")
        st.set(pushed(st, v))
    final = Term(st.e)
    if as_struct:
        k.put(at(final, 2), varied(k, at(final, 2) / wp.max(at(final, 0), 1.0), 0, 2))
        out[i] = final
    else:
        var = k.let("variance|sigma2|disp", at(final, 2) / wp.max(at(final, 0) - 1.0, 1.0))
        score = at(final, 1) / wp.sqrt(var + coefficient(k, T, 1, 20)) + (at(final, 3) if peaks else 0.0 * var)
        out[i] = varied(k, score, 1, 3)
    k.summary(f"Keeps running {T.name} statistics of each row in a struct.")


def nested(k: Author) -> None:
    """Structs within structs: bodies with a pose and a material."""
    c = k.c
    k.name("update_nested|step_bodies|apply_material|pose_update|scene_update")
    Pose = k.struct("Pose|Frame|Placement", {"pos|p|origin": VEC3, "rot|q|orient": QUAT})
    Mat = k.struct("Material|Surface|Coating", {"rough|k|hardness": FLOAT, "tint|color|albedo": VEC3})
    first, second = (Pose, Mat) if c.chance(2, 3) else (Mat, Pose)
    B = k.struct("Body|Node|Entity", {"pose|base|frame": first, "mat|skin|look": second, "kind|tag|group": INT})
    pose, mat = (0, 1) if first is Pose else (1, 0)
    bodies = k.inout("bodies|nodes|scene", B)
    out = k.output("out|shade|energy", FLOAT) if c.chance(2, 3) else None
    i = gate(k, k.tid("i|tid|idx"), bodies.shape(0))
    b = k.let("b|node|me", bodies[i])
    move = varied(k, wp.quat_rotate(at(at(b, pose), 1), at(at(b, mat), 1)), 1, 2)
    k.put(at(at(b, pose), 0), move, "+")
    with k.if_(at(b, 2) == c.below(4)):
        k.put(at(at(b, mat), 0), varied(k, at(at(b, mat), 0), 1, 2))
    if c.chance(1, 2):
        with k.else_():
            turn = wp.quat_rpy(*(coefficient(k, FLOAT) for _ in range(3)))
            k.put(at(at(b, pose), 1), wp.normalize(at(at(b, pose), 1) * turn))
    if c.chance(1, 2):
        k.put(at(b, 2), varied(k, at(b, 2), 1, 2))
    if c.chance(1, 2):
        bodies[i] = b
    else:
        k.put(at(bodies[i], pose), at(b, pose))
        if c.chance(1, 2):
            k.put(at(bodies[i], mat), at(b, mat))
        else:
            k.put(at(at(bodies[i], mat), 0), at(at(b, mat), 0))
        k.put(at(bodies[i], 2), at(b, 2))
    if out is not None:
        out[i] = varied(k, wp.length(at(at(b, pose), 0)) * at(at(b, mat), 0), 1, 2)
    k.summary("Updates bodies whose pose and material are structs within a struct.")


def records(k: Author) -> None:
    """Records of integers and floats: filtered, compared, packed into keys."""
    c = k.c
    k.name("filter_records|score_edges|process_events|relabel|pack_records")
    R = k.struct("Edge|Record|Event|Item", {"a|src|first": INT, "b|dst|second": INT, "w|cost|weight": FLOAT})
    items = k.input("edges|items|records", R)
    labels = k.input("labels|rank|parent", INT)
    i = gate(k, k.tid("i|tid|idx"), items.shape(0))
    e = k.let("e|it|rec", items[i])
    ends = [k.let(word, labels[wp.abs(at(e, n)) % labels.shape(0)]) for n, word in enumerate(("la|ra|pa", "lb|rb|pb"))]
    way = c.below(3)
    w = k.let("w1|cost1|score", varied(k, at(e, 2), 1, 3))
    if way == 0:
        out = k.output("out|best|lowest", FLOAT)
        with k.if_(ends[0] != ends[1]):
            k.atomic(c.pick(("min", "max")), out, wp.abs(ends[c.below(2)]) % out.shape(0), w)
        word = "Lowers or raises the extreme weight of the label of each edge between different labels"
    elif way == 1:
        out = k.output("keys|codes|packed", INT)
        key = k.let("key|code|packed1", (varied(k, ends[0], 0, 1) << c.between(4, 12)) ^ varied(k, ends[1], 0, 1))
        out[i] = where(w > coefficient(k, FLOAT), key, ~key)
        word = "Packs the labels of each record into a key that tells by its bits whether the weight is large"
    else:
        out = k.output("kept|swapped|sorted_edges", R)
        with k.if_(both(ends[0] > ends[1], w > coefficient(k, FLOAT))):
            out[i] = fill(k, "r|flip|swap", R, at(e, 1), at(e, 0), -w if c.chance(1, 2) else w)
        with k.else_():
            k.put(at(e, 2), w)
            out[i] = e
        word = "Turns each record around whose labels are in descending order"
    k.summary(f"{word}.")


def _blend(k: Scope, a: Term, b: Term, P: Struct) -> Term:
    """Return one colour over another by a drawn rule."""
    c = k.c
    alpha = k.let("alpha|t|cover", wp.clamp(at(b, 3), 0.0, 1.0))
    way = c.below(4)
    mixed = []
    for n in range(3):
        x, y = at(a, n), at(b, n)
        over = (y * alpha + x * (1.0 - alpha), x * y, wp.max(x, y), x + y - x * y)[way]
        mixed.append(over)
    return fill(k, "r|mix|blend", P, *mixed, alpha + at(a, 3) * (1.0 - alpha))


def colours(k: Author) -> None:
    """Pixels as structs of colour channels: blended, toned, measured."""
    c = k.c
    k.name("blend_pixels|composite|tone_map|mix_layers|shade_pixels")
    P = k.struct("Pixel|Color|Rgba", {"r|red": FLOAT, "g|green": FLOAT, "b|blue": FLOAT, "a|alpha|cov": FLOAT})
    ndim = c.pick((1, 2))
    below, above = k.input("below|back|layer0", P, ndim), k.input("above|front|layer1", P, ndim)
    grey = c.chance(1, 3)
    out = k.output("out|image|result", FLOAT if grey else P, ndim)
    index = k.tid(*("row|y|i", "col|x|j")[:ndim])
    mix = k.function("over|blend_one|composite_px", {"p|dst": P, "q|src": P}, lambda s, a, b: _blend(s, a, b, P))
    m = k.let("m|px|mixed", mix(below[index], above[index]))
    luma = k.let("luma|gray|y0", 0.299 * at(m, 0) + 0.587 * at(m, 1) + 0.114 * at(m, 2))
    if c.chance(1, 2):
        with k.if_(luma > coefficient(k, FLOAT)):
            k.put(at(m, c.below(3)), varied(k, at(m, c.below(3)), 1, 2))
    if grey:
        out[index] = varied(k, luma + at(m, 3), 1, 3)
    else:
        for n in c.sample((0, 1, 2), c.between(1, 3)):
            k.put(at(m, n), varied(k, at(m, n) / (1.0 + wp.abs(luma)), 0, 2))
        out[index] = m
    k.summary(f"Blends two {ndim}-D layers of pixels kept as structs{' into grey' if grey else ''}.")
