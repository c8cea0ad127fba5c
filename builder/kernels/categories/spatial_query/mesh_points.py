"""Closest and furthest points of meshes: signed distances, projections, contacts, transfer of values."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, gate, statistic, varied
from ...loops import one_type
from ...terms import Term, cast, make, no, number, where, wp, zero
from ...types import FLOAT, INT, VEC3

_SIGNED = ("point", "point_sign_normal", "point_sign_winding_number", "point_sign_parity")
_PLAIN = ("point_no_sign", "furthest_point_no_sign")


def _asked(k: Author, mesh: Term, p: Term, names: tuple[str, ...]) -> tuple[Term, str]:
    """Write a query of the mesh at a point, by one of several ways to find the sign; return its result."""
    c = k.c
    name = c.pick(names)
    reach = k.scalar("max_dist|reach|cutoff", FLOAT) if c.chance(1, 2) else number(c.pick((1.0, 10.0, 100.0)), FLOAT)
    if "furthest" in name:
        reach = number(0.0, FLOAT)
    extra: tuple[Term, ...] = ()
    if c.chance(1, 2):
        extra = {
            "point_sign_normal": (number(0.001, FLOAT),),
            "point_sign_winding_number": (number(c.pick((2.0, 1.0, 3.0)), FLOAT), number(0.5, FLOAT)),
            "point_sign_parity": (number(c.between(1, 5), INT), number(0.1, FLOAT)),
        }.get(name, ())
    hit = k.let("hit|res|query|closest", getattr(wp, f"mesh_query_{name}")(mesh, p, reach, *extra))
    words = {"point": "pseudo-normals", "point_sign_normal": "normals", "point_sign_parity": "parity of crossings"}
    return hit, words.get(name, "winding numbers" if "winding" in name else "none")


def _misses(k: Author, hit: Term) -> bool:
    """Perhaps leave at once where the mesh is out of reach; say whether the rest needs a test."""
    if k.c.chance(1, 2):
        with k.if_(no(hit.result)):
            k.leave()
        return False
    return True


def _start(k: Author) -> tuple[Term, Term, Term]:
    mesh = k.handle("mesh|mesh_id|surface")
    points = k.input("points|positions|queries|x", VEC3)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    p = k.let("p|pos|x0|probe", varied(k, points[i], 0, 2))
    return mesh, i, p


def _distance(k: Author) -> None:
    """Each thread finds the signed distance of its point to the mesh, perhaps made a field."""
    c = k.c
    k.name("signed_distance|mesh_sdf|distance_field|inside_test")
    mesh, i, p = _start(k)
    out = k.output("out|sdf|dists", FLOAT)
    hit, sign = _asked(k, mesh, p, _SIGNED)
    far = coefficient(k, FLOAT, 100, 900)
    dist = k.var("dist|d|phi", far)
    if _misses(k, hit):
        with k.if_(hit.result):
            _measure(k, mesh, hit, p, dist)
    else:
        _measure(k, mesh, hit, p, dist)
    value = varied(k, dist, 0, 3)
    out[i] = value
    if c.chance(1, 3):
        faces = k.output("faces|nearest_face|tri_ids", INT)
        faces[i] = hit.face
    statistic(k, value)
    k.summary(f"Computes the signed distance of each point to a mesh, with signs from {sign}.")


def _measure(k: Author, mesh: Term, hit: Term, p: Term, dist: Var) -> None:
    near = k.let("near|q|on_face", wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v))
    gap = varied(k, near - p, 0, 1) if k.c.chance(1, 3) else near - p
    dist.set(hit.sign * varied(k, wp.length(gap), 0, 1))


def _project(k: Author) -> None:
    """Each thread moves its point to (or away from) the mesh: projection, push-out with a margin, offset."""
    c = k.c
    k.name("project_points|push_out|collide|shrink_wrap|resolve_contact")
    mesh, i, p = _start(k)
    velocities = k.input("velocities|vel|v", VEC3) if c.chance(1, 2) else None
    out = k.output("out|moved|new_pos", VEC3)
    hit, _ = _asked(k, mesh, p, _SIGNED)
    margin = coefficient(k, FLOAT, 1, 40)
    pos = k.var("pos|x1|target", p)
    with k.if_(hit.result):
        near = k.let("near|q|on_face", wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v))
        delta = k.let("delta|away|d", p - near)
        dist = k.let("dist|gap|depth", wp.length(delta) * hit.sign)
        normal = k.let("n|normal|dir", _normal(k, mesh, hit, delta))
        with k.if_(dist < margin):
            pos += varied(k, normal * (margin - dist), 0, 2)
        if velocities is not None:
            v = k.let("v|vel_i|speed", varied(k, velocities[i], 0, 1))
            surface = k.let("vs|face_vel|carry", wp.mesh_eval_velocity(mesh, hit.face, hit.u, hit.v))
            slip = k.let("slip|rel|vt", v - surface)
            pos += varied(k, (slip - normal * wp.dot(slip, normal)) * coefficient(k, FLOAT), 0, 1)
    out[i] = varied(k, pos, 0, 2)
    k.summary("Moves each point that lies too close to a mesh, or inside it, out along a normal.")


def _normal(k: Author, mesh: Term, hit: Term, delta: Term) -> Term:
    way = k.c.below(3)
    if way == 0:
        return wp.mesh_eval_face_normal(mesh, hit.face)
    if way == 1:
        return wp.normalize(delta) * hit.sign
    a, b, c = (
        k.let(f"{name}|corner_{name}", wp.mesh_get_point(mesh, hit.face * 3 + n)) for n, name in enumerate("abc")
    )
    return wp.normalize(wp.cross(b - a, c - a))


def _transfer(k: Author) -> None:
    """Each thread reads values of the face next to its point: per vertex, per face, blended by barycentrics."""
    c = k.c
    T = one_type(k, FLOAT, VEC3)
    k.name("transfer_values|bind_points|sample_attribute|closest_value|wrap_attribute")
    mesh, i, p = _start(k)
    values = k.input("values|attributes|colors", T)
    out = k.output("out|sampled|bound", T)
    hit, _ = _asked(k, mesh, p, _PLAIN)
    with k.if_(hit.result):
        corners = tuple(
            k.let(f"{name}|v{n}|i{n}", _vertex(k, mesh, hit.face, n) % values.shape(0)) for n, name in enumerate("abc")
        )
        w = k.let("w|rest|third", 1.0 - hit.u - hit.v)
        parts = [values[corner] * weight for corner, weight in zip(corners, (hit.u, hit.v, w), strict=True)]
        blended = parts[0] + parts[1] + parts[2] if c.chance(2, 3) else varied(k, parts[0], 0, 1) + parts[1] - parts[2]
        out[i] = varied(k, blended, 0, 3)
    if c.chance(1, 2):
        with k.else_():
            out[i] = varied(k, values[i], 1, 2)
    gaps = k.output("gaps|dists|weights_out", FLOAT)
    near = k.let("near|q|on_face", wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v))
    gaps[i] = varied(k, where(hit.result, wp.length(near - p), zero(FLOAT)), 0, 2)
    k.summary(f"Blends {T.name} values of the corners of the face of a mesh that a query finds for each point.")


def _vertex(k: Author, mesh: Term, face: Term, n: int) -> Term:
    return wp.mesh_get_index(mesh, face * 3 + n)


def _trace(k: Author) -> None:
    """Each thread marches its ray by distances to the mesh, or its particle down the distance's slope."""
    c = k.c
    k.name("sphere_trace|march_to_mesh|descend_distance|relax_to_surface")
    mesh, i, p = _start(k)
    dirs = k.input("dirs|headings|ray_d", VEC3)
    d = k.let("d|dir|heading", wp.normalize(dirs[i]))
    x = k.var("x|at|cur", p)
    t = k.var("t|travelled|path", number(0.0, FLOAT))
    tracing = c.chance(1, 2)
    with k.for_("step|it|s0", c.between(17, 64)):
        hit, _ = _asked(k, mesh, x, ("point_no_sign", "point"))
        with k.if_(no(hit.result)):
            k.leave("break")
        near = k.let("near|q|on_face", wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v))
        gap = k.let("gap|dist|free", varied(k, wp.length(near - x), 0, 1))
        with k.if_(gap < coefficient(k, FLOAT, 1, 10)):
            k.leave("break")
        move = d * gap if tracing else (near - x) * coefficient(k, FLOAT, 5, 90) + d * 0.01
        x += varied(k, move, 0, 1)
        t += gap
    out, lengths = k.output("out|ends|reached", VEC3), k.output("lengths|t_out|paths", FLOAT)
    out[i] = varied(k, x, 0, 1)
    lengths[i] = varied(k, t, 0, 3)
    k.summary(
        f"Moves each point {'along its ray' if tracing else 'towards a mesh'} by its distance, a few dozen steps."
    )


def _field(k: Author) -> None:
    """Each thread of a 3-D launch fills a grid with distances, occupancy or normals."""
    c = k.c
    k.name("voxelise|fill_sdf|occupancy_grid|bake_distance")
    mesh = k.handle("mesh|mesh_id|surface")
    origin, size = k.scalar("origin|lower|corner", VEC3), k.scalar("h|cell|spacing", FLOAT)
    place = k.tid("i|ix|x", "j|iy|y", "k|iz|z")
    offset = number(0.5 if c.chance(1, 2) else 0.0, FLOAT)
    parts = [cast(n, FLOAT) + offset if c.chance(1, 2) else cast(n, FLOAT) for n in place]
    p = k.let("p|pos|center", origin + varied(k, make(VEC3, *parts) * size, 0, 1))
    hit, _ = _asked(k, mesh, p, _SIGNED)
    value = k.var("value|phi|level", coefficient(k, FLOAT, 100, 900))
    with k.if_(hit.result):
        _measure(k, mesh, hit, p, value)
    out = k.output("grid|field|out", FLOAT, 3)
    solid = varied(k, where(value < coefficient(k, FLOAT, 1, 20), number(1.0, FLOAT), value), 0, 2)
    out[place] = solid if c.chance(1, 2) else varied(k, value, 0, 3)
    k.summary("Fills a 3-D grid with figures of the signed distance to a mesh.")


FAMILIES = (_distance, _project, _transfer, _trace, _field)
