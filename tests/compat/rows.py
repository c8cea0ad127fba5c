"""Prints a digest of the rows of each config and split of a folder, as the installed `datasets` loads them.

Runs in an environment that holds nothing but `datasets`: it imports nothing of this project.
"""

from __future__ import annotations

import hashlib
import json
import sys

import datasets

SPLITS = ("train", "validation", "test")


def digest(rows):
    """Return how many rows there are, and one sha256 over them all, columns in order."""
    lines = [json.dumps(row, ensure_ascii=True) for row in rows]
    return [len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()]


def main(folder, cache):
    datasets.disable_progress_bars()
    found = {"default": datasets.load_dataset(folder, cache_dir=cache)["train"].column_names}
    for config in sorted(datasets.get_dataset_config_names(folder)):
        loaded = datasets.load_dataset(folder, config, cache_dir=cache)
        for split in SPLITS:
            found[f"{config}/{split}"] = digest(loaded[split])
        streamed = datasets.load_dataset(folder, config, split="test", streaming=True)
        found[f"{config}/test, streamed"] = digest(streamed)
    print(json.dumps({"datasets": datasets.__version__, "rows": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
