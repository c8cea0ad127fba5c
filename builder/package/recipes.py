"""Recipes: files in a built folder that start a fine-tuning run with well-known trainers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from ..resources import data_names, data_path
from .lengths import LIMITS
from .manifest import ConfigEntry, FileEntry
from .shards import write_file
from .stats import Stats

FOLDER = "recipes"
# LLaMA-Factory looks for this name, in the folder that its `dataset_dir` names.
DATASET_INFO = "dataset_info.json"
_SPLITS = ("train", "validation")
_FITTING = 0.95  # share of the training rows that a recipe's length should hold


def write_recipes(root: Path, entries: Mapping[str, ConfigEntry], stats: Mapping[str, Stats]) -> list[FileEntry]:
    """Write the recipes of a folder's configs below ``root``; return what the manifest says of them.

    A config in the view ``raw`` has no columns to train on, so it gets none.
    """
    trained = {name: entry.spec["view"] for name, entry in entries.items() if entry.spec["view"] != "raw"}
    if not trained:
        return []
    (root / FOLDER).mkdir()
    written = [write_file(root, DATASET_INFO, json.dumps(_dataset_info(trained), indent=1) + "\n")]
    for name, view in trained.items():
        values = {"config": name, "view": view, **_length(stats[name])}
        for template in data_names("cards/recipes", ".jinja"):
            stem, _, suffix = template.rpartition(".")
            text = render_template("cards/recipes", template, values)
            written.append(write_file(root, f"{FOLDER}/{stem}-{name}.{suffix}", text))
    return written


def _length(stats: Stats) -> dict[str, Any]:
    """Return the least usual length that holds most training rows with an end-of-sequence token, and the share."""
    lengths = stats.splits["train"].columns["total"]
    limit = next((one for one in LIMITS if lengths.fits(one - 1) >= _FITTING), LIMITS[-1])
    return {"max_length": limit, "fitting": f"{100 * lengths.fits(limit - 1):.1f}", "tokenizer": stats.tokenizer}


def _dataset_info(views: Mapping[str, str]) -> dict[str, Any]:
    # `script_url` makes LLaMA-Factory load this folder by its card; by `file_name` it would mix the splits.
    return {
        f"{name}_{split}": {"script_url": ".", "subset": name, "split": split, **_format(view)}
        for name, view in views.items()
        for split in _SPLITS
    }


def _format(view: str) -> dict[str, Any]:
    if view == "messages":
        tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
        return {"formatting": "sharegpt", "columns": {"messages": "messages"}, "tags": tags}
    if view == "text":
        return {"formatting": "alpaca", "columns": {"prompt": "text"}}
    return {"formatting": "alpaca", "columns": {"prompt": "prompt", "response": "completion"}}


def render_template(folder: str, template: str, values: Mapping[str, Any]) -> str:
    """Return ``<folder>/<template>.jinja``, a plain text file, with ``values`` in it."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    text = data_path(folder, f"{template}.jinja").read_text(encoding="utf-8")
    return environment.from_string(text).render(values)
