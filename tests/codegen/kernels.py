"""Kernel sources written by hand: between them they use every construct the grammar may emit."""

from __future__ import annotations

AXPY = """import warp as wp


@wp.kernel
def axpy(x: wp.array(dtype=wp.float32), y: wp.array(dtype=wp.float32), a: wp.float32):
    i = wp.tid()
    y[i] = a * x[i] + y[i]
"""

LEAN = """import warp as wp


@wp.kernel(grid_stride=False)
def lean(x: wp.array(dtype=wp.float32), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    if x[i] < 0.0:
        return
    out[i] = wp.sqrt(x[i])
"""

GRID = """import warp as wp

SCALE = wp.constant(0.25)


@wp.kernel
def laplacian(u: wp.array2d(dtype=wp.float32), out: wp.array2d(dtype=wp.float32)):
    i, j = wp.tid()
    # the border keeps its value
    if i > 0 and j > 0 and i < u.shape[0] - 1 and j < u.shape[1] - 1:
        out[i, j] = SCALE * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    else:
        out[i, j] = u[i, j]
"""

VECTOR = """import warp as wp


@wp.kernel
def shade(n: wp.array(dtype=wp.vec3), light: wp.vec3, out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    d = wp.dot(wp.normalize(n[i]), light)
    v = wp.cross(n[i], light) * d
    v[1] = v[0] + 1.0
    out[i] = wp.max(d, 0.0) + wp.length(v)
"""

MATRIX = """import warp as wp


@wp.kernel
def rotate(m: wp.array(dtype=wp.mat33), v: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a = wp.transpose(m[i]) * m[i]
    w = a * v[i] + m[i] @ v[i]
    out[i] = w * wp.determinant(a) + wp.vec3(a[0, 0], a[1, 1], a[2, 2])
"""

ATOMIC = """import warp as wp


@wp.kernel
def histogram(x: wp.array(dtype=wp.float32), bins: wp.array(dtype=int), total: wp.array(dtype=wp.float32)):
    i = wp.tid()
    b = wp.clamp(int(x[i] * 16.0), 0, 15)
    wp.atomic_add(bins, b, 1)
    wp.atomic_max(total, 0, x[i])
    old = wp.atomic_add(total, 1, x[i] * x[i])
    if old > 1.0:
        wp.atomic_sub(total, 2, old)
"""

NESTED = """import warp as wp


@wp.kernel
def stencil(x: wp.array2d(dtype=wp.float32), out: wp.array2d(dtype=wp.float32)):
    i, j = wp.tid()
    acc = float(0.0)
    for a in range(3):
        for b in range(20):
            acc += x[i, (j + a * b) % x.shape[1]]
            if acc > 100.0:
                break
    out[i, j] = acc
"""

DYNAMIC = """import warp as wp


@wp.kernel
def iterate(x: wp.array(dtype=wp.float32), count: wp.int32, out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    y = float(x[i])
    k = int(0)
    while k < count:
        y = y * 0.5 + x[i]
        k += 1
        if y > 8.0:
            continue
        y += 1.0
    for m in range(count):
        y = y - float(m)
    out[i] = y
"""

STRUCT = """import warp as wp


@wp.struct
class Material:
    density: wp.float32
    colour: wp.vec3


@wp.struct
class Body:
    material: Material
    position: wp.vec3
    weights: wp.array(dtype=wp.float32)


@wp.func
def energy(b: Body, t: wp.float32):
    h = b.position[1] + t
    if h > 0.0:
        return h * b.material.density
    return h


@wp.kernel
def settle(bodies: wp.array(dtype=Body), extra: Material, out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    b = bodies[i]
    out[i] = energy(b, extra.density) + b.weights[i]
"""

FUNCTIONS = """import warp as wp


@wp.func
def mix(a: wp.float32, b: wp.float32, t: wp.float32 = 0.5) -> wp.float32:
    return a * (1.0 - t) + b * t


@wp.func
def mix(a: wp.vec3, b: wp.vec3, t: wp.float32):
    return a * (1.0 - t) + b * t


@wp.func
def both(a: wp.float32):
    return wp.sin(a), wp.cos(a)


@wp.kernel
def blend(x: wp.array(dtype=wp.float32), v: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    s, c = both(x[i])
    out[i] = mix(v[i], wp.vec3(s, c, 0.0), mix(s, c, 0.25))
"""

BRANCHES = """import warp as wp


@wp.kernel
def classify(x: wp.array(dtype=wp.float32), lo: wp.float32, hi: wp.float32, flag: wp.bool,
             out: wp.array(dtype=wp.int32)):
    i = wp.tid()
    v = x[i]
    if v < lo:
        out[i] = 0
    elif v < hi:
        out[i] = 1
    elif flag:
        out[i] = 2
    else:
        out[i] = wp.where(v > 2.0 * hi, 4, 3)
"""

WIDE = """import warp as wp


@wp.kernel
def volume(x: wp.array3d(dtype=wp.float64), q: wp.array(dtype=wp.quat), out: wp.array3d(dtype=wp.float64)):
    i, j, k = wp.tid()
    total = x[i, j, k] + \\
        wp.float64(2.0)
    m = wp.matrix(1.0, 2.0, 3.0, 4.0, shape=(2, 2))
    r = wp.quat_rotate(q[i], wp.vec3(1.0, 0.0, m[0, 1]))
    # a very long statement, longer than the eighty columns to which Warp pads the lines that it echoes
    out[i, j, k] = total * wp.float64(r[0]) + wp.float64(r[1]) * wp.float64(2.0) - wp.float64(r[2]) * total
"""

NO_BACKWARD = """import warp as wp


@wp.kernel(enable_backward=False)
def forward_only(x: wp.array(dtype=wp.float32), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    out[i] = x[i] * 2.0
"""

FOUR = """import warp as wp


@wp.kernel
def fill(x: wp.array4d(dtype=wp.int64), n: wp.int64):
    i, j, k, m = wp.tid()
    x[i, j, k, m] = n << wp.int64(2) | wp.int64(i)
    print(n)
    assert n > wp.int64(0)
"""

CUSTOM_GRAD = """import warp as wp


@wp.func
def root(x: wp.float32):
    return wp.sqrt(x)


@wp.func_grad(root)
def adj_root(x: wp.float32, adj_ret: wp.float32):
    wp.adjoint[x] += adj_ret / (2.0 * wp.max(wp.sqrt(x), 1.0e-6))


@wp.kernel
def guarded(x: wp.array(dtype=wp.float32), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    out[i] = root(wp.abs(x[i]))
"""

HALF = """import warp as wp


@wp.kernel
def half(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.bfloat16), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    out[i] = float(x[i]) + float(y[i]) * float(wp.static(2 + 3))
"""

KERNELS: dict[str, str] = {
    "axpy": AXPY,
    "lean": LEAN,
    "laplacian": GRID,
    "shade": VECTOR,
    "rotate": MATRIX,
    "histogram": ATOMIC,
    "stencil": NESTED,
    "iterate": DYNAMIC,
    "settle": STRUCT,
    "blend": FUNCTIONS,
    "classify": BRANCHES,
    "volume": WIDE,
    "forward_only": NO_BACKWARD,
    "fill": FOUR,
    "guarded": CUSTOM_GRAD,
    "half": HALF,
}
