"""Loops that walk: escape times, ray marching, searches, linked lists, relaxation, early ends of rows."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, make, number, where, wp
from ...types import DOUBLE, FLOAT, INT, UINT, VEC2, VEC3, Scalar, Value
from .common import until
from .numbers import cap


def escape(k: Author) -> None:
    """Escape times of quadratic, cubic and burning maps of the plane."""
    c = k.c
    T = c.weighted({FLOAT: 3, DOUBLE: 1})
    way = c.below(4)
    k.name(("mandelbrot|escape_time", "julia|julia_set", "burning_ship|ship_fractal", "tricorn|mandelbar")[way])
    image = k.output("image|iters|out", c.pick((INT, T)), 2)
    row, col = k.tid("row|y|i", "col|x|j")
    scale = k.scalar("scale|zoom|dx", T) if c.chance(1, 2) else number(c.between(1, 8) / 256, T)
    cx = k.let("cx|re0|px", (cast(col, T) - coefficient(k, T, 1000, 12000)) * scale)
    cy = k.let("cy|im0|py", (cast(row, T) - coefficient(k, T, 1000, 12000)) * scale)
    ax, ay = (coefficient(k, T, 5, 80), coefficient(k, T, 5, 80)) if way == 1 else (cx, cy)
    zx = k.var("zx|re|u", cx if way == 1 else number(0.0, T))
    zy = k.var("zy|im|v", cy if way == 1 else number(0.0, T))

    def step() -> None:
        re, im = Term(zx.e), Term(zy.e)
        xt = k.let("xt|tmp|nx", re * re - im * im + ax)
        cross = 2.0 * re * im
        zy.set((cross, cross, wp.abs(cross), -cross)[way] + ay)
        zx.set(wp.abs(xt) if way == 2 and c.chance(1, 2) else xt)

    def holds() -> Term:
        return Term(zx.e) * Term(zx.e) + Term(zy.e) * Term(zy.e) < number(c.pick((4.0, 16.0, 64.0)), T)

    turns = until(k, cap(k, 16, 120), holds, step, counted=True)
    held = image.type.dtype  # type: ignore[union-attr]
    if held is INT:
        image[row, col] = varied(k, turns, 0, 3)
    else:
        size = k.let("size|r2|mag", wp.min(Term(zx.e) * Term(zx.e) + Term(zy.e) * Term(zy.e), 1.0e4))
        image[row, col] = varied(k, cast(turns, T) + wp.log(1.0 + size) * coefficient(k, T), 0, 2)
    kind = ("quadratic map", "quadratic map with a fixed shift", "burning ship map", "conjugate quadratic map")[way]
    k.summary(f"Counts for each pixel the turns of a {T.name} {kind} until it escapes.")


def _scene(k: Scope, p: Term, way: int) -> Term:
    """Return the signed distance from a point to a simple shape."""
    c = k.c
    size = coefficient(k, FLOAT, 30, 150)
    if way == 0:
        return wp.length(p) - size
    if way == 1:
        q = k.let("q|d|w", wp.abs(p) - make(VEC3, size))
        return wp.length(wp.max(q, make(VEC3, 0.0))) + wp.min(wp.max(q[0], wp.max(q[1], q[2])), 0.0)
    if way == 2:
        ring = k.let("ring|flat|u", wp.sqrt(p[0] * p[0] + p[2] * p[2]) - size)
        return wp.sqrt(ring * ring + p[1] * p[1]) - coefficient(k, FLOAT, 5, 25)
    wave = 0.1 * wp.sin(coefficient(k, FLOAT) * p[0]) * wp.cos(coefficient(k, FLOAT) * p[1 + c.below(2)])
    return p[1] + wave


def march(k: Author) -> None:
    """Ray marching against a signed distance function."""
    c = k.c
    way = c.below(4)
    k.name("ray_march|sphere_trace|march_rays|trace_sdf|render_sdf")
    ndim = c.pick((1, 2))
    f = k.function("sdf|scene|distance_at", {"p|x|q": VEC3}, lambda s, p: varied(s, _scene(s, p, way), 0, 1))
    if ndim == 1:
        origins, dirs = k.input("origins|ro|starts", VEC3), k.input("dirs|rd|rays", VEC3)
        i = gate(k, k.tid("i|tid|ray"), origins.shape(0))
        index = (i,)
        o, d = k.let("o|ro0|eye", origins[i]), k.let("d|rd0|dir", wp.normalize(dirs[i]))
    else:
        index = k.tid("row|y|py", "col|x|px")
        eye = k.scalar("eye|camera|cam", VEC3)
        width = k.scalar("width|res|size", FLOAT)
        o = k.let("o|start|ro", varied(k, eye, 0, 1))
        u, v = (cast(n, FLOAT) / (1.0 + wp.abs(width)) - 0.5 for n in index)
        d = k.let("d|dir|rd", wp.normalize(make(VEC3, u, v, coefficient(k, FLOAT))))
    t = k.var("t|depth|travel", number(0.0))
    h = k.var("h|gap|dist", f(o))

    def step() -> None:
        t.set(Term(t.e) + Term(h.e) * (coefficient(k, FLOAT, 50, 99) if c.chance(1, 2) else 1.0))
        h.set(f(o + d * Term(t.e)))

    far = number(c.pick((20.0, 50.0, 100.0)))
    eps = number(c.pick((0.001, 0.01)))

    def holds() -> Term:
        return both(wp.abs(Term(h.e)) > eps, Term(t.e) < far) if c.chance(2, 3) else Term(h.e) > eps

    counted = c.chance(1, 2)
    turns = until(k, cap(k, 16, 80), holds, step, counted=counted)
    shade = wp.exp(-0.1 * wp.min(wp.abs(Term(t.e)), far))
    if c.chance(1, 2):
        shade = where(Term(h.e) < eps, shade, number(0.0))
    if counted:
        shade = shade + 0.01 * cast(turns, FLOAT)
    value = k.let("shade|lum|r", varied(k, shade, 1, 2))
    k.output("image|depth_out|out", FLOAT, ndim)[index if ndim > 1 else index[0]] = value
    statistic(k, value)
    kind = ("a ball", "a box", "a torus", "a wavy ground")[way]
    k.summary(f"Marches rays towards {kind} given by its signed distance.")


def binary_search(k: Author) -> None:
    """Binary search of sorted arrays: lower and upper bounds, exact places, interpolation."""
    c = k.c
    T = c.pick((FLOAT, INT, UINT, DOUBLE))
    k.name("lower_bound|find_slots|search_sorted|locate|bucketize|upper_bound")
    table, queries = k.input("table|sorted_keys|edges", T), k.input("queries|q|x", T)
    i = gate(k, k.tid("i|tid|idx"), queries.shape(0))
    q = k.let("q0|key|target", varied(k, queries[i], 0, 1))
    lo, hi = k.var("lo|left|first", number(0, INT)), k.var("hi|right|last", table.shape(0))
    upper = c.chance(1, 2)
    exact = c.chance(1, 3)
    place = k.var("place|found|hit", number(-1, INT)) if exact else None

    def step() -> None:
        a, b = Term(lo.e), Term(hi.e)
        mid = k.let("mid|m|half", (a + b) // 2 if c.chance(1, 2) else a + ((b - a) >> 1))
        if place is not None:
            with k.if_(table[mid] == q):
                place.set(mid)
        test = table[mid] <= q if upper else table[mid] < q
        with k.if_(test):
            lo.set(mid + 1)
        with k.else_():
            hi.set(mid)

    until(k, cap(k, 24, 40), lambda: Term(lo.e) < Term(hi.e), step)
    slot = k.let("slot|at|pos", wp.max(wp.min(Term(lo.e), table.shape(0) - 1), 0))
    way = c.below(3)
    if way == 0:
        k.output("out|slots|places", INT)[i] = varied(k, slot if place is None else Term(place.e), 0, 2)
    elif way == 1:
        hist = k.output("hist|counts|bins", INT)
        k.atomic("add", hist, slot % hist.shape(0), 1 if c.chance(1, 2) else varied(k, slot, 1, 1))
    else:
        base = k.let("base|below_|prev", table[wp.max(slot - 1, 0)])
        gap = varied(k, table[slot] - base, 0, 1) if c.chance(1, 2) else q - base
        k.output("out|gap|residual", T)[i] = varied(k, gap, 0, 2)
    if way and place is not None:
        k.output("exact|found_at|match", INT)[i] = Term(place.e)
    k.summary(f"Searches a sorted {T.name} table for each query by halving.")


def chase(k: Author) -> None:
    """Walks along links: linked lists, parents in a forest, cycles of permutations."""
    c = k.c
    way = c.below(4)
    k.name(
        ("walk_list|list_sum", "find_root|tree_root|union_find", "cycle_length|orbit_size", "depth_of|list_rank")[way]
    )
    links = k.input("next_id|links|parent|succ", INT)
    weights = k.input("weights|cost|values", FLOAT) if way in (0, 3) or c.chance(1, 3) else None
    i = gate(k, k.tid("i|tid|node"), links.shape(0))
    length = k.let("n|total_nodes|size", links.shape(0))
    node = k.var("node|cur|at", i)
    acc = k.var("acc|total|path", number(0.0)) if weights is not None else None

    def safe(value: Term) -> Term:
        return wp.clamp(value, 0, length - 1) if c.chance(1, 2) else wp.abs(value) % length

    nxt = k.var("nxt|to|follow", safe(links[i]))

    def step() -> None:
        if acc is not None and weights is not None:
            acc.set(Term(acc.e) + varied(k, weights[Term(node.e) % weights.shape(0)], 0, 2))
        node.set(Term(nxt.e))
        nxt.set(safe(links[Term(node.e)]))
        if way == 1 and c.chance(1, 2):
            nxt.set(safe(links[Term(nxt.e)]))

    def holds() -> Term:
        return Term(nxt.e) != i if way == 2 else Term(nxt.e) != Term(node.e)

    turns = until(k, cap(k, 16, 100), holds, step, counted=True)
    kinds: list[tuple[str, Term]] = [("roots|ends|leaders", Term(node.e)), ("lengths|depths|ranks", turns)]
    if acc is not None:
        kinds.append(("sums|totals|costs", Term(acc.e)))
    others = [kinds[0], *kinds[2:]]
    for words, value in [kinds[1], *c.sample(others, c.below(len(others) + 1))]:
        made = varied(k, value, 0, 2)
        k.output(words, made.type)[i] = made
    what = ("a linked list", "links to a root", "a cycle of links", "a list")[way]
    k.summary(f"Follows {what} from each node until it ends or a cap is reached.")


def fixed_point(k: Author) -> None:
    """Iterations of a vector or scalar towards a fixed point, until it moves little."""
    c = k.c
    kinds: tuple[Value, ...] = (FLOAT, VEC2, VEC3, DOUBLE)
    V = c.pick(kinds)
    k.name("relax_point|fixed_point|settle|iterate_until|converge")
    start = k.input("start|x0|init", V)
    target = k.input("target|goal|anchor", V)
    i = gate(k, k.tid("i|tid|idx"), start.shape(0))
    x = k.var("x|cur|p", varied(k, start[i], 0, 1))
    goal = k.let("goal1|y|aim", varied(k, target[i], 0, 1))
    scalar = isinstance(V, Scalar)
    T = V if isinstance(V, Scalar) else FLOAT
    move = k.var("move|change|err", number(1.0, T))
    rate = coefficient(k, T, 5, 60)

    def step() -> None:
        pull = k.let("pull|d|step_", (goal - Term(x.e)) * rate)
        nxt = k.let("nxt|x1|new_x", Term(x.e) + pull)
        if c.chance(1, 2):
            nxt = k.let("mid|rel|mix", varied(k, nxt, 1, 1) * number(0.1, T) + nxt * number(0.9, T))
        gap = nxt - Term(x.e)
        move.set(wp.abs(gap) if scalar else wp.length(gap))
        x.set(nxt)

    eps = k.scalar("eps|tol|tolerance", T) if c.chance(1, 2) else number(c.pick((0.001, 0.01)), T)
    counted = c.chance(1, 2)
    turns = until(k, cap(k, 8, 60), lambda: Term(move.e) > eps, step, counted=counted)
    value = k.let("res|fixed|end", varied(k, Term(x.e), 0, 2))
    k.output("out|settled|result", V)[i] = value
    if counted:
        k.output("turns_out|iters_out|steps_out", INT)[i] = turns
    statistic(k, value)
    k.summary(f"Moves each {V.name} towards a target until it moves little.")


def scan_rows(k: Author) -> None:
    """Rows read until something turns up: the first crossing, a budget, a sentinel; nested loops with breaks."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    way = c.below(3)
    k.name(("first_above|first_crossing", "budget_prefix|take_until", "until_sentinel|row_length")[way])
    x = k.input("x|rows|signal", T, 2)
    i = gate(k, k.tid("i|tid|row"), x.shape(0))
    j, acc = k.var("j|at|col", number(0, INT)), k.var("acc|total|run", number(0, T))
    limit = k.scalar("limit|threshold|budget", T)
    skip = c.chance(1, 3)
    with k.while_(j < x.shape(1)):
        v = k.let("v|xij|val", varied(k, x[i, Term(j.e)], 0, 2))
        if skip:
            with k.if_(v < number(c.below(3), T)):
                j += 1
                k.leave("continue")
        if way == 0:
            with k.if_(v > limit):
                k.leave("break")
            acc.set(Term(acc.e) + v)
        elif way == 1:
            acc.set(Term(acc.e) + wp.abs(v))
            with k.if_(acc > limit):
                k.leave("break")
        else:
            with k.if_(v == limit if T is INT else wp.abs(v - limit) < 0.01):
                k.leave("break")
            acc.set(wp.max(Term(acc.e), v))
        j += 1 if c.chance(3, 4) else c.between(2, 3)
    k.output("first|lengths|stop_at", INT)[i] = varied(k, Term(j.e), 0, 1)
    value = k.let("sum_before|best|w", varied(k, Term(acc.e), 0, 2))
    k.output("sums|acc_out|out", T)[i] = value
    statistic(k, value)
    what = ("an element above a limit", "the sum of sizes passes a limit", "an element is the sentinel")[way]
    k.summary(f"Reads each {T.name} row up to where {'there is ' if way == 0 else ''}{what}.")


def rejection(k: Author) -> None:
    """Random points drawn until one is accepted, at most so many times."""
    c = k.c
    V = c.pick((VEC2, VEC3))
    k.name("rejection_sample|draw_accepted|sample_inside|accept_reject")
    out = k.output("out|points|samples", V)
    i = k.tid("i|tid|idx")
    state = k.let("state|rng|s", wp.rand_init(k.scalar("seed|key|base", INT), i))
    p = k.var("p|x|cand", make(V, 0.0))
    score = k.var("score|r2|fx", number(4.0))
    way = c.below(3)

    def step() -> None:
        p.set(make(V, *(wp.randf(state, -1.0, 1.0) for _ in range(V.n))))
        q = Term(p.e)
        value = (wp.dot(q, q), wp.max(wp.abs(q)), wp.length(q) + wp.randf(state))[way]
        score.set(varied(k, value, 0, 1))

    bound = coefficient(k, FLOAT, 50, 150)
    turns = until(k, cap(k, 8, 64), lambda: Term(score.e) > bound, step, counted=True)
    out[i] = varied(k, Term(p.e), 0, 2)
    if c.chance(1, 2):
        k.output("tries|turns_out|counts", INT)[i] = turns
    else:
        k.atomic("add", k.output("total_tries|work|drawn", INT), 0, turns)
    k.summary(f"Draws random {V.n}-D points until one is accepted or a cap is reached.")
