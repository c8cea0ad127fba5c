"""The build: units prepared by an engine, decided in order by this process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from .. import stages
from ..curate.decision import Deciding, Decision
from ..errors import SpecError
from ..package import tokens
from ..package.stats import Stats
from ..package.store import Store
from ..spec import SYNTHETIC, UNIT, BuildSpec
from .engines import Engine, opened
from .progress import Reporter, Terminal, reporting


def _expected(spec: BuildSpec, deciding: Deciding) -> int:
    """Return how many more units will likely fill the dataset, from the share kept so far."""
    share = (deciding.kept + UNIT) / (deciding.units * UNIT + UNIT)
    return max(1, math.ceil((spec.num_kernels - deciding.kept) / share / UNIT))


def _decide(spec: BuildSpec, store: Store, engine: Engine, reporter: Reporter) -> Decision:
    deciding = Deciding(spec)
    while not deciding.full:
        first = deciding.units
        for rank in engine.run(stages.PREPARE, range(first, first + _expected(spec, deciding))):
            if not deciding.full:
                stages.offer(deciding, spec, store, rank)
                reporter.update(deciding.kept, deciding.rejected)
    return deciding.result()


def _refresh(spec: BuildSpec, engine: Engine, decision: Decision, reporter: Reporter) -> None:
    """Make what is missing of the units of a decision taken earlier."""
    for rank in engine.run(stages.PREPARE, range(decision.units)):
        kept = min(spec.num_kernels, int(decision.index.searchsorted((rank + 1) * UNIT)))
        reporter.update(kept, sum(decision.rejections.values()))


@contextmanager
def engine_for(
    spec: BuildSpec, store: Store, reporter: Reporter, *, num_proc: int, engine: str, address: str
) -> Iterator[Engine]:
    """Look whether a build can be, mine what it needs, and open its engine for the block.

    Arguments and errors are those of :func:`build`.
    """
    if not isinstance(num_proc, int) or isinstance(num_proc, bool) or num_proc < 1:
        raise SpecError(f"num_proc: must be a whole number of at least 1 (got {num_proc!r})")
    tokens.load(spec.tokenizer)  # a wrong one must not cost a generation
    store.clean()
    if set(spec.sources) != {SYNTHETIC}:
        with reporting(reporter, f"{spec.config}: mine"):
            stages.mined_sources(spec, store)  # once, not in every worker
    with opened(engine, spec, store, num_proc=num_proc, address=address) as opened_engine:
        yield opened_engine


def decide(spec: BuildSpec, store: Store, engine: Engine, reporter: Reporter) -> Decision:
    """Have an engine prepare every unit that a spec needs, and decide which candidates are kept."""
    doing = "generate" if spec.verify == "none" else f"generate and verify ({spec.verify})"
    with reporting(reporter, f"{spec.config}: {doing}", spec.num_kernels):
        decision = stages.saved_decision(spec, store)
        if decision is not None:
            _refresh(spec, engine, decision, reporter)
            return decision
        decision = _decide(spec, store, engine, reporter)
    stages.save_decision(spec, store, decision)
    return decision


def measure(spec: BuildSpec, store: Store, engine: Engine, reporter: Reporter, decision: Decision) -> Stats:
    """Have an engine run the stages that follow the decision; return what they give together."""
    with reporting(reporter, f"{spec.config}: measure"):
        for stage in stages.AFTER:
            for _ in engine.run(stage, stages.ranks_of(stage, decision)):
                pass
        return stages.statistics(spec, store, decision)


def build(
    spec: BuildSpec,
    store: Store,
    *,
    num_proc: int = 1,
    progress: Reporter | None = None,
    engine: str = "local",
    address: str = "auto",
) -> Decision:
    """Make every unit the spec needs and decide which candidates are kept.

    Files already in the store are used; a build that was killed goes on from there. The result does not
    depend on ``num_proc`` or the engine.

    Args:
        num_proc: processes that generate code, at least 1.
        progress: told what is done; a bar on standard error by default, plain lines where that is no terminal.
        engine: one of :data:`~builder.scale.engines.ENGINES`.
        address: of the Ray cluster.

    Raises:
        SpecError: ``num_proc`` or the engine is not allowed, or the tokenizer cannot be had.
        SplitError: a split would be empty, or the grammar has no more new kernels.
        StoreError: the store cannot be written.
        WorkerError: worker processes keep dying, or the cluster cannot be used.
    """
    reporter = progress or Terminal()
    with engine_for(spec, store, reporter, num_proc=num_proc, engine=engine, address=address) as makers:
        return decide(spec, store, makers, reporter)
