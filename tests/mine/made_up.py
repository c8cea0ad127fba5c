"""A made-up distribution with modules that are hard to mine, and some that must not be."""

from __future__ import annotations

from pathlib import Path

GOOD = {
    "__init__": "",
    "constants": '''
import enum
import math

import numpy as np
import warp as wp

from . import settings
from .settings import LIMIT as CAP

EPS = 1.0e-6
COUNT = wp.constant(3)
FLAG = True
WIDE = wp.float64(2.5)
HALF = wp.float16(0.5)
TINY = wp.float32(np.finfo(np.float32).eps)
AXIS = wp.vec3(0.0, 1.0, 0.0)
TURN = wp.mat22(0.0, -1.0, 1.0, 0.0)
FAR = float("inf")
vec7 = wp.types.vector(length=7, dtype=float)
mat25 = wp.types.matrix(shape=(2, 5), dtype=wp.float64)
scalar = wp.float32


class Shape(enum.IntEnum):
    SPHERE = 0
    BOX = 4


class Plain:
    SCALE = 0.25
    BIAS = -3.0


@wp.kernel
def use_constants(x: wp.array(dtype=scalar), w: vec7, m: mat25, out: wp.array(dtype=float)):
    """Uses a constant of every kind. The rest is not its first sentence."""
    i = wp.tid()
    # a comment of the author
    y = x[i] * EPS + math.pi + float(COUNT) + wp.dot(AXIS, AXIS) + w[3] + float(m[1, 4])
    if FLAG and i != Shape.BOX:
        y += Plain.SCALE + Plain.BIAS + float(WIDE) + float(HALF)
    z = TURN * wp.vec2(y, 1.0)
    high = wp.max(settings.LIMIT, CAP) + settings.NEGATIVE - (-settings.EPS)
    out[i] = wp.min(z[0] + high + TINY, FAR) + wp.where(i == Shape.SPHERE, 1.0, 0.0)
''',
    "settings": "LIMIT = 12.5\nNEGATIVE = -0.5\nEPS = 0.001\n",
    "structs": """
import warp as wp

from . import constants


@wp.struct
class Inner:
    # where it is
    position: wp.vec3
    weights: constants.vec7


@wp.struct
class Outer:
    inner: Inner
    values: wp.array(dtype=float)


@wp.func
def energy(o: Outer, i: int):
    return o.values[i] + o.inner.position[1] + o.inner.weights[0]


@wp.kernel
def settle(items: wp.array(dtype=Outer), out: wp.array(dtype=float)):
    i = wp.tid()
    local = Inner()
    local.position = items[i].inner.position
    out[i] = energy(items[i], i) + local.position[0]
""",
    "helpers": """
import warp as wp

EPS = 5.0


@wp.func
def damp(x: float):
    return x / (EPS + 1.0)


@wp.func
def scale(x: float):
    return damp(x) * 2.0
""",
    "clashes": """
import warp as wp

from . import helpers

EPS = 0.125


@wp.func
def damp(x: float):
    return x * EPS


@wp.func
def max(x: float):
    return x + 100.0


@wp.kernel
def clash(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    scale = damp(x[i])
    out[i] = helpers.scale(scale) + helpers.damp(x[i]) + max(x[i]) + wp.max(x[i], EPS)
""",
    "operators": """
import warp as wp


@wp.struct
class Complex:
    re: float
    im: float


@wp.func
def add(a: Complex, b: Complex):
    c = Complex()
    c.re = a.re + b.re
    c.im = a.im + b.im
    return c


@wp.kernel
def total(a: Complex, b: Complex, out: wp.array(dtype=float)):
    c = a + b
    out[wp.tid()] = c.re
""",
    "statics": """
import warp as wp

TABLE = [1.0, 2.0, 4.0]
CONFIG = {"size": 3}


class Options:
    def __init__(self):
        self.order = 2


options = Options()


@wp.func
def square(x: float):
    return x * x


def compute():
    return 7.0


@wp.kernel
def statics(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    y = float(0.0)
    for k in range(wp.static(CONFIG["size"])):
        y += wp.static(TABLE[k]) * x[i]
    if wp.static(options.order > 1):
        y = wp.static(square)(y) + wp.static(compute() + 0.5)
    out[i] = y + wp.static(wp.vec3(1.0, 2.0, 3.0))[1]
""",
    "closures": """
import warp as wp


def make(dtype, power, op):
    step = dtype(0.5)

    @wp.func
    def inner(x: dtype):
        return op(x) + step

    @wp.kernel
    def apply(x: wp.array(dtype=dtype), out: wp.array(dtype=dtype)):
        i = wp.tid()
        y = x[i]
        for _ in range(power):
            y = inner(y)
        out[i] = y

    return apply


@wp.func
def twice(x: wp.float32):
    return x + x


@wp.func
def negate(x: wp.float64):
    return -x


first = make(wp.float32, 2, twice)
second = make(wp.float64, 3, negate)
again = make(wp.float32, 2, twice)
""",
    "generics": """
from typing import Any

import warp as wp


@wp.func
def pick(a: Any, b: Any):
    return wp.min(a, b)


@wp.func
def mix(a: float, b: float):
    return 0.5 * (a + b)


@wp.func
def mix(a: wp.vec3, b: wp.vec3):
    return 0.5 * (a + b)


@wp.kernel
def generic(x: wp.array(dtype=Any), out: wp.array(dtype=Any)):
    i = wp.tid()
    out[i] = pick(x[i], out[i])


wp.overload(generic, [wp.array(dtype=float), wp.array(dtype=float)])
wp.overload(generic, [wp.array(dtype=wp.int64), wp.array(dtype=wp.int64)])


@wp.kernel
def only_its_annotation(x: wp.array(dtype=Any)):
    x[wp.tid()] = x[0]


wp.overload(only_its_annotation, [wp.array(dtype=float)])


@wp.kernel
def never_instantiated(x: wp.array(dtype=Any)):
    x[wp.tid()] = x[0]


@wp.kernel
def overloaded(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    x[i] = mix(x[i], 1.0)
    v[i] = mix(v[i], v[0])
""",
    "natives": '''
import warp as wp

snippet = """
    out[tid] = a * x[tid];
    """
adj_snippet = """
    adj_a += x[tid] * adj_out[tid];
    """


@wp.func_native(snippet, adj_snippet)
def axpy(a: float, x: wp.array(dtype=float), out: wp.array(dtype=float), tid: int): ...


@wp.func
def root(x: float):
    return wp.sqrt(x)


@wp.func_grad(root)
def adj_root(x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret / (2.0 * wp.max(wp.sqrt(x), 1.0e-6))


@wp.func
def count(c: wp.array(dtype=int)):
    return wp.atomic_add(c, 0, 1)


@wp.func_replay(count)
def replay_count(c: wp.array(dtype=int)):
    return c[0]


@wp.kernel
def natives(a: float, x: wp.array(dtype=float), c: wp.array(dtype=int), out: wp.array(dtype=float)):
    tid = wp.tid()
    axpy(a, x, out, tid)
    out[tid] = root(out[tid]) + float(count(c))
''',
    "options": """
import warp as wp

wp.set_module_options({"enable_backward": False, "max_unroll": 4})
BOUNDS = 128


@wp.kernel(launch_bounds=BOUNDS, grid_stride=False)
def lean(x: wp.array(dtype=float)):
    i = wp.tid()
    for k in range(8):
        x[i] = x[i] + float(k)


@wp.kernel(module="unique", module_options={"fast_math": True})
def fast(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sin(x[0])
""",
    "refused": """
import warp as wp


@wp.kernel
def wrong(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.vec3(1.0, 2.0, 3.0)


@wp.kernel
def right(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0
""",
}

BAD = {
    "bad_import": "import a_module_that_nobody_has\n",
    "bad_crash": "import ctypes\nctypes.string_at(0)\n",
    "bad_exit": "import sys\nsys.exit(3)\n",
    "bad_hard_exit": "import os\nos._exit(7)\n",
    "bad_kernel": """
import os

import warp as wp


def die(k):
    os._exit(5)


@wp.kernel
def deadly(x: wp.array(dtype=float)):
    for k in range(2):
        x[k] = wp.static(die(k))


@wp.kernel
def survivor(x: wp.array(dtype=float)):
    x[wp.tid()] = 4.0
""",
    "bad_loop": "while True:\n    pass\n",
    "bad_network": "import socket\nsocket.create_connection(('127.0.0.1', 9))\n",
    "bad_noise": """import os
import sys

print("LOUD" * 100)
os.write(1, b'{"kernel": {}}\\n')
print("LOUD", file=sys.stderr)
""",
    "scripts/tool": "import warp as wp\n\n\n@wp.kernel\ndef tool(x: wp.array(dtype=int)):\n    x[wp.tid()] = 2\n",
}


def install(folder: Path, modules: dict[str, str], *, name: str = "made-up", licence: str | None = "MIT") -> None:
    """Install a distribution with the given modules into a folder."""
    package = name.replace("-", "_")
    listed = []
    for module, text in modules.items():
        path = folder / package / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        listed.append(f"{path.relative_to(folder).as_posix()},,")
    info = folder / f"{package}-1.2.3.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.2.3\n"
    info.joinpath("METADATA").write_text(head + (f"License-Expression: {licence}\n" if licence else ""))
    info.joinpath("RECORD").write_text("\n".join([*listed, f"{info.name}/METADATA,,", f"{info.name}/RECORD,,"]))
