"""What a self-contained source is put together from: definitions, and texts with places for their names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# A text in which a definition stands for the name it will get.
Part = "str | Item"
Parts = tuple[Any, ...]  # of Part


@dataclass(eq=False, slots=True)
class Item:
    """One definition at the top level of a kernel source.

    Attributes:
        kind: ``import``, ``constant``, ``class``, ``struct``, ``function`` or ``kernel``.
        wanted: the name that its author gave it.
        texts: the definition; a function has one text for each overload, gradient and replay.
        natives: ``(Warp function, text index)`` of functions that Warp numbers, in the order of ``texts``.
        name: the name it gets at the end.
    """

    kind: str
    wanted: str
    texts: list[Text] = field(default_factory=list)
    natives: list[tuple[Any, bool]] = field(default_factory=list)
    name: str = ""


@dataclass(eq=False, slots=True)
class Text:
    """A piece of source with places for names.

    Attributes:
        parts: text and definitions, in order.
        bound: names that are local in it, so that no definition it uses may have one of them.
        free: names it leaves to Warp and Python, so that no definition at all may have one of them.
        implied: definitions that it uses without naming them: functions called like an operator.
    """

    parts: Parts
    bound: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()
    implied: tuple[Item, ...] = ()

    def items(self) -> list[Item]:
        """Return the definitions it uses."""
        return [*(part for part in self.parts if isinstance(part, Item)), *self.implied]

    def render(self) -> str:
        """Return the text with every name put in."""
        return "".join(part.name if isinstance(part, Item) else part for part in self.parts)
