"""What a user waits for: the first streamed row, and a load from the cache beside what `datasets` itself takes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from .children import Figures, answer


def _seconds(began: tuple[float, float]) -> Figures:
    return {"wall": time.perf_counter() - began[0], "cpu": time.process_time() - began[1]}


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def first_row(config: str) -> Figures:
    """Return the seconds from the first line of a script to its first row."""
    began = _now()
    from datasets import load_dataset

    rows = load_dataset("warp_cuda_pairs", config, split="train", streaming=True)
    assert next(iter(rows))["id"]
    return _seconds(began)


def fill(config: str, count: str) -> Figures:
    """Build a dataset into the cache."""
    from datasets import load_dataset

    return {"rows": len(load_dataset("warp_cuda_pairs", config, num_kernels=int(count))["train"])}


def cached(who: str, config: str, count: str, folder: str) -> Figures:
    """Return the seconds of a load from the cache: of a script, and of the call alone, first and again.

    Args:
        who: ``ours``, or ``datasets`` for its own loader of the same Arrow files.
        folder: of the cache, which holds the Arrow files.
    """
    began = _now()
    from datasets import load_dataset

    def load() -> int:
        if who == "ours":
            loaded = load_dataset("warp_cuda_pairs", config, num_kernels=int(count))
        else:
            files = {split: str(next(Path(folder).rglob(f"warp_cuda_pairs-{split}.arrow"))) for split in splits}
            loaded = load_dataset("arrow", data_files=files)
        return len(loaded["train"][0])

    splits = ("train", "validation", "test")
    called = _now()
    load()
    figures = {f"call {name}": value for name, value in _seconds(called).items()}
    figures |= {f"script {name}": value for name, value in _seconds(began).items()}
    called = _now()
    load()
    figures |= {f"again {name}": value for name, value in _seconds(called).items()}
    assert "warp" not in sys.modules
    return figures


if __name__ == "__main__":
    answer({"first_row": first_row, "fill": fill, "cached": cached})
