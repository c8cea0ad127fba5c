"""Algorithm families: parametric programs, one function each, and the categories made of them."""

from __future__ import annotations

from collections.abc import Callable

from .author import Author
from .choices import Choices
from .program import Program
from .prune import pruned

Family = Callable[[Author], None]


def one_of(category: str, *families: Family) -> Callable[[Choices], Program]:
    """Return the ``build`` of a category: one of its families, each as likely, written by the choices.

    A family's name is its function's, without leading underscores.
    """

    def build(choices: Choices) -> Program:
        family = choices.pick(families)
        author = Author(choices, category, family.__name__.strip("_"))
        family(author)
        return pruned(author.program())

    build.families = families  # type: ignore[attr-defined]
    return build
