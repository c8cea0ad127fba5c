"""Killed, doubled, damaged: a rerun gives the bytes of an undisturbed build."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.processes import hear_ctrl_c

from .conftest import SPEC, command, environment, run_build
from .test_same_rows import contents


def units(store):
    return list((store / "units").rglob("*-*.arrow")) if store.exists() else []


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until(condition, seconds=90):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def start(store, num_proc):
    return subprocess.Popen(
        command(store, num_proc=num_proc, **SPEC),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def subprocess_run(arguments, env):
    return subprocess.run(arguments, env=env, capture_output=True, text=True, check=False)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("num_proc", [1, 2])
def test_kill_9_and_rerun(reference, tmp_path, num_proc):
    store, expected = reference
    again = tmp_path / "store"
    process = start(again, num_proc)
    wait_until(lambda: len(units(again)) >= 1)
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = len(units(again))
    assert done < 4, "the build was over before it was killed"
    wait_until(lambda: not any(map(alive, workers)))  # no orphan goes on
    kept = {path: path.stat().st_mtime_ns for path in units(again)}
    assert run_build(again, num_proc=num_proc, **SPEC) == expected
    assert contents(again) == contents(store)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept  # finished units were not made again


def test_a_killed_worker_costs_only_its_task(reference, tmp_path):
    store, _ = reference
    process = start(tmp_path / "store", 2)
    wait_until(lambda: len(units(tmp_path / "store")) >= 1)
    workers = [pid for pid in children(process.pid) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(workers[0], signal.SIGKILL)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert contents(tmp_path / "store") == contents(store)


def test_two_builds_at_once(reference, tmp_path):
    store, _ = reference
    both = [start(tmp_path / "store", 1) for _ in range(2)]
    results = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], results
    assert contents(tmp_path / "store") == contents(store)
    assert not list((tmp_path / "store").rglob("*.tmp-*"))


@pytest.mark.parametrize("kind", ["units", "edges", "tokens", "decisions"])
@pytest.mark.parametrize("damage", ["flip", "truncate"])
def test_a_damaged_file_is_made_again(reference, tmp_path, kind, damage):
    store, expected = reference
    copy = tmp_path / "store"
    shutil.copytree(store, copy)
    victim = sorted((copy / kind).rglob("*.arrow"))[0]
    data = bytearray(victim.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    else:
        del data[len(data) // 2 :]
    victim.write_bytes(data)
    assert run_build(copy, **SPEC) == expected
    assert victim.read_bytes() == (store / victim.relative_to(copy)).read_bytes()


def test_ctrl_c_ends_at_once_without_orphans(tmp_path):
    store = tmp_path / "store"
    process = subprocess.Popen(
        command(store, num_proc=2, num_kernels=5000),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )
    wait_until(lambda: len(units(store)) >= 1)
    workers = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode != 0
    assert b"KeyboardInterrupt" in err
    wait_until(lambda: not any(map(alive, workers)), 10)
