"""Volumes and textures: sampling, gradients, coordinates, stores, marches, convolutions."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, gate, varied
from ...loops import one_type, weighted_type
from ...ops.queries import gradient_of
from ...terms import Like, Term, cast, make, number, wp, zero
from ...types import DOUBLE, FLOAT, INT, VEC3, VEC4, Value, vec

_MODES = ("wp.Volume.LINEAR", "wp.Volume.CLOSEST")


def _mode(k: Author) -> str:
    return k.c.pick(_MODES)


def _in_index_space(k: Author, volume: Term, p: Term) -> Term:
    """Write a world point in the index space of a volume, through the volume or by an origin and a spacing."""
    way = k.c.below(3)
    if way == 0:
        return k.let("uvw|q|local", wp.volume_world_to_index(volume, p))  # type: ignore[no-any-return]
    if way == 1:
        origin = k.scalar("origin|lower|corner", VEC3)
        return k.let("uvw|q|local", (p - origin) * coefficient(k, FLOAT, 50, 900))  # type: ignore[no-any-return]
    return p


def sampled(k: Author, volume: Term, uvw: Term, type_: Value) -> Term:
    """Return the sample of a volume, by the typed function or the generic one."""
    if k.c.chance(1, 2) and type_ in (FLOAT, VEC3):
        name = "f" if type_ is FLOAT else "v"
        return getattr(wp, f"volume_sample_{name}")(volume, uvw, _mode(k))  # type: ignore[no-any-return]
    if type_ is INT:
        return wp.volume_sample_i(volume, uvw)
    return wp.volume_sample(volume, uvw, _mode(k), dtype=type_)


def _sample(k: Author) -> None:
    """Each thread samples a volume at its point: scalars, vectors, integers, doubles; mapped, masked, blended."""
    c = k.c
    T = one_type(k, FLOAT, VEC3, INT, DOUBLE, VEC4)
    k.name("sample_volume|probe_field|lookup_density|volume_values")
    volume = k.handle("volume|vol|field_id")
    points = k.input("points|positions|x", VEC3)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    uvw = _in_index_space(k, volume, k.let("p|pos|x0", varied(k, points[i], 0, 2)))
    out = k.output("out|values|samples", T)
    value = k.let("value|s|v", sampled(k, volume, uvw, T))
    if c.chance(1, 2):
        shift = make(VEC3, *(number(float(n == 0), FLOAT) for n in range(3)))
        other = k.let("other|beside|ahead", sampled(k, volume, uvw + shift, T))
        value = other - value if c.chance(1, 2) else value + other
    if c.chance(1, 4) and T is FLOAT:
        k.atomic("add", out, 0, varied(k, value, 1, 3))
    else:
        out[i] = varied(k, value, 1, 3)
    k.summary(f"Samples a volume of {T.name} at each point.")


def _gradients(k: Author) -> None:
    """Each thread samples a volume with its gradient: collision with a distance field, flow along the slope."""
    c = k.c
    k.name("sdf_collide|sample_gradient|descend_field|volume_normal|push_from_field")
    volume = k.handle("volume|sdf|field_id")
    points = k.input("points|positions|x", VEC3)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    p = k.let("p|pos|x0", varied(k, points[i], 0, 1))
    uvw = _in_index_space(k, volume, p)
    T = weighted_type(k, {FLOAT: 3, DOUBLE: 1, VEC3: 1}) if c.chance(1, 2) else FLOAT
    grad = k.let("grad|g|slope", zero(gradient_of(T)))
    if T is FLOAT and c.chance(1, 2):
        d = k.let("d|phi|level", wp.volume_sample_grad_f(volume, uvw, _mode(k), grad))
    else:
        d = k.let("d|phi|level", wp.volume_sample_grad(volume, uvw, _mode(k), grad, dtype=T))
    levels = k.output("levels|dists|values", T)
    levels[i] = varied(k, d, 0, 2)
    if T is FLOAT:
        out = k.output("out|moved|pushed", VEC3)
        n = k.let("n|normal|dir", wp.normalize(wp.volume_index_to_world_dir(volume, grad) if c.chance(1, 2) else grad))
        margin = coefficient(k, FLOAT, 1, 50)
        if c.chance(1, 2):
            pos = k.var("moved_p|x1|target", p)
            with k.if_(d < margin):
                pos += varied(k, n * (margin - d), 0, 1)
            out[i] = varied(k, pos, 0, 1)
        else:
            out[i] = varied(k, p - n * varied(k, d, 0, 2), 0, 1)
    else:
        slopes = k.output("slopes|jacobians|gradients", grad.type)
        slopes[i] = varied(k, grad, 0, 2)
    k.summary(f"Samples a volume of {T.name} and its gradient at each point.")


def _voxels(k: Author) -> None:
    """Each thread of a 3-D launch (or of a list of voxels) reads, changes and stores voxels."""
    c = k.c
    T = one_type(k, FLOAT, VEC3, INT, VEC4)
    k.name("update_voxels|blur_volume|edit_volume|copy_voxels|diffuse_voxels")
    volume = k.handle("volume|vol|src_id")
    target = k.handle("target|dst_vol|result_id")
    place: tuple[Term, ...]
    if c.chance(1, 2):
        place = k.tid("i|ix|x", "j|iy|y", "k|iz|z")
        row: Term = place[0]
    else:
        voxels = k.input("voxels|coords|ijk_list", INT, 2)
        row = gate(k, k.tid("n|tid|idx"), voxels.shape(0))
        place = tuple(k.let(w, voxels[row, n]) for n, w in enumerate(("i|ix", "j|iy", "kk|iz")))
    value = k.var("value|v|acc", _lookup(k, volume, place, T))
    axes = c.sample((0, 1, 2), c.between(1, 3))
    for axis in axes:
        for sign in (1, -1) if c.chance(1, 2) else (1,):
            beside = tuple(place[n] + sign if n == axis else place[n] for n in range(3))
            value += varied(k, _lookup(k, volume, beside, T), 0, 1)
    result = varied(k, value, 0, 3)
    name = {FLOAT: "volume_store_f", VEC3: "volume_store_v", INT: "volume_store_i"}.get(T, "volume_store")
    store = getattr(wp, name if c.chance(1, 2) else "volume_store")
    k.do(store(target, *place, k.let("stored|new_value|w", result)))
    if c.chance(1, 2):
        index = k.let("index|slot|row_of", wp.volume_lookup_index(volume, *place))
        used = k.output("used|active_of|order_out", INT)
        used[row] = varied(k, index, 0, 1)
    else:
        share = k.output("shares|parts|marks", FLOAT)
        share[row] = varied(k, cast(row, FLOAT) / cast(wp.max(wp.volume_voxel_count(volume), 1), FLOAT), 0, 2)
    k.summary(f"Joins {T.name} voxels of a volume with neighbours and stores them in another volume.")


def _lookup(k: Author, volume: Term, place: tuple[Term, ...], type_: Value) -> Term:
    names = {FLOAT: "volume_lookup_f", VEC3: "volume_lookup_v", INT: "volume_lookup_i"}
    if type_ in names and k.c.chance(1, 2):
        return getattr(wp, names[type_])(volume, *place)  # type: ignore[no-any-return]
    return wp.volume_lookup(volume, *place, dtype=type_)


def _by_index(k: Author) -> None:
    """Each thread samples values kept in an array by the voxels of an index volume, perhaps with the gradient."""
    c = k.c
    T = one_type(k, FLOAT, VEC3)
    k.name("sample_by_voxel|grid_values|interpolate_nodes|sparse_field")
    volume = k.handle("volume|grid_id|index_vol")
    data = k.input("data|node_values|voxel_data", T)
    points = k.input("points|positions|x", VEC3)
    background = k.scalar("background|outside|fallback", T)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    uvw = _in_index_space(k, volume, k.let("p|pos|x0", varied(k, points[i], 0, 2)))
    out = k.output("out|values|sampled", T)
    if c.chance(1, 2):
        grad = k.let("grad|g|slope", zero(gradient_of(T)))
        value = k.let("value|v", wp.volume_sample_grad_index(volume, uvw, _mode(k), data, background, grad))
        slopes = k.output("slopes|grads|normals", grad.type)
        slopes[i] = varied(k, grad, 0, 2)
    else:
        value = k.let("value|v", wp.volume_sample_index(volume, uvw, _mode(k), data, background))
    out[i] = varied(k, value, 1, 3)
    k.summary(f"Samples {T.name} values kept by the voxels of an index volume at each point.")


def _march(k: Author) -> None:
    """Each thread marches a ray or a streamline through a volume: absorption, first surface, advection."""
    c = k.c
    k.name("march_volume|absorption|trace_sdf|streamline|advect_points")
    volume = k.handle("volume|vol|field_id")
    starts = k.input("starts|origins|x", VEC3)
    i = gate(k, k.tid("i|tid|ray"), starts.shape(0))
    x = k.var("x0|pos|cur", varied(k, starts[i], 0, 1))
    flow = c.chance(1, 3)
    d = None if flow else k.let("d|dir|way", wp.normalize(k.input("dirs|ray_d|headings", VEC3)[i]))
    acc, step = k.var("acc|depth|t", zero(FLOAT)), coefficient(k, FLOAT, 1, 60)
    with k.for_("n|it|s0", _steps(k)):
        uvw = wp.volume_world_to_index(volume, x)
        if c.chance(1, 2):
            uvw = k.let("uvw|q|local", uvw)
        if d is None:
            v = k.let("v|vel|drift", varied(k, sampled(k, volume, uvw, VEC3), 0, 1))
            x += v * step
            acc += varied(k, wp.length(v), 0, 1)
        else:
            s = k.let("s|rho|gap", varied(k, sampled(k, volume, uvw, FLOAT), 0, 2))
            if c.chance(1, 2):
                with k.if_(s < coefficient(k, FLOAT, 1, 20) if c.chance(1, 2) else acc > 10.0):
                    k.leave("break")
            acc += s * step
            x += d * (wp.max(s, 0.01) if c.chance(1, 2) else step)
    out, ends = k.output("out|depths|optical", FLOAT), k.output("ends|stops|moved", VEC3)
    out[i] = varied(k, wp.exp(-wp.min(wp.abs(acc), 30.0)) if c.chance(1, 2) else acc, 0, 2)
    ends[i] = varied(k, x, 0, 1)
    k.summary(f"Follows {'a streamline' if flow else 'a ray'} from each point through a volume, step by step.")


def _steps(k: Author) -> Like:
    if k.c.chance(1, 2):
        return number(k.c.between(17, 96), INT)
    return wp.clamp(k.scalar("n_steps|max_steps|samples", INT), 1, 256)


def _spaces(k: Author) -> None:
    """Each thread carries points and directions between the world and the index space of a volume."""
    c = k.c
    T = c.pick((FLOAT, DOUBLE))
    V = vec(3, T)
    k.name("to_index_space|to_world|voxel_centers|transform_to_volume|snap_to_voxels")
    volume = k.handle("volume|vol|grid_id")
    points, dirs = k.input("points|positions|x", V), k.input("dirs|velocities|normals", V)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    inward = c.chance(1, 2)
    p, d = k.let("p|pos|x0", varied(k, points[i], 0, 2)), k.let("d|dir|v0", varied(k, dirs[i], 0, 2))
    point = (wp.volume_world_to_index if inward else wp.volume_index_to_world)(volume, p)
    way = (wp.volume_world_to_index_dir if inward else wp.volume_index_to_world_dir)(volume, d)
    q = k.let("q|local|mapped", varied(k, point, 0, 1))
    if c.chance(1, 2):
        q = k.let("snapped|cell|voxel", make(V, *(wp.round(q[n]) for n in range(3))))
    w = k.let("w|heading|mapped_d", varied(k, way, 0, 2))
    out, out_dirs = k.output("out|mapped_points|uvw_out", V), k.output("out_dirs|mapped_dirs|w_out", V)
    out[i] = varied(k, q + w * coefficient(k, T) if c.chance(1, 2) else q, 0, 2)
    out_dirs[i] = varied(k, w, 0, 2)
    k.summary(f"Carries {V.name} points and directions {'into' if inward else 'out of'} the index space of a volume.")


FAMILIES = (_sample, _gradients, _voxels, _by_index, _march, _spaces)
