"""Algorithm families: parametric programs, one function each, and the categories made of them."""

from __future__ import annotations

from collections.abc import Callable

from .author import Author
from .choices import Choices
from .program import Program
from .tidy import without_dead

Family = Callable[[Author], None]


def one_of(category: str, *families: Family) -> Callable[[Choices], Program]:
    """Return the ``build`` of a category: one of its families, each as likely, written by the choices.

    A family's name is its function's, without leading underscores. It may name more than it comes to need: what
    nothing reads is left out.
    """

    def build(choices: Choices) -> Program:
        family = choices.pick(families)
        author = Author(choices, category, family.__name__.strip("_"))
        family(author)
        return without_dead(author.program())

    build.families = families  # type: ignore[attr-defined]
    return build
