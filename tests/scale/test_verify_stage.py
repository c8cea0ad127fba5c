"""Verification as a stage: what it fails is no row, and nothing else changes. The checks themselves: tests/verify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from builder import scale, stages, verify
from builder.package.store import Store
from builder.record import VERDICTS
from builder.scale.progress import Silent
from builder.spec import SPLITS, load_spec
from builder.verify import Verdict, Verification

SPEC: dict[str, Any] = {"num_kernels": 150, "seed": 5, "categories": "arithmetic,vector"}


EXAMPLE = {
    "dim": [2],
    "tiled": False,
    "arguments": [{"name": "x", "type": "float32", "shape": [2], "before": [0.0, 0.5], "after": [1.0, 2.0]}],
}


def is_bad(row: Mapping[str, Any]) -> bool:
    return int(row["id"], 16) % 10 == 3


@pytest.fixture
def calls(monkeypatch):
    """Put a stub in the engine's place that fails a tenth of all kernels; return the levels it was asked for."""
    levels: list[str] = []

    def stub(rows: Sequence[Mapping[str, Any]], *, level: str, seed: int) -> list[Verification]:
        levels.append(level)
        good, bad = Verdict("passed"), Verdict("failed", "gives nothing")
        ran = Verdict("passed", details={"example": EXAMPLE, "numbers": 3})
        return [Verification(row["id"], compile=good, execute=bad if is_bad(row) else ran) for row in rows]

    monkeypatch.setattr(verify, "verify", stub)
    return levels


def built(tmp_path, **fields):
    spec, store = load_spec("paired", **{**SPEC, **fields}), Store(tmp_path / "store")
    decision = scale.build(spec, store, progress=Silent())
    rows = [row for split in SPLITS for table in stages.rows(spec, store, decision, split) for row in table.to_pylist()]
    return spec, store, decision, rows


def test_a_failed_row_is_not_kept_and_counted(tmp_path, calls):
    _, _, decision, rows = built(tmp_path, verify="execute")
    assert len(rows) == SPEC["num_kernels"]
    assert not any(is_bad(row) for row in rows)
    assert decision.rejections["execute_failed"] > 5
    expected = {"compile": "passed", "execute": "passed", "gradient": "not_run", "gpu": "not_run", "reason": ""}
    assert all(row["verification"] == expected for row in rows)
    assert set(calls) == {"execute"}


def test_rows_of_the_test_split_hold_an_example(tmp_path, calls):
    spec, store, decision, _ = built(tmp_path, verify="execute")
    for split in SPLITS:
        rows = [row for table in stages.rows(spec, store, decision, split) for row in table.to_pylist()]
        assert rows
        assert all(row["io_example"] == (EXAMPLE if split == "test" else None) for row in rows)
    spec, store, decision, rows = built(tmp_path)
    assert {row["io_example"] for row in rows} == {None}


def test_without_it_nothing_is_checked(tmp_path, calls):
    spec, _, decision, rows = built(tmp_path)
    assert calls == []
    assert any(is_bad(row) for row in rows)
    assert "execute_failed" not in decision.rejections
    assert {row["verification"][check] for row in rows for check in VERDICTS} == {"not_run"}
    assert spec.decision_key() != load_spec("paired", **SPEC, verify="compile").decision_key()


def test_verdicts_are_kept_and_shared_by_configs(tmp_path, calls):
    built(tmp_path, verify="execute")
    first = len(calls)
    spec, store, _, _ = built(tmp_path, verify="execute")
    other = spec.model_copy(update={"config": "cuda"})
    decision = scale.build(other, store, progress=Silent())
    assert len(calls) == first
    assert len(decision.index) == SPEC["num_kernels"]


def test_streaming_gives_the_same_rows(tmp_path, calls):
    spec, _, _, rows = built(tmp_path, verify="execute")
    fresh = Store(tmp_path / "other")
    streamed = [row for split in SPLITS for table in stages.stream(spec, fresh, split) for row in table.to_pylist()]
    assert streamed == rows
