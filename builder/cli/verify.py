"""``verify`` and ``reproduce``: what the checks say of the rows of a built folder, and of one candidate."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..errors import SpecError
from ..record import LEVELS, VERDICTS
from ..shipped import unknown
from .common import app, console, one_line


@app.command()
@one_line
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder; it is only read.")],
    level: Annotated[
        str, typer.Option(help=f"Checks, each with those before it: {', '.join(LEVELS[1:])}.")
    ] = "execute",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write verdicts, reasons and figures there, a row on a line.")
    ] = None,
    num_proc: Annotated[int, typer.Option(help="Worker processes.")] = 1,
) -> None:
    """Compile, execute and differentiate the rows of a built folder, and say of which a check failed.

    Kernels are RUN, in processes of their own. A run that was killed goes on where it was.
    """
    from ..package.store import default_store
    from ..package.verify_folder import verdict_table
    from ..scale.verifying import verify as verify_rows

    chunks, tables = verify_rows(folder, default_store(), level=level, num_proc=num_proc, on_chunk=_progress)
    Console(width=max(console.width, 160), highlight=False).print(verdict_table(chunks, tables, level))
    lines = [row for table in tables for row in table.to_pylist()]
    if out is not None:
        told = ({**line, "details": json.loads(line["details"])} for line in lines)
        out.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in told), encoding="utf-8")
        console.print(f"wrote {out}", markup=False)
    failed = [line for line in lines if "failed" in (line["verification"][check] for check in VERDICTS)]
    for line in failed:
        print(f"{line['id']}: {line['verification']['reason']}", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def _progress(done: int, rows: int) -> None:
    print(f"{done}/{rows} rows", file=sys.stderr, flush=True)


@app.command()
@one_line
def reproduce(
    what: Annotated[str, typer.Argument(metavar="ID", help="SEED:INDEX, or with --folder the id of a row.")],
    folder: Annotated[Path | None, typer.Option(metavar="DIR", help="The built folder it is of.")] = None,
    level: Annotated[str, typer.Option(help=f"Checks to run: {', '.join(LEVELS)}.")] = "gradient",
    sources: Annotated[str | None, typer.Option(help="As given to build, where no folder tells.")] = None,
    categories: Annotated[str | None, typer.Option(help="As given to build, where no folder tells.")] = None,
) -> None:
    """Make one row, or one rejected candidate, again from its seed, and show what each stage makes of it."""
    from ..package.reproduce import find
    from ..package.reproduce import reproduce as stages_of
    from ..package.store import default_store
    from ..stages import mined_sources

    if level not in LEVELS:
        raise SpecError(unknown("level", level, LEVELS))
    place = find(what, folder, {"sources": sources, "categories": categories})
    for title, text in stages_of(place, level, mined_sources(place.spec, default_store())):
        console.print(f"[bold]{title}[/bold]")
        console.print(text.rstrip() + "\n", markup=False)
