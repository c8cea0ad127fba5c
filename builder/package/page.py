"""What people look at in a built folder: README.md and the pictures it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .. import __version__
from ..errors import FolderError, SpecError
from ..record import VIEWS
from ..spec import load_spec
from .card import CardConfig, first_config, render_card
from .manifest import ConfigEntry, FileEntry
from .plots import draw_plots
from .shards import write_file
from .stats import Stats

_SHOWN_LINES = 12  # as many as the shown row's kernel should have


def in_order(names: Mapping[str, Any]) -> list[str]:
    """Return config names in the order in which a page shows them: the default one first."""
    known = list(VIEWS)
    place = {name: known.index(name) if name in known else len(known) for name in names}
    return sorted(names, key=lambda name: (name != first_config(names), place[name], name))


def write_plots(root: Path, stats: Mapping[str, Stats]) -> list[FileEntry]:
    """Draw the pictures below ``root`` and return their entries."""
    ordered = {name: stats[name] for name in in_order(stats)}
    return [write_file(root, name, picture) for name, picture in draw_plots(ordered, first_config(stats)).items()]


def readme(
    root: Path, manifest: Mapping[str, Any], entries: Mapping[str, ConfigEntry], stats: Mapping[str, Stats]
) -> str:
    """Return README.md of the folder ``root``, whose shards are written.

    Raises:
        FolderError: this version does not know what a config was built from.
    """
    configs = {}
    for name, entry in as_built(root, entries).items():
        batch = _first_batch(root / entry.splits["train"][0].path)
        configs[name] = CardConfig(entry, batch.schema, stats[name], _shown_row(batch))
    return render_card(configs, manifest)


def as_built(root: Path, entries: Mapping[str, ConfigEntry]) -> dict[str, ConfigEntry]:
    """Return a manifest's configs with their specs as the build had them, in the order of a page.

    A manifest's JSON has its keys sorted; in a spec the order of categories counts.

    Raises:
        FolderError: this version does not know what a config was built from.
    """
    try:
        return {name: replace(entries[name], spec=_spec(name, entries[name].spec)) for name in in_order(entries)}
    except SpecError as error:
        raise FolderError(
            f"{root} was not built by this version {__version__}, which cannot read it ({error})"
        ) from None


def _spec(config: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return load_spec(config, **{name: value for name, value in fields.items() if name != "config"}).model_dump()


def _first_batch(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            return file.read_row_group(0).replace_schema_metadata(None)
    with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
        return pa.Table.from_batches([reader.read_next_batch()])


def _shown_row(batch: pa.Table) -> dict[str, Any]:
    """Return the row to show: of a kernel neither trivial nor long, the same kernel in every config."""
    sources = batch.column("python_source").to_pylist()
    at = min(range(len(sources)), key=lambda k: (abs(sources[k].count("\n") - _SHOWN_LINES), k))
    row: dict[str, Any] = batch.slice(at, 1).to_pylist()[0]
    return row
