"""Level ``execute``: a row's C++ runs, is right to within rounding, and its CUDA text gives the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .bounds import Comparison, compare
from .example import example
from .harness import CPP, FORWARD, TWIN
from .inputs import BOUNDARY, LARGE, ORDINARY, POSITIVE, SMALL
from .layout import Memory, Values, numbers
from .subject import Subject, contents
from .sweep import changes, differs, other_values
from .verdict import FAILED, NOT_APPLICABLE, PASSED, Verdict

# The share of a trial's numbers that may lie where a nearby input gives something else altogether.
JUMPS = 0.34
# How many more trials a row gets that has written nothing yet.
_MORE = 12
_WRITING = 3


class Refuted(Exception):
    """A check says that the row is wrong; the message says how."""


@dataclass(slots=True)
class _Findings:
    written: set[int] = field(default_factory=set)
    writing: int = 0
    sizes: list[int] = field(default_factory=list)
    worst: float = 0.0
    numbers: int = 0
    jumps: int = 0
    trials: int = 0
    infinite: list[str] = field(default_factory=list)
    cuda: str = ""
    twin: str = ""


def execute(subject: Subject) -> Verdict:
    """Return the verdict on running a row."""
    found = _Findings()
    if not subject.machine.has(subject.main, FORWARD):
        return Verdict(NOT_APPLICABLE, "what threads of a block do together has no emulation here")
    try:
        for profile, size in _trials(subject):
            _trial(subject, profile, size, found)
        for word in range(_MORE):
            if found.writing >= _WRITING:
                break
            # Some write only where several numbers suit each other.
            _trial(subject, (ORDINARY, POSITIVE, LARGE)[word % 3], subject.sizes()[-1], found, word)
        if len(found.infinite) > found.trials / 2:
            raise Refuted(f"not finite in {len(found.infinite)} of {found.trials} trials: {found.infinite[0]}")
        _depends(subject, found)
        if difference := differs(subject):
            raise Refuted(difference)
    except Refuted as refuted:
        return Verdict(FAILED, str(refuted), _details(subject, found))
    return Verdict(PASSED, "", _details(subject, found) | {"example": example(subject)})


def _details(subject: Subject, found: _Findings) -> dict[str, object]:
    return {
        "shapes": subject.shapes,
        "sizes": sorted(set(found.sizes)),
        "numbers": found.numbers,
        "error_over_bound": float(f"{found.worst:.3g}"),
        "discontinuous": found.jumps,
        "not_finite": len(found.infinite),
        "cuda": found.cuda,
        "twin": found.twin,
    }


def _trials(subject: Subject) -> list[tuple[str, int]]:
    lengths = subject.sizes()
    ordinary = [(ORDINARY, size) for size in lengths]
    return [*ordinary, (POSITIVE, lengths[1]), (BOUNDARY, lengths[1])]


def _trial(subject: Subject, profile: str, size: int, found: _Findings, *words: object) -> None:
    memory = subject.memory(size, profile, *words)
    subject.machine.check(CPP, memory)
    before = contents(memory)
    after = subject.run(subject.main, memory, size)
    found.sizes.append(size)
    where = f"with {profile} values and length {size}"
    if not all(_same(a, b) for a, b in zip(after, subject.run(subject.main, memory, size), strict=True)):
        raise Refuted(f"run twice, gives two results {where}")
    written = {n for n, (a, b) in enumerate(zip(before, after, strict=True)) if not _same(a, b)}
    found.written |= written
    found.writing += bool(written)
    if profile != BOUNDARY:
        found.trials += 1
        for leaf, values in zip(memory.leaves, after, strict=True):
            if leaf.is_float and not np.isfinite(values).all():
                found.infinite.append(f"{leaf.name} {where}")
                break
    _cuda(subject, memory, size, after, where, found)
    if profile != BOUNDARY:
        _twin(subject, memory, size, after, where, found)


def _cuda(subject: Subject, memory: Memory, size: int, after: list[Values], where: str, found: _Findings) -> None:
    if not subject.pairs:
        found.cuda = "not_applicable: does not compile here"
        return
    for ours, theirs in subject.pairs:
        results = [
            after if variant == subject.main else subject.run(variant, memory, size) for variant in (ours, theirs)
        ]
        for leaf, one, other in zip(memory.leaves, *results, strict=True):
            if not _same(one, other):
                raise Refuted(f"{leaf.name} by the CUDA text is not that by the C++ text {where}")
    found.cuda = "equal"


def _twin(subject: Subject, memory: Memory, size: int, after: list[Values], where: str, found: _Findings) -> None:
    if not subject.machine.has(TWIN, FORWARD):
        found.twin = "not_applicable: does not compile with doubles"
        return
    result: Comparison = compare(subject, memory, size, after, sorted(found.written))
    found.worst = max(found.worst, result.worst)
    found.numbers += result.numbers
    found.jumps += result.jumps
    found.twin = "within bound"
    if result.wrong:
        raise Refuted(f"{result.wrong} {where}")
    if result.jumps > max(2, JUMPS * result.numbers):
        raise Refuted(f"{result.jumps} of {result.numbers} numbers lie at a jump {where}")


def _depends(subject: Subject, found: _Findings) -> None:
    """Refute a row that writes nothing, or the same whatever its inputs are."""
    if not found.written:
        raise Refuted("writes nothing")
    # What adds up many numbers, or large ones, may well end where a bound hides what they were.
    sizes = subject.sizes()
    lengths = (*sizes[1:], sizes[0])
    profiles = (ORDINARY, POSITIVE, SMALL, LARGE)
    for word in range(2 * len(profiles) * len(lengths)):
        size = lengths[word % len(lengths)]
        profile = profiles[word // len(lengths) % len(profiles)]
        one, other = subject.memory(size, profile, word), subject.memory(size, profile, word, "other")
        inputs = [n for n, leaf in enumerate(one.leaves) if n not in found.written and leaf.name not in subject.handles]
        if inputs:
            _copy(one, other, found.written)
        results = [subject.run(subject.main, memory, size) for memory in (one, other)]
        if any(other_values(one, n, results) for n in found.written) or (not inputs and _varies(subject, found, size)):
            return
        # Where it writes is told by a number that says how far, so that alone is nothing; and zeros are nothing.
        _copy(one, other, {n for n, leaf in enumerate(one.leaves) if leaf.buffer < 0})
        results[1] = subject.run(subject.main, other, size)
        if any(not _same(results[0][n], results[1][n]) and _not_zero(one, n, results[0]) for n in found.written):
            return
    if not changes(subject, sorted(found.written)):
        raise Refuted("trivial: what it writes does not depend on its inputs")


def _copy(source: Memory, target: Memory, leaves: Iterable[int]) -> None:
    for n in leaves:
        target.leaves[n].values[...] = source.leaves[n].values


def _not_zero(memory: Memory, n: int, result: Sequence[Values]) -> bool:
    """Say whether a run wrote anything but zeros to a leaf."""
    return bool(((result[n] != numbers(memory.leaves[n])) & (result[n] != 0)).any())


def _varies(subject: Subject, found: _Findings, size: int) -> bool:
    """Say whether a row that takes nothing but its outputs writes different numbers."""
    after = subject.run(subject.main, subject.memory(size, ORDINARY), size)
    return any(np.unique(after[n]).size > 2 for n in found.written)


def _same(a: Values, b: Values) -> bool:
    return a.tobytes() == b.tobytes()
