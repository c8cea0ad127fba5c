"""Light: shading models, textures, bounces, rays, volumes, skies, spherical harmonics."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, chain_of, factor, let, precise, random_state, switch
from ...terms import Term, cast, make, number, where, wp, zero
from ...types import FLOAT, INT, QUAT, Scalar, Vec, vec


def shade(k: Author) -> None:
    """Surface shading: Lambert, Phong, Blinn, Cook-Torrance, Oren-Nayar-like, toon; one light or several."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    model = c.pick(("Lambert", "Phong", "Blinn-Phong", "Cook-Torrance", "half-Lambert", "toon"))
    k.name(f"{model.lower().replace('-', '_')}_shade|shade_points|lighting_pass|deferred_shade")
    layout = Layout(k, 3, T)
    pos, nrm = layout.input("positions|gbuf_pos|points"), layout.input("normals|gbuf_n|nrm")
    out = layout.output("radiance|color_out|shaded")
    i = gate(k, k.tid("i|tid|px"), nrm.count)
    p, n = pos.load(k, "p|x", i), let(k, "n|nn", wp.normalize(nrm.at(i)))
    eye = let(k, "v|view", wp.normalize(k.scalar("eye|camera_pos", V) - p))
    base = layout.input("albedo|diffuse_map").load(k, "base|kd", i) if c.chance(1, 2) else let(
        k, "base|kd", k.scalar("albedo|tint_c", V))  # fmt: skip
    if c.chance(1, 2):
        lights = layout.input("lights|lamp_pos")
        total = k.var("total|lit", zero(V))
        with k.for_("m|lamp", lights.count) as m:
            d = let(k, "d|to_light", lights.at(m) - p)
            r2 = let(k, "r2|dist2", wp.dot(d, d) + 0.05)
            total += _brdf(k, model, n, eye, d / wp.sqrt(r2), base, T) * (
                1.0 / r2 if c.chance(1, 2) else 1.0 / (1.0 + r2)
            )
        colour = Term(total.e)
    else:
        sun = let(k, "l|to_sun", wp.normalize(k.scalar("sun_dir|light_dir", V)))
        colour = _brdf(k, model, n, eye, sun, base, T) * factor(k, "intensity|power", T)
    colour = let(k, "col|rgb", colour + base * factor(k, "ambient|ka", T, 1, 30))
    if c.chance(1, 3):
        rim = let(k, "rim|edge_l", 1.0 - wp.max(wp.dot(n, eye), 0.0))
        colour = let(k, "col1|rimmed", colour + base * (rim * rim * factor(k, "rim_s|rim_gain", T)))
    if c.chance(1, 3):
        fog = wp.exp(-wp.min(wp.length(p) * factor(k, "fog|density", T, 1, 50), 20.0))
        colour = let(k, "col2|fogged", wp.lerp(k.scalar("fog_color|haze", V), colour, fog))
    colour = let(k, "res|final", varied(k, colour, 0, 2))
    out.store(k, i, colour)
    statistic(k, wp.max(colour))
    k.summary(f"Shades surface points by the {model} model.")


def _brdf(k: Scope, model: str, n: Term, v: Term, light: Term, base: Term, T: Scalar) -> Term:
    c = k.c
    light = let(k, "ld|wi", light)
    cos = let(k, "ndl|cos_i", wp.max(wp.dot(n, light), 0.0))
    if model == "Lambert":
        return base * cos
    if model == "half-Lambert":
        h = let(k, "h|wrapped", 0.5 * wp.dot(n, light) + 0.5)
        return base * (h * h)
    if model == "toon":
        return base * (wp.floor(cos * float(c.between(2, 5))) / 4.0)
    shine = number(float(c.pick((8, 16, 32, 64))), T)
    if model == "Phong":
        mirror = let(k, "refl|mirror", n * (2.0 * wp.dot(n, light)) - light)
        s = wp.pow(wp.max(wp.dot(mirror, v), 1.0e-3), shine)
        return base * cos + make(base.type, s)
    half = let(k, "hv|half_v", wp.normalize(light + v))
    ndh = let(k, "ndh|cos_h", wp.max(wp.dot(n, half), 1.0e-3))
    if model == "Blinn-Phong":
        return base * cos + make(base.type, wp.pow(ndh, shine) * factor(k, "ks|spec", T))
    rough = number(c.between(20, 80) / 100, T)
    a2 = let(k, "a2|alpha2", rough * rough * rough * rough)
    q = let(k, "q|ggx_d", ndh * ndh * (a2 - 1.0) + 1.0)
    ndv = let(k, "ndv|cos_o", wp.max(wp.dot(n, v), 0.02))
    fresnel = let(k, "fr|fresnel", _schlick(k, wp.max(wp.dot(half, v), 0.0), T))
    kk = let(k, "kg|geo_k", rough * rough * 0.5)
    g = cos / (cos * (1.0 - kk) + kk) * ndv / (ndv * (1.0 - kk) + kk)
    spec = a2 / (3.14159265 * q * q) * g * fresnel / (4.0 * ndv * wp.max(cos, 0.02))
    return base * (cos * (1.0 - fresnel) * 0.3183) + make(base.type, let(k, "spec|ct", spec) * cos)


def _schlick(k: Scope, cos: Term, T: Scalar) -> Term:
    x = let(k, "xf|om", 1.0 - cos)
    f0 = number(k.c.pick((0.04, 0.2, 0.6)), T)
    return (
        f0 + (1.0 - f0) * x * x * x * x * x
        if k.c.chance(1, 2)
        else f0 + (1.0 - f0) * wp.pow(x + 1.0e-4, number(5.0, T))
    )


def textures(k: Author) -> None:
    """Procedural textures: checkers, marble, wood, bricks, turbulence, stripes, spots, by noise of several octaves."""
    c, T = k.c, FLOAT
    kind = c.pick(("checker", "marble", "wood", "brick", "turbulence", "stripe", "cell"))
    k.name(f"{kind}_texture|procedural_texture|texture_eval|pattern")
    layout = Layout(k, 3, T)
    pos = layout.input("points|uvw|coords")
    i = gate(k, k.tid("i|tid|px"), pos.count)
    p = let(k, "p|q", pos.at(i) * factor(k, "freq|scale", T))
    v = let(k, "v|pattern_v", _pattern(k, kind, p))
    v = let(k, "v1|tone", varied(k, v, 0, 2))
    if c.chance(1, 2):
        a, b = k.scalar("color_a|dark", vec(3)), k.scalar("color_b|light_c", vec(3))
        layout.output("color_out|rgb").store(k, i, wp.lerp(a, b, wp.clamp(v, 0.0, 1.0)))
    else:
        k.output("value_out|grey", T)[i] = v
    statistic(k, v)
    k.summary(f"Evaluates a {kind} texture at points of space.")


def _noise(k: Author, p: Term) -> Term:
    """Return a sum of octaves of noise, in a loop or once."""
    c = k.c
    state = let(k, "st|noise_seed", wp.rand_init(k.scalar("seed|noise_key", INT)))
    if c.chance(1, 3):
        return wp.noise(state, p)
    total, amp, q = k.var("total|fbm", number(0.0)), k.var("amp|gain_o", number(0.5)), k.var("oct|pq", p)
    with k.for_("o|octave", c.between(2, 5)):
        n = let(k, "n|smp", wp.noise(state, Term(q.e)))
        total += Term(amp.e) * (wp.abs(n) if c.chance(1, 2) else n)
        amp *= c.pick((0.5, 0.6, 0.45))
        q.set(Term(q.e) * 2.0)
    return Term(total.e)


def _pattern(k: Author, kind: str, p: Term) -> Term:
    c = k.c
    cells = [let(k, f"c{n}|f{n}", wp.floor(p[n])) for n in range(3)]
    if kind == "checker":
        s = cells[0] + cells[1] + cells[2]
        if c.chance(1, 2):
            return 2.0 * wp.frac(0.5 * wp.abs(s))
        return where(cast(wp.abs(s), INT) % 2 == 0, number(1.0), factor(k, "dark|low_v", FLOAT, 5, 60))
    if kind == "brick":
        row = let(k, "row|course", wp.floor(p[1] * 2.0))
        x = let(k, "x|shifted", wp.frac(wp.abs(p[0] + 0.5 * wp.frac(0.5 * wp.abs(row)))))
        y = let(k, "y|mort", wp.frac(wp.abs(p[1] * 2.0)))
        gap = factor(k, "mortar|joint", FLOAT, 2, 15)
        return where(wp.min(x, y) < gap, number(0.2), 0.8 + 0.1 * wp.sin(row + cells[0]))
    if kind == "stripe":
        s = wp.sin(p[0] * 3.14159265 + factor(k, "bend|warp_a", FLOAT) * wp.sin(p[1]))
        return wp.smoothstep(-0.2, 0.2, s) if c.chance(1, 2) else 0.5 + 0.5 * s
    if kind == "cell":
        best = k.var("best|nearest", number(10.0))
        with k.for_("a|di", -1, 2) as a, k.for_("b|dj", -1, 2) as b:
            x, y = let(k, "gx|cx", cells[0] + cast(a, FLOAT)), let(k, "gy|cy", cells[1] + cast(b, FLOAT))
            h = let(k, "h|hash", wp.frac(wp.abs(wp.sin(x * 12.9898 + y * 78.233)) * 43758.5))
            dx, dy = let(k, "dx|ox", x + h - p[0]), let(k, "dy|oy", y + wp.frac(h * 7.31) - p[1])
            best.set(wp.min(Term(best.e), dx * dx + dy * dy))
        return wp.sqrt(Term(best.e) + 1.0e-6)
    n = let(k, "turb|nz", _noise(k, p))
    if kind == "marble":
        return 0.5 + 0.5 * wp.sin(p[c.below(3)] * 4.0 + factor(k, "vein|swirl", FLOAT, 100, 600) * n)
    if kind == "wood":
        r = let(
            k, "r|ring", wp.sqrt(p[0] * p[0] + p[2] * p[2] + 1.0e-4) * factor(k, "rings|grain", FLOAT, 200, 900) + n
        )
        return wp.frac(r) if c.chance(1, 2) else 0.5 + 0.5 * wp.sin(r * 6.2831853)
    return wp.abs(n) + cells[0] * 0.001 if c.chance(1, 2) else n


def path_bounce(k: Author) -> None:
    """One bounce of light paths against spheres: sampling by cosine, mirror or glass, roulette, ambient occlusion."""
    c, T = k.c, FLOAT
    V = vec(3)
    kind = c.pick(("diffuse", "mirror", "glass", "glossy", "ambient-occlusion"))
    k.name(
        "path_bounce|scatter_rays|trace_bounce|ambient_occlusion"
        if kind[0] == "a"
        else "path_bounce|scatter_rays|trace_bounce"
    )
    layout = Layout(k, 3, T)
    pos, nrm = layout.input("hit_p|positions"), layout.input("hit_n|normals")
    i = gate(k, k.tid("i|tid|path"), nrm.count)
    p, n = pos.load(k, "p|x", i), let(k, "n|nn", wp.normalize(nrm.at(i)))
    rng = random_state(k, i)
    if kind == "ambient-occlusion":
        _occlusion(k, (p, n, rng, i), layout)
        return
    d = layout.input("dirs|ray_d").load(k, "d|wi", i)
    new = let(k, "wo|new_d", _scatter(k, kind, d, n, rng, V))
    thr = layout.input("throughput|beta_in").load(k, "beta|thr", i)
    albedo = k.scalar("albedo|tint_c", V) if c.chance(1, 2) else make(V, 0.8, 0.7, 0.6)
    thr = let(k, "beta1|thr1", varied(k, wp.cw_mul(thr, albedo), 0, 1))
    if c.chance(1, 2):
        keep = let(k, "keep|survive", wp.clamp(wp.max(thr), 0.05, 0.95))
        thr = let(k, "beta2|thr2", where(wp.randf(rng) < keep, thr / keep, zero(V)))
    layout.output("dirs_out|next_d").store(k, i, new)
    layout.output("throughput_out|beta_out").store(k, i, thr)
    if c.chance(1, 2):
        layout.output("origin_out|next_o").store(k, i, p + n * factor(k, "bias|eps_o", T, 1, 5))
    statistic(k, wp.max(thr))
    k.summary(f"Scatters light paths at {kind} surfaces with counter-based random numbers.")


def _scatter(k: Author, kind: str, d: Term, n: Term, rng: Term, V: Vec) -> Term:
    c = k.c
    mirror = d - n * (2.0 * wp.dot(d, n))
    if kind == "mirror":
        return wp.normalize(
            mirror + make(V, wp.randn(rng), wp.randn(rng), wp.randn(rng)) * factor(k, "blur|fuzz", FLOAT, 1, 20)
        )
    if kind == "glossy":
        lobe = let(k, "lobe|fuzzed", mirror + wp.sample_unit_sphere(rng) * factor(k, "rough|fuzz", FLOAT, 5, 60))
        return where(wp.dot(lobe, n) > 0.0, wp.normalize(lobe), n)
    if kind == "glass":
        eta = let(k, "eta|ratio", where(wp.dot(d, n) < 0.0, number(0.667), number(1.5)))
        face = let(k, "face|fn", where(wp.dot(d, n) < 0.0, n, -n))
        cos = let(k, "cos_t|ci", wp.min(-wp.dot(d, face), 1.0))
        k2 = let(k, "k2|disc", 1.0 - eta * eta * (1.0 - cos * cos))
        bent = let(k, "bent|refr", d * eta + face * (eta * cos - wp.sqrt(wp.max(k2, 0.0) + 1.0e-6)))
        return where(k2 < 0.0, mirror, where(wp.randf(rng) < 0.05 + 0.9 * (1.0 - cos) * (1.0 - cos), mirror, bent))
    way = c.below(3)
    if way == 0:
        return wp.normalize(n + wp.sample_unit_sphere_surface(rng))
    if way == 1:
        h = let(k, "h|hemi", wp.sample_unit_sphere_surface(rng))
        return where(wp.dot(h, n) < 0.0, -h, h)
    u, phi = let(k, "u|r1", wp.randf(rng)), let(k, "phi|r2", 6.2831853 * wp.randf(rng))
    side = where(wp.abs(n[0]) > 0.8, make(V, 0.0, 1.0, 0.0), make(V, 1.0, 0.0, 0.0))
    t = let(k, "t|tan", wp.normalize(wp.cross(side, n)))
    b, r = let(k, "b|bit", wp.cross(n, t)), let(k, "r|rad", wp.sqrt(u + 1.0e-6))
    return t * (r * wp.cos(phi)) + b * (r * wp.sin(phi)) + n * wp.sqrt(wp.max(1.0 - u, 0.0) + 1.0e-6)


def _occlusion(k: Author, at: tuple[Term, ...], layout: Layout) -> None:
    p, n, rng, i = at
    c = k.c
    spheres, radii = layout.input("spheres|blockers"), k.input("radii|blocker_r", FLOAT)
    open_, count = k.var("open_w|free", number(0.0)), c.between(4, 16)
    with k.for_("s|sample", count):
        d = let(k, "d|dirn", wp.normalize(n + wp.sample_unit_sphere_surface(rng) * 0.99))
        hit = k.var("hit|blocked", number(0.0))
        with k.for_("m|ball", spheres.count) as m:
            oc = let(k, "oc|rel", p - spheres.at(m))
            b = let(k, "b|half_b", wp.dot(oc, d))
            r = radii[wp.min(m, radii.shape(0) - 1)]
            disc = let(k, "disc|h2", b * b - wp.dot(oc, oc) + r * r)
            with k.if_(disc > 0.0):
                hit.set(wp.max(Term(hit.e), wp.step(b)))
                if c.chance(1, 2):
                    k.leave("break")
        open_ += (1.0 - Term(hit.e)) * (wp.max(wp.dot(d, n), 0.0) if c.chance(1, 2) else 1.0)
    value = let(k, "ao|open_f", varied(k, Term(open_.e) / float(count), 0, 2))
    k.output("ao_out|visibility", FLOAT)[i] = value
    statistic(k, value)
    k.summary("Estimates the ambient occlusion of points among spheres from random rays.")


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
