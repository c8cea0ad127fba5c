"""The stages that an engine runs: each with its ranks, what one rank does, and whether it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..curate.decision import Decision
from ..package.measured import ZSTD_COLUMNS
from ..package.store import Store
from ..spec import BuildSpec
from . import units, whole


class Stage(NamedTuple):
    """A stage.

    Attributes:
        run: makes the files of a rank where they are missing.
        is_done: says whether they are there and whole.
    """

    run: Callable[[BuildSpec, Store, int], object]
    is_done: Callable[[BuildSpec, Store, int], bool]


PREPARE = "prepare"
# What follows the decision; its ranks are those of :func:`ranks_of`.
AFTER = ("compare", "compress", "summarise")
_STAGES = {
    PREPARE: Stage(units.prepare, units.is_prepared),
    "compare": Stage(whole.compare, whole.is_compared),
    "compress": Stage(whole.compress, whole.is_compressed),
    "summarise": Stage(whole.summarise, whole.is_summarised),
}


def run(stage: str, spec: BuildSpec, store: Store, rank: int) -> int:
    """Run one rank of a stage; return the rank. What a worker does.

    Raises:
        StoreError: the store cannot be read or written, or the decision that the stage follows is not in it.
    """
    _STAGES[stage].run(spec, store, rank)
    return rank


def is_done(stage: str, spec: BuildSpec, store: Store, rank: int) -> bool:
    """Say whether :func:`run` would find the rank's files there and whole."""
    return _STAGES[stage].is_done(spec, store, rank)


def ranks_of(stage: str, decision: Decision) -> range:
    """Return the ranks of a stage of :data:`AFTER`."""
    return range(len(ZSTD_COLUMNS) if stage == "compress" else whole.groups(decision))
