"""Queries of bounding volume hierarchies: boxes that overlap a box or a ball, or that a ray or a capsule meets."""

from __future__ import annotations

from ...atomics import exchanged
from ...author import Arr, Author, Var
from ...fusion import coefficient, gate, varied
from ...loops import huge
from ...terms import Term, both, cast, make, number, where, wp, zero
from ...types import FLOAT, INT, VEC3


def _root(k: Author, bvh: Term, i: Term) -> tuple[Term, ...]:
    """Perhaps restrict a query to the group of the thread's element."""
    if not k.c.chance(1, 3):
        return ()
    groups = k.input("groups|env_ids|worlds", INT)
    return (k.let("root|group_root|start_node", wp.bvh_get_group_root(bvh, groups[i])),)


def _boxes(k: Author) -> tuple[Arr, Arr]:
    return k.input("lowers|box_min|lo", VEC3), k.input("uppers|box_max|hi", VEC3)


def _take(k: Author, i: Term, item: Var, value: Term) -> None:
    """Do something with what was found: list the pair, or count it where it was found."""
    if k.c.chance(1, 2):
        hits = k.output("hits|touched|counts_of", INT)
        hits.add_at(item, 1)
        return
    pairs, counter = k.output("pairs|found_pairs|hit_list", INT), k.output("counter|n_pairs|cursor", INT)
    slot = k.let("slot|place|at", exchanged("add", counter, 0, 1))
    with k.if_(slot < pairs.shape(0)):
        pairs[slot] = varied(k, i * 1024 + item, 0, 1) if value.type is FLOAT else item


def _overlaps(k: Author) -> None:
    """Each thread asks which boxes overlap its own, grown or moved; sums over or lists what it finds."""
    c = k.c
    k.name("overlap_pairs|broad_phase|box_query|region_sum|aabb_overlap")
    bvh = k.handle("bvh|bvh_id|tree")
    lowers, uppers = _boxes(k)
    i = gate(k, k.tid("i|tid|b"), lowers.shape(0))
    pad = coefficient(k, FLOAT, 1, 60)
    low = k.let("low|a_min|from_corner", varied(k, lowers[i], 0, 2) - make3(pad))
    high = k.let("high|a_max|to_corner", varied(k, uppers[i], 0, 1) + make3(pad))
    query = k.let("query|q|walk", wp.bvh_query_aabb(bvh, low, high, *_root(k, bvh, i)))
    item, acc = k.var("item|j|other|hit_id", number(0, INT)), k.var("acc|volume|total", number(0.0, FLOAT))
    with k.while_(wp.bvh_query_next(query, item)):
        if c.chance(1, 3):
            with k.if_(item <= i if c.chance(1, 2) else item == i):
                k.leave("continue")
        size = k.let("size|overlap|edge", wp.min(high, uppers[item]) - wp.max(low, lowers[item]))
        v = k.let("v|vol|amount", varied(k, wp.max(size[0] * size[1] * size[2], 0.0), 0, 2))
        acc += v
        if c.chance(1, 2):
            _take(k, i, item, v)
    out = k.output("out|overlaps|sums", FLOAT)
    out[i] = varied(k, acc, 0, 3)
    k.summary("Sums the overlap of each box with the boxes that a bounding volume hierarchy finds in its grown bounds.")


def make3(value: Term) -> Term:
    """Return the vector of three equal components."""
    return make(VEC3, value, value, value)


def _rays(k: Author) -> None:
    """Each thread follows a ray through the boxes, with a slab test for the nearest, the furthest, or the count."""
    c = k.c
    k.name("ray_boxes|first_box|ray_slabs|pick_box|trace_boxes")
    bvh = k.handle("bvh|bvh_id|tree")
    lowers, uppers = _boxes(k)
    starts, dirs = k.input("starts|origins|ray_o", VEC3), k.input("dirs|directions|ray_d", VEC3)
    i = gate(k, k.tid("i|tid|ray"), starts.shape(0))
    o = k.let("o|origin|p0", starts[i])
    d = k.let("d|dir|way", wp.normalize(varied(k, dirs[i], 0, 1)))
    inverse = k.let("inv|rcp|slope", _inverse(k, d))
    query = k.let("query|q|walk", wp.bvh_query_ray(bvh, o, d, *_root(k, bvh, i)))
    item = k.var("item|j|node|box", number(0, INT))
    best, found = k.var("best|t_near|dmin", huge(FLOAT)), k.var("found|arg|nearest", number(-1, INT))
    seen, limited = k.var("seen|n_met|tested", number(0, INT)), c.chance(1, 2)
    with k.while_(wp.bvh_query_next(query, item, best) if limited else wp.bvh_query_next(query, item)):
        enter, leave = _slab(k, lowers[item] - o, uppers[item] - o, inverse)
        with k.if_(both(leave >= wp.max(enter, 0.0), enter < best)):
            score = enter if limited else k.let("score|cost|key", varied(k, enter, 0, 2))
            best.set(score)
            found.set(item)
        if c.chance(1, 3):
            seen += 1
            with k.if_(seen > c.between(8, 256)):
                k.leave("break")
        elif c.chance(1, 2):
            seen.set(wp.max(seen, item + 1))
        else:
            seen += where(leave > enter, number(1, INT), number(0, INT))
    counts = k.output("counts|visited|n_boxes", INT)
    counts[i] = varied(k, seen, 0, 2)
    out, dist = k.output("out|picked|nearest_of", INT), k.output("dist|t_out_of|depths", FLOAT)
    out[i] = varied(k, found, 0, 1)
    dist[i] = varied(k, where(found < 0, zero(FLOAT), best), 0, 3)
    k.summary("Finds the nearest box along each ray, among those that a bounding volume hierarchy says the ray meets.")


def _slab(k: Author, low: Term, high: Term, inverse: Term) -> tuple[Term, Term]:
    """Write where a ray enters and leaves a box whose corners are seen from its start."""
    if k.c.chance(1, 2):
        near, far = k.let("near|ta|t0", wp.cw_mul(low, inverse)), k.let("far|tb|t1", wp.cw_mul(high, inverse))
        enter = k.let("enter|tn|t_in", wp.max(wp.min(near, far)))
        return enter, k.let("leave|tf|t_out", wp.min(wp.max(near, far)))
    enter_, leave_ = k.var("enter|tn|t_in", number(-1.0e6, FLOAT)), k.var("leave|tf|t_out", number(1.0e6, FLOAT))
    for n in range(3):
        a, b = k.let(f"a{n}|lo{n}", low[n] * inverse[n]), k.let(f"b{n}|hi{n}", high[n] * inverse[n])
        enter_.set(wp.max(enter_, wp.min(a, b)))
        leave_.set(wp.min(leave_, wp.max(a, b)))
    return enter_, leave_


def _inverse(k: Author, d: Term) -> Term:
    """Write one over each component of a direction, held away from infinity."""
    if k.c.chance(1, 2):
        return wp.cw_div(make3(number(1.0, FLOAT)), d + make3(number(1.0e-6, FLOAT)))
    return make(VEC3, *(1.0 / where(wp.abs(d[n]) < 1.0e-6, number(1.0e-6, FLOAT), d[n]) for n in range(3)))


def _balls(k: Author) -> None:
    """Each thread asks which boxes a ball or a capsule meets, and measures their distance."""
    c = k.c
    capsule = c.chance(1, 2)
    k.name("capsule_boxes|swept_ball|sweep_query" if capsule else "ball_boxes|sphere_query|near_boxes")
    bvh = k.handle("bvh|bvh_id|tree")
    lowers, uppers = _boxes(k)
    centers = k.input("centers|points|probes", VEC3)
    ends = k.input("ends|moves|targets", VEC3) if capsule else None
    radii = k.input("radii|reach|sizes", FLOAT)
    i = gate(k, k.tid("i|tid|p"), centers.shape(0))
    x = k.let("x|center|p0", varied(k, centers[i], 0, 1))
    r = k.let("r|radius|reach_i", wp.abs(varied(k, radii[i], 0, 2)) + coefficient(k, FLOAT, 1, 20))
    root = _root(k, bvh, i)
    if ends is not None:
        move = k.let("move|axis|sweep", ends[i] - x)
        query = k.let("query|q|walk", wp.bvh_query_capsule(bvh, x, move, r, *root))
    else:
        query = k.let("query|q|walk", wp.bvh_query_sphere(bvh, x, r, *root))
    item, acc = k.var("item|j|node|box", number(0, INT)), k.var("acc|total|press", number(0.0, FLOAT))
    with k.while_(wp.bvh_query_next(query, item, number(1.0, FLOAT)) if capsule else wp.bvh_query_next(query, item)):
        near = k.let("near|clamped|closest", wp.max(wp.min(x, uppers[item]), lowers[item]))
        gap = k.let("gap|d|dist", wp.length(varied(k, x - near, 0, 1)))
        weight = k.let("w|depth|inside", varied(k, wp.max(r - gap, 0.0), 0, 2))
        acc.set(wp.max(acc, weight) if c.chance(1, 3) else acc + weight)
        if c.chance(1, 3):
            _take(k, i, item, weight)
    out = k.output("out|pressure|touch", FLOAT)
    out[i] = varied(k, acc, 0, 3)
    what = "capsule swept from" if capsule else "ball around"
    k.summary(f"Measures the boxes that a {what} each point meets, found by a bounding volume hierarchy.")


def _counts(k: Author) -> None:
    """Each thread counts the items in its region, with an early end or a filter on their data."""
    c = k.c
    k.name("count_in_region|any_overlap|filter_items|crowding|visible_items")
    bvh = k.handle("bvh|bvh_id|tree")
    points = k.input("points|centers|eyes", VEC3)
    data = k.input("data|tags|scores", c.pick((INT, FLOAT)))
    i = gate(k, k.tid("i|tid|q"), points.shape(0))
    p = k.let("p|at|mid", varied(k, points[i], 0, 2))
    half = k.let("half|reach|extent", make3(coefficient(k, FLOAT, 5, 200)))
    query = k.let("query|q|walk", wp.bvh_query_aabb(bvh, p - half, p + half, *_root(k, bvh, i)))
    item, count = k.var("item|j|found_id", number(0, INT)), k.var("count|n_hits|seen", number(0, INT))
    total = k.var("total|score|mass", zero(FLOAT))
    with k.while_(wp.bvh_query_next(query, item)):
        v = k.let("v|tag|datum", varied(k, data[item], 0, 2))
        f = k.let("f|worth|amount", varied(k, cast(v, FLOAT), 0, 2))
        with k.if_(f > coefficient(k, FLOAT)):
            count += 1
            total += f
        if c.chance(1, 2):
            with k.if_(count >= c.between(4, 64)):
                k.leave("break")
    out, sums = k.output("out|counts|n_in", INT), k.output("sums|scores_out|weights", FLOAT)
    out[i] = varied(k, count, 0, 2)
    sums[i] = varied(k, total, 0, 2)
    k.summary("Counts and sums the items with large data in a box around each point, found by a hierarchy of boxes.")


FAMILIES = (_overlaps, _rays, _balls, _counts)
