"""``build``: a config to the cache of `datasets`, or configs to a folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pyarrow as pa
import typer

from ..errors import SpecError
from ..record import LEVELS
from ..shipped import config_names, config_summary
from ..spec import SPLITS, VIEWS, BuildSpec, load_spec
from .common import app, console, one_line, print_tables

if TYPE_CHECKING:
    from ..package.folder import ConfigBuild
    from ..scale.progress import Reporter

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


def _build_one(spec: BuildSpec, num_proc: int, progress: Reporter | None = None) -> ConfigBuild:
    """Return what the folder writer takes for one config: everything made, nothing copied yet."""
    from .. import scale, stages
    from ..package import tokens
    from ..package.folder import ConfigBuild
    from ..package.store import default_store

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
    console.print(f"{spec.config}: in {builder.cache_dir}", markup=False)


@app.command()
@one_line
def build(
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
    out: Annotated[Path | None, typer.Option(help="Write a folder of shards instead of the cache.")] = None,
    format: Annotated[str | None, typer.Option(help="Of the folder's shards: arrow (default) or parquet.")] = None,
    shard_size: Annotated[
        str | None, typer.Option(help="Of the folder: begin a new shard at this size: 500MB (default), 1GB, 1000000.")
    ] = None,
    num_proc: Annotated[int, typer.Option(help="Processes that generate code.")] = 1,
    show: Annotated[int, typer.Option(help="Print this many rows at the end.", min=0)] = 0,
) -> None:
    """Build configs (paired if none is named), to the cache or to a folder."""
    from ..package.folder import check_format, check_target, write_folder
    from ..package.shards import MAX_SHARD_BYTES
    from ..package.sizes import parse_size
    from ..scale.progress import Silent

    fields = {
        "num_kernels": num_kernels,
        "seed": seed,
        "sources": sources,
        "categories": categories,
        "splits": splits,
        "max_per_skeleton": max_per_skeleton,
        "source_comments": source_comments,
        "instruction": instruction,
        "tokenizer": tokenizer,
        "view": view,
        "verify": verify,
        "ptx": ptx,
    }
    specs = [load_spec(name, **fields) for name in dict.fromkeys(configs or ["paired"])]
    file_format = check_format(format or "arrow")
    max_shard_bytes = parse_size(shard_size or MAX_SHARD_BYTES)
    if out is None and (format or shard_size):
        raise SpecError("--format and --shard-size are of a folder's shards; name the folder with --out DIR")
    if out is not None:
        check_target(out)
        builds = [_build_one(spec, num_proc) for spec in specs]
        write_folder(out, builds, format=file_format, max_shard_bytes=max_shard_bytes)
        console.print(f"wrote {out}", markup=False)
    else:
        for spec in specs:
            _to_cache(spec, num_proc)
        builds = [_build_one(spec, num_proc, Silent()) for spec in specs]
    for made in builds:
        _show(made.splits["train"](), show)
        console.rule(f"{made.spec.config}")
        print_tables(made.stats)
