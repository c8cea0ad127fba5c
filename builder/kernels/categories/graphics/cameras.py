"""Cameras: projection, unprojection, culling, and the rays through pixels."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise, random_state, switch
from ...terms import Term, both, cast, make, number, where, wp, zero
from ...types import FLOAT, INT, QUAT, Scalar, mat, transform, vec


def camera(k: Author) -> None:
    """Cameras: projection with distortion, rays through pixels, culling by frustum or sphere, reprojection errors."""
    c, T = k.c, precise(k)
    kind = c.pick(("projection", "unprojection", "frustum culling", "reprojection error"))
    k.name(f"{kind.split()[0]}|camera_{kind.split()[-1]}|project_points|view_transform")
    V = vec(3, T)
    layout = Layout(k, 3, T)
    f, cx, cy = factor(k, "focal|fx", T, 100, 900), factor(k, "cx|center_u", T), factor(k, "cy|center_v", T)
    if kind == "unprojection":
        _unproject(k, f, cx, cy, T)
        return
    points = layout.input("points|world_p|landmarks")
    i = gate(k, k.tid("i|tid|pt"), points.count)
    p = points.load(k, "p|world", i)
    if c.chance(1, 2):
        q = wp.transform_point(k.scalar("view|extrinsic", transform(T)), p)
    else:
        q = k.scalar("rot|r_cw", mat(3, 3, T)) * p + k.scalar("trans|t_cw", V)
    q = let(k, "q|cam_p", q)
    z = let(k, "z|depth", wp.max(q[2], 0.05) if c.chance(1, 2) else wp.abs(q[2]) + 0.05)
    if kind == "frustum culling":
        _cull(k, q, z, i, T)
        return
    x, y = let(k, "xn|nx", q[0] / z), let(k, "yn|ny", q[1] / z)
    x, y = _distorted(k, x, y, T)
    u, v = let(k, "u|px", f * x + cx), let(k, "v|py", f * y + cy)
    if kind == "projection":
        k.output("pixels|uv_out", vec(2, T))[i] = varied(k, let(k, "uv|pix", make(vec(2, T), u, v)), 0, 1)
        if c.chance(1, 2):
            k.output("depth_out|z_out", T)[i] = varied(k, z, 0, 1)
        statistic(k, z)
    else:
        seen = let(k, "seen|obs", k.input("observed|keypoints", vec(2, T))[i])
        du, dv = let(k, "du|ex", u - seen[0]), let(k, "dv|ey", v - seen[1])
        e = let(
            k, "e|err", varied(k, du * du + dv * dv if c.chance(1, 2) else wp.sqrt(du * du + dv * dv + 1.0e-6), 0, 2)
        )
        k.output("error_out|residual", T)[i] = e
        statistic(k, e)
    k.summary(f"Computes the {kind} of points in a pinhole camera.")


def _distorted(k: Author, x: Term, y: Term, T: Scalar) -> tuple[Term, Term]:
    way = k.c.below(3)
    if way == 0:
        return x, y
    r2 = let(k, "r2|rad2", wp.min(x * x + y * y, 4.0))
    s = 1.0 + r2 * (factor(k, "k1|radial1", T, 1, 30) + r2 * factor(k, "k2|radial2", T, 1, 10))
    s = let(k, "s|radial", s)
    if way == 1:
        return x * s, y * s
    p1, p2 = factor(k, "p1|tan1", T, 1, 5), factor(k, "p2|tan2", T, 1, 5)
    return x * s + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x), y * s + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y


def _unproject(k: Author, f: Term, cx: Term, cy: Term, T: Scalar) -> None:
    c, V = k.c, vec(3, T)
    depth, out = k.input("depth|depth_img", T, 2), k.output("points_out|cloud_out", V, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    d = let(k, "d|z", varied(k, depth[i, j], 0, 1))
    safe = let(k, "inv_f|rf", 1.0 / wp.max(wp.abs(f), 0.1))
    x, y = let(k, "x|cam_x", (cast(j, T) - cx) * safe), let(k, "y|cam_y", (cast(i, T) - cy) * safe)
    ray = make(V, x, y, 1.0)
    p = let(k, "p|cam_p", wp.normalize(ray) * d if c.chance(1, 2) else ray * d)
    if c.chance(1, 2):
        p = let(k, "pw|world", wp.transform_point(k.scalar("pose|camera_pose", transform(T)), p))
    if c.chance(1, 2):
        p = let(k, "held|valid_p", where(d > factor(k, "z_min|near", T, 5, 50), p, zero(V)))
    out[i, j] = varied(k, p, 0, 1)
    statistic(k, wp.length(p))
    k.summary("Lifts the pixels of a depth image to points in space.")


def _cull(k: Author, q: Term, z: Term, i: Term, T: Scalar) -> None:
    c = k.c
    tx, ty = factor(k, "tan_x|half_w", T), factor(k, "tan_y|half_h", T)
    r = let(k, "rad|bound_r", wp.abs(k.input("bound_radius|radii", T)[i])) if c.chance(1, 2) else number(0.1, T)
    if c.chance(1, 2):
        sides = both(wp.abs(q[0]) < z * tx + r, wp.abs(q[1]) < z * ty + r)
    else:
        over = wp.max(wp.abs(q[0]) - z * tx, wp.abs(q[1]) - z * ty)
        sides = over < r
    near, far = factor(k, "z_near|near", T, 5, 50), factor(k, "z_far|far", T, 500, 900)
    seen = let(k, "seen|visible", both(sides, q[2] > near - r, q[2] < far + r))
    flag = switch(k, "flag|bit", seen, number(1, INT), number(0, INT))
    flag = let(k, "vis|keep", flag)
    k.output("visible_out|flags_out", INT)[i] = varied(k, flag, 0, 1)
    if c.chance(1, 2):
        k.atomic("add", k.output("count_out|survivors", INT), 0, flag)
    if c.chance(1, 2):
        k.output("lod_out|screen_size", T)[i] = varied(k, r / z, 0, 2)
    k.summary("Tests which bounding spheres lie in the frustum of a camera.")


def camera_rays(k: Author) -> None:
    """Rays of a camera: pinhole, thin lens, fisheye, panorama, orthographic; jittered, several samples, by pixel."""
    c, T = k.c, FLOAT
    V = vec(3)
    kind = c.pick(("pinhole", "thin-lens", "fisheye", "panoramic", "orthographic"))
    k.name("camera_rays|generate_rays|primary_rays|make_rays")
    out_d = k.output("dirs_out|ray_d", V, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    i = gate(k, i, out_d.shape(0))
    h, w = cast(out_d.shape(0), T), cast(out_d.shape(1), T)
    jy, jx = number(0.5), number(0.5)
    rng = None
    if c.chance(1, 2) or kind == "thin-lens":
        rng = random_state(k, i * out_d.shape(1) + j)
        jy, jx = let(k, "jy|off_y", wp.randf(rng)), let(k, "jx|off_x", wp.randf(rng))
    v = let(k, "v|sy", 1.0 - 2.0 * (cast(i, T) + jy) / h)
    u = let(k, "u|sx", (2.0 * (cast(j, T) + jx) / w - 1.0) * (w / h if c.chance(1, 2) else 1.0))
    u, v = let(k, "u1|lens_x", varied(k, u, 0, 1)), let(k, "v1|lens_y", varied(k, v, 0, 1))
    if c.chance(1, 2):
        r2 = let(k, "r2|rad2", u * u + v * v)
        bend = 1.0 + factor(k, "barrel|k1", T, 1, 30) * r2
        if c.chance(1, 2):
            bend = bend + factor(k, "quartic|k2", T, 1, 10) * r2 * r2
        bend = let(k, "bend|dist_f", bend)
        u, v = let(k, "ub|bent_x", u * bend), let(k, "vb|bent_y", v * bend)
    origin, d = _lens(k, kind, u, v, rng)
    d = let(k, "d|dirn", wp.normalize(d))
    if c.chance(1, 2):
        turn = k.scalar("cam_rot|orientation", QUAT)
        d = let(k, "dw|world_d", wp.quat_rotate(turn, d))
    out_d[i, j] = let(k, "res|ray", varied(k, d, 0, 1))
    if origin is not None:
        k.output("origins_out|ray_o", V, 2)[i, j] = k.scalar("cam_pos|eye", V) + origin
    if c.chance(1, 2):
        fall = let(k, "fall|cos4", wp.abs(d[2]))
        fall = fall * fall if c.chance(1, 2) else fall * fall * fall * fall
        k.output("weight_out|pixel_w", T, 2)[i, j] = varied(k, fall, 0, 2)
    k.summary(f"Generates the rays of a {kind} camera, one for each pixel.")


def _lens(k: Author, kind: str, u: Term, v: Term, rng: Term | None) -> tuple[Term | None, Term]:
    """Return where a ray starts, if not at the eye, and its direction, from a place on the image."""
    T, V = FLOAT, vec(3)
    fov = factor(k, "tan_half|zoom_t", T)
    origin: Term | None = None
    if kind in ("pinhole", "thin-lens"):
        d = make(V, u * fov, v * fov, -1.0)
        if rng is not None and kind == "thin-lens":
            lens = let(k, "lens|ap", wp.sample_unit_disk(rng) * factor(k, "aperture|lens_r", T, 1, 30))
            focus = let(k, "focus_p|fp", let(k, "d0|thin_d", d) * factor(k, "focus|focal_d", T, 100, 900))
            origin = let(k, "o|lens_o", make(V, lens[0], lens[1], 0.0))
            d = focus - origin
    elif kind == "orthographic":
        origin, d = let(k, "o|plane_o", make(V, u, v, 0.0) * fov), make(V, 0.01 * u, 0.0, -1.0)
    elif kind == "panoramic":
        a, e = let(k, "a|azim", u * 3.14159265), let(k, "e|elev", v * 1.5707963)
        d = make(V, wp.cos(e) * wp.sin(a), wp.sin(e), -wp.cos(e) * wp.cos(a))
    else:
        r = let(k, "r|rad", wp.sqrt(u * u + v * v + 1.0e-5))
        t = let(k, "t|polar", r * fov * 1.5)
        d = make(V, wp.sin(t) * u / r, wp.sin(t) * v / r, -wp.cos(t))
    return origin, d
