"""Jitter, and shapes to sample from."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, cast, make, number, where, wp
from ...types import FLOAT, INT, VEC2, VEC3, Scalar, Value, Vec
from .common import normal, state_of, uniform


def _stratified(k: Author, V: Value) -> None:
    """Place one random sample in each cell of a grid."""
    c = k.c
    out = k.output("out|samples|points", V, 2)
    index = k.tid("row|i|y", "col|j|x")
    state = state_of(k, *index)
    cells = k.scalar("cells|res|n", FLOAT)
    place = [
        (cast(n, FLOAT) + (wp.randf(state) if c.chance(2, 3) else 0.5 + uniform(k, state) * 0.25))
        / (1.0 + wp.abs(cells))
        for n in index
    ]
    p = make(V, *place)
    out[index] = varied(k, p, 0, 3)
    k.summary("Places one random sample in each cell of a grid.")


def _shake(k: Author, state: Term, V: Vec) -> Term:
    """Return a random offset."""
    c = k.c
    shake: Term = (
        c.pick(
            (wp.sample_unit_ring, wp.sample_unit_disk) if V is VEC2 else (wp.sample_unit_sphere, wp.sample_unit_cube)
        )(state)
        if c.chance(1, 2)
        else make(V, *(normal(k, state) for _ in range(V.n)))
    )
    return shake


def jitter(k: Author) -> None:
    """Points and values with random offsets: jitter, stratified samples, augmentation, dropout."""
    c = k.c
    way = c.below(4)
    k.name(("jitter_points|perturb", "stratified|grid_samples", "augment|random_scale", "dropout|drop_elements")[way])
    kinds: tuple[Value, ...] = ((VEC3, VEC2), (VEC2,), (FLOAT, VEC3), (FLOAT, VEC3))[way]
    V = c.pick(kinds)
    if way == 1:
        _stratified(k, V)
        return
    x = k.input("x|points|values", V)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    state = state_of(k, i)
    v = k.let("v|p|xi", varied(k, x[i], 0, 1))
    if way == 0:
        assert isinstance(V, Vec)
        shake = _shake(k, state, V)
        made = v + shake * coefficient(k, FLOAT, 1, 60)
    elif way == 2:
        made = v * (1.0 + uniform(k, state) * coefficient(k, FLOAT, 5, 50))
        if c.chance(1, 2):
            with k.if_(wp.randf(state) < coefficient(k, FLOAT, 10, 70)):
                k.output("flags|flipped|changed", INT)[i] = 1 + wp.randi(state, 0, 3)
            made = k.let("scaled|w|aug", made)
    else:
        keep = coefficient(k, FLOAT, 20, 95)
        made = where(wp.randf(state) < keep, v / (0.05 + keep), v * 0.0)
    value = k.let("value|r|res", varied(k, made, 0, 2))
    k.output("out|result|moved", V)[i] = value
    statistic(k, value)
    what = (
        "Shifts points by random offsets",
        "",
        "Scales values by random factors",
        "Drops values at random and scales the rest",
    )[way]
    k.summary(f"{what}.")


_SHAPES = (
    ("unit_sphere_surface", VEC3, "the unit sphere"), ("unit_sphere", VEC3, "the unit ball"),
    ("unit_hemisphere_surface", VEC3, "the unit hemisphere"), ("unit_hemisphere", VEC3, "the unit half-ball"),
    ("unit_cube", VEC3, "the unit cube"), ("unit_disk", VEC2, "the unit disk"), ("unit_ring", VEC2, "the unit circle"),
    ("unit_square", VEC2, "the unit square"), ("triangle", VEC2, "a triangle"),
)  # fmt: skip


def samples(k: Author) -> None:
    """Points of shapes: directions, lights, triangles of a mesh, ambient occlusion."""
    c = k.c
    name, V, what = c.pick(_SHAPES)
    k.name("sample_points|scatter_samples|random_dirs|light_samples|fill_shape")
    centers = k.input("centers|origins|base", VEC3)
    i = gate(k, k.tid("i|tid|idx"), centers.shape(0))
    state = state_of(k, i)
    center = k.let("center|o|p", varied(k, centers[i], 0, 1))
    draw = getattr(wp, f"sample_{name}")
    total = k.var("total|acc|sum_", make(VEC3, 0.0) if c.chance(1, 2) else number(0.0))
    with k.for_("n|j|it", c.between(2, 6) if c.chance(1, 2) else k.scalar("count|samples|rays", INT)):
        s = k.let("s|u|d", draw(state))
        if V is VEC2:
            if c.chance(1, 2):
                point = make(VEC3, s[0], s[1], coefficient(k, FLOAT))
            else:
                point = center * (1.0 - s[0] - s[1]) + make(VEC3, s[0], s[1], s[0] * s[1])
        else:
            point = s * coefficient(k, FLOAT) + center * coefficient(k, FLOAT)
        q = k.let("q|pt|at", varied(k, point, 0, 2))
        if isinstance(total.type, Scalar):
            total += varied(k, wp.dot(q, center), 0, 2)
        else:
            total += q * (wp.max(q[2], 0.0) if c.chance(1, 2) else uniform(k, state))
    value = k.let("value|mean|r0", varied(k, Term(total.e) * coefficient(k, FLOAT), 0, 2))
    k.output("out|result|gathered", value.type)[i] = value
    statistic(k, value)
    k.summary(f"Gathers over random points of {what} around each center.")
