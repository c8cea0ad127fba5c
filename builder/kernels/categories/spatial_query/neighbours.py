"""Loops over the neighbours that a hash grid finds around a point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...loops import huge
from ...terms import Term, cast, number, where, wp, zero
from ...types import DOUBLE, FLOAT, HALF, INT, VEC3, Scalar, vec


class Cloud:
    """Points in a hash grid, and the thread's own among them."""

    def __init__(self, k: Author, type_: Scalar) -> None:
        c = k.c
        self.k, self.type = k, type_
        self.grid = k.handle("grid|grid_id|hash_grid")
        self.points: Arr = k.input("points|positions|particles|x", vec(3, type_))
        queries = k.input("queries|probes|targets", vec(3, type_)) if c.chance(1, 3) else self.points
        self.own = queries is self.points
        thread = k.tid("i|tid|idx|p")
        if self.own and c.chance(1, 2):
            self.i = k.let("me|own|index", wp.hash_grid_point_id(self.grid, thread))
            if c.chance(1, 2):
                with k.if_(self.i == -1 if c.chance(1, 2) else self.i < 0):
                    k.leave()
        else:
            self.i = gate(k, thread, queries.shape(0))
        self.x = k.let("xi|pos|center|here", queries[self.i])
        self.radius = _radius(k, type_)

    @contextmanager
    def near(self, words: str) -> Iterator[Term]:
        """Write the loop over the neighbours; gives the neighbour's index."""
        k, way = self.k, self.k.c.below(3)
        args = (self.grid, self.x, self.radius)
        if way == 0:
            with k.each(words, wp.hash_grid_query(*args)) as j:
                yield j
        elif way == 1:
            with k.each(words, k.let("query|near_by|found", wp.hash_grid_query(*args))) as j:
                yield j
        else:
            query = k.let("query|near_by|walk", wp.hash_grid_query(*args))
            j = k.var(words, number(0, INT))
            with k.while_(wp.hash_grid_query_next(query, j)):
                yield Term(j.e)

    def skip(self, j: Term) -> None:
        """Perhaps leave out the point itself."""
        if self.own and self.k.c.chance(1, 2):
            with self.k.if_(j == self.i):
                self.k.leave("continue")


def _radius(k: Author, type_: Scalar) -> Term:
    if k.c.chance(1, 2):
        return k.scalar("radius|support|h|cutoff", type_)
    return k.constant("RADIUS|CUTOFF|SUPPORT", k.c.between(5, 200) / 100, type_)


def _kernel(k: Author, cloud: Cloud, d: Term) -> Term:
    """Write a weight that falls with the distance: a hat, a Gaussian, a spline, an inverse."""
    h, way = cloud.radius, k.c.below(5)
    if way == 0:
        return wp.max(1.0 - d / h, 0.0)
    if way == 1:
        q = k.let("q|rel|ratio", d / h)
        return wp.exp(-wp.min(q * q, 20.0))
    if way == 2:
        q = k.let("q|gap2|w2", wp.max(h * h - d * d, 0.0))
        return q * q * q  # type: ignore[no-any-return]
    if way == 3:
        return 1.0 / (d + coefficient(k, cloud.type, 1, 50))
    return wp.smoothstep(h, number(0.0, cloud.type), d)


def _gathered(k: Author) -> None:
    """Each thread sums over its neighbours: a density, a weighted mean of a value, a count, a smoothed field."""
    c = k.c
    T = c.weighted({FLOAT: 6, DOUBLE: 2, HALF: 1})
    k.name("neighbour_sum|density|smooth_values|count_neighbours|interpolate")
    cloud = Cloud(k, T)
    way = c.below(3)
    value = k.input("values|masses|temperature", T) if way else None
    acc, weight = k.var("acc|rho|total", zero(T)), k.var("weight|norm|wsum", zero(T))
    with cloud.near("j|index|nb|other") as j:
        cloud.skip(j)
        d = k.let("d|dist|r", wp.length(cloud.x - cloud.points[j]))
        with k.if_(d < cloud.radius):
            w = k.let("w|wt|kern", varied(k, _kernel(k, cloud, d), 0, 2))
            acc += varied(k, w * value[j] if value is not None else w, 0, 2)
            weight += wp.abs(w) if way == 2 else number(1.0, T)
    result = acc / wp.max(weight, number(0.01, T)) if way == 2 or c.chance(1, 4) else acc * weight + acc
    out = k.output("out|density_out|field", T)
    result = varied(k, result, 0, 3)
    out[cloud.i] = result
    statistic(k, result)
    what = ("weights", "weighted values", "values and weights")[way]
    k.summary(f"Sums {what} over the neighbours of each point that a {T.name} hash grid finds.")


def _forces(k: Author) -> None:
    """Each thread sums vectors over its neighbours: repulsion, springs, alignment, drag, contact."""
    c = k.c
    T = c.weighted({FLOAT: 6, DOUBLE: 2})
    V = vec(3, T)
    k.name("pair_forces|repulsion|contact_forces|boids|cohesion")
    cloud = Cloud(k, T)
    velocities = k.input("velocities|v|vel", V) if c.chance(1, 2) else None
    force = k.var("force|f|push|acc", zero(V))
    with cloud.near("j|index|nb|other") as j:
        cloud.skip(j)
        rel = k.let("rel|delta|dx|n", cloud.x - cloud.points[j])
        d = k.let("d|dist|r", wp.length(rel))
        with k.if_(d < cloud.radius):
            depth = k.let("depth|overlap|mag", varied(k, _kernel(k, cloud, d), 0, 2))
            direction = rel / (d + coefficient(k, T, 1, 40))
            if velocities is not None:
                dv = k.let("dv|vrel|slip", velocities[j] - velocities[cloud.i % velocities.shape(0)])
                direction = direction + varied(k, dv * coefficient(k, T), 0, 1)
            force += varied(k, direction * depth, 0, 2)
    out = k.output("forces|out|accel", V)
    result = varied(k, force, 0, 2)
    if c.chance(1, 4):
        k.atomic("add", out, cloud.i, result)
    else:
        out[cloud.i] = result
    drag = " with relative velocities" if velocities is not None else ""
    k.summary(f"Sums {V.name} pair forces{drag} over the neighbours of each point that a hash grid finds.")


def _nearest(k: Author) -> None:
    """Each thread finds its nearest neighbour, the strongest, or the first that passes; index and distance."""
    c, T = k.c, k.c.weighted({FLOAT: 6, DOUBLE: 2})
    k.name("nearest_neighbour|closest_point|strongest_pair|match_points")
    cloud = Cloud(k, T)
    first = c.chance(1, 4)
    labels = k.input("labels|types|groups", INT) if c.chance(1, 3) else None
    best, found = k.var("best|gap|dmin", huge(T)), k.var("found|arg|nearest", number(-1, INT))
    with cloud.near("j|index|nb|other") as j:
        cloud.skip(j)
        rel = k.let("rel|delta|dx", varied(k, cloud.x - cloud.points[j], 0, 1))
        d = k.let("d|dist|score", varied(k, wp.dot(rel, rel) if c.chance(1, 2) else wp.length(rel), 0, 2))
        if labels is not None:
            with k.if_(labels[j] == (c.below(3) if c.chance(1, 2) else labels[cloud.i % labels.shape(0)])):
                k.leave("continue")
        with k.if_(d < (coefficient(k, T) if first else best)):
            best.set(d)
            found.set(j)
            if first:
                k.leave("break")
    out = k.output("out|nearest_of|matches", INT)
    out[cloud.i] = varied(k, found, 0, 1) if c.chance(1, 3) else found
    dist = k.output("dists|gaps|scores", T)
    dist[cloud.i] = varied(k, where(found < 0, zero(T), best), 0, 2)
    k.summary(f"Finds for each point the {'first close enough' if first else 'nearest'} neighbour in a hash grid.")


def _lists(k: Author) -> None:
    """Each thread writes a list of its neighbours, or counts the pairs by distance."""
    c = k.c
    k.name("neighbour_list|build_pairs|pair_histogram|contact_list|edges_from_grid")
    cloud = Cloud(k, FLOAT)
    listed = c.chance(1, 2)
    table = k.output("table|neighbours|lists", INT, 2) if listed else None
    hist = k.output("hist|rdf|shells", INT) if not listed else None
    count = k.var("count|n_found|degree", number(0, INT))
    with cloud.near("j|index|nb|other") as j:
        cloud.skip(j)
        d = k.let("d|dist|r", varied(k, wp.length(cloud.points[j] - cloud.x), 0, 2))
        with k.if_(d < cloud.radius):
            if table is not None:
                with k.if_(count < table.shape(1)):
                    table[cloud.i, count] = j
                    count += 1
            else:
                assert hist is not None
                scaled = wp.clamp(varied(k, d, 0, 1) * coefficient(k, FLOAT), 0.0, 1.0e5)
                hist.add_at(wp.min(cast(scaled, INT), hist.shape(0) - 1), 1)
                count += 1
    degrees = k.output("degrees|counts|n_neighbours", INT)
    degrees[cloud.i] = varied(k, count, 0, 2)
    what = "Lists" if listed else "Counts by distance"
    k.summary(f"{what} the neighbours of each point that a hash grid finds, and how many there are.")


def _shape(k: Author) -> None:
    """Each thread gathers the centroid and spread of its neighbours, for a normal or a density gradient."""
    c = k.c
    k.name("local_frame|estimate_normals|centroid_shift|surface_tension|density_gradient")
    cloud = Cloud(k, FLOAT)
    mean = k.var("mean|centroid|shift", zero(VEC3))
    axis = k.var("axis|normal|gradient", zero(VEC3))
    weight = k.var("weight|count|wsum", number(0.0, FLOAT))
    with cloud.near("j|index|nb|other") as j:
        rel = k.let("rel|delta|dx", cloud.points[j] - cloud.x)
        d = k.let("d|dist|r", wp.length(rel))
        w = k.let("w|wt|kern", varied(k, _kernel(k, cloud, d), 0, 2))
        mean += varied(k, rel * w, 0, 1)
        axis += varied(k, wp.cross(mean, rel) if c.chance(1, 2) else rel * (w / (d + 0.01)), 0, 2)
        weight += w
    moved = k.let("moved|center|target", mean / wp.max(wp.abs(weight), 0.001))
    out = k.output("out|normals|shifts", VEC3)
    out[cloud.i] = varied(k, axis - moved if c.chance(1, 2) else wp.normalize(axis) + moved, 0, 2)
    spread = k.output("spread|curvature|norms", FLOAT)
    spread[cloud.i] = varied(k, wp.length(moved), 0, 2)
    k.summary("Gathers the centroid and an axis of the neighbours of each point that a hash grid finds.")


FAMILIES = (_gathered, _forces, _nearest, _lists, _shape)
