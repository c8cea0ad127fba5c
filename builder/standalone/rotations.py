"""Helpers for quaternions, transforms and spatial vectors."""

from __future__ import annotations

from ..codegen.arguments import Block, Number
from .helpers import Helpers, helper, plain
from .scalars import absolute, math_call
from .types import literal, make, matrix, name_of, quaternion, vector, zero


def _fn(number: Number, name: str, text: str) -> str:
    return math_call(name, number, plain(number, text)).text


@helper
def quat_mul(h: Helpers, kind: Block) -> str:
    """The product of two rotations."""
    parts = [
        "a.w * b.x + b.w * a.x + a.y * b.z - b.y * a.z",
        "a.w * b.y + b.w * a.y + a.z * b.x - b.z * a.x",
        "a.w * b.z + b.w * a.z + a.x * b.y - b.x * a.y",
        "a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z",
    ]
    return h.function("operator*", kind, [(kind, "a"), (kind, "b")], f"return {make(kind, parts)};")


@helper
def quat_inverse(h: Helpers, kind: Block) -> str:
    """The opposite rotation."""
    return h.function("quat_inverse", kind, [(kind, "q")], f"return {make(kind, ['-q.x', '-q.y', '-q.z', 'q.w'])};")


def _rotate(name: str, sign: str) -> None:
    def write(h: Helpers, kind: Block) -> str:
        number, v = kind.number, vector(3, kind.number)
        t, two, one = name_of(number), literal(number, 2).text, literal(number, 1).text
        parts = [
            f"v.{i} * c + q.{i} * d {sign} (q.{j} * v.{k} - q.{k} * v.{j}) * q.w * {two}"
            for i, j, k in ("xyz", "yzx", "zxy")
        ]
        return h.function(
            name, v, [(kind, "q"), (v, "v")],
            f"const {t} c = {two} * q.w * q.w - {one};",
            f"const {t} d = {two} * (q.x * v.x + q.y * v.y + q.z * v.z);",
            f"return {make(v, parts)};",
        )  # fmt: skip

    write.__name__ = name
    helper(write)


_rotate("quat_rotate", "+")
_rotate("quat_rotate_inv", "-")


@helper
def quat_from_axis_angle(h: Helpers, number: Number) -> str:
    """A rotation about an axis."""
    kind, v = quaternion(number), vector(3, number)
    half = f"angle * {literal(number, 0.5).text}"
    t = name_of(number)
    parts = ["axis.x * s", "axis.y * s", "axis.z * s", _fn(number, "cos", half)]
    return h.function(
        "quat_from_axis_angle", kind, [(v, "axis"), (number, "angle")],
        f"const {t} s = {_fn(number, 'sin', half)};", f"return {make(kind, parts)};",
    )  # fmt: skip


@helper
def quat_to_axis_angle(h: Helpers, kind: Block) -> str:
    """Axis and angle of a rotation."""
    number, v = kind.number, vector(3, kind.number)
    h.need("normalize", v)
    h.need("negative", v)
    angle = math_call("atan2", number, plain(number, "length(v)"), absolute(number, plain(number, "q.w")))
    return (
        f"__device__ inline void quat_to_axis_angle({h.parameter(kind, 'q')}, "
        f"{h.type(v)} &axis, {name_of(number)} &angle) {{\n"
        f"  const {h.type(v)} v = {make(v, ['q.x', 'q.y', 'q.z'])};\n"
        f"  axis = q.w < {zero(number)} ? -normalize(v) : normalize(v);\n"
        f"  angle = {literal(number, 2).text} * {angle.text};\n}}\n"
    )


@helper
def quat_rpy(h: Helpers, number: Number) -> str:
    """A rotation by roll, pitch and yaw."""
    kind, t, half = quaternion(number), name_of(number), literal(number, 0.5).text
    lines = []
    for short, word in (("y", "yaw"), ("r", "roll"), ("p", "pitch")):
        lines += [f"const {t} {f[0]}{short} = {_fn(number, f, f'{word} * {half}')};" for f in ("cos", "sin")]
    parts = [
        "cy * sr * cp - sy * cr * sp", "cy * cr * sp + sy * sr * cp", "sy * cr * cp - cy * sr * sp",
        "cy * cr * cp + sy * sr * sp",
    ]  # fmt: skip
    params = [(number, "roll"), (number, "pitch"), (number, "yaw")]
    return h.function("quat_rpy", kind, params, *lines, f"return {make(kind, parts)};")


@helper
def quat_slerp(h: Helpers, kind: Block) -> str:
    """Between two rotations."""
    number, v = kind.number, vector(3, kind.number)
    h.need("quat_to_axis_angle", kind)
    h.need("quat_from_axis_angle", number)
    h.need("quat_inverse", kind)
    h.need("quat_mul", kind)
    return h.function(
        "quat_slerp", kind, [(kind, "a"), (kind, "b"), (number, "t")],
        f"{h.type(v)} axis;", f"{name_of(number)} angle;", "quat_to_axis_angle(quat_inverse(a) * b, axis, angle);",
        "return a * quat_from_axis_angle(axis, t * angle);",
    )  # fmt: skip


@helper
def quat_to_matrix(h: Helpers, kind: Block) -> str:
    """The matrix of a rotation."""
    number = kind.number
    v, m = vector(3, number), matrix(3, 3, number)
    h.need("quat_rotate", kind)
    h.need("matrix_from_cols", m)
    one, nil = literal(number, 1).text, zero(number)
    axes = [make(v, [one if i == j else nil for j in range(3)]) for i in range(3)]
    columns = ", ".join(f"quat_rotate(q, {axis})" for axis in axes)
    return h.function("quat_to_matrix", m, [(kind, "q")], f"return matrix_from_cols({columns});")


@helper
def quat_from_matrix(h: Helpers, kind: Block) -> str:
    """The rotation of a matrix."""
    number = kind.number
    q, t = quaternion(number), name_of(number)
    h.need("normalize", q)
    one, half, nil = literal(number, 1).text, literal(number, 0.5).text, zero(number)
    lines = [f"{h.type(q)} q = {zero(q)};", "const auto &m = a.m;"]
    turns = ("m[2][1] - m[1][2]", "m[0][2] - m[2][0]", "m[1][0] - m[0][1]")
    lines += [
        f"if (m[0][0] + m[1][1] + m[2][2] >= {nil}) {{",
        f"  const {t} r = {_fn(number, 'sqrt', f'm[0][0] + m[1][1] + m[2][2] + {one}')}, h = {half} / r;",
        f"  q = {make(q, [*(f'({turn}) * h' for turn in turns), f'{half} * r'])};",
    ]
    for place, (i, j, k) in enumerate(((0, 1, 2), (1, 2, 0), (2, 0, 1))):
        test = ["m[0][0] >= m[1][1] && m[0][0] >= m[2][2]", "m[1][1] > m[0][0] && m[1][1] >= m[2][2]"]
        head = f"}} else if ({test[place]}) {{" if place < 2 else "} else {"
        parts = [""] * 4
        parts[i], parts[j], parts[k] = (
            f"{half} * r",
            f"(m[{i}][{j}] + m[{j}][{i}]) * h",
            f"(m[{k}][{i}] + m[{i}][{k}]) * h",
        )
        parts[3] = f"(m[{k}][{j}] - m[{j}][{k}]) * h"
        root = _fn(number, "sqrt", f"m[{i}][{i}] - (m[{j}][{j}] + m[{k}][{k}]) + {one}")
        lines += [head, f"  const {t} r = {root}, h = {half} / r;", f"  q = {make(q, parts)};"]
    return h.function("quat_from_matrix", q, [(kind, "a")], *lines, "}", "return normalize(q);")


@helper
def quat_of(h: Helpers, kind: Block) -> str:
    """A quaternion of its imaginary and its real part."""
    v = vector(3, kind.number)
    text = make(kind, ["v.x", "v.y", "v.z", "w"])
    return h.function("quat_of", kind, [(v, "v"), (kind.number, "w")], f"return {text};")
