"""The command line. Thin: every command is one call into the layers below."""

from __future__ import annotations

import errno
import functools
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec

import pyarrow as pa
import typer
from rich.console import Console

from . import __version__
from .errors import SpecError, WarpCudaPairsError
from .shipped import config_names, config_summary, unknown
from .spec import SPLITS, VIEWS, BuildSpec, load_spec

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Training data that teaches language models to write GPU code.",
)
P = ParamSpec("P")
# What a wrong or full place says; any other OSError is a bug of ours and keeps its traceback.
_PLACES = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG),
)
if TYPE_CHECKING:
    from .package.folder import ConfigBuild
    from .package.stats import Stats
    from .scale.progress import Reporter

_TABLE_WIDTH = 132
_out = Console(soft_wrap=True, highlight=False)

_CONFIGS_HELP = "Configs to build: " + "; ".join(f"{name} ({config_summary(name)})" for name in config_names())


def _fail(message: str, code: int) -> NoReturn:
    print(f"warp-cuda-pairs: {message}", file=sys.stderr, flush=True)
    sys.exit(code)


def _one_line(command: Callable[P, None]) -> Callable[P, None]:
    """End a command's expected failures with one line: exit code 1, or 130 for Ctrl-C."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            _fail("interrupted; finished units are kept, the same command goes on from there", 130)
        except WarpCudaPairsError as error:
            _fail(f"error: {error}", 1)
        except OSError as error:
            if error.errno not in _PLACES:
                raise
            where = f" at {error.filename}" if error.filename else ""
            _fail(f"error: {os.strerror(error.errno)}{where}; free some space or choose another folder", 1)

    return run


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        _out.print(f"warp-cuda-pairs {__version__}")
        raise typer.Exit


def _print_tables(stats: Stats) -> None:
    from .package.render import render

    # A table is never narrowed: a cut number is worse than a wrapped line.
    Console(width=max(_out.width, _TABLE_WIDTH), highlight=False).print(render(stats))


def _texts(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the titles and texts of a row that a reader wants to see, in any view."""
    yield "python_source", row["python_source"]
    yield from ((message["role"], message["content"]) for message in row.get("messages", ()))
    yield from ((title, row[title]) for title in ("prompt", "completion", "text") if title in row)


def _show(rows: Iterator[pa.Table], count: int) -> None:
    for table in rows:
        for row in table.slice(0, count).to_pylist():
            count -= 1
            _out.rule(f"{row['kernel_name']} ({row['category']}, candidate {row['index']})")
            _out.print(row["description"], markup=False)
            for title, text in _texts(row):
                _out.print(f"\n[bold]{title}[/bold]")
                _out.print(text.rstrip(), markup=False)
        if count <= 0:
            return


def _build_one(spec: BuildSpec, num_proc: int, progress: Reporter | None = None) -> ConfigBuild:
    """Return what the folder writer takes for one config: everything made, nothing copied yet."""
    from . import scale, stages
    from .package import tokens
    from .package.folder import ConfigBuild
    from .package.store import default_store

    store = default_store()
    decision = scale.build(spec, store, num_proc=num_proc, progress=progress)
    tokenizer = tokens.load(spec.tokenizer)
    return ConfigBuild(
        spec=spec,
        fingerprint=spec.fingerprint(tokenizer.sha256),
        splits={split: partial(stages.rows, spec, store, decision, split) for split in SPLITS},
        stats=stages.statistics(spec, store, decision),
        rejections=decision.rejections,
        tokenizer_json=tokenizer.data,
    )


def _to_cache(spec: BuildSpec, num_proc: int) -> None:
    """Write the rows into the cache of `datasets`, where load_dataset finds them."""
    import warp_cuda_pairs

    fields = spec.model_dump(exclude={"config"})
    builder = warp_cuda_pairs.WarpCudaPairs(config_name=spec.config, **fields)
    builder.download_and_prepare(num_proc=num_proc)
    _out.print(f"{spec.config}: in {builder.cache_dir}", markup=False)


@app.command()
@_one_line
def build(
    configs: Annotated[list[str] | None, typer.Argument(metavar="[CONFIG]...", help=_CONFIGS_HELP)] = None,
    num_kernels: Annotated[str | None, typer.Option("--num-kernels", "-n", help="Rows over all splits.")] = None,
    seed: Annotated[str | None, typer.Option(help="Seed of the random programs.")] = None,
    categories: Annotated[
        str | None, typer.Option(help="Kernel categories: 'math,vector', or weights as 'math=2,vector=1'.")
    ] = None,
    splits: Annotated[str | None, typer.Option(help="Fractions of train/validation/test: '0.9/0.05/0.05'.")] = None,
    max_per_skeleton: Annotated[str | None, typer.Option(help="Rows that may share a skeleton.")] = None,
    source_comments: Annotated[
        bool | None, typer.Option(help="Keep the Python lines that Warp echoes as comments.")
    ] = None,
    instruction: Annotated[str | None, typer.Option(help="First part of every prompt.")] = None,
    tokenizer: Annotated[str | None, typer.Option(help="'default', a tokenizer.json, or a Hub id.")] = None,
    view: Annotated[str | None, typer.Option(help=f"Columns to train on: {', '.join(VIEWS)}.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write a folder of shards instead of the cache.")] = None,
    format: Annotated[str, typer.Option(help="Of the folder's shards: arrow or parquet.")] = "arrow",
    shard_size: Annotated[str, typer.Option(help="Begin a new shard at this size: 500MB, 1GB, 1000000.")] = "500MB",
    num_proc: Annotated[int, typer.Option(help="Processes that generate code.")] = 1,
    show: Annotated[int, typer.Option(help="Print this many rows at the end.")] = 0,
) -> None:
    """Build configs (paired if none is named), to the cache or to a folder."""
    from .package.folder import check_format, check_target, write_folder
    from .package.sizes import parse_size
    from .scale.progress import Silent

    fields = {
        "num_kernels": num_kernels,
        "seed": seed,
        "categories": categories,
        "splits": splits,
        "max_per_skeleton": max_per_skeleton,
        "source_comments": source_comments,
        "instruction": instruction,
        "tokenizer": tokenizer,
        "view": view,
    }
    specs = [load_spec(name, **fields) for name in dict.fromkeys(configs or ["paired"])]
    max_shard_bytes = parse_size(shard_size)
    check_format(format)
    if out is not None:
        check_target(out)
    if out is not None:
        builds = [_build_one(spec, num_proc) for spec in specs]
        write_folder(out, builds, format=format, max_shard_bytes=max_shard_bytes)
        _out.print(f"wrote {out}", markup=False)
    else:
        for spec in specs:
            _to_cache(spec, num_proc)
        builds = [_build_one(spec, num_proc, Silent()) for spec in specs]
    for made in builds:
        _show(made.splits["train"](), show)
        _out.rule(f"{made.spec.config}")
        _print_tables(made.stats)


@app.command()
@_one_line
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The page; DIR-report.html, beside DIR, if not given.")
    ] = None,
    rows: Annotated[int, typer.Option(help="Sample rows to show.")] = 200,
) -> None:
    """Write one HTML file with the stats of a built folder and a browser of sample rows."""
    from .package.report import write_report

    page = write_report(folder, out, rows=rows)
    _out.print(f"wrote {page}", markup=False)


@app.command()
@_one_line
def stats(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print token lengths, categories, features and rejections of a built folder."""
    from .package.folder import load_stats

    loaded = load_stats(folder)
    if as_json:
        sys.stdout.write(json.dumps({name: one.to_json() for name, one in loaded.items()}, indent=2) + "\n")
        return
    for name, one in loaded.items():
        _out.rule(name)
        _print_tables(one)


@app.command()
@_one_line
def check(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")]) -> None:
    """Compare every file of a built folder with its manifest; name what is damaged, missing or extra."""
    from .package.manifest import check_folder

    problems = check_folder(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        raise typer.Exit(1)
    _out.print(f"{folder}: every file is as the manifest says", markup=False)


@app.command()
@_one_line
def card(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")]) -> None:
    """Render README.md and the plots of a built folder again."""
    from .package.refresh import refresh_card

    refresh_card(folder)
    _out.print(f"wrote {folder / 'README.md'} and the plots beside it", markup=False)


@app.command()
@_one_line
def publish(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    repo_id: Annotated[str, typer.Argument(help="OWNER/NAME, or hf://datasets/OWNER/NAME@REVISION.")],
    yes: Annotated[bool, typer.Option("--yes", help="Send it; without this, only say what would be sent.")] = False,
    public: Annotated[bool, typer.Option("--public", help="Let everybody read it; private otherwise.")] = False,
    revision: Annotated[str | None, typer.Option(help="Branch to write to; made if it is not there.")] = None,
    create_pr: Annotated[bool, typer.Option("--create-pr", help="Open a pull request instead of writing.")] = False,
) -> None:
    """Publish a built folder to the Hugging Face Hub, with the login of `hf auth login`."""
    from .package.publish import plan, send

    planned = plan(folder, repo_id, public=public, revision=revision, create_pr=create_pr)
    for line in planned.lines():
        _out.print(line, markup=False)
    if not yes:
        _out.print("Nothing was sent. Add --yes to send it.")
        return
    for line in send(planned).lines():
        _out.print(line, markup=False)


@app.command()
@_one_line
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built folder.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    layout: Annotated[str, typer.Option(help="'jsonl': <config>/<split>.jsonl, one row on each line.")] = "jsonl",
) -> None:
    """Write the rows of a built folder in another layout."""
    from .package.export import LAYOUTS, export_jsonl

    if layout not in LAYOUTS:
        raise SpecError(unknown("layout", layout, LAYOUTS))
    for name, rows in export_jsonl(folder, out).items():
        _out.print(f"{out / name}: {rows:,} rows", markup=False)


def main() -> None:
    """Run the command line."""
    app()
