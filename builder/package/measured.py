"""What is measured over all rows of a dataset at once: how alike they are, and how far their text compresses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ..resources import source_digest
from ..spec import BuildSpec
from ..versions import version
from .similarity import Similarity

# Texts are compressed one after the other, as one text. Level 19 takes more than a second for a megabyte, and
# its window holds 8 MiB, so this many rows are both quick and seen as a whole.
ZSTD_LEVEL = 19
ZSTD_ROWS = 1000
ZSTD_COLUMNS = ("python_source", "cuda_forward")
_ZSTD = f"zstd{ZSTD_LEVEL}_first_{ZSTD_ROWS}_rows"


@dataclass
class Compressed:
    """Text of some rows: its bytes in UTF-8, and how many zstd makes of them."""

    rows: int = 0
    bytes: int = 0
    compressed: int = 0

    @classmethod
    def of(cls, texts: Sequence[str]) -> Compressed:
        """Return the size of the texts, one after the other, as one zstd frame of level :data:`ZSTD_LEVEL`."""
        data = "".join(texts).encode()
        return cls(len(texts), len(data), len(pa.Codec("zstd", compression_level=ZSTD_LEVEL).compress(data)))

    @property
    def ratio(self) -> float:
        """How many times smaller the text becomes; 0 where there is none."""
        return self.bytes / self.compressed if self.compressed else 0.0

    def add(self, other: Compressed) -> None:
        """Add text that was compressed apart."""
        self.rows += other.rows
        self.bytes += other.bytes
        self.compressed += other.compressed


@dataclass
class Measured:
    """What was measured; nothing where nothing was. Adds up like all stats.

    Attributes:
        similarity: of the rows.
        zstd: of the text of :data:`ZSTD_COLUMNS`, whether a config shows them or not.
    """

    similarity: Similarity = field(default_factory=Similarity)
    zstd: dict[str, Compressed] = field(default_factory=dict)

    def add(self, other: Measured) -> None:
        """Add what was measured of other rows."""
        self.similarity.add(other.similarity)
        for name, one in other.zstd.items():
            self.zstd.setdefault(name, Compressed()).add(one)

    def to_json(self) -> dict[str, Any]:
        """Return what :meth:`from_json` reads, of JSON's types."""
        return {
            "similarity": self.similarity.to_json(),
            _ZSTD: {
                name: {
                    "rows": one.rows,
                    "bytes": one.bytes,
                    "compressed_bytes": one.compressed,
                    "ratio": round(one.ratio, 4),
                }
                for name, one in sorted(self.zstd.items())
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Measured:
        """Return what :meth:`to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: ``data`` is not that.
        """
        zstd = {
            name: Compressed(one["rows"], one["bytes"], one["compressed_bytes"]) for name, one in data[_ZSTD].items()
        }
        return cls(Similarity.from_json(data["similarity"]), zstd)


def measured_key(spec: BuildSpec) -> str:
    """Return 32 hex digits over all that decides what is measured; configs that show the same rows share it."""
    code = source_digest("package/measured.py", "package/similarity.py", "package/overlap.py")
    # pyarrow brings the zstd library.
    parts = [spec.decision_key(), code, version("pyarrow")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
