"""The dataset card: README.md with the front matter that makes ``load_dataset`` read the folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jinja2
import pyarrow as pa
import yaml

from .. import __version__
from ..record import VIEWS
from ..resources import data_path
from ..shipped import config_summary
from .manifest import ConfigEntry, build_versions
from .stats import Stats

_DEFAULT = "paired"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class CardConfig:
    """What the card says of one config."""

    entry: ConfigEntry
    schema: pa.Schema
    stats: Stats


def features_yaml(schema: pa.Schema) -> list[dict[str, Any]]:
    """Return a schema as ``dataset_info.features`` of a front matter, as ``datasets`` itself writes it."""
    return [{"name": field.name, **_type_yaml(field.type)} for field in schema]


def _type_yaml(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {"struct": features_yaml(kind)}
    if pa.types.is_list(kind):
        inner = _type_yaml(kind.value_type)
        return {"list": inner.get("struct", inner.get("dtype", inner))}
    return {"dtype": str(kind)}


def front_matter(configs: Mapping[str, CardConfig], file_format: str) -> dict[str, Any]:
    """Return the front matter: where each split's files are, and what their rows look like.

    ``description`` holds a digest of the files: ``datasets`` keys its cache on it, so an edited shard is not
    served from a stale cache.
    """
    rows = sum(config.stats.rows for config in configs.values())
    return {
        "license": "apache-2.0",
        "pretty_name": "warp_cuda_pairs",
        "task_categories": ["text-generation"],
        "tags": ["code", "cuda", "cpp", "gpu", "warp", "synthetic"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "n>1M")],
        "configs": [_config_yaml(name, config.entry, file_format) for name, config in configs.items()],
        "dataset_info": [_info_yaml(name, config) for name, config in configs.items()],
    }


def _config_yaml(name: str, entry: ConfigEntry, file_format: str) -> dict[str, Any]:
    files = [{"split": split, "path": f"data/{name}/{split}-*.{file_format}"} for split in entry.splits]
    default = {"default": True} if name == _DEFAULT else {}
    return {
        "config_name": name,
        "data_files": files,
        "version": __version__,
        "description": f"sha256:{entry.sha256}",
        **default,
    }


def _info_yaml(name: str, config: CardConfig) -> dict[str, Any]:
    splits = [
        {
            "name": split,
            "num_bytes": sum(file.arrow_bytes for file in files),
            "num_examples": sum(file.rows for file in files),
        }
        for split, files in config.entry.splits.items()
    ]
    return {
        "config_name": name,
        "features": features_yaml(config.schema),
        "splits": splits,
        "download_size": sum(file.bytes for file in config.entry.files),
        "dataset_size": sum(file.arrow_bytes for file in config.entry.files),
    }


def render_card(configs: Mapping[str, CardConfig], file_format: str) -> str:
    """Return README.md, from the configs, the installed versions and ``cards/readme.md.jinja`` alone."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = environment.from_string(data_path("cards", "readme.md.jinja").read_text(encoding="utf-8"))
    return template.render(
        front_matter=yaml.safe_dump(front_matter(configs, file_format), sort_keys=False, allow_unicode=True, width=110),
        configs=configs,
        first=_DEFAULT if _DEFAULT in configs else next(iter(configs)),
        views=VIEWS,
        summaries={name: config_summary(name) for name in configs},
        versions=build_versions(),
        code_columns=sorted({column for name in configs for column in VIEWS[name].code}),
    )
