"""What the decision refuses, and what it counts."""

import gc
import threading
import time

import pytest

from builder import scale
from builder.codegen.warp_internals import INTERNALS
from builder.errors import SpecError, SplitError, StoreError
from builder.package.store import Store
from builder.scale.engines import setup_worker
from builder.scale.pool import Pool
from builder.scale.progress import Silent, Terminal
from builder.spec import load_spec


@pytest.mark.parametrize("num_proc", [0, -1, 1.5, "2", True])
def test_num_proc_is_a_whole_number(tmp_path, num_proc):
    with pytest.raises(SpecError, match="num_proc"):
        scale.build(load_spec("paired"), Store(tmp_path), num_proc=num_proc, progress=Silent())


def test_a_split_that_turns_out_empty_stops_the_build(tmp_path):
    # With five rows some split of this seed stays empty; the candidates are pinned by the golden tests.
    spec = load_spec("paired", num_kernels=5, splits="0.6/0.2/0.2", seed=0)
    with pytest.raises(SplitError, match=r"split '\w+' would be empty: none of 5 kernels.*raise num_kernels"):
        scale.build(spec, Store(tmp_path), progress=Silent())


def test_a_grammar_that_has_no_more_to_give_stops_the_build(tmp_path, monkeypatch):
    from builder.package import unit

    original = unit.candidate
    monkeypatch.setattr(unit, "candidate", lambda seed, index, categories: original(seed, index % 30, categories))
    monkeypatch.setattr("builder.curate.decision.PATIENCE", 2)
    spec = load_spec("paired", num_kernels=200)
    with pytest.raises(SplitError, match="only 30 of 200 kernels"):
        scale.build(spec, Store(tmp_path), progress=Silent())


def test_rejections_are_counted_and_bounded_by_the_last_row(tmp_path, monkeypatch):
    from builder.package import unit

    original = unit.candidate

    def sometimes_broken(seed, index, categories):
        source = original(seed, index // 2 if index % 10 == 1 else index, categories)
        if index % 10 == 5:
            object.__setattr__(source, "text", source.text.replace("wp.tid()", "wp.no_such_builtin()"))
        return source

    monkeypatch.setattr(unit, "candidate", sometimes_broken)
    decision = scale.build(
        load_spec("paired", num_kernels=100, splits="0.6/0.2/0.2"), Store(tmp_path), progress=Silent()
    )
    last = int(decision.index[-1])
    assert decision.rejections["codegen_error"] == sum(1 for index in range(last) if index % 10 == 5)
    assert decision.rejections["duplicate"] >= 1
    assert len(decision.index) + sum(decision.rejections.values()) == last + 1


def test_a_store_below_a_file_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="WARP_CUDA_PAIRS_CACHE"):
        scale.build(load_spec("paired", num_kernels=100), Store(tmp_path / "file" / "store"), progress=Silent())


def test_progress_tells_kernels_and_rejections(tmp_path, capsys):
    told = []

    class Recorder(Silent):
        def start(self, stage, total):
            told.append((stage, total))

        def update(self, kept, rejected):
            told.append((kept, rejected))

        def stop(self):
            told.append("stop")

    scale.build(load_spec("paired", num_kernels=150), Store(tmp_path), progress=Recorder())
    assert told[0] == ("paired: generate", 150)
    assert told[-1] == "stop"
    assert told[-2][0] == 150
    assert [kept for kept, _ in told[1:-1]] == sorted(kept for kept, _ in told[1:-1])
    scale.build(load_spec("paired", num_kernels=150), Store(tmp_path))
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first == "paired: generate: 0/150 kernels, 0 s so far"
    assert last.startswith("paired: generate: 150/150 kernels, ")
    assert last.endswith(" rejected, 0 s left")


def test_without_a_terminal_a_stage_that_brings_nothing_is_told_too(monkeypatch, capsys):
    monkeypatch.setattr("builder.scale.progress._PLAIN_EVERY", 0.02)
    told = Terminal()
    told.start("paired: generate and verify (execute)", 300)
    lines = []
    while len(lines) < 3:
        time.sleep(0.01)
        lines += capsys.readouterr().err.splitlines()
    told.update(128, 5)
    while not (later := [line for line in capsys.readouterr().err.splitlines() if "128" in line]):
        time.sleep(0.01)
    told.start("measure", 0)  # ends the stage before it
    told.stop()
    assert "progress" not in [thread.name for thread in threading.enumerate()]
    assert set(lines) == {"paired: generate and verify (execute): 0/300 kernels, 0 s so far"}
    assert later[0].startswith("paired: generate and verify (execute): 128/300 kernels, ")
    assert ", 5 rejected, " in later[0]
    assert capsys.readouterr().err.splitlines()[-1] == "measure"


def test_a_worker_collects_garbage_seldom_for_its_whole_life():
    """A context manager that nobody holds on to is closed, and Python's own thresholds are back."""
    pool = Pool(1, setup_worker)
    try:
        assert list(pool.in_order(gc.get_threshold, [()])) != [gc.get_threshold()]
    finally:
        pool.close()


def test_a_worker_starts_with_all_that_it_holds_and_says_nothing_of_drivers(capfd):
    pool = Pool(1, setup_worker)
    try:
        (loaded,) = pool.in_order(has_runtime, [()])
    finally:
        pool.close()
    assert loaded
    assert capfd.readouterr().err == ""


def has_runtime():
    return INTERNALS[0].runtime is not None
