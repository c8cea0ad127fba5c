"""Mining Warp itself: a sample of its modules in every run, all of it in the slow one."""

from __future__ import annotations

import resource

import pytest

from builder.mine.distribution import Distribution, find
from builder.mine.session import look_at
from builder.mine.table import findings_table, joined
from builder.package.mined import mine
from builder.package.store import Store

# Between them: plain kernels, operators on structs, references, native snippets, deterministic mode, closures.
SAMPLE = (
    "warp/examples/core/example_sph.py",
    "warp/tests/aux_test_array_slot_operators.py",
    "warp/tests/test_operators.py",
    "warp/tests/test_snippet.py",
    "warp/tests/test_static.py",
    "warp/tests/test_struct.py",
)


def test_a_sample_of_warp():
    whole = find("warp-lang")
    modules = tuple(module for module in whole.modules if module.path in SAMPLE)
    assert len(modules) == len(SAMPLE)
    sample = Distribution(whole.name, whole.version, whole.licence, modules)
    table, report = joined([findings_table(sample, look_at(modules, 60.0))])
    assert report.modules == ()
    left = {reason: count for reason, count in report.reasons().items() if count}
    assert set(left) <= {"generic", "codegen_error", "duplicate"}, report.kernels
    assert table.num_rows >= 50
    assert set(table.column("license").to_pylist()) == {"Apache-2.0"}


@pytest.mark.slow
def test_all_of_warp(tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    table, report = mine(find("warp-lang"), Store(tmp_path))
    assert table.num_rows >= 3000
    assert report.share() >= 0.95
    assert report.reasons()["worker_died"] == 0
    # The code of every kernel lies in this process once; nothing that generates code runs in it.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_500_000
