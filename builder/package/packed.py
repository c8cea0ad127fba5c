"""A packed folder: how it is to be packed, what came of it, and the files beside its data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..errors import SpecError
from ..shipped import unknown
from .card import config_yaml, info_yaml
from .card_text import table
from .density import Packing
from .encoding import SETTINGS, Encoder
from .examples import PACKED_SCHEMA
from .manifest import README, TOKENIZER, ConfigEntry, FileEntry
from .recipes import FOLDER, render_template
from .shards import FORMATS, write_file
from .totals import percent

LABELS = ("completion", "all")
OVERLONG = ("drop", "cut")
_LEAST = 2  # tokens of a sequence: one to predict from, one to predict


@dataclass(frozen=True)
class PackSpec:
    """How to pack.

    Attributes:
        tokenizer: as :func:`builder.package.tokens.load` takes it.
        max_length: tokens of a sequence, at least 2.
        config: one of the folder's; ``None`` where it has one only.
        splits: some of the folder's; none means all.
        eos_token: stands at the end of each example; ``None`` takes the one that the tokenizer names.
        labels: ``completion`` hides the prompt from the loss; ``all`` hides the first token only.
        overlong: ``drop`` leaves longer rows out; ``cut`` cuts them, so they lack their end.
        format: of the files, ``arrow`` or ``parquet``.
    """

    tokenizer: str
    max_length: int
    config: str | None = None
    splits: tuple[str, ...] = ()
    eos_token: str | None = None
    labels: str = "completion"
    overlong: str = "drop"
    format: str = "parquet"

    def check(self) -> None:
        """Raise :class:`SpecError` for a value that is not allowed."""
        if self.max_length < _LEAST:
            raise SpecError(f"max_length: must be at least {_LEAST} (got {self.max_length})")
        for name, allowed in (("labels", LABELS), ("overlong", OVERLONG), ("format", FORMATS)):
            if getattr(self, name) not in allowed:
                raise SpecError(unknown(name, getattr(self, name), allowed))


@dataclass(frozen=True)
class PackedSplit:
    """What became of a split's rows: those packed and those left out are all of them.

    Attributes:
        packing: the sequences, and the rows in them.
        left_out: rows that are too long.
        cut: of the packed rows, those that were cut.
        files: that hold the sequences.
    """

    packing: Packing
    left_out: int
    cut: int
    files: tuple[FileEntry, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the counts and files as they stand in ``pack.json``."""
        one = self.packing
        counts = {"rows": one.rows, "left_out": self.left_out, "cut": self.cut, "sequences": one.sequences}
        files = {file.path: file.sha256 for file in self.files}
        return {**counts, "tokens": one.tokens, "density": round(one.density, 6), "files": files}


@dataclass(frozen=True)
class Packed:
    """What was packed: ``config`` with ``encoder`` as ``spec`` says, into ``splits``."""

    config: str
    spec: PackSpec
    encoder: Encoder
    splits: Mapping[str, PackedSplit]

    @property
    def first(self) -> str:
        """The split to train on."""
        return "train" if "train" in self.splits else next(iter(self.splits))

    def lines(self) -> Iterator[str]:
        """Yield what to tell the user of each split."""
        for split, one in self.splits.items():
            packing = one.packing
            yield (
                f"{self.config}/{split}: {packing.rows:,} rows ({one.cut:,} of them cut) in {packing.sequences:,} "
                f"sequences of {packing.limit:,} tokens, {percent(packing.density)} full; {one.left_out:,} rows are "
                f"longer and left out"
            )

    def write_page(self, root: Path) -> None:
        """Write what lies beside the data of the folder ``root``: tokenizer, recipe, README.md."""
        write_file(root, TOKENIZER, self.encoder.tokenizer_json)
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": self.encoder.end_token}
        write_file(root, SETTINGS, json.dumps(settings, indent=1) + "\n")
        values = {
            "config": self.config,
            "split": self.first,
            "tokenizer": self.encoder.name,
            "eos_token": self.encoder.end_token,
            "begins": bool(self.encoder.begin),
            "max_length": self.spec.max_length,
            "labels": self.spec.labels,
            "overlong": self.spec.overlong,
        }
        recipe = render_template("cards/packed", "trl.yaml", values)
        write_file(root, f"{FOLDER}/trl-{self.config}.yaml", recipe)
        front = yaml.safe_dump(self._front_matter(), sort_keys=False)
        page = render_template("cards/packed", README, {**values, "front_matter": front, "table": self._table()})
        write_file(root, README, page)

    def _front_matter(self) -> dict[str, Any]:
        files = {split: one.files for split, one in self.splits.items()}
        entry = ConfigEntry({}, "", "", {}, files)
        return {
            "license": "apache-2.0",
            "tags": ["code", "cuda", "warp", "synthetic"],
            "configs": [config_yaml(self.config, entry, self.spec.format)],
            "dataset_info": [info_yaml(self.config, entry, PACKED_SCHEMA)],
        }

    def _table(self) -> str:
        heads = ["split", "rows packed", "of them cut", "left out", "sequences", "tokens", "full"]
        rows = []
        for split, one in self.splits.items():
            counts = (one.packing.rows, one.cut, one.left_out, one.packing.sequences, one.packing.tokens)
            rows.append([split, *(f"{count:,}" for count in counts), percent(one.packing.density)])
        return table(heads, rows)
