"""What a source has that Warp's adjoints are known not to be right for."""

from __future__ import annotations

import pytest

from builder.verify.limits import known_limits

LOOP = "a variable that a loop of unknown length changes"
HEAD = "import warp as wp\nN = 4\nMANY = wp.constant(64)\n\n"


def kernel(*lines: str) -> str:
    """Return the source of a kernel with these lines as its body."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}@wp.kernel\ndef k(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):\n{body}"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["y[0] = wp.sin(x[0]) % 2.0"], []),
        (["s = float(0.0)", "for i in range(N):", "    s = s * x[i]", "y[0] = s"], []),
        (["for i in range(n):", "    s = x[i]", "    y[i] = s"], []),
        (["s = float(0.0)", "for i in range(n):", "    s += x[i]", "y[0] = s * s"], [LOOP]),
        (["s = float(0.0)", "for i in range(MANY):", "    s += x[i]", "y[0] = s"], [LOOP]),
        (
            ["s = float(0.0)", "for i in range(N):", "    if x[i] > 0.0:", "        break", "    s += x[i]"],
            ["a loop that is left early", LOOP],
        ),
        (["i = int(0)", "while i < n:", "    i += 1"], ["a while loop"]),
        (["y[0] = x[0] % wp.abs(x[1])"], ["the second operand of %"]),
        (["y[0] = y[1] + x[0]"], ["an array that is read and written"]),
        (["v = wp.vec3()", "v[0] = x[0]", "y[0] = v[0]"], ["a part of a variable that is overwritten"]),
        (["at = int(x[0])", "y[at + 1] = x[1]"], ["a place that several threads may store at"]),
        (["at = wp.tid() + n", "y[at] = x[at]"], []),
        (["wp.atomic_max(y, 0, x[0])"], ["equal numbers in an atomic minimum or maximum"]),
        (["n_old = wp.atomic_add(y, 0, 1.0)", "y[1] = n_old"], ["what an atomic operation returns"]),
        (["t = wp.tile_from_thread(shape=1, value=x[0], thread_idx=1)"], ["tile_from_thread has no adjoint"]),
        (["y[0] = wp.grad(wp.sin)(x[0]) + wp.floor(x[0])"], ["a gradient of a gradient"]),
    ],
)
def test_limits(lines: list[str], expected: list[str]) -> None:
    assert known_limits(kernel(*lines)) == expected
