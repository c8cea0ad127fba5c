"""The exception tree.

Every error this project raises on purpose is one of these, and says what went wrong, where, what is
allowed and what to do::

    WarpCudaPairsError
    +-- SpecError (ValueError)        a wrong value, name or file in a build specification
    +-- SplitError (ValueError)       a split would be empty, or the sources ran out of new kernels
    +-- CodegenRejection              Warp cannot generate code for one kernel source (becomes a rejection)
    +-- StandaloneRejection           one kernel has no translation to a program of its own (becomes a rejection)
    +-- AdapterError (RuntimeError)   this Warp version is not one the adapter understands
    +-- StoreError (OSError)          the unit store cannot be read or written
    +-- FolderError (OSError)         an output folder is not ours, not writable or damaged
    +-- WorkerError (RuntimeError)    worker processes died too often
    +-- MiningError (RuntimeError)    a package cannot be mined: not installed, or its licence does not allow it
    +-- PublishError (RuntimeError)   the Hub, or the way to it, does not let a dataset be published
"""

from __future__ import annotations


class WarpCudaPairsError(Exception):
    """Base of every error this project raises on purpose."""


class SpecError(WarpCudaPairsError, ValueError):
    """A build specification holds a wrong value, an unknown name or an unreadable file."""


class SplitError(WarpCudaPairsError, ValueError):
    """A split would be empty, or the sources ran out of new kernels."""


class CodegenRejection(WarpCudaPairsError):
    """Warp cannot generate code for one kernel source.

    Args:
        reason: a value of :class:`builder.record.Reason`.
        detail: what Warp said, on one line.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[CodegenRejection], tuple[str, str]]:
        return type(self), (self.reason, self.detail)


class StandaloneRejection(WarpCudaPairsError):
    """One kernel has no translation to a CUDA program of its own.

    Args:
        construct: what has none, in few words; counted by.
        line: where it stands in the kernel source, from 1; 0 if nowhere.
    """

    def __init__(self, construct: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {construct}" if line else construct)
        self.construct = construct
        self.line = line

    def __reduce__(self) -> tuple[type[StandaloneRejection], tuple[str, int]]:
        return type(self), (self.construct, self.line)


class AdapterError(WarpCudaPairsError, RuntimeError):
    """The installed Warp does not have what the adapter needs."""


class StoreError(WarpCudaPairsError, OSError):
    """The unit store cannot be read or written."""


class FolderError(WarpCudaPairsError, OSError):
    """An output folder is not ours, not writable or damaged."""


class WorkerError(WarpCudaPairsError, RuntimeError):
    """Worker processes died too often for the build to go on."""


class MiningError(WarpCudaPairsError, RuntimeError):
    """A package cannot be mined: it is not installed, holds no Python, or its licence does not allow it."""


class PublishError(WarpCudaPairsError, RuntimeError):
    """The Hub, or the way to it, does not let a dataset be published; what a rerun needs is kept."""
