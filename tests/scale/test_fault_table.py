"""What a build survives: each fault in subprocesses, then a rerun, then every byte compared. `make test-faults`."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time

import pytest

from .faults import ROOT, STAGES, VERIFIED, Running, build, contents

pytestmark = pytest.mark.slow


class Table:
    """Faults tried and survived; printed when all is over (`pytest -s`)."""

    def __init__(self):
        self.rows = []

    def add(self, fault, tried, survived):
        self.rows.append((fault, tried, survived, tried - survived))

    def __str__(self):
        head = f"\n{'fault':<62} {'tried':>6} {'survived':>9} {'lost':>5}"
        return "\n".join([head, *(f"{row[0]:<62} {row[1]:>6} {row[2]:>9} {row[3]:>5}" for row in self.rows)])


@pytest.fixture(scope="module")
def table():
    found = Table()
    yield found
    print(found, file=sys.stderr)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """One build with two processes: its store, its folder, and how long each stage took."""
    folder = tmp_path_factory.mktemp("undisturbed")
    running = Running.start(folder / "store", folder / "out", num_proc=2)
    assert running.process.wait() == 0, running.said
    ends = [*(running.began[stage] for stage in STAGES[1:]), time.monotonic()]
    seconds = {stage: end - running.began[stage] for stage, end in zip(STAGES, ends, strict=True)}
    return folder / "store", folder / "out", seconds


def same(folder, other):
    return contents(folder) == contents(other)


def whole_or_absent(out, expected):
    return not out.exists() or same(out, expected)


@pytest.mark.parametrize("whom", ["worker", "parent", "everything"])
def test_kill_9_at_random_moments(undisturbed, tmp_path, table, whom):
    _, expected, seconds = undisturbed
    draw = random.Random(f"20 kills, {whom}")
    tried = {"worker": 6, "parent": 7, "everything": 7}[whom]
    survived = 0
    for number in range(tried):
        place = tmp_path / str(number)
        place.mkdir()
        stage = STAGES[number % (2 if whom == "worker" else 3)]  # no worker writes
        running = Running.start(place / "store", place / "out", num_proc=2)
        running.wait_for(stage)
        time.sleep(draw.uniform(0, seconds[stage]))
        running.kill(whom, draw.choice)
        running.process.wait()
        assert whole_or_absent(place / "out", expected)
        done = build(place / "store", place / "out", num_proc=1 + number % 2)
        assert done.returncode == 0, done.stderr
        survived += same(place / "out", expected)
        shutil.rmtree(place)
    table.add(f"kill -9 of {whom}", tried, survived)
    assert survived == tried


def test_many_kills_of_one_build(undisturbed, tmp_path, table):
    _, expected, seconds = undisturbed
    draw = random.Random("one build")
    for _ in range(5):
        running = Running.start(tmp_path / "store", tmp_path / "out", num_proc=2)
        running.wait_for(STAGES[0])
        time.sleep(draw.uniform(0, seconds[STAGES[0]]))
        running.kill("everything", draw.choice)
        running.process.wait()
    assert build(tmp_path / "store", tmp_path / "out", num_proc=2).returncode == 0
    survived = same(tmp_path / "out", expected)
    table.add("kill -9 of everything, five times in a row", 1, int(survived))
    assert survived


def test_kill_9_while_rows_are_verified(tmp_path, table):
    began = time.monotonic()
    assert build(tmp_path / "store", tmp_path / "out", num_proc=2, spec=VERIFIED).returncode == 0
    seconds, draw, survived = time.monotonic() - began, random.Random("verify"), 0
    for whom in ("worker", "parent", "everything"):
        place = tmp_path / whom
        place.mkdir()
        running = Running.start(place / "store", place / "out", num_proc=2, spec=VERIFIED)
        running.wait_for(STAGES[0])
        time.sleep(draw.uniform(0, 0.8 * seconds))
        running.kill(whom, draw.choice)
        running.process.wait()
        done = build(place / "store", place / "out", num_proc=2, spec=VERIFIED)
        assert done.returncode == 0, done.stderr
        survived += same(place / "out", tmp_path / "out")
    table.add("kill -9 of a build with --verify", 3, survived)
    assert survived == 3


def test_two_builds_of_one_store_and_folder_at_once(undisturbed, tmp_path, table):
    _, expected, _ = undisturbed
    both = [Running.start(tmp_path / "store", tmp_path / "out", num_proc=1) for _ in range(2)]
    codes = [running.process.wait() for running in both]
    assert codes == [0, 0], [running.said for running in both]
    assert same(tmp_path / "out", expected)
    assert [path.name for path in tmp_path.iterdir() if ".tmp-" in path.name] == []
    table.add("two builds on one store and one folder at once", 1, 1)


# --- disks ---------------------------------------------------------------------------------------------


def mount(place, options):
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True)
    if done.returncode:
        pytest.skip("mounting a small file system is not allowed here")


@pytest.fixture
def disk(tmp_path):
    """Yield a place for a small file system, which is taken off again at the end."""
    place = tmp_path / "disk"
    yield place
    subprocess.run(["umount", "-l", str(place)], check=False, capture_output=True)


def remount(place, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


def one_line_error(done, words):
    lines = [line for line in done.stderr.splitlines() if "error" in line or "Traceback" in line]
    return done.returncode == 1 and len(lines) == 1 and words in lines[0]


@pytest.mark.parametrize("percent", [2, 25, 50, 75, 96])
def test_a_full_disk_of_the_store(undisturbed, disk, tmp_path, table, percent):
    store, expected, _ = undisturbed
    size = sum(-(-len(data) // 4096) * 4 for data in contents(store).values())  # KiB, in whole pages
    mount(disk, f"size={size * percent // 100}k")
    done = build(disk / "store", tmp_path / "out")
    assert one_line_error(done, "No space left"), done.stderr
    assert not (tmp_path / "out").exists()
    remount(disk, f"size={4 * size}k")
    assert build(disk / "store", tmp_path / "out").returncode == 0
    assert same(tmp_path / "out", expected)
    table.add(f"the store's disk full at {percent} % of what a build needs", 1, 1)


@pytest.mark.parametrize("percent", [5, 50, 95])
def test_a_full_disk_of_the_folder(undisturbed, disk, table, percent):
    store, expected, _ = undisturbed
    size = sum(-(-len(data) // 4096) * 4 for data in contents(expected).values())
    mount(disk, f"size={size * percent // 100}k")
    done = build(store, disk / "out")
    assert one_line_error(done, "No space left"), done.stderr
    assert not list(disk.iterdir())
    remount(disk, f"size={4 * size}k")
    assert build(store, disk / "out").returncode == 0
    assert same(disk / "out", expected)
    table.add(f"the folder's disk full at {percent} % of what it needs", 1, 1)


def test_a_store_that_can_only_be_read(undisturbed, disk, tmp_path, table):
    store, expected, _ = undisturbed
    mount(disk, "size=100m")
    shutil.copytree(store, disk / "store")
    remount(disk, "ro")
    whole = build(disk / "store", tmp_path / "whole")  # all is there: nothing has to be written
    assert whole.returncode == 0, whole.stderr
    assert same(tmp_path / "whole", expected)
    remount(disk, "rw")
    shutil.rmtree(disk / "store" / "edges")
    shutil.rmtree(disk / "store" / "decisions")
    remount(disk, "ro")
    assert one_line_error(build(disk / "store", tmp_path / "part"), "Read-only file system")
    assert not (tmp_path / "part").exists()
    table.add("a store that can only be read: whole, and in part", 2, 2)


@pytest.mark.parametrize("damage", ["a bit", "the second half", "everything", "into a folder"])
def test_a_damaged_file_of_each_stage(undisturbed, tmp_path, table, damage):
    store, expected, _ = undisturbed
    shutil.copytree(store, tmp_path / "store")
    victims = [
        sorted((tmp_path / "store" / kind).rglob("*.arrow"))[0]
        for kind in sorted(os.listdir(store))
        if kind != "attempts"
    ]
    for victim in victims:
        data = bytearray(victim.read_bytes())
        if damage == "a bit":
            data[len(data) // 3] ^= 8
        victim.unlink()
        if damage == "into a folder":
            victim.mkdir()
        else:
            victim.write_bytes({"a bit": data, "the second half": data[: len(data) // 2]}.get(damage, b""))
    done = build(tmp_path / "store", tmp_path / "out")
    if damage == "into a folder":
        assert one_line_error(done, " is a directory"), done.stderr
        assert not (tmp_path / "out").exists()
    else:
        assert done.returncode == 0, done.stderr
        assert same(tmp_path / "out", expected)
    table.add(f"a file of each stage damaged: {damage}", len(victims), len(victims))


BACKWARDS = """
import time
real, calls = time.time, [0]
def earlier():
    calls[0] += 1
    return real() - 3600.0 * calls[0]
time.time = earlier
"""


def test_a_clock_that_goes_backwards(undisturbed, tmp_path, table):
    store, expected, _ = undisturbed
    (tmp_path / "sitecustomize.py").write_text(BACKWARDS)
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    shutil.copytree(store, tmp_path / "store")
    shutil.rmtree(tmp_path / "store" / "tokens")
    for file in (tmp_path / "store").rglob("*.arrow"):
        os.utime(file, (4e9, 4e9))  # of the year 2096
    done = build(tmp_path / "store", tmp_path / "out", num_proc=2, env={"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert same(tmp_path / "out", expected)
    table.add("a clock that goes backwards, files of the future", 1, 1)
