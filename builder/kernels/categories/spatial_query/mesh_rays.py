"""Rays against meshes: hits with shading, shadows, counts of crossings, bounces, thickness."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, gate, varied
from ...terms import Term, cast, make, no, number, where, wp, zero
from ...types import FLOAT, INT, VEC3


def _limit(k: Author) -> Term:
    c = k.c
    if c.chance(1, 2):
        return k.scalar("max_t|far|range_max", FLOAT)
    return number(c.pick((1.0e6, 100.0, 1000.0)), FLOAT)


def _root(k: Author, mesh: Term, i: Term) -> tuple[Term, ...]:
    if not k.c.chance(1, 4):
        return ()
    groups = k.input("groups|env_ids|worlds", INT)
    return (k.let("root|group_root|start_node", wp.mesh_get_group_root(mesh, groups[i])),)


def _camera(k: Author) -> tuple[Term, tuple[Term, ...], Term, Term]:
    """Write the ray of a thread: from arrays, or through a pixel of a camera."""
    c = k.c
    mesh = k.handle("mesh|mesh_id|scene")
    if c.chance(1, 2):
        starts, dirs = k.input("starts|origins|ray_o", VEC3), k.input("dirs|directions|ray_d", VEC3)
        i = gate(k, k.tid("i|tid|ray"), starts.shape(0))
        o = k.let("o|ro|origin", varied(k, starts[i], 0, 1))
        return mesh, (i,), o, k.let("d|rd|dir", wp.normalize(varied(k, dirs[i], 0, 1)))
    eye, width, height = k.scalar("eye|cam_pos|ro", VEC3), k.scalar("width|w", INT), k.scalar("height|h", INT)
    x, y = k.tid("x|px|col", "y|py|row")
    u = k.let("u|sx|ndc_x", 2.0 * cast(x, FLOAT) / cast(wp.max(width, 1), FLOAT) - 1.0)
    v = k.let("v|sy|ndc_y", 1.0 - 2.0 * cast(y, FLOAT) / cast(wp.max(height, 1), FLOAT))
    forward = number(-1.0, FLOAT) if c.chance(1, 2) else -coefficient(k, FLOAT, 50, 300)
    d = k.let("d|rd|dir", wp.normalize(make(VEC3, varied(k, u, 0, 1), v, forward)))
    return mesh, (x, y), eye, d


def _shade(k: Author) -> None:
    """Each thread colours its ray's hit: by the normal, by light and shadow, by depth, by height."""
    c = k.c
    k.name("render|raytrace|shade_hits|draw_mesh|ray_color")
    mesh, place, o, d = _camera(k)
    ndim = len(place)
    color = k.var("color|rgb|pixel", make(VEC3, *(number(c.between(0, 10) / 10, FLOAT) for _ in range(3))))
    root = _root(k, mesh, place[0]) if ndim == 1 else ()
    hit = k.let("hit|query|res", wp.mesh_query_ray(mesh, o, d, _limit(k), *root))
    with k.if_(hit.result):
        point = k.let("point|at|pos", o + d * hit.t)
        normal = k.let("n|normal|nrm", _facing(k, hit, d))
        way = c.below(4)
        if way == 0:
            color.set(varied(k, normal * 0.5 + make(VEC3, *(number(0.5, FLOAT),) * 3), 0, 2))
        elif way == 1:
            light = k.let("light|to_sun|l", wp.normalize(k.scalar("sun|light_pos|lamp", VEC3) - point))
            shade = k.var("shade|lit|diffuse", varied(k, wp.max(wp.dot(normal, light), 0.0), 0, 2))
            if c.chance(1, 2):
                start = k.let("lifted|shadow_o|start", point + normal * coefficient(k, FLOAT, 1, 5))
                with k.if_(wp.mesh_query_ray_anyhit(mesh, start, light, _limit(k))):
                    shade *= coefficient(k, FLOAT, 5, 60)
            color.set(varied(k, make(VEC3, *(number(c.between(1, 9) / 10, FLOAT) for _ in range(3))) * shade, 0, 2))
        elif way == 2:
            fog = k.let("fog|fade|haze", wp.exp(-wp.min(hit.t * coefficient(k, FLOAT, 1, 40), 20.0)))
            color.set(wp.lerp(color, varied(k, normal, 0, 2), varied(k, fog, 0, 1)))
        else:
            edge = k.let("edge|wire|line", varied(k, wp.min(wp.min(hit.u, hit.v), 1.0 - hit.u - hit.v), 0, 2))
            color.set(varied(k, point * edge, 0, 2))
    out = k.output("pixels|image|colors", VEC3, ndim)
    out[place] = varied(k, color, 0, 2)
    k.summary("Colours the hit of each ray with a mesh.")


def _facing(k: Author, hit: Term, d: Term) -> Term:
    if k.c.chance(1, 2):
        return hit.normal
    return where(wp.dot(hit.normal, d) > 0.0, hit.normal * number(-1.0, FLOAT), hit.normal)


def _depth(k: Author) -> None:
    """Each thread keeps figures of its ray's hit: the distance, the face, the side, the angle."""
    c = k.c
    k.name("depth_map|lidar|range_scan|first_hit|ray_lengths")
    mesh, place, o, d = _camera(k)
    ndim = len(place)
    far = _limit(k)
    hit = k.let("hit|query|res", wp.mesh_query_ray(mesh, o, d, far))
    depth = k.var("depth|t|dist", far)
    with k.if_(hit.result):
        depth.set(varied(k, hit.t, 0, 2))
        if c.chance(1, 2):
            cosine = k.let("cosine|facing|slant", wp.dot(hit.normal, d))
            depth.set(depth * varied(k, wp.abs(cosine) if c.chance(1, 2) else cosine * hit.sign, 0, 2))
    if c.chance(1, 2):
        with k.else_():
            depth.set(varied(k, wp.min(depth, coefficient(k, FLOAT, 100, 900)), 0, 1))
    out = k.output("depths|ranges|out", FLOAT, ndim)
    out[place] = varied(k, depth, 0, 3)
    if c.chance(1, 2):
        faces = k.output("faces|hit_ids|tris", INT, ndim)
        faces[place] = where(hit.result, hit.face, number(-1, INT))
    k.summary("Measures how far each ray goes until it meets a mesh.")


def _crossings(k: Author) -> None:
    """Each thread counts its ray's crossings, or tests whether anything is in the way: inside tests, visibility."""
    c = k.c
    k.name("crossing_count|inside_by_parity|line_of_sight|occlusion|visibility")
    mesh = k.handle("mesh|mesh_id|scene")
    points = k.input("points|x|probes", VEC3)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    p = k.let("p|pos|from_pt", varied(k, points[i], 0, 2))
    if c.chance(1, 2):
        target = k.scalar("target|eye|goal", VEC3) if c.chance(1, 2) else k.input("targets|goals", VEC3)[i]
        toward = k.let("toward|gap|ray", target - p)
        far = k.let("far|reach|span", wp.length(toward))
    else:
        toward = k.let("toward|axis|ray", make(VEC3, *(number(float(n == c.below(3)), FLOAT) for n in range(2)), 1.0))
        far = _limit(k)
    d = k.let("d|dir|way", wp.normalize(toward))
    root = _root(k, mesh, i)
    out, weight = k.output("out|crossings|blocked", INT), k.output("weights|light|open", FLOAT)
    if c.chance(1, 2):
        count = k.let("count|n_cross|hits", wp.mesh_query_ray_count_intersections(mesh, p, d, *root))
        out[i] = varied(k, count % 2 if c.chance(1, 2) else count, 0, 2)
        value = cast(count, FLOAT) / (far + coefficient(k, FLOAT))
        what = "Counts the crossings of a mesh by a ray from each point"
    else:
        state = k.var("state|seen|free", number(1, INT))
        blocked = wp.mesh_query_ray_anyhit(mesh, p, d, far, *root)
        with k.if_(blocked):
            state.set(number(0, INT))
        out[i] = varied(k, state, 0, 1)
        value = cast(state, FLOAT) * varied(k, 1.0 / (1.0 + far), 0, 1)
        what = "Tests whether a mesh blocks a ray from each point"
    weight[i] = varied(k, value, 0, 2)
    k.summary(f"{what}.")


def _bounces(k: Author) -> None:
    """Each thread follows its ray through a few bounces or passes: reflections, thickness, ambient light."""
    c = k.c
    k.name("bounce_rays|path_trace|thickness|ambient_occlusion|reflect")
    mesh, place, o, d = _camera(k)
    ndim = len(place)
    origin, heading = k.var("at|ray_at|cur", o), k.var("way|heading|cur_d", d)
    light, through = k.var("light|acc|radiance", zero(FLOAT)), k.var("through|left|gain", number(1.0, FLOAT))
    way = c.below(3)
    with k.for_("bounce|depth|n_b", number(c.between(2, 6), INT)):
        hit = k.let("hit|query|res", wp.mesh_query_ray(mesh, origin, heading, _limit(k)))
        with k.if_(no(hit.result)):
            light += varied(k, through * coefficient(k, FLOAT), 0, 1)
            k.leave("break")
        n = k.let("n|normal|nrm", hit.normal)
        point = k.let("point|met|pos", origin + heading * hit.t)
        if way == 0:
            heading.set(heading - n * (2.0 * wp.dot(heading, n)))
            light += varied(k, through * hit.t * 0.01, 0, 1)
        elif way == 1:
            light += varied(k, hit.t, 0, 1)
        else:
            heading.set(wp.normalize(varied(k, n + heading * coefficient(k, FLOAT, 5, 90), 0, 1)))
        origin.set(point + (heading if way == 1 else n) * 0.001)
        through *= coefficient(k, FLOAT, 20, 95)
    out = k.output("out|light_out|thick", FLOAT, ndim)
    out[place] = varied(k, light + through, 0, 3)
    what = ("reflects at", "passes through", "leaves along the normal of")[way]
    k.summary(f"Follows each ray through a few hits, where it {what} the mesh.")


FAMILIES = (_shade, _depth, _crossings, _bounces)
