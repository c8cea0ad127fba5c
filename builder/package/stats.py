"""What a dataset holds, as numbers that add up.

Stats are a monoid: ``Stats()`` is the identity and ``+`` is associative and exact, because nothing is kept
that cannot be summed. Token lengths are kept as a histogram, so percentiles are exact after any merging.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..spec import SPLITS
from .breakdown import Breakdown, origin_of
from .lengths import Column, summary
from .measured import Measured

COLUMNS = ("prompt", "completion", "total")


@dataclass
class Split:
    """One split: its columns by name, how many rows each category, feature and skeleton has, and a breakdown."""

    columns: dict[str, Column] = field(default_factory=lambda: {name: Column() for name in COLUMNS})
    categories: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    skeletons: Counter[str] = field(default_factory=Counter)
    breakdown: Breakdown = field(default_factory=Breakdown)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.columns["total"].count

    def add(self, other: Split) -> None:
        """Add the rows of ``other``."""
        for name in COLUMNS:
            self.columns[name].add(other.columns[name])
        self.categories.update(other.categories)
        self.features.update(other.features)
        self.skeletons.update(other.skeletons)
        self.breakdown.add(other.breakdown)


@dataclass
class Stats:
    """Stats of a dataset or of a part of it.

    Attributes:
        tokenizer: name of the tokenizer that counted, ``""`` where nothing was counted.
        tokenizer_sha256: digest of its content.
        splits: by name.
        rejections: candidates not kept, by reason.
        measured: of all rows at once, where it was.
    """

    tokenizer: str = ""
    tokenizer_sha256: str = ""
    splits: dict[str, Split] = field(default_factory=dict)
    rejections: Counter[str] = field(default_factory=Counter)
    measured: Measured = field(default_factory=Measured)

    @classmethod
    def of(cls, split: str, table: pa.Table, *, tokenizer: str, tokenizer_sha256: str) -> Stats:
        """Return the stats of a table of one split's rows with prompt and completion."""
        prompt = table["prompt_tokens"].to_numpy()
        completion = table["completion_tokens"].to_numpy()
        sizes = {name: int(pc.sum(pc.binary_length(table[name])).as_py() or 0) for name in COLUMNS[:2]}
        one = Split(
            {
                "prompt": Column(sizes["prompt"], _histogram(prompt)),
                "completion": Column(sizes["completion"], _histogram(completion)),
                "total": Column(sum(sizes.values()), _histogram(prompt + completion)),
            },
            _counts(table["category"]),
            _counts(pc.list_flatten(table["features"])),
            _counts(table["skeleton"]),
            Breakdown.of(table),
        )
        return cls(tokenizer, tokenizer_sha256, {split: one})

    @classmethod
    def merged(cls, parts: Iterable[Stats]) -> Stats:
        """Return the sum of ``parts``, in time linear in them.

        Raises:
            ValueError: two parts were counted with different tokenizers.
        """
        whole = cls()
        for part in parts:
            if part.tokenizer_sha256 and not whole.tokenizer_sha256:
                whole.tokenizer, whole.tokenizer_sha256 = part.tokenizer, part.tokenizer_sha256
            if part.tokenizer_sha256 not in ("", whole.tokenizer_sha256):
                raise ValueError(
                    f"stats counted with {part.tokenizer} ({part.tokenizer_sha256[:12]}) do not add to stats "
                    f"counted with {whole.tokenizer} ({whole.tokenizer_sha256[:12]})"
                )
            for name, split in part.splits.items():
                whole.splits.setdefault(name, Split()).add(split)
            whole.rejections.update(part.rejections)
            whole.measured.add(part.measured)
        return whole

    def __add__(self, other: Stats) -> Stats:
        return Stats.merged((self, other))

    @property
    def rows(self) -> int:
        """Number of rows over all splits."""
        return sum(split.rows for split in self.splits.values())

    @property
    def skeletons(self) -> int:
        """Number of distinct skeletons over all splits."""
        return len({skeleton for split in self.splits.values() for skeleton in split.skeletons})

    def origins(self) -> Counter[tuple[str, ...]]:
        """Rows by (origin, its version, licence) over all splits."""
        total: Counter[tuple[str, ...]] = Counter()
        for split in self.splits.values():
            total.update({origin_of(key): rows for key, rows in split.breakdown.origins.items()})
        return total

    def to_json(self) -> dict[str, Any]:
        """Return what :meth:`from_json` reads, of JSON's types, with a summary for people beside it."""
        return {
            "tokenizer": {"name": self.tokenizer, "sha256": self.tokenizer_sha256},
            "rows": self.rows,
            "distinct_skeletons": self.skeletons,
            "rejections": _sorted(self.rejections),
            "measured": self.measured.to_json(),
            "splits": {name: _split_to_json(split) for name, split in self.splits.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Stats:
        """Return the stats that :meth:`to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError: ``data`` is not what it wrote.
        """
        return cls(
            data["tokenizer"]["name"],
            data["tokenizer"]["sha256"],
            {name: _split_from_json(data["splits"][name]) for name in sorted(data["splits"], key=_split_order)},
            Counter(data["rejections"]),
            Measured.from_json(data["measured"]) if "measured" in data else Measured(),
        )

    def dumps(self) -> str:
        """Return :meth:`to_json` as text: equal stats give equal text."""
        return json.dumps(self.to_json(), sort_keys=True)


def _histogram(values: Any) -> Counter[int]:
    lengths, rows = np.unique(values, return_counts=True)
    return Counter(dict(zip(lengths.tolist(), rows.tolist(), strict=True)))


def _counts(column: Any) -> Counter[str]:
    counted = pc.value_counts(column)
    values, rows = counted.field("values").to_pylist(), counted.field("counts").to_pylist()
    return Counter(dict(zip(values, rows, strict=True)))


def _sorted(counter: Mapping[str, int]) -> dict[str, int]:
    return {name: counter[name] for name in sorted(counter)}


def _split_order(name: str) -> tuple[int, str]:
    return (SPLITS.index(name) if name in SPLITS else len(SPLITS), name)


def _split_to_json(split: Split) -> dict[str, Any]:
    # Skeletons by their number of rows, ids of 16 hex digits run together: there are as many as rows.
    clusters: dict[str, list[str]] = {}
    for skeleton in sorted(split.skeletons):
        clusters.setdefault(str(split.skeletons[skeleton]), []).append(skeleton)
    return {
        "columns": {
            name: {
                **summary(column),
                "lengths": {str(length): column.lengths[length] for length in sorted(column.lengths)},
            }
            for name, column in split.columns.items()
        },
        "categories": _sorted(split.categories),
        "features": _sorted(split.features),
        "distinct_skeletons": len(split.skeletons),
        "skeletons_by_rows": {rows: "".join(ids) for rows, ids in clusters.items()},
        "breakdown": split.breakdown.to_json(),
    }


def _split_from_json(data: Mapping[str, Any]) -> Split:
    columns = {
        name: Column(column["bytes"], Counter({int(n): rows for n, rows in column["lengths"].items()}))
        for name, column in ((name, data["columns"][name]) for name in COLUMNS)
    }
    skeletons: Counter[str] = Counter()
    for rows, ids in data["skeletons_by_rows"].items():
        skeletons.update({ids[at : at + 16]: int(rows) for at in range(0, len(ids), 16)})
    breakdown = Breakdown.from_json(data["breakdown"])
    return Split(columns, Counter(data["categories"]), Counter(data["features"]), skeletons, breakdown)
