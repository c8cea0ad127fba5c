"""Counting tokens beside the tokenizers library, and writing Arrow beside `datasets`' writer; one thread each."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .children import Figures, answer, scratch


def _rows(count: int, root: Path) -> Any:
    """Return the rows of a split, as one table for each unit."""
    from builder import scale, stages
    from builder.package.store import Store
    from builder.scale.progress import Silent
    from builder.spec import load_spec

    spec, store = load_spec("paired", num_kernels=count), Store(root / "store")
    return list(stages.rows(spec, store, scale.build(spec, store, progress=Silent()), "train"))


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def both(count: str) -> Figures:
    """Return tokens and megabytes a second, ours and the libraries'."""
    import tokenizers
    from datasets import Features
    from datasets.arrow_writer import ArrowWriter

    from builder.package import tokens
    from builder.package.shards import write_shards

    tokens.one_thread()
    with scratch() as root:
        tables = _rows(int(count), root)
        texts = [text for table in tables for name in ("prompt", "completion") for text in table[name].to_pylist()]
        ours = tokens.Tokenizer("fresh", tokens.load("default").data)  # remembers nothing yet
        bare = tokenizers.Tokenizer.from_str(ours.data.decode())
        number: list[int] = []
        fast = _timed(lambda: number.append(sum(map(len, bare.encode_batch_fast(texts, add_special_tokens=False)))))
        mine = _timed(lambda: number.append(int(ours.count(texts).sum())))
        assert number[0] == number[1]

        def library() -> None:
            features = Features.from_arrow_schema(tables[0].schema)
            with ArrowWriter(features=features, path=str(root / "bare.arrow")) as writer:
                for table in tables:
                    writer.write_table(table)
                writer.finalize()

        bare_seconds = _timed(library)
        shard_seconds = _timed(lambda: write_shards(root, "paired", "train", iter(tables)))
        megabytes = (root / "bare.arrow").stat().st_size / 1e6
    return {
        "tokens/s": number[0] / mine,
        "bare tokens/s": number[0] / fast,
        "MB/s": megabytes / shard_seconds,
        "bare MB/s": megabytes / bare_seconds,
    }


if __name__ == "__main__":
    answer({"both": both})
