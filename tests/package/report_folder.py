"""A small built folder whose rows try to break a page, for the tests of the report."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path

import pyarrow as pa

from builder.package.folder import ConfigBuild, write_folder
from builder.package.stats import Stats

from . import made_up
from .made_up import SHA, rows

SPLITS = {"train": range(40), "validation": range(40, 48), "test": range(48, 54)}
HOSTILE_NAME = "<img src=x onerror=alert(1)>"
HOSTILE_LINE = "    # </script><script>alert('out')</script><!-- <b>&amp; \u2028 größe 🙂"
REJECTIONS = {"duplicate": 3, "near_duplicate": 1}


def _hostile(row: dict) -> dict:
    index = row["index"]
    row["origin"] = "some-package" if index % 4 == 1 else "synthetic"
    if index == 7:
        row["kernel_name"] = HOSTILE_NAME
        row["description"] = '</script><h1 id="broken">no</h1>'
        row["features"] = ["builtin:<i>sin</i>", "dtype:float32"]
        row["python_source"] += HOSTILE_LINE + "\n"
    return row


def table(config: str, split: str) -> pa.Table:
    """The rows of a split of :data:`SPLITS`."""
    made = rows(config, SPLITS[split])
    return pa.Table.from_pylist([_hostile(row) for row in made.to_pylist()], schema=made.schema)


def build(config: str) -> ConfigBuild:
    """A config of the folder."""
    stats = Stats.merged(
        Stats.of(split, table(config, split), tokenizer="default", tokenizer_sha256=SHA) for split in SPLITS
    )
    stats.rejections.update(REJECTIONS)
    stats.measured.add(made_up.measure_rows({split: table("cuda", split) for split in SPLITS}))
    readers = {split: partial(lambda name: iter([table(config, name)]), split) for split in SPLITS}
    return dataclasses.replace(made_up.build(config), splits=readers, stats=stats, rejections=REJECTIONS)


def write(out: Path) -> Path:
    """Write the folder, with the configs cuda, forward_backward and paired."""
    write_folder(out, [build("paired"), build("cuda"), build("forward_backward")])
    return out
