"""Faces of meshes: what lies in a box or a ball, access to corners, pairs of triangles and of edges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...author import Author
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, cast, make, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, VEC3, vec


@contextmanager
def _faces(k: Author, mesh: Term, p: Term, reach: Term) -> Iterator[Term]:
    """Write the loop over the faces of a mesh near a point, found by a box or a ball; gives the face."""
    c = k.c
    ball = c.chance(1, 2)
    if ball:
        query = wp.mesh_query_sphere(mesh, p, reach)
    else:
        half = k.let("half|ext|margin", make(VEC3, reach, reach, reach))
        query = wp.mesh_query_aabb(mesh, p - half, p + half)
    if c.chance(1, 3):
        with k.each("face|tri|f", k.let("query|q|walk", query)) as face:
            yield face
        return
    walk = k.let("query|q|walk", query)
    face = k.var("face|tri|f", number(0, INT))
    step = wp.mesh_query_next if ball or c.chance(1, 3) else wp.mesh_query_aabb_next
    with k.while_(step(walk, face)):
        yield Term(face.e)


def _corners(k: Author, mesh: Term, face: Term) -> tuple[Term, Term, Term]:
    """Write the corners of a face, through the mesh's functions or its arrays."""
    c, way = k.c, k.c.below(3)
    names = ("a|p0|v0", "b|p1|v1", "c|p2|v2")
    if way == 0:
        a, b, d = (k.let(names[n], wp.mesh_get_point(mesh, face * 3 + n)) for n in range(3))
        return a, b, d
    whole = k.let("m|geo|body", wp.mesh_get(mesh))
    points = k.let("pts|verts|corner_of", whole.points)
    if way == 1:
        a, b, d = (k.let(names[n], points[wp.mesh_get_index(mesh, face * 3 + n)]) for n in range(3))
        return a, b, d
    indices = k.let("idx|tri_idx|conn", whole.indices)
    made = [k.let(names[n], points[indices[3 * face + n if c.chance(1, 2) else face * 3 + n]]) for n in range(3)]
    return made[0], made[1], made[2]


def _near_faces(k: Author) -> None:
    """Each thread goes through the faces near its point: area, contacts, closest corner, flux."""
    c = k.c
    k.name("near_faces|contact_search|surface_integral|proximity|touching_faces")
    mesh = k.handle("mesh|mesh_id|surface")
    points = k.input("points|positions|x", VEC3)
    radii = k.input("radii|reach|sizes", FLOAT) if c.chance(1, 2) else None
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    p = k.let("p|pos|center", varied(k, points[i], 0, 1))
    own = wp.abs(radii[i]) + coefficient(k, FLOAT, 1, 30) if radii is not None else coefficient(k, FLOAT, 5, 200)
    reach = k.let("reach_i|r|near", own)
    acc, count = k.var("acc|total|area_sum", zero(FLOAT)), k.var("count|n_faces|hits", number(0, INT))
    with _faces(k, mesh, p, reach) as face:
        way = c.below(4)
        if way == 0:
            n = k.let("n|normal|nrm", wp.mesh_eval_face_normal(mesh, face))
            value = wp.dot(n, varied(k, p, 0, 1))
        else:
            u, v, w = _corners(k, mesh, face)
            if way == 1:
                value = 0.5 * wp.length(wp.cross(v - u, w - u))
            elif way == 2:
                value = wp.max(reach - wp.length((u + v + w) / 3.0 - p), 0.0)
            else:
                value = wp.min(wp.min(wp.length(u - p), wp.length(v - p)), wp.length(w - p))
        acc += varied(k, k.let("value|term|part", value), 0, 2)
        count += 1
        if c.chance(1, 3):
            touched = k.output("touched|face_hits|marks", INT)
            touched.add_at(face, 1)
    out, counts = k.output("out|sums|pressure", FLOAT), k.output("counts|n_near|degrees", INT)
    out[i] = varied(k, acc / cast(wp.max(count, 1), FLOAT) if c.chance(1, 2) else acc, 0, 3)
    counts[i] = varied(k, count, 0, 1)
    k.summary("Sums a figure of the faces of a mesh near each point, and counts them.")


def _per_face(k: Author) -> None:
    """Each thread works on one face: normal, area, volume, quality, flux; adds to its corners or a total."""
    c = k.c
    k.name("face_normals|mesh_volume|vertex_normals|face_quality|aerodynamic_drag")
    mesh = k.handle("mesh|mesh_id|surface")
    face = k.tid("face|f|tri|tid")
    if c.chance(1, 2):
        with k.if_(face >= k.scalar("n_faces|count|n_tris", INT)):
            k.leave()
    a, b, d = _corners(k, mesh, face)
    normal = k.let("normal|n|area_vec", varied(k, wp.cross(b - a, d - a), 0, 1))
    way = c.below(4)
    if way == 0:
        value = 0.5 * wp.length(normal)
    elif way == 1:
        value = wp.dot(a, wp.cross(b, d)) / 6.0
    elif way == 2:
        value = wp.length(normal) / (wp.dot(b - a, b - a) + wp.dot(d - b, d - b) + wp.dot(a - d, a - d) + 1.0e-6)
    else:
        speed = k.let("speed|v|vel", (_speed(k, mesh, face, 0) + _speed(k, mesh, face, 1)) * 0.5)
        value = wp.dot(speed - k.scalar("wind|stream|flow", VEC3), wp.normalize(normal))
    value = k.let("value|figure|w", varied(k, value, 0, 3))
    out = k.output("out|figures|per_face", FLOAT)
    out[face] = value
    if c.chance(1, 2):
        normals = k.output("normals|vertex_sum|weights_out", VEC3)
        for n in range(3):
            corner = k.let(f"i{n}|vert{n}|q{n}", wp.mesh_get_index(mesh, face * 3 + n))
            k.atomic("add", normals, corner, varied(k, normal, 0, 1) if n == 0 else normal)
    statistic(k, value)
    what = ("the area", "the signed volume to the origin", "the quality", "the speed across the face")[way]
    k.summary(f"Computes {what} of each face of a mesh.")


def _speed(k: Author, mesh: Term, face: Term, n: int) -> Term:
    if k.c.chance(1, 2):
        return wp.mesh_get_velocity(mesh, face * 3 + n)
    u, v = (number(k.c.between(1, 4) / 10, FLOAT) for _ in range(2))
    return wp.mesh_eval_velocity(mesh, face, u, v)


def _boxed(k: Author) -> None:
    """Each thread queries the hierarchy inside a mesh for the faces in its region, and takes their midpoints."""
    c = k.c
    k.name("faces_in_region|mesh_bvh_query|pick_faces|collect_faces|surface_points")
    mesh = k.handle("mesh|mesh_id|surface")
    points = k.input("points|centers|x", VEC3)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    p = k.let("p|pos|mid", varied(k, points[i], 0, 2))
    tree = k.let("tree|bvh|index_of", wp.mesh_get_bvh(mesh))
    r = coefficient(k, FLOAT, 5, 200)
    if c.chance(1, 2):
        query = k.let("query|q|walk", wp.bvh_query_sphere(tree, p, r))
    else:
        half = k.let("half|ext|margin", make(VEC3, r, r, r))
        query = k.let("query|q|walk", wp.bvh_query_aabb(tree, p - half, p + half))
    face, best = k.var("face|tri|f", number(0, INT)), k.var("best|near|spot", p)
    score = k.var("score|gap|dmin", number(1.0e6, FLOAT))
    with k.while_(wp.bvh_query_next(query, face)):
        u, v = (number(c.between(1, 5) / 10, FLOAT) for _ in range(2))
        spot = k.let("spot_f|at|q0", wp.mesh_eval_position(mesh, face, u, v))
        d = k.let("d|dist|cost", varied(k, wp.length(spot - p), 0, 2))
        with k.if_(d < score):
            score.set(d)
            best.set(varied(k, spot, 0, 1))
    out, scores = k.output("out|spots|picked", VEC3), k.output("scores|gaps|costs", FLOAT)
    out[i] = varied(k, best, 0, 2)
    scores[i] = varied(k, score, 0, 2)
    k.summary("Picks for each point the closest sample among the faces that the hierarchy of a mesh finds around it.")


def _triangle_pairs(k: Author) -> None:
    """Each thread tests a pair of triangles, or finds the closest points of two edges."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE))
    edges = c.chance(1, 2)
    V = VEC3 if edges else vec(3, T)
    k.name("edge_edge|closest_edges|edge_contact" if edges else "triangle_pairs|intersect_pairs|tri_tri_test")
    verts = k.input("verts|points|corners", V)
    pairs = k.input("pairs|candidates|list_of", INT, 2) if c.chance(1, 2) else None
    i = k.tid("i|tid|pair")
    count, n = verts.shape(0), 2 if edges else 3
    first: Term = pairs[i, 0] if pairs is not None else i
    second: Term = pairs[i, 1] if pairs is not None else i + (k.scalar("offset|shift", INT) if c.chance(1, 2) else 1)
    base = [k.let(w, wp.abs(t) * n) for w, t in (("left|fa|e0", first), ("right|fb|e1", second))]
    corner = [k.let(f"{'ab'[s]}{m}|{'uv'[s]}{m}", verts[(base[s] + m) % count]) for s in range(2) for m in range(n)]
    out = k.output("out|contacts|result", INT if not edges else FLOAT)
    if edges:
        eps = number(c.pick((1.0e-6, 1.0e-5, 1.0e-4)), FLOAT)
        found = k.let("found|st|params", wp.closest_point_edge_edge(*corner, eps))
        at = [wp.lerp(corner[2 * s], corner[2 * s + 1], found[s]) for s in range(2)]
        p, q = k.let("p|on_a|ca", varied(k, at[0], 0, 1)), k.let("q|on_b|cb", at[1])
        gap = k.let("gap|d|dist", varied(k, wp.length(p - q) if c.chance(1, 2) else wp.max(found[2], 0.0) + p[0], 0, 2))
        out[i] = varied(k, gap, 0, 2)
        spots = k.output("spots|witness|mid_out", VEC3)
        spots[i] = varied(k, (p + q) * 0.5, 0, 2)
        k.summary("Finds the closest points of pairs of edges, and their distance.")
        return
    hit = k.let("hit|crosses|meet", wp.intersect_tri_tri(*corner))
    with k.if_(hit > 0 if c.chance(1, 2) else hit != 0):
        k.atomic("add", k.output("n_hits|total|tally", INT), 0, 1)
    out[i] = varied(k, where(hit == 0, number(0, INT), i + 1) if c.chance(1, 2) else hit, 0, 2)
    normal = k.let("normal|nrm|face_dir", wp.cross(corner[1] - corner[0], corner[2] - corner[0]))
    depth = k.output("depths|signed_gap|sides", T)
    depth[i] = varied(k, wp.dot(varied(k, normal, 0, 1), corner[3] - corner[0]), 0, 2)
    k.summary(f"Tests pairs of {T.name} triangles for intersection, and measures one corner from the other's plane.")


FAMILIES = (_near_faces, _per_face, _boxed, _triangle_pairs)
