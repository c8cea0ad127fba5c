"""The dataset card: README.md with the front matter that makes ``load_dataset`` read the folder.

A pure function of the manifest, the stats and one row of each config.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from .. import __version__
from ..resources import data_path
from ..spec import SYNTHETIC
from . import card_command, card_text
from .card_kernels import of_kernels
from .card_measured import of_measured
from .manifest import ConfigEntry
from .stats import Stats

_DEFAULT = "paired"
# The Hub's identifiers of the licences that mining takes; of another, or an expression of several, it says `other`.
_HUB_LICENCES = (
    "apache-2.0", "bsd", "bsd-2-clause", "bsd-3-clause", "bsl-1.0", "cc0-1.0", "isc", "mit", "ncsa",
    "unlicense", "zlib",
)  # fmt: skip
# What `datasets` calls Arrow's types whose names differ.
_DTYPES = {"double": "float64", "float": "float32", "halffloat": "float16"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class CardConfig:
    """What the card says of one config; ``row`` is the one it shows."""

    entry: ConfigEntry
    schema: pa.Schema
    stats: Stats
    row: Mapping[str, Any]


def features_yaml(schema: pa.Schema) -> list[dict[str, Any]]:
    """Return a schema as ``dataset_info.features`` of a front matter, as ``datasets`` itself writes it."""
    return [{"name": field.name, **_type_yaml(field.type)} for field in schema]


def _type_yaml(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {"struct": features_yaml(kind)}
    if pa.types.is_list(kind):
        inner = _type_yaml(kind.value_type)
        return {"list": inner.get("struct", inner.get("dtype", inner))}
    return {"dtype": _DTYPES.get(str(kind), str(kind))}


def front_matter(configs: Mapping[str, CardConfig], file_format: str) -> dict[str, Any]:
    """Return the front matter: where each split's files are, and what their rows look like.

    ``description`` holds a digest of the files: ``datasets`` keys its cache on it, so an edited shard is not
    served from a stale cache.
    """
    rows = sum(config.stats.rows for config in configs.values())
    origins = {row for config in configs.values() for row in config.stats.origins()}
    licences = _licences(licence for _, _, licence in origins)
    mined = any(name != SYNTHETIC for name, _, _ in origins)
    return {
        "license": licences[0] if len(licences) == 1 else licences,
        "pretty_name": "warp_cuda_pairs",
        "language": ["code", "en"],
        "task_categories": ["text-generation"],
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated", *(["found"] if mined else [])],
        "source_datasets": ["original"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")],
        "tags": [
            "code",
            "cuda",
            "cpp",
            "gpu",
            "warp",
            *(["synthetic"] if SYNTHETIC in {o[0] for o in origins} else []),
        ],
        "configs": [config_yaml(name, config.entry, file_format) for name, config in configs.items()],
        "dataset_info": [info_yaml(name, config.entry, config.schema) for name, config in configs.items()],
    }


def _licences(spdx: Iterable[str]) -> list[str]:
    """Return the Hub's identifiers of some licences; Warp's own, whose text is in every row, among them."""
    found = {name if name in _HUB_LICENCES else "other" for name in map(str.lower, spdx)}
    return sorted(found | {"apache-2.0"})


def config_yaml(name: str, entry: ConfigEntry, file_format: str) -> dict[str, Any]:
    """Return a config's entry under ``configs:`` of a front matter: where its splits' files are."""
    files = [{"split": split, "path": f"data/{name}/{split}-*.{file_format}"} for split in entry.splits]
    default = {"default": True} if name == _DEFAULT else {}
    return {
        "config_name": name,
        "data_files": files,
        "version": __version__,
        "description": f"sha256:{entry.sha256}",
        **default,
    }


def info_yaml(name: str, entry: ConfigEntry, schema: pa.Schema) -> dict[str, Any]:
    """Return a config's entry under ``dataset_info:`` of a front matter: its columns and sizes."""
    splits = [
        {
            "name": split,
            "num_bytes": sum(file.arrow_bytes for file in files),
            "num_examples": sum(file.rows for file in files),
        }
        for split, files in entry.splits.items()
    ]
    return {
        "config_name": name,
        "features": features_yaml(schema),
        "splits": splits,
        "download_size": sum(file.bytes for file in entry.files),
        "dataset_size": sum(file.arrow_bytes for file in entry.files),
    }


def first_config(names: Mapping[str, Any]) -> str:
    """Return the config that stands for all where one must: the default one, or the first."""
    return _DEFAULT if _DEFAULT in names else next(iter(names))


def render_card(configs: Mapping[str, CardConfig], manifest: Mapping[str, Any]) -> str:
    """Return README.md, from ``cards/dataset_card.md.jinja``.

    Args:
        configs: by name, in the order to show.
        manifest: the folder's manifest, whose ``other_files`` are not looked at.
    """
    from huggingface_hub import DatasetCard, DatasetCardData

    entries = {name: config.entry for name, config in configs.items()}
    stats = {name: config.stats for name, config in configs.items()}
    first = first_config(configs)
    view = entries[first].spec.get("view", "prompt_completion")
    card = DatasetCard.from_template(
        DatasetCardData(**front_matter(configs, manifest["file_format"])),
        template_path=str(data_path("cards", "dataset_card.md.jinja")),
        first=first,
        ptx=any(entry.spec.get("ptx") for entry in entries.values()),
        version=manifest["versions"]["builder"],
        versions=", ".join(f"{name} {number}" for name, number in sorted(manifest["versions"].items())),
        samples="\n\n".join(
            card_text.sample(name, config.row, config.entry.spec["instruction"]) for name, config in configs.items()
        ),
        fingerprints=", ".join(f"{name} {entry.fingerprint}" for name, entry in entries.items()),
        command=card_command.command(entries, manifest),
        to_train=card_text.TO_TRAIN[view],
        training_columns=card_text.TRAINING_COLUMNS[view],
        made_table=card_text.made_table(entries),
        **of_kernels(first, stats[first]),
        **card_text.of_stats(stats),
        **of_measured(stats),
    )
    return str(card).rstrip("\n") + "\n"
