"""The examples of one split, as token ids on disk, and the packed sequences made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .density import Packing, best_fit
from .encoding import Encoder

# A label that the loss leaves out, for PyTorch and all that is built on it.
IGNORED = -100
_IDS = pa.list_(pa.int32())
PACKED_SCHEMA = pa.schema(
    [
        ("input_ids", _IDS),
        ("labels", _IDS),
        ("position_ids", _IDS),  # what keeps a sequence's examples apart in Transformers
        ("seq_lengths", _IDS),  # what keeps them apart in TRL
        ("ids", pa.list_(pa.string())),
    ]
)
_AT_ONCE = 64  # sequences made at a time
_Ints = npt.NDArray[np.int64]


class Batch(NamedTuple):
    """Some rows: their ids, prompts and completions."""

    ids: list[str]
    prompts: list[str]
    completions: list[str]


@dataclass(frozen=True)
class Examples:
    """A split's examples that fit.

    Attributes:
        file: their token ids one after another, int32.
        ids: of the rows.
        lengths: tokens of each; shape ``(len(ids),)``.
        prompts: how many of them come before the completion.
        left_out: rows that are too long.
        cut: of the examples, those that lack their end.
        shortest: tokens of the shortest row, whether it fits or not; 0 where there is no row.
    """

    file: Path
    ids: list[str]
    lengths: _Ints
    prompts: _Ints
    left_out: int
    cut: int
    shortest: int


def write_examples(file: Path, batches: Iterable[Batch], encoder: Encoder, limit: int, *, cut: bool) -> Examples:
    """Tokenize rows, and write those of at most ``limit`` tokens to ``file``.

    Args:
        batches: the rows.
        cut: take the first ``limit`` tokens of a longer row, where that leaves a token of the completion.

    Raises:
        OSError: the file cannot be written.
    """
    ids: list[str] = []
    lengths: list[int] = []
    prompts: list[int] = []
    left_out = were_cut = shortest = 0
    with file.open("xb") as out:
        for batch in batches:
            for name, (tokens, before) in zip(batch.ids, encoder.encode(batch.prompts, batch.completions), strict=True):
                length = len(tokens)
                shortest = min(shortest or length, length)
                if length > limit and not (cut and before < limit):
                    left_out += 1
                    continue
                were_cut += length > limit
                out.write(np.asarray(tokens[:limit], np.int32).tobytes())
                ids.append(name)
                lengths.append(min(length, limit))
                prompts.append(before)
    counts = np.asarray(lengths, np.int64), np.asarray(prompts, np.int64)
    return Examples(file, ids, *counts, left_out=left_out, cut=were_cut, shortest=shortest)


class Sequences:
    """The examples of a split packed into sequences by best fit, longest first, rows of one length in order.

    Attributes:
        packing: how many sequences, and how full.
    """

    def __init__(self, examples: Examples, limit: int, *, whole_labels: bool) -> None:
        self._examples = examples
        # Hidden from the loss. The first token is never predicted: what stands before it is another example.
        self._hidden = np.ones_like(examples.prompts) if whole_labels else np.maximum(examples.prompts, 1)
        longest_first = np.argsort(-examples.lengths, kind="stable")
        numbers = np.fromiter(best_fit(examples.lengths[longest_first].tolist(), limit), np.int64)
        self._order = longest_first[np.argsort(numbers, kind="stable")]
        self._ends = np.cumsum(np.bincount(numbers))
        self.packing = Packing(limit, len(self._ends), len(examples.ids), int(examples.lengths.sum()))

    def tables(self) -> Iterator[pa.Table]:
        """Yield the sequences as tables with :data:`PACKED_SCHEMA`."""
        tokens = np.memmap(self._examples.file, np.int32, mode="r")
        starts = np.cumsum(self._examples.lengths) - self._examples.lengths
        ends = [0, *self._ends.tolist()]
        for at in range(0, self.packing.sequences, _AT_ONCE):
            bounds = np.asarray(ends[at : at + _AT_ONCE + 1])
            yield self._table(tokens, starts, self._order[bounds[0] : bounds[-1]], bounds - bounds[0])

    def _table(self, tokens: Any, starts: _Ints, chosen: _Ints, bounds: _Ints) -> pa.Table:
        """Return sequences as a table; sequence ``k`` has the examples ``chosen[bounds[k]:bounds[k + 1]]``."""
        lengths = self._examples.lengths[chosen]
        parts = zip(starts[chosen].tolist(), lengths.tolist(), strict=True)
        input_ids = np.concatenate([tokens[start : start + length] for start, length in parts])
        begins = np.concatenate([[0], np.cumsum(lengths)])
        position_ids = np.arange(begins[-1]) - np.repeat(begins[:-1], lengths)
        labels = np.where(position_ids < np.repeat(self._hidden[chosen], lengths), IGNORED, input_ids)
        ids = [self._examples.ids[index] for index in chosen.tolist()]
        cuts = begins[bounds]
        columns = [
            *(_lists(cuts, pa.array(flat, pa.int32())) for flat in (input_ids, labels, position_ids)),
            _lists(bounds, pa.array(lengths, pa.int32())),
            _lists(bounds, pa.array(ids, pa.string())),
        ]
        return pa.Table.from_arrays(columns, schema=PACKED_SCHEMA)


def _lists(offsets: _Ints, values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
