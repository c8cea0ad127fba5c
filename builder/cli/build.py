"""``build``: a config to the cache of `datasets`, or configs to a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import pyarrow as pa
import typer

from ..errors import SpecError
from ..record import LEVELS
from ..shipped import config_names, config_summary
from ..spec import VIEWS, BuildSpec, field_names, load_spec
from .common import app, console, one_line, print_tables

if TYPE_CHECKING:
    from ..package.folder import ConfigBuild

_CONFIGS_HELP = "Configs to build: " + "; ".join(f"{name} ({config_summary(name)})" for name in config_names())


def _texts(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the titles and texts of a row that a reader wants to see, in any view."""
    yield "python_source", row["python_source"]
    yield from ((message["role"], message["content"]) for message in row.get("messages", ()))
    yield from ((title, row[title]) for title in ("prompt", "completion", "text") if title in row)


def _show(rows: Iterator[pa.Table], count: int) -> None:
    for table in rows:
        for row in table.slice(0, count).to_pylist():
            count -= 1
            console.rule(f"{row['kernel_name']} ({row['category']}, candidate {row['index']})")
            console.print(row["description"], markup=False)
            for title, text in _texts(row):
                console.print(f"\n[bold]{title}[/bold]")
                console.print(text.rstrip(), markup=False)
        if count <= 0:
            return


def _shards(format: str | None, shard_size: str | None) -> dict[str, Any]:
    """Return how a folder's shards are written, as what writes them takes it."""
    from ..package.folder import check_format
    from ..package.shards import MAX_SHARD_BYTES
    from ..package.sizes import parse_size

    return {"format": check_format(format or "arrow"), "max_shard_bytes": parse_size(shard_size or MAX_SHARD_BYTES)}


def _to_cache(specs: Sequence[BuildSpec], num_proc: int) -> list[ConfigBuild]:
    """Write the rows into the cache of `datasets`, where load_dataset finds them."""
    import warp_cuda_pairs

    from ..package.store import default_store
    from ..scale.folders import config_build

    for spec in specs:
        fields = spec.model_dump(exclude={"config"})
        builder = warp_cuda_pairs.WarpCudaPairs(config_name=spec.config, **fields)
        builder.download_and_prepare(num_proc=num_proc)
        console.print(f"{spec.config}: in {builder.cache_dir}", markup=False)
    return [config_build(spec, default_store(), num_proc=num_proc) for spec in specs]


def _to_folder(specs: Sequence[BuildSpec], out: str, shards: dict[str, Any], **how: Any) -> list[ConfigBuild]:
    from ..package.store import default_store
    from ..scale.folders import build_folder, check_out
    from ..scale.progress import Terminal

    check_out(out)
    builds = build_folder(specs, out, default_store(), progress=Terminal(), **shards, **how)
    console.print(f"wrote {out}", markup=False)
    return builds


def _submit(specs: Sequence[BuildSpec], out: str, jobs: str, shards: dict[str, Any]) -> None:
    from ..package.store import default_store
    from ..scale.folders import check_out
    from ..scale.slurm import Jobs, Shards, submit

    check_out(out)
    array, last = submit(specs, out, default_store(), jobs=Jobs.parse(jobs), shards=Shards(**shards))
    console.print(f"submitted: array {array} prepares, job {last} writes {out}", markup=False)


@app.command()
@one_line
def build(
    context: typer.Context,
    configs: Annotated[list[str] | None, typer.Argument(metavar="CONFIG", help=_CONFIGS_HELP)] = None,
    num_kernels: Annotated[str | None, typer.Option("--num-kernels", "-n", help="Rows over all splits.")] = None,
    seed: Annotated[str | None, typer.Option(help="Seed of the random programs.")] = None,
    sources: Annotated[
        str | None,
        typer.Option(help="Where kernels come from: 'synthetic=4,warp-lang=1'. Mining RUNS a package's code."),
    ] = None,
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
    verify: Annotated[
        str | None, typer.Option(help=f"Checks of every row, each with those before it: {', '.join(LEVELS)}.")
    ] = None,
    ptx: Annotated[bool | None, typer.Option(help="Add a column with the PTX of the row's CUDA text.")] = None,
    out: Annotated[
        str | None, typer.Option(help="Write a folder of shards instead of the cache: a path, or s3://BUCKET/NAME.")
    ] = None,
    format: Annotated[str | None, typer.Option(help="Of the folder's shards: arrow (default) or parquet.")] = None,
    shard_size: Annotated[
        str | None, typer.Option(help="Of the folder: begin a new shard at this size: 500MB (default), 1GB, 1000000.")
    ] = None,
    num_proc: Annotated[int, typer.Option(help="Processes that generate code.")] = 1,
    engine: Annotated[
        str, typer.Option(help="Who generates: 'local' processes, or a 'ray' cluster; with --out.")
    ] = "local",
    address: Annotated[str, typer.Option(help="Of the Ray cluster: 'auto' or HOST:PORT.")] = "auto",
    slurm: Annotated[
        str, typer.Option(help="Of the Slurm jobs: 'partition=NAME,time=HH:MM:SS,units=32,workers=-1,memory=4'.")
    ] = "",
    show: Annotated[int, typer.Option(help="Print this many rows at the end.", min=0)] = 0,
) -> None:
    """Build configs (paired if none is named), to the cache or to a folder."""
    specs = [
        load_spec(name, **{field: context.params[field] for field in field_names()})
        for name in dict.fromkeys(configs or ["paired"])
    ]
    shards = _shards(format, shard_size)
    if out is None and (format or shard_size):
        raise SpecError("--format and --shard-size are of a folder's shards; name the folder with --out DIR")
    if out is None and engine != "local":
        raise SpecError("--engine is of a build to a folder; name the folder with --out DIR")
    if out is None:
        builds = _to_cache(specs, num_proc)
    elif engine == "slurm":
        _submit(specs, out, slurm, shards)
        return
    else:
        builds = _to_folder(specs, out, shards, num_proc=num_proc, engine=engine, address=address)
    for made in builds:
        _show(made.splits["train"](), show)
        console.rule(f"{made.spec.config}")
        print_tables(made.stats)
