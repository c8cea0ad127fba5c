"""What ``configs/`` holds: the shipped configs, their fields and the registered categories."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from typing import Any

import yaml

from .errors import SpecError
from .resources import data_names, data_path

# Entries of a config file that are no fields of a spec.
_NOT_FIELDS = ("extends", "summary")
# Files of configs/ that are no configs.
_NOT_CONFIGS = ("default", "unused_builtins")


@cache
def _yaml(name: str) -> dict[str, Any]:
    try:
        loaded = yaml.safe_load(data_path("configs", f"{name}.yaml").read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise SpecError(f"configs/{name}.yaml is not YAML: {said}") from None
    if not isinstance(loaded, dict) or not all(isinstance(key, str) for key in loaded):
        raise SpecError(f"configs/{name}.yaml must hold a mapping of fields to values")
    return loaded


@cache
def config_names() -> tuple[str, ...]:
    """Return the names of the shipped configs, sorted."""
    return tuple(name for name in data_names("configs", ".yaml") if name not in _NOT_CONFIGS)


@cache
def category_names() -> tuple[str, ...]:
    """Return the registered kernel categories, in the order of ``configs/default.yaml``."""
    return tuple(_yaml("default")["categories"])


@cache
def unused_builtins() -> dict[str, str]:
    """Return the builtins of Warp that no category uses, each with the reason."""
    return {str(name): str(reason) for name, reason in _yaml("unused_builtins").items()}


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return `` Did you mean ...?`` for the allowed name closest to ``name``, or nothing."""
    close = difflib.get_close_matches(name, list(allowed), n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


def unknown(kind: str, name: object, allowed: Iterable[str]) -> str:
    """Return the message for an unknown name: what, the nearest one, and what is allowed."""
    names = list(allowed)
    return f"unknown {kind} {name!r}.{nearest(str(name), names)} Allowed: {', '.join(names)}."


@cache
def config_defaults(config: str) -> dict[str, Any]:
    """Return the fields of a shipped config, its parents' first.

    Raises:
        SpecError: there is no such config.
    """
    if config not in config_names():
        raise SpecError(unknown("config", config, config_names()))
    own = dict(_yaml(config))
    parent = own.get("extends")
    if parent not in (None, "default", *config_names()):
        raise SpecError(f"configs/{config}.yaml extends {parent!r}; allowed: default, {', '.join(config_names())}")
    fields = dict(_yaml(parent)) if parent else {}
    fields.update(own)
    return {name: value for name, value in fields.items() if name not in _NOT_FIELDS}


def config_summary(config: str) -> str:
    """Return the one-line description of a shipped config."""
    return str(_yaml(config)["summary"])
