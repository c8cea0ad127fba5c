"""What mining left out, as tables for a terminal."""

from __future__ import annotations

from collections import Counter

from rich.console import Group
from rich.table import Table

from ..mine.distribution import Distribution
from ..mine.reasons import KernelReason, ModuleReason
from ..mine.table import Report

_SAID = {
    KernelReason.GENERIC: "generic, and nothing instantiates it",
    KernelReason.CODEGEN_ERROR: "Warp refuses the original too",
    KernelReason.ELSEWHERE: "written outside of the package",
    KernelReason.UNWRITABLE: "needs what no source makes",
    KernelReason.SOURCE_ERROR: "its source does not run",
    KernelReason.DIFFERENT_CODE: "its source generates other code",
    KernelReason.DUPLICATE: "proved, but its source is that of another",
    KernelReason.WORKER_DIED: "ended its process, or took too long",
}


def render_mined(distribution: Distribution, report: Report) -> Group:
    """Return the counts of a distribution as rich tables: kernels by reason, modules by reason."""
    kernels = Table(title=f"{distribution.name} {distribution.version}, {distribution.licence}", title_justify="left")
    kernels.add_column("kernels")
    kernels.add_column("", justify="right")
    kernels.add_row("registered", f"{report.registered:,}")
    kernels.add_row("mined, with identical code", f"{report.mined:,}")
    for name, count in report.reasons().items():
        if count:
            kernels.add_row(f"{name}: {_SAID[KernelReason(name)]}", f"{count:,}")
    kernels.add_row("self-contained, of those Warp generates", f"{report.share():.2%}")
    modules = Table(title=f"modules of {distribution.name}", title_justify="left")
    modules.add_column("modules")
    modules.add_column("", justify="right")
    modules.add_row("looked at", f"{len(distribution.modules) - len(report.modules):,}")
    counted = Counter(reason for _, reason, _ in report.modules)
    for reason in ModuleReason:
        if counted[reason.value]:
            modules.add_row(f"not imported: {reason.value}", f"{counted[reason.value]:,}")
    return Group(kernels, modules)
