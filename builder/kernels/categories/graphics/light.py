"""Light: volumes, skies, spherical harmonics."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, chain_of, factor, let, precise, switch
from ...terms import Term, cast, make, number, where, wp, zero
from ...types import FLOAT, INT, Scalar, vec


def volume(k: Author) -> None:
    """Volume rendering: front-to-back compositing of samples along rays, with depth and early exit."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    k.name("volume_render|composite_samples|ray_march_volume|nerf_composite")
    sigma = k.input("sigma|densities|tau", T, 2)
    shades = k.input("colors|radiance|rgb", V, 2) if c.chance(1, 2) else None
    i = gate(k, k.tid("i|tid|ray"), sigma.shape(0))
    step = factor(k, "dt|step|delta", T, 1, 30)
    trans, alpha_sum = k.var("trans|tau_t", number(1.0, T)), k.var("opacity|acc_a", number(0.0, T))
    colour = k.var("col|rgb_acc", zero(V) if shades is not None else number(0.0, T))
    depth = k.var("depth|mean_z", number(0.0, T)) if c.chance(1, 2) else None
    bound = sigma.shape(1) if shades is None else wp.min(sigma.shape(1), shades.shape(1))
    row = i if shades is None else let(k, "row|line", wp.min(i, shades.shape(0) - 1))
    with k.for_("s|sample", let(k, "n|samples", bound)) as s:
        x = let(k, "x|dens", wp.max(varied(k, sigma[i, s], 0, 1), 0.0))
        a = 1.0 - wp.exp(-wp.min(x * wp.abs(step), 20.0)) if c.chance(2, 3) else wp.min(x * wp.abs(step), 0.99)
        w = let(k, "w|weight", let(k, "a|alpha_s", a) * Term(trans.e))
        if shades is not None:
            colour += shades[row, s] * w
        else:
            colour += w * (0.5 + 0.5 * wp.sin(x * 3.0)) if c.chance(1, 2) else w * x / (1.0 + x)
        alpha_sum += w
        if depth is not None:
            depth += w * cast(s, T) * wp.abs(step)
        trans.set(Term(trans.e) - w if c.chance(1, 2) else Term(trans.e) * wp.max(1.0 - w, 0.0))
        if c.chance(1, 2):
            with k.if_(Term(trans.e) < 0.001):
                k.leave("break")
    result = Term(colour.e)
    if c.chance(1, 2):
        back = k.scalar("background|bg", V) if shades is not None else factor(k, "background|bg", T)
        result = result + back * (1.0 - Term(alpha_sum.e))
    result = let(k, "res|final", varied(k, let(k, "res0|lit", result), 0, 2))
    k.output("image_out|pixels", V if shades is not None else T)[i] = result
    k.output("alpha_out|acc_out", T)[i] = Term(alpha_sum.e)
    if depth is not None:
        k.output("depth_out|z_out", T)[i] = varied(k, Term(depth.e), 0, 1)
    k.summary("Composites samples along rays from front to back by their densities.")


def sky(k: Author) -> None:
    """Skies and environments: gradients, Rayleigh-like scattering, a sun, lookups in a panorama, in a cube's faces."""
    c, T = k.c, FLOAT
    V = vec(3)
    kind = c.pick(("gradient", "scattering", "panorama", "cube-map"))
    k.name(f"{kind.replace('-', '_')}_sky|sky_radiance|environment_lookup|miss_shader")
    layout = Layout(k, 3, T)
    dirs, out = layout.input("dirs|ray_d|views"), layout.output("radiance|sky_out|rgb")
    i = gate(k, k.tid("i|tid|ray"), dirs.count)
    d = let(k, "d|dirn", wp.normalize(dirs.at(i)))
    if kind == "panorama":
        colour = _panorama(k, d)
    elif kind == "cube-map":
        colour = _cube(k, d)
    elif kind == "gradient":
        t = let(k, "t|height", wp.clamp(0.5 * (d[1] + 1.0), 0.0, 1.0))
        top, low = k.scalar("zenith|sky_top", V), k.scalar("horizon|sky_low", V)
        colour = wp.lerp(low, top, wp.sqrt(t + 1.0e-6) if c.chance(1, 2) else t)
    else:
        sun = let(k, "sun|sd", wp.normalize(k.scalar("sun_dir|light_dir", V)))
        mu, air = let(k, "mu|cos_s", wp.dot(d, sun)), let(k, "air|mass", 1.0 / (wp.max(d[1], 0.0) + 0.15))
        beta = make(V, 0.058, 0.135, 0.331) * factor(k, "beta|haze", T)
        parts = [1.0 - wp.exp(-wp.min(beta[n] * air, 20.0)) for n in range(3)]
        colour = make(V, *parts) * (0.0597 * (1.0 + mu * mu) * 10.0)
    colour = let(k, "col|rgb", varied(k, let(k, "col0|base_c", colour), 0, 1))
    if c.chance(1, 2):
        s = let(k, "glow|disc", wp.max(wp.dot(d, wp.normalize(k.scalar("lamp|sun_pos", V))), 1.0e-3))
        colour = let(
            k, "col1|sunlit", colour + make(V, 1.0, 0.9, 0.7) * wp.pow(s, number(float(c.pick((64, 256, 16)))))
        )
    if c.chance(1, 2):
        colour = let(
            k,
            "exposed|col2",
            colour / (wp.abs(colour[1]) + 1.0) if c.chance(1, 2) else colour * factor(k, "ev|gain", T),
        )
    out.store(k, i, let(k, "res|final", varied(k, colour, 0, 2)))
    statistic(k, wp.max(colour))
    k.summary(f"Looks up the radiance of a {kind} environment in each direction.")


def _panorama(k: Author, d: Term) -> Term:
    c, T, V = k.c, FLOAT, vec(3)
    env = k.input("env|panorama_img", V, 2)
    u = wp.frac(0.5 + wp.atan2(d[0], d[2] + 1.0e-5) * 0.15915494)
    v = let(k, "v|lat", 0.5 - wp.asin(wp.clamp(d[1], -0.99, 0.99)) * 0.31830989)
    u = let(k, "u|lon", u)
    r = let(k, "r|row", wp.clamp(cast(v * cast(env.shape(0), T), INT), 0, env.shape(0) - 1))
    s = let(k, "s|col", wp.clamp(cast(u * cast(env.shape(1), T), INT), 0, env.shape(1) - 1))
    return env[r, s] if c.chance(1, 2) else wp.lerp(env[r, s], env[r, (s + 1) % env.shape(1)], wp.frac(u * 8.0))


def _cube(k: Author, d: Term) -> Term:
    V = vec(3)
    faces = k.input("faces|cube", V, 3)
    a = let(k, "a|size_d", wp.abs(d))
    m = let(k, "m|major", wp.max(a) + 1.0e-4)
    face, s, t = k.var("face|side", number(4, INT)), k.var("s|fu", d[0] / m), k.var("t|fv", d[1] / m)
    with k.if_(a[0] >= m - 1.0e-4):
        face.set(where(d[0] > 0.0, number(0, INT), number(1, INT)))
        s.set(d[2] / m)
    with k.elif_(a[1] >= m - 1.0e-4):
        face.set(where(d[1] > 0.0, number(2, INT), number(3, INT)))
        t.set(d[2] / m)
    f = let(k, "f0|face_i", wp.min(Term(face.e), faces.shape(0) - 1))
    y = let(k, "y|row", wp.clamp(cast((0.5 * t + 0.5) * cast(faces.shape(1), FLOAT), INT), 0, faces.shape(1) - 1))
    x = let(k, "x|col", wp.clamp(cast((0.5 * s + 0.5) * cast(faces.shape(2), FLOAT), INT), 0, faces.shape(2) - 1))
    return faces[f, y, x]


def harmonics(k: Author) -> None:
    """Lighting by spherical harmonics of order two or three, per colour or not, projected or evaluated."""
    c, T = k.c, precise(k)
    project = c.chance(1, 3)
    k.name("project_sh|accumulate_sh" if project else "sh_lighting|eval_harmonics|irradiance_sh")
    layout = Layout(k, 3, T)
    dirs = layout.input("normals|dirs|nrm")
    i = gate(k, k.tid("i|tid|px"), dirs.count)
    n = let(k, "n|d", wp.normalize(dirs.at(i)))
    x, y, z = (let(k, f"{a}|n{a}", n[m]) for m, a in enumerate("xyz"))
    basis = [number(0.282095, T), 0.488603 * y, 0.488603 * z, 0.488603 * x]
    if c.chance(1, 2):
        basis += [
            1.092548 * x * y,
            1.092548 * y * z,
            0.315392 * (3.0 * z * z - 1.0),
            1.092548 * x * z,
            0.546274 * (x * x - y * y),
        ]
    if project:
        _project(k, basis, i, T)
        return
    coloured = c.chance(1, 2)
    V = vec(3, T)
    coef = k.input("coef|sh_coef", V if coloured else T)
    last = coef.shape(0) - 1
    terms = [coef[wp.min(number(m, INT), last)] * b for m, b in enumerate(basis)]
    value = let(k, "e|irr", chain_of(k, "acc|total", terms))
    value = let(k, "lit|shaded", varied(k, value, 0, 2))
    if c.chance(1, 2):
        value = let(k, "out_v|scaled", value * let(k, "kd|alb", k.input("albedo|reflect", T)[i]))
    if coloured:
        layout.output("radiance|color_out").store(k, i, value)
        statistic(k, wp.max(value))
    else:
        k.output("radiance|light_out", T)[i] = switch(k, "pos|non_neg", value > 0.0, value, number(0.0, T))
        statistic(k, value)
    k.summary(f"Lights normals by {len(basis)} spherical harmonics.")


def _project(k: Author, basis: list[Term], i: Term, T: Scalar) -> None:
    c = k.c
    value = let(k, "val|sample_v", varied(k, k.input("values|radiance_in", T)[i], 0, 2))
    out = k.output("coef_out|sh_out", T)
    for m, b in enumerate(basis):
        k.atomic("add", out, wp.min(number(m, INT), out.shape(0) - 1), value * b, augmented=c.chance(1, 2))
    k.summary("Projects samples onto a basis of spherical harmonics.")
