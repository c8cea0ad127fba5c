"""``mine``: the kernels of installed packages as self-contained pairs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from .common import app, console, one_line


@app.command()
@one_line
def mine(
    packages: Annotated[
        list[str], typer.Argument(metavar="PACKAGE...", help="Installed distributions. Their modules are RUN.")
    ],
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write kernels.parquet and mined.json there.")] = None,
    allow_licence: Annotated[
        list[str] | None,
        typer.Option(help="Also take packages under this SPDX licence; 'unknown' takes those that name none."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds for the import of one module or one kernel.")] = 60.0,
    num_proc: Annotated[int, typer.Option(help="Worker processes.")] = 1,
) -> None:
    """Mine kernels of installed packages: make each self-contained and prove that it generates the same code.

    Mining imports every module of a package, so it runs the package's code: mine only what you would run.
    """
    from ..mine.distribution import find
    from ..mine.licence import check_allowed
    from ..package.mined import mine as mine_distribution
    from ..package.mined_folder import check_mined_target, write_mined
    from ..package.mined_tables import render_mined
    from ..package.store import default_store

    found = [find(package) for package in dict.fromkeys(packages)]
    for one in found:
        check_allowed(one.name, one.licence, allow_licence or ())
    if out is not None:
        check_mined_target(out)
    store = default_store()
    results = []
    for one in found:
        table, report = mine_distribution(
            one, store, num_proc=num_proc, timeout=timeout, on_chunk=_progress(one.name, len(one.modules))
        )
        results.append((one, table, report))
        console.print(render_mined(one, report))
    if out is not None:
        write_mined(out, results)
        console.print(f"wrote {out}", markup=False)


def _progress(name: str, modules: int) -> Callable[[int, int, int], None]:
    def say(done: int, chunks: int, kernels: int) -> None:
        line = f"{name}: {modules * done // chunks}/{modules} modules, {kernels} kernels"
        print(line, file=sys.stderr, flush=True)

    return say
