"""The command that builds a folder again, as its card shows it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ..shipped import config_defaults
from ..spec import SPLITS
from .manifest import ConfigEntry
from .shards import MAX_SHARD_BYTES

# Fields of a spec that the rebuilding command writes in a way of their own.
_WRITTEN = {
    *(
        "num_kernels",
        "seed",
        "sources",
        "categories",
        "splits",
        "max_per_skeleton",
        "source_comments",
        "instruction",
        "tokenizer",
    )
}


def command(entries: Mapping[str, ConfigEntry], manifest: Mapping[str, Any]) -> str:
    """Return the command that builds the folder again; one for each group of configs with equal options."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, entry in entries.items():
        groups.setdefault(tuple(_options(name, entry.spec)), []).append(name)
    folder = ["--format", manifest["file_format"]]
    if manifest["max_shard_bytes"] != MAX_SHARD_BYTES:
        folder += ["--shard-size", str(manifest["max_shard_bytes"])]
    lines = [["warp-cuda-pairs", "build", *names, *options, *folder] for options, names in groups.items()]
    outs = ["DIR"] if len(lines) == 1 else [f"DIR-{number}" for number in range(1, len(lines) + 1)]
    return "\n".join(shlex.join([*line, "--out", out]) for line, out in zip(lines, outs, strict=True))


def _options(config: str, spec: Mapping[str, Any]) -> list[str]:
    defaults = config_defaults(config)
    options = ["--num-kernels", str(spec["num_kernels"]), "--seed", str(spec["seed"])]
    for field in ("sources", "categories"):
        if spec[field] != defaults[field]:
            options += [f"--{field}", ",".join(f"{name}={weight!r}" for name, weight in spec[field].items())]
    if spec["splits"] != defaults["splits"]:
        options += ["--splits", "/".join(f"{spec['splits'][split]!r}" for split in SPLITS)]
    if spec["max_per_skeleton"] != defaults["max_per_skeleton"]:
        options += ["--max-per-skeleton", str(spec["max_per_skeleton"])]
    if spec["source_comments"] != defaults["source_comments"]:
        options += ["--source-comments" if spec["source_comments"] else "--no-source-comments"]
    if spec["instruction"].rstrip("\n") != defaults["instruction"].rstrip("\n"):
        options += ["--instruction", spec["instruction"].removesuffix("\n")]
    if spec["tokenizer"] != defaults["tokenizer"]:
        options += ["--tokenizer", "tokenizer.json"]  # the folder holds it
    for name in sorted(set(defaults) - _WRITTEN):
        if spec.get(name, defaults[name]) != defaults[name]:  # an older folder has not every field
            options += [f"--{name.replace('_', '-')}", str(spec[name])]
    return options
