"""What a check says of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..record import LEVELS as LEVELS

PASSED = "passed"
FAILED = "failed"
NONSMOOTH = "nonsmooth"
NOT_APPLICABLE = "not_applicable"
NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check's verdict.

    Attributes:
        state: ``passed``; ``failed``; ``nonsmooth`` (gradient: a kink at every point tried); ``not_applicable``;
            ``not_run``.
        reason: one line, empty for ``passed``.
        details: figures, by name; plain numbers, strings, lists and dictionaries.
    """

    state: str
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


_UNSEEN = Verdict(NOT_RUN, "not asked for")


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdicts on one row.

    Attributes:
        id: the row's id.
        compile: the row's own texts compile, forward and backward, for the CPU and each architecture.
        execute: the row's C++ runs, gives what it gives in double precision to within its rounding, and its
            CUDA text gives the same.
        gradient: the row's C++ adjoint is the derivative.
        gpu: the row's CUDA text runs on a device.
    """

    id: str
    compile: Verdict = _UNSEEN
    execute: Verdict = _UNSEEN
    gradient: Verdict = _UNSEEN
    gpu: Verdict = Verdict(NOT_RUN, "no device was used")

    @property
    def kept(self) -> bool:
        """Whether no check failed."""
        return FAILED not in (self.compile.state, self.execute.state, self.gradient.state, self.gpu.state)
