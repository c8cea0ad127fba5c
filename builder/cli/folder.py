"""The commands on a built folder: report, stats, check, card, publish, export, pack."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import SpecError
from ..shipped import unknown
from .common import app, console, one_line, print_tables


@app.command()
@one_line
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The page; DIR-report.html, beside DIR, if not given.")
    ] = None,
    rows: Annotated[int, typer.Option(help="Sample rows to show.")] = 200,
) -> None:
    """Write one HTML file with the stats of a built folder and a browser of sample rows."""
    from ..package.report import write_report

    page = write_report(folder, out, rows=rows)
    console.print(f"wrote {page}", markup=False)


@app.command()
@one_line
def stats(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print token lengths, categories, features and rejections of a built folder."""
    from ..package.folder import load_stats

    loaded = load_stats(folder)
    if as_json:
        sys.stdout.write(json.dumps({name: one.to_json() for name, one in loaded.items()}, indent=2) + "\n")
        return
    for name, one in loaded.items():
        console.rule(name)
        print_tables(one)


@app.command()
@one_line
def check(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")]) -> None:
    """Compare every file of a built folder with its manifest; name what is damaged, missing or extra."""
    from ..package.manifest import check_folder

    problems = check_folder(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        raise typer.Exit(1)
    console.print(f"{folder}: every file is as the manifest says", markup=False)


@app.command()
@one_line
def card(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")]) -> None:
    """Render README.md and the plots of a built folder again."""
    from ..package.refresh import refresh_card

    refresh_card(folder)
    console.print(f"wrote {folder / 'README.md'} and the plots beside it", markup=False)


@app.command()
@one_line
def publish(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    repo_id: Annotated[
        str, typer.Argument(metavar="REPO_ID", help="OWNER/NAME, or hf://datasets/OWNER/NAME@REVISION.")
    ],
    format: Annotated[str, typer.Option(help="Of the shards to send: parquet or arrow.")] = "parquet",
    yes: Annotated[bool, typer.Option("--yes", help="Send it; without this, only say what would be sent.")] = False,
    public: Annotated[bool, typer.Option("--public", help="Let everybody read it; private otherwise.")] = False,
    revision: Annotated[str | None, typer.Option(help="Branch to write to; made if it is not there.")] = None,
    create_pr: Annotated[bool, typer.Option("--create-pr", help="Open a pull request instead of writing.")] = False,
) -> None:
    """Publish a built folder to the Hugging Face Hub, with the login of `hf auth login`."""
    from ..package.publish import planning, send

    with planning(folder, repo_id, format=format, public=public, revision=revision, create_pr=create_pr) as planned:
        for line in planned.lines():
            console.print(line, markup=False)
        if not yes:
            console.print("Nothing was sent. Add --yes to send it.")
            return
        for line in send(planned).lines():
            console.print(line, markup=False)


@app.command()
@one_line
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    out: Annotated[Path | None, typer.Argument(metavar="OUT", help="The folder to write.")] = None,
    layout: Annotated[
        str,
        typer.Option(
            help="'jsonl': <config>/<split>.jsonl, one row on each line; 'samples': a directory for each of some rows, "
            "with the kernel, its CUDA program, a Makefile and metadata."
        ),
    ] = "jsonl",
    per_category: Annotated[int, typer.Option(help="Samples of each category.")] = 5,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check each sample: those written, or those in DIR if OUT is not given.")
    ] = False,
) -> None:
    """Write the rows of a built folder in another layout."""
    from ..package.export import LAYOUTS, export_jsonl

    if layout not in LAYOUTS:
        raise SpecError(unknown("layout", layout, LAYOUTS))
    if out is None and not verify:
        raise SpecError("give the folder to write: export DIR OUT, or --verify to check the samples in DIR")
    if layout == "samples" or out is None:
        _samples(folder, out, per_category, verify)
        return
    for name, rows in export_jsonl(folder, out).items():
        console.print(f"{out / name}: {rows:,} rows", markup=False)


def _samples(folder: Path, out: Path | None, per_category: int, verify: bool) -> None:
    from ..package.samples import check_samples, export_samples

    if out is not None:
        for category, samples in export_samples(folder, out, per_category=per_category).items():
            console.print(f"{category}: {samples} samples", markup=False)
    failed = 0
    for name, check, outcome in check_samples(out or folder) if verify else ():
        console.print(f"{name}: {check} {'passed' if outcome.passed else 'FAILED'}: {outcome.said}", markup=False)
        failed += not outcome.passed
    if failed:
        raise typer.Exit(1)


@app.command()
@one_line
def pack(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    tokenizer: Annotated[str, typer.Option(help="The model's: a Hub id, a tokenizer.json or its folder; 'default'.")],
    max_length: Annotated[int, typer.Option(help="Tokens of a sequence.")],
    config: Annotated[str | None, typer.Option(help="The config to pack, where DIR has several.")] = None,
    split: Annotated[list[str] | None, typer.Option(help="A split to pack; may be repeated; all if not given.")] = None,
    eos_token: Annotated[
        str | None, typer.Option(help="Stands at the end of every example; the tokenizer's own if not given.")
    ] = None,
    labels: Annotated[
        str, typer.Option(help="What the loss sees: 'completion', or 'all' with the prompt.")
    ] = "completion",
    overlong: Annotated[str, typer.Option(help="Longer rows: 'drop' leaves them out, 'cut' cuts them.")] = "drop",
    format: Annotated[str, typer.Option(help="Of the files: parquet or arrow.")] = "parquet",
) -> None:
    """Write a config of a built folder as packed token ids and labels, ready to train on."""
    from ..package.pack import pack_folder
    from ..package.packed import PackSpec

    spec = PackSpec(tokenizer, max_length, config, tuple(split or ()), eos_token, labels, overlong, format)
    packed = pack_folder(folder, out, spec)
    for line in packed.lines():
        console.print(line, markup=False)
    console.print(f"wrote {out}", markup=False)
