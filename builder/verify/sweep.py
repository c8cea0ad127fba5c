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

from .inputs import BOUNDARY, ORDINARY, TIED, WILD
from .layout import Memory
from .machine import Launch
from .subject import Subject, arrays, contents

# Seconds of its own time that a forked process may take for one trial.
_SECONDS = 3.0
_LENGTHS = {1: 11, 2: 6, 3: 4, 4: 3}


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
    """

    shapes: str
    profile: str
    size: int
    more: int = 0
    oblong: bool = False
    few: bool = False

    def launch(self, subject: Subject, variant: str) -> Launch:
        """Return the grid."""
        launch = subject.launch(self.size + self.more, variant)
        if self.oblong:
            steps = range(0, 3 * len(launch.shape), 3)
            launch = replace(launch, shape=tuple(a + b for a, b in zip(launch.shape, steps, strict=True)))
        return replace(launch, few=self.few)


    def memory(self, subject: Subject) -> Memory:
        """Return the arguments. What a snippet does with whole numbers is checked by nobody: those stay ordinary."""
        subject = replace(subject, shapes=self.shapes)
        memory = subject.memory(self.size, self.profile, "sweep")
        if subject.native:
            ordinary = subject.memory(self.size, ORDINARY, "sweep")
            for leaf, other in zip(memory.leaves, ordinary.leaves, strict=True):
                if not leaf.is_float:
                    leaf.values[...] = other.values
        return memory


def differs(subject: Subject) -> str:
    """Return how the texts of the two devices differ in what they do, or nothing."""
    for first, second in subject.pairs:
        left = list(_trials(subject))
        while left:
            passed, said, killer = _forked(subject, left, (first, second))
            if said:
                return f"{said} by the texts of the two devices, {left[passed]}"
            if passed == len(left):
                break
            trial = left[passed]
            # Each alone: what the first did to memory may be what ended the second.
            ends = [_forked(subject, [trial], (variant,))[0] == 0 for variant in (first, second)]
            if ends[0] != ends[1]:
                ender, other = (first, second) if ends[0] else (second, first)
                return f"the {ender} text ends its process, the {other} text does not, {trial}"
            if killer == signal.SIGPROF:
                break
            left = left[passed + 1 :]
    return ""


def _trials(subject: Subject) -> Iterator[Trial]:
    own = subject.shapes
    if subject.together or subject.tiled:
        short, long = (256, 300) if subject.together else (2, 3)
        yield from (Trial(own, WILD, long), Trial(own, TIED, short), Trial(own, BOUNDARY, short))
        return
    size = _LENGTHS[max([subject.ndim, *(kind.ndim for kind in arrays(subject.kinds))])]
    yield from (Trial(own, profile, size) for profile in (ORDINARY, WILD, TIED, BOUNDARY))
    if subject.loops:
        yield Trial(own, ORDINARY, size, few=True)
    if not subject.native:
        yield from (Trial("oblong", profile, size, oblong=True) for profile in (ORDINARY, WILD, TIED))
        yield from (Trial("wider_oblong", profile, size, oblong=True) for profile in (WILD, TIED))
        yield from (Trial("equal", profile, size) for profile in (TIED, WILD) if own != "equal")
        yield from (Trial("equal", ORDINARY, size, more=5), Trial("oblong", WILD, size, more=2, oblong=True))


def _forked(subject: Subject, trials: Sequence[Trial], variants: Sequence[str]) -> tuple[int, str, int]:
    """Run trials with these variants in a process of its own.

    Returns:
        How many trials it came through; the array in which the variants differ at the next, if they do; the signal
        that ended the process, or 0.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _child(write, subject, trials, variants)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        words = pipe.read().splitlines()
    status = os.waitpid(child, 0)[1]
    passed = words.count("")
    return passed, "".join(words), os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _child(write: int, subject: Subject, trials: Sequence[Trial], variants: Sequence[str]) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where a failed check would print
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    try:
        for trial in trials:
            signal.setitimer(signal.ITIMER_PROF, _SECONDS)
            os.write(write, f"{_compared(subject, trial, variants)}\n".encode())
    finally:
        os._exit(0)


def _compared(subject: Subject, trial: Trial, variants: Sequence[str]) -> str:
    """Return the array in which variants differ, or nothing."""
    memory = trial.memory(subject)
    before = memory.save()
    results = []
    for variant in variants:
        subject.machine.run(variant, trial.launch(subject, variant), memory)
        results.append(contents(memory))
        memory.restore(before)
    for leaf, ours, theirs in zip(memory.leaves, results[0], results[-1], strict=True):
        if ours.tobytes() != theirs.tobytes():
            return leaf.name
    return ""
