"""What layouts promise: offsets stay on the grid, and nothing dead is left in a program."""

import numpy as np
import pytest

from builder.kernels import draw_program
from builder.kernels.author import Author
from builder.kernels.choices import CounterChoices
from builder.kernels.layouts import Grid
from builder.kernels.layouts.edges import RULES, place
from builder.kernels.program import Apply, Let, Literal, Name
from builder.kernels.reading import expressions, statements
from builder.kernels.tidy import without_dead
from builder.kernels.types import FLOAT, INT, Array

_SYMBOLS = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "%": np.fmod, "wp.min": min, "wp.max": max, "wp.abs": abs,
    "wp.clamp": lambda x, low, high: min(max(x, low), high),
}  # fmt: skip


def value_of(e, names):
    """Work out an integer expression as C does (the remainder takes the sign of the dividend)."""
    if isinstance(e, Literal):
        return int(e.value)
    if isinstance(e, Name):
        return names[e.name]
    assert isinstance(e, Apply)
    return int(_SYMBOLS[e.op.symbol](*(value_of(arg, names) for arg in e.args)))


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "skip"])
@pytest.mark.parametrize("radius", [1, 2, 5])
@pytest.mark.parametrize("dynamic", [False, True])
def test_an_offset_stays_on_the_grid_whatever_its_size(rule, radius, dynamic):
    for seed in range(6):
        k = Author(CounterChoices(seed, 0), "stencil")
        at, extent, offset = (k.scalar(name, INT) for name in ("at", "extent", "offset"))
        for d in range(-radius, radius + 1):
            if d == 0 and not dynamic:
                continue
            where = place(k, rule, at, offset if dynamic else d, extent, radius)
            for size in range(1, 8):
                for here in range(size):
                    names = {at.e.name: here, extent.e.name: size, offset.e.name: d}
                    assert 0 <= value_of(where.e, names) < size


def test_a_grid_names_its_rule_for_the_summary():
    edges = {Grid(Author(CounterChoices(seed, 0), "stencil"), 2).edge for seed in range(40)}
    assert len(edges) == len(RULES)


def test_tidy_drops_what_nothing_reads_and_keeps_the_rest():
    k = Author(CounterChoices(1, 0), "stencil")
    x, out = k.input("x", FLOAT), k.output("out", FLOAT)
    unused, gain = k.scalar("unused", FLOAT), k.scalar("gain", FLOAT)
    i = k.tid("i")
    k.let("dead", unused * 2.0)
    kept = k.let("kept", x[i] * gain)
    k.function("never_called", {"v": FLOAT}, lambda f, v: v * 2.0)
    out[i] = kept
    program = without_dead(k.program())
    assert [arg.name for arg in program.args] == ["x", "gain", "out"]
    assert [s.name for s in statements(program.body) if isinstance(s, Let)] == [kept.e.name]
    assert program.functions == ()


@pytest.mark.parametrize("category", ["stencil", "mechanics", "image", "graphics"])
def test_every_argument_has_a_use_in_the_kernel(category):
    for index in range(60):
        program = draw_program(CounterChoices(5, index), category)
        read = {e.name for e in expressions(program) if isinstance(e, Name)}
        for arg in program.args:
            assert isinstance(arg.type, Array) or arg.name in read, (program.family, arg.name)
        assert program.summary.endswith(".")
        assert program.family
