"""Same spec, same bytes: for any number of processes, hash seed, and for streaming."""

from pathlib import Path

import pytest

from .conftest import SPEC, run_build


def contents(store: Path) -> dict[str, bytes]:
    return {path.relative_to(store).as_posix(): path.read_bytes() for path in store.rglob("*.arrow")}


@pytest.mark.parametrize("num_proc", [2, 3])
def test_any_number_of_processes(reference, tmp_path, num_proc):
    store, expected = reference
    assert run_build(tmp_path / "store", num_proc=num_proc, **SPEC) == expected
    assert contents(tmp_path / "store") == contents(store)


def test_any_hash_seed(reference, tmp_path):
    store, expected = reference
    assert run_build(tmp_path / "store", env={"PYTHONHASHSEED": "123"}, **SPEC) == expected
    assert contents(tmp_path / "store") == contents(store)


def test_streaming_gives_the_same_rows(reference, tmp_path):
    _, expected = reference
    assert run_build(tmp_path / "store", stream=True, **SPEC)["digests"] == expected["digests"]


def test_another_config_generates_nothing_again(reference, tmp_path):
    store, expected = reference
    before = {path: path.stat().st_mtime_ns for path in (store / "units").rglob("*.arrow")}
    cuda = run_build(store, config="cuda", **SPEC)
    assert cuda["rows"] == expected["rows"]
    assert {path: path.stat().st_mtime_ns for path in (store / "units").rglob("*.arrow")} == before


def test_a_larger_dataset_begins_with_the_smaller(reference):
    from builder import scale, stages
    from builder.package.store import Store
    from builder.scale.progress import Silent
    from builder.spec import load_spec

    store = Store(reference[0])
    small = scale.build(load_spec("paired", **SPEC), store, progress=Silent())
    large = scale.build(load_spec("paired", **{**SPEC, "num_kernels": 500}), store, progress=Silent())
    assert list(large.index[: len(small.index)]) == list(small.index)
    assert list(large.split[: len(small.split)]) == list(small.split)
    assert stages.saved_decision(load_spec("paired", **SPEC), store).rows == small.rows


def test_another_seed_gives_other_rows(reference, tmp_path):
    other = run_build(tmp_path / "store", **{**SPEC, "seed": 6, "num_kernels": 130})
    assert set(other["digests"].values()).isdisjoint(reference[1]["digests"].values())
