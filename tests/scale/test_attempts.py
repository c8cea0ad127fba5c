"""A candidate that makes Warp raise, hang or end its process costs itself, and nothing else."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from builder import codegen, stages
from builder.package import attempts
from builder.package.store import Store
from builder.package.unit import make_unit, rejections_of
from builder.record import Reason
from builder.spec import load_spec

from .conftest import SPEC, command, environment, run_build
from .faulty import faulty_environment
from .test_faults import alive, children, subprocess_run, wait_until

SAID = {
    "raise": "Exception: Warp says no",
    "crash": "ends the process that generates it (SIGSEGV)",
    "abort": "ends the process that generates it (SIGABRT)",
    "exit": "ends the process that generates it (exit code 7)",
    "hang": "takes longer than 2 s",
    "memory": "takes more than 4 GiB of memory",
}


def units(store):
    spec = load_spec("paired", **SPEC)
    return [Store(store).get("units", spec.generation_key(), rank) for rank in range(3)]


def victims(store):
    """Return a candidate for each kind of fault: several of each unit."""
    first, second, third = units(store)
    rows = [row for unit in (first.slice(3, 3), second.slice(0, 2), third.slice(9, 1)) for row in unit.to_pylist()]
    return {kind: (row["id"], row["index"]) for kind, row in zip(SAID, rows, strict=True)}


@pytest.mark.slow
def test_only_the_candidate_is_rejected_with_its_reason(reference, tmp_path):
    store, expected = reference
    chosen = victims(store)
    faults = {id_: kind for kind, (id_, _) in chosen.items()}
    again = tmp_path / "store"
    found = run_build(again, num_proc=2, env=faulty_environment(tmp_path, faults), **SPEC)
    assert sum(found["rows"].values()) == SPEC["num_kernels"]
    assert found["rejections"]["codegen_error"] == expected["rejections"].get("codegen_error", 0) + len(SAID)
    details = {one.index: one.detail for unit in units(again) for one in rejections_of(unit)}
    assert {kind: details[index] for kind, (_, index) in chosen.items()} == SAID
    spared = [pc.invert(pc.is_in(unit["id"], pa.array(list(faults)))) for unit in units(store)]
    for unit, whole, mask in zip(units(again), units(store), spared, strict=True):
        assert unit.equals(whole.filter(mask))
    assert not [path for path in (again / "attempts").rglob("*") if path.is_file()]


@pytest.mark.slow
def test_one_process_dies_and_the_rerun_leaves_the_candidate_out(reference, tmp_path):
    store, _ = reference
    id_, index = victims(store)["crash"]
    env = faulty_environment(tmp_path, {id_: "crash"})
    died = subprocess_run(command(tmp_path / "store", **SPEC), environment(**env))
    assert died.returncode < 0
    found = run_build(tmp_path / "store", env=env, **SPEC)
    assert found["rejections"]["codegen_error"] == 1
    assert [one.index for one in rejections_of(units(tmp_path / "store")[0])] == [index]


def test_who_was_killed_at_a_candidate_by_chance_is_not_rejected(reference, tmp_path):
    store, _ = reference
    spec = load_spec("paired", **SPEC)
    note = tmp_path / "store" / "attempts" / spec.generation_key() / "00000000"
    note.parent.mkdir(parents=True)
    note.write_bytes(bytes(60) + b"\x01" + bytes(67))
    assert stages.generate(spec, Store(tmp_path / "store"), 0).equals(units(store)[0])
    assert not note.exists()


def test_two_attempts_at_one_unit_do_not_blame_each_other(tmp_path):
    store = Store(tmp_path)
    with attempts.attempt(store, "key", 0) as one, one.at(7):
        with attempts.attempt(store, "key", 0) as other, other.at(9):
            assert other.refusal(7, "no kernel", False) is None
        assert (tmp_path / "attempts" / "key" / "00000000").read_bytes() == bytes(7) + b"\x01" + bytes(120)
    assert not list((tmp_path / "attempts" / "key").iterdir())


def test_an_error_of_the_block_leaves_no_suspect_but_a_stop_does(tmp_path):
    for error, suspects in ((ValueError, set()), (KeyboardInterrupt, {5})):
        with pytest.raises(error), attempts.attempt(Store(tmp_path), error.__name__, 0) as one, one.at(5):
            raise error
        with attempts.attempt(Store(tmp_path), error.__name__, 0) as again:
            assert again._suspects == suspects


def test_a_trial_says_how_a_candidate_ends_it(reference, tmp_path, monkeypatch):
    rows = units(reference[0])[0].slice(0, 2).to_pylist()
    for name, value in faulty_environment(tmp_path, {rows[0]["id"]: "hang"}).items():
        monkeypatch.setenv(name, value)
    assert attempts.tried(rows[1]["python_source"], True) is None
    monkeypatch.setattr(attempts, "SECONDS", 1.0)
    assert attempts.tried(rows[0]["python_source"], True) == "takes longer than 1 s"


def test_a_trial_does_not_outlive_who_started_it(reference, tmp_path):
    row = units(reference[0])[0].slice(0, 1).to_pylist()[0]
    env = environment(**faulty_environment(tmp_path, {row["id"]: "hang"}))
    code = "import sys; from builder.package.attempts import tried; tried(sys.argv[1], True)"
    parent = subprocess.Popen([sys.executable, "-c", code, row["python_source"]], env=env)
    wait_until(lambda: children(parent.pid))
    (trial,) = children(parent.pid)
    parent.kill()
    parent.wait()
    wait_until(lambda: not alive(trial))


def test_what_warp_never_raised_before_costs_one_candidate(tmp_path, monkeypatch):
    original = codegen.generate

    def generate(text, **options):
        if "wp.tid()" in text and not done:
            done.append(text)
            raise Exception("Warp says\nno")
        return original(text, **options)

    done = []
    monkeypatch.setattr(codegen, "generate", generate)
    table, _ = make_unit(load_spec("paired", **SPEC), 0, {})
    first, *_ = rejections_of(table)
    assert (first.index, first.reason, first.detail) == (0, Reason.CODEGEN_ERROR, "Exception: Warp says no")
    assert table.num_rows == 127
