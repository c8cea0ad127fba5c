"""Choices drawn from Hypothesis, so that the production grammar is tested and shrunk as it is."""

from __future__ import annotations

from hypothesis import strategies as st

from builder.kernels import draw_program
from builder.kernels.choices import Choices
from builder.shipped import category_names

WEIGHTS = dict.fromkeys(category_names(), 1.0)
# Those of the random grammar alone: what it promises beyond validity, an algorithm need not.
RANDOM_CATEGORIES = (
    "arithmetic", "math", "vector", "matrix", "control_flow", "atomic", "nested_loop", "multi_conditional", "combined",
    "scalar_param",
)  # fmt: skip


class DrawnChoices(Choices):
    """Every decision is one Hypothesis draw."""

    def __init__(self, draw) -> None:
        self._draw = draw

    def below(self, n: int) -> int:
        return self._draw(st.integers(0, n - 1))


@st.composite
def programs(draw, categories=tuple(WEIGHTS)):
    """Programs of the production grammar."""
    return draw_program(DrawnChoices(draw), draw(st.sampled_from(categories)))
