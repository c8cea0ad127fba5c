"""Building on one machine: units made by one or more processes, decided in order by this one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager

from .. import codegen, stages
from ..curate.decision import Deciding, Decision
from ..errors import SpecError
from ..package import attempts, tokens
from ..package.store import Store
from ..spec import SYNTHETIC, UNIT, BuildSpec
from .pool import Pool
from .progress import Reporter, Terminal, reporting


def setup_worker() -> None:
    """Prepare a worker process for the stages."""
    tokens.one_thread()
    attempts.limit_candidates()
    codegen.fewer_collections().__enter__()  # for the worker's whole life


class _Here:
    """Prepares units in this process."""

    def __init__(self, spec: BuildSpec, store: Store) -> None:
        self._spec, self._store = spec, store
        self._tuned = ExitStack()
        self._tuned.enter_context(codegen.fewer_collections())

    def prepared(self, ranks: Iterable[int]) -> Iterator[int]:
        return (stages.prepare(self._spec, self._store, rank) for rank in ranks)

    def close(self) -> None:
        self._tuned.close()


class _Workers:
    """Prepares units in worker processes."""

    def __init__(self, spec: BuildSpec, store: Store, num_proc: int) -> None:
        self._spec, self._store = spec, store
        self._pool = Pool(num_proc, setup_worker)

    def prepared(self, ranks: Iterable[int]) -> Iterator[int]:
        # What is there needs no worker; without a task no worker is started.
        there_already = {rank: stages.is_prepared(self._spec, self._store, rank) for rank in ranks}
        tasks = ((self._spec, self._store, rank) for rank, there in there_already.items() if not there)
        made = self._pool.in_order(stages.prepare, tasks)
        return (rank if there else next(made) for rank, there in there_already.items())

    def close(self) -> None:
        self._pool.close()


def _expected(spec: BuildSpec, deciding: Deciding) -> int:
    """Return how many more units will likely fill the dataset, from the share kept so far."""
    share = (deciding.kept + UNIT) / (deciding.units * UNIT + UNIT)
    return max(1, math.ceil((spec.num_kernels - deciding.kept) / share / UNIT))


def _decide(spec: BuildSpec, store: Store, makers: _Here | _Workers, reporter: Reporter) -> Decision:
    deciding = Deciding(spec)
    while not deciding.full:
        first = deciding.units
        for rank in makers.prepared(range(first, first + _expected(spec, deciding))):
            if not deciding.full:
                stages.offer(deciding, spec, store, rank)
                reporter.update(deciding.kept, deciding.rejected)
    return deciding.result()


def _refresh(spec: BuildSpec, store: Store, makers: _Here | _Workers, decision: Decision, reporter: Reporter) -> None:
    """Make what is missing of the units of a decision taken earlier."""
    for rank in makers.prepared(range(decision.units)):
        kept = min(spec.num_kernels, int(decision.index.searchsorted((rank + 1) * UNIT)))
        reporter.update(kept, sum(decision.rejections.values()))


@contextmanager
def _makers(spec: BuildSpec, store: Store, num_proc: int) -> Iterator[_Here | _Workers]:
    with closing(_Here(spec, store) if num_proc == 1 else _Workers(spec, store, num_proc)) as makers:
        yield makers


def build(spec: BuildSpec, store: Store, *, num_proc: int = 1, progress: Reporter | None = None) -> Decision:
    """Make every unit the spec needs and decide which candidates are kept.

    Files already in the store are used; a build that was killed goes on from there. The result does not
    depend on ``num_proc``.

    Args:
        num_proc: processes that generate code, at least 1.
        progress: told what is done; a bar on standard error by default, plain lines where that is no terminal.

    Raises:
        SpecError: ``num_proc`` is not allowed, or the tokenizer cannot be had.
        SplitError: a split would be empty, or the grammar has no more new kernels.
        StoreError: the store cannot be written.
        WorkerError: worker processes keep dying.
    """
    if not isinstance(num_proc, int) or isinstance(num_proc, bool) or num_proc < 1:
        raise SpecError(f"num_proc: must be a whole number of at least 1 (got {num_proc!r})")
    tokens.load(spec.tokenizer)  # a wrong one must not cost a generation
    store.clean()
    reporter = progress or Terminal()
    if set(spec.sources) != {SYNTHETIC}:
        with reporting(reporter, f"{spec.config}: mine"):
            stages.mined_sources(spec, store)  # once, not in every worker
    doing = "generate" if spec.verify == "none" else f"generate and verify ({spec.verify})"
    with (
        reporting(reporter, f"{spec.config}: {doing}", spec.num_kernels),
        _makers(spec, store, num_proc) as makers,
    ):
        decision = stages.saved_decision(spec, store)
        if decision is not None:
            _refresh(spec, store, makers, decision, reporter)
            return decision
        decision = _decide(spec, store, makers, reporter)
    stages.save_decision(spec, store, decision)
    return decision
