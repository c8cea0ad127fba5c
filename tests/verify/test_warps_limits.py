"""What `known_limits` names, seen with Warp's own tape on small kernels. A Warp that mends one may well fail here."""

# ruff: noqa: UP018, RUF046 (in a kernel, float(0.0) is a variable and 0.0 a constant)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import warp as wp

from builder.verify.limits import known_limits

LOOP = "a variable that a loop of unknown length changes"
PART = "a part of a variable that is overwritten"
INPUTS = np.array([0.7, -1.3, 2.1, 0.4], np.float32)


@wp.kernel(module="unique")
def nothing_known(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    y[0] = wp.sin(x[0]) * x[1] + x[2] / x[3]


@wp.kernel(module="unique")
def loop_of_unknown_length(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    s = float(0.0)
    for j in range(n):
        s += x[j]
    y[0] = s * s


@wp.kernel(module="unique")
def while_loop(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    j = int(0)
    while j < n - 1:
        y[j] = x[j] * x[j]
        j += 1


@wp.kernel(module="unique")
def overwritten_part(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    v = wp.vec3(x[0], x[1], x[2])
    v[0] = v[0] * v[0]
    v[0] = v[0] * 2.0
    y[0] = v[0] + v[1]


@wp.kernel(module="unique")
def second_operand(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    y[0] = x[2] % wp.abs(x[0])


@wp.kernel(module="unique")
def fraction(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    y[0] = wp.frac(x[0]) + x[1]


def differences(kernel):
    """Return the derivatives of the sum of ``y`` by ``x``, by differences."""

    def total(values):
        x, y = wp.array(values, dtype=float, device="cpu"), wp.zeros(4, dtype=float, device="cpu")
        wp.launch(kernel, dim=1, inputs=[x, 4, y], device="cpu")
        return float(y.numpy().sum())

    ways = np.eye(4, dtype=np.float32) * np.float32(1e-2)
    return np.array([(total(INPUTS + way) - total(INPUTS - way)) / 2e-2 for way in ways])


def taped(kernel):
    """Return the same by Warp's tape."""
    x = wp.array(INPUTS, dtype=float, device="cpu", requires_grad=True)
    y = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=1, inputs=[x, 4, y], device="cpu")
    tape.backward(grads={y: wp.ones(4, dtype=float, device="cpu")})
    return x.grad.numpy()


def source_of(kernel):
    """Return the lines of a kernel of this file."""
    text = Path(__file__).read_text(encoding="utf-8")
    return next(part for part in text.split("\n\n\n") if f"def {kernel.key}(" in part)


@pytest.mark.parametrize(
    ("kernel", "limit"),
    [
        (loop_of_unknown_length, LOOP),
        (while_loop, "a while loop"),
        (overwritten_part, PART),
        (second_operand, "the second operand of %"),
        (fraction, "frac has no adjoint"),
    ],
    ids=lambda value: getattr(value, "key", ""),
)
def test_warp_gives_another_gradient(kernel, limit):
    assert limit in known_limits(source_of(kernel))
    assert np.abs(taped(kernel) - differences(kernel)).max() > 0.5


def test_where_nothing_is_known_the_tape_agrees():
    assert known_limits(source_of(nothing_known)) == []
    assert np.abs(taped(nothing_known) - differences(nothing_known)).max() < 0.02
