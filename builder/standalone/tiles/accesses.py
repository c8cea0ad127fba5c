"""Who touches what between two barriers: where threads would meet, a barrier is needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

OWN, ALL, FIRST = "own", "all", "first thread"


@dataclass(frozen=True, slots=True)
class Access:
    """Elements that threads read or change.

    Attributes:
        name: of the shared array, or of the array argument.
        by: which thread touches which element; the same words, the same thread.
        writes: whether elements are changed.
        atomic: whether they are changed so that threads do not disturb each other.
        span: between which indices of the first dimension they lie, if that is known.
    """

    name: str
    by: str
    writes: bool = False
    atomic: bool = False
    span: tuple[int, int] | None = None


def meet(a: Access, b: Access) -> bool:
    """Say whether threads would disturb each other without a barrier between two accesses."""
    if a.name != b.name or not (a.writes or b.writes) or (a.atomic and b.atomic):
        return False
    if a.span and b.span and (a.span[1] <= b.span[0] or b.span[1] <= a.span[0]):
        return False
    return a.by != b.by or a.by == ALL


@dataclass(slots=True)
class Pending:
    """What has been touched since the last barrier.

    Attributes:
        since: the accesses.
        bodies: for each loop around, what is touched in its body before the first barrier there; None behind it.
    """

    since: list[Access] = field(default_factory=list)
    bodies: list[tuple[list[Access], bool]] = field(default_factory=list)

    def meets(self, accesses: Iterable[Access]) -> bool:
        """Say whether a barrier is needed before some accesses."""
        return any(meet(old, new) for new in accesses for old in self.since)

    def of(self, name: str) -> list[Access]:
        """Return the accesses to an array."""
        return [access for access in self.since if access.name == name]

    def add(self, accesses: Iterable[Access]) -> None:
        """Note accesses."""
        for access in accesses:
            if access not in self.since:
                self.since.append(access)
            for body, open_ in self.bodies:
                if open_:
                    body.append(access)

    def barrier(self) -> None:
        """Note a barrier."""
        self.since = []
        self.bodies = [(body, False) for body, _ in self.bodies]

    def enter(self) -> list[Access]:
        """Note that the body of a loop begins; return what is pending there."""
        self.bodies.append(([], True))
        return list(self.since)

    def turns(self) -> bool:
        """Say whether a barrier is needed between two turns of the loop that is now at its end."""
        return self.meets(self.bodies[-1][0])

    def leave(self, before: Iterable[Access]) -> None:
        """Note that a loop ends, which may have had no turn."""
        self.bodies.pop()
        for access in before:
            if access not in self.since:
                self.since.append(access)
