"""Why a kernel or a module of a package gave no kernel source. Both lists are closed, and counted."""

from __future__ import annotations

from enum import Enum


class KernelReason(str, Enum):
    """Why a kernel that a package registers is not in its table."""

    GENERIC = "generic"  # its arguments are generic and nothing in the package says of which types
    CODEGEN_ERROR = "codegen_error"  # Warp refuses the original too, or needs more than its text
    ELSEWHERE = "elsewhere"  # it is written in a file that does not belong to the package
    UNWRITABLE = "unwritable"  # it needs something that no source text makes
    SOURCE_ERROR = "source_error"  # the new source does not run, or Warp refuses it
    DIFFERENT_CODE = "different_code"  # the new source generates other code than the original
    DUPLICATE = "duplicate"  # its source is that of an earlier kernel of the package
    WORKER_DIED = "worker_died"  # proving it ended the process, or took too long


class ModuleReason(str, Enum):
    """Why a module of a package could not be looked at."""

    IMPORT_ERROR = "import_error"  # importing it raises, most often because it needs another package
    EXIT = "exit"  # importing it exits
    CRASH = "crash"  # importing it ends the process
    TIMEOUT = "timeout"  # importing it takes too long


# What of these Warp itself cannot generate as it stands in the package, or is none of the package's.
NOT_GENERATED = (KernelReason.GENERIC, KernelReason.CODEGEN_ERROR, KernelReason.ELSEWHERE)


class MiningRejection(Exception):
    """One kernel that is not mined.

    Args:
        reason: one of the closed list.
        detail: what was wrong, on one line.
    """

    def __init__(self, reason: KernelReason, detail: str) -> None:
        super().__init__(f"{reason.value}: {detail}")
        self.reason = reason
        self.detail = detail
