"""Whether the texts of the two devices do the same for arguments that the row need not be right for.

Two texts of one kernel source do the same bit for bit whatever they are given, so no bound is in the way, and what a
row expects of its arguments does not matter: where one ends its process, by an index beyond an array, the other has to.
Both run in a process forked for it.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, product

import numpy as np

from .inputs import BOUNDARY, BROAD, ORDINARY, TIED, WILD
from .layout import Memory, Values, numbers
from .machine import Launch
from .subject import Subject, arrays, contents, fewer

# Seconds of its own time that a forked process may take for one trial.
_SECONDS = 3.0
# What a process writes when the first of two variants has run.
_FIRST_RAN = "ran "
# Lengths of dimensions, odd and even, by the largest number of dimensions.
_LENGTHS = {1: (11, 8, 13, 6, 9, 16, 5, 7), 2: (6, 5, 7, 4), 3: (4, 3, 5, 2), 4: (4, 3, 2)}


@dataclass(frozen=True, slots=True)
class Trial:
    """Arguments and a grid.

    Attributes:
        shapes: how long arrays are, a name in :data:`~builder.verify.layout.ALL_SHAPES`.
        profile: what lies in them.
        size: the length of the first dimension.
        more: how much longer the grid's dimensions are than those of arrays.
        oblong: whether each dimension of the grid is longer than the one before it.
        few: whether one small block goes over the grid in a loop.
        uneven: whether some arrays are shorter.
    """

    shapes: str
    profile: str
    size: int
    more: int = 0
    oblong: bool = False
    few: bool = False
    uneven: bool = False

    def launch(self, subject: Subject, variant: str) -> Launch:
        """Return the grid."""
        launch = subject.launch(self.size + self.more, variant)
        if self.oblong:
            steps = range(0, 3 * len(launch.shape), 3)
            launch = replace(launch, shape=tuple(a + b for a, b in zip(launch.shape, steps, strict=True)))
        return replace(launch, few=self.few)

    def memory(self, subject: Subject, number: int) -> Memory:
        """Return the arguments, different for each number.

        Nobody checks the indices of a snippet that takes arrays, so its whole numbers stay ordinary.
        """
        subject = replace(subject, shapes=self.shapes)
        memory = subject.memory(self.size, self.profile, "sweep", number, uneven=self.uneven)
        if subject.native:
            ordinary = subject.memory(self.size, ORDINARY, "sweep", number, uneven=self.uneven)
            for leaf, other in zip(memory.leaves, ordinary.leaves, strict=True):
                if not leaf.is_float:
                    leaf.values[...] = other.values
            if number % 2:
                fewer(memory)
        return memory


def differs(subject: Subject) -> str:
    """Return how the texts of the two devices differ in what they do, or nothing."""
    return next((said for pair in subject.pairs if (said := _pair_differs(subject, pair))), "")


def changes(subject: Subject, written: Sequence[int]) -> bool:
    """Say whether a row writes other numbers for other arguments, of those that it need not be right for.

    Args:
        written: the leaves that it writes.
    """
    if subject.together or subject.tiled:
        return False
    child = os.fork()
    if child == 0:
        _silent()
        try:
            for number, (profile, size) in enumerate(product((TIED, BROAD, WILD), 2 * subject.sizes())):
                signal.setitimer(signal.ITIMER_PROF, _SECONDS)
                if _changes(subject, Trial(subject.shapes, profile, size), number, written):
                    os._exit(1)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def _changes(subject: Subject, trial: Trial, number: int, written: Sequence[int]) -> bool:
    results: list[list[Values]] = []
    one, other = (trial.memory(subject, 2 * number + n) for n in range(2))
    for n in written:
        other.leaves[n].values[...] = one.leaves[n].values
    for memory in (one, other):
        before = memory.save()
        if not subject.machine.run(subject.main, trial.launch(subject, subject.main), memory, caught=True):
            return False
        results.append(contents(memory))
        memory.restore(before)
    return any(other_values(one, n, results) for n in written)


def other_values(memory: Memory, n: int, results: Sequence[Sequence[Values]]) -> bool:
    """Say whether two runs left different finite numbers in a leaf, at a place that both of them wrote to."""
    before = numbers(memory.leaves[n])
    one, other = results[0][n], results[1][n]
    finite = np.isfinite(one) & np.isfinite(other)
    return bool((finite & (one != other) & (one != before) & (other != before)).any())


def _pair_differs(subject: Subject, pair: tuple[str, str]) -> str:
    left = list(enumerate(_trials(subject)))
    while left:
        passed, said, killer = _forked(subject, left, pair)
        if passed == len(left):
            break
        trial = left[passed]
        if len(said) > len(_FIRST_RAN):
            return (
                f"{said.removeprefix(_FIRST_RAN)} by the {pair[1]} text is not that by the {pair[0]} text: {trial[1]}"
            )
        # Each alone: what the first did to memory may be what ended the second.
        ends = [not said or not _forked(subject, [trial], pair[:1])[0], not _forked(subject, [trial], pair[1:])[0]]
        if ends[0] != ends[1]:
            return f"the {pair[ends[1]]} text ends its process, the {pair[ends[0]]} text does not: {trial[1]}"
        if killer == signal.SIGPROF:
            break
        left = left[passed + 1 :]
    return ""


def _trials(subject: Subject) -> Iterator[Trial]:
    own = subject.shapes
    if subject.together or subject.tiled:
        yield from _in_blocks(subject)
        return
    sizes = cycle(_LENGTHS[max([subject.ndim, *(kind.ndim for kind in arrays(subject.kinds))])])
    whole = (ORDINARY, WILD, TIED, BOUNDARY) if subject.native else (ORDINARY, WILD, TIED, BROAD, BOUNDARY)
    yield from (Trial(own, profile, next(sizes)) for profile in 2 * whole)
    if subject.loops:
        yield from (Trial(own, profile, next(sizes), few=True) for profile in 2 * (ORDINARY, TIED))
    if subject.native:
        return
    yield from (Trial("oblong", profile, next(sizes), oblong=True) for profile in 2 * (ORDINARY, WILD, TIED, BROAD))
    yield from (Trial("wider_oblong", profile, next(sizes), oblong=True) for profile in 2 * (WILD, TIED))
    yield from (Trial("equal", profile, next(sizes)) for profile in 2 * (TIED, WILD) if own != "equal")
    yield from (Trial("equal", profile, next(sizes), more=5) for profile in (ORDINARY, TIED))
    yield Trial("oblong", WILD, next(sizes), more=2, oblong=True)
    yield from (Trial(own, profile, size, uneven=True) for size in (1, 2, 3) for profile in (ORDINARY, TIED))


def _in_blocks(subject: Subject) -> Iterator[Trial]:
    """Yield trials of blocks whose threads work together: few, since all 256 run."""
    own = subject.shapes
    if subject.together:
        yield from (Trial(own, profile, size) for size in (256, 300) for profile in (WILD, TIED, BOUNDARY))
        yield from 4 * (Trial(own, ORDINARY, 256),)
        if not subject.native and own != "equal":
            yield Trial("equal", ORDINARY, 7)
    else:
        yield from (Trial(own, profile, 2) for profile in (WILD, TIED, BOUNDARY))
        yield from (Trial(shapes, ORDINARY, size) for shapes, size in (("longer", 3), ("square", 2)))


def _forked(subject: Subject, trials: Sequence[tuple[int, Trial]], variants: Sequence[str]) -> tuple[int, str, int]:
    """Run trials with these variants in a process of its own, until they differ or the process ends.

    Returns:
        How many trials it came through; of the next one the array in which the variants differ, or whether the first
        of them ran; the signal that ended the process, or 0.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _child(write, subject, trials, variants)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        *passed, last = pipe.read().split("\n")
    status = os.waitpid(child, 0)[1]
    return len(passed), last, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _child(write: int, subject: Subject, trials: Sequence[tuple[int, Trial]], variants: Sequence[str]) -> None:
    _silent()
    try:
        for number, trial in trials:
            signal.setitimer(signal.ITIMER_PROF, _SECONDS)
            difference = _compared(subject, trial, trial.memory(subject, number), variants, write)
            os.write(write, difference.encode() or b"\n")
            if difference:
                break
    finally:
        os._exit(0)


def _silent() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where a failed check would print
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)


def _compared(subject: Subject, trial: Trial, memory: Memory, variants: Sequence[str], write: int) -> str:
    """Return the array in which variants differ, or nothing."""
    before = memory.save()
    results: list[list[Values] | None] = []
    for variant in variants:
        came = subject.machine.run(variant, trial.launch(subject, variant), memory, caught=True)
        if not results and len(variants) > 1:
            os.write(write, _FIRST_RAN.encode())
        results.append(contents(memory) if came else None)
        memory.restore(before)
    ours, theirs = results[0], results[-1]
    if ours is None or theirs is None:
        return "" if ours is theirs else "what ends the process"
    for leaf, one, other in zip(memory.leaves, ours, theirs, strict=True):
        if one.tobytes() != other.tobytes():
            return leaf.name
    return ""
