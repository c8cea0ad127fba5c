"""The store: round trips, damage, concurrency, kill -9, disks that refuse."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from builder.errors import StoreError
from builder.package import scratch
from builder.package.store import CACHE_VARIABLE, KINDS, Store, default_store
from builder.record import row_schema

from .made_up import rows

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def files(store: Store) -> list[Path]:
    return sorted(path for path in store.root.rglob("*") if path.is_file())


def python(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [0, 999, 1000, 12_345_678])
def test_what_is_put_is_got(store: Store, kind: str, rank: int) -> None:
    table = rows("paired", range(5)).replace_schema_metadata({"rejections": "3"})
    path = store.put(kind, "key", rank, table)
    assert store.path(kind, "key", rank) == path
    for reader in (store, Store(store.root), pickle.loads(pickle.dumps(store))):
        got = reader.get(kind, "key", rank)
        assert got.equals(table, check_metadata=True)
    assert store.get(kind, "other", rank) is None
    assert store.get(kind, "key", rank + 1) is None


def test_empty_table(store: Store) -> None:
    table = row_schema("cpu").empty_table()
    store.put("units", "key", 0, table)
    assert store.get("units", "key", 0).equals(table)


def test_same_rows_same_file_however_chunked(store: Store) -> None:
    whole = rows("cpu", range(40))
    chunked = pa.concat_tables([whole.slice(0, 7), whole.slice(7, 20), whole.slice(27)])
    first = store.put("units", "key", 0, whole)
    content = first.read_bytes()
    assert store.put("units", "key", 0, chunked) == first
    assert store.put("units", "key", 0, rows("cpu", range(50)).slice(0, 40)) == first
    assert first.read_bytes() == content
    assert files(store) == [first]


def test_another_process_makes_the_file_after_a_miss(store: Store) -> None:
    table = rows("cpu", range(3))
    assert store.get("units", "key", 0) is None
    Store(store.root).put("units", "key", 0, table)
    assert store.get("units", "key", 0).equals(table)


def _flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("where", [0, 9, 0.25, 0.5, -1])
def test_flipped_bit_is_noticed_and_made_again(store: Store, caplog: pytest.LogCaptureFixture, where: float) -> None:
    table = rows("cpu", range(20))
    path = store.put("units", "key", 3, table)
    size = path.stat().st_size
    _flip(path, int(where * size) if isinstance(where, float) else where % size)
    fresh = Store(store.root)
    with caplog.at_level(logging.WARNING):
        assert fresh.get("units", "key", 3) is None
        assert fresh.path("units", "key", 3) is None
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} is damaged (its checksum does not hold); it is made again"
    ]
    assert fresh.put("units", "key", 3, table) == path
    assert fresh.get("units", "key", 3).equals(table)
    assert Store(store.root).get("units", "key", 3).equals(table)


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
def test_truncated_file_is_made_again(store: Store, keep: int) -> None:
    path = store.put("units", "key", 0, rows("cpu", range(20)))
    size = path.stat().st_size
    os.truncate(path, keep % size)
    assert Store(store.root).get("units", "key", 0) is None


def test_file_damaged_after_it_was_verified(store: Store) -> None:
    path = store.put("units", "key", 0, rows("cpu", range(20)))
    assert store.get("units", "key", 0) is not None
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[:-8] + bytes(8))
    assert store.get("units", "key", 0) is None


def test_files_of_others_are_not_ours(store: Store) -> None:
    path = store.put("units", "key", 0, rows("cpu", range(2)))
    for name in ("notes.arrow", "x-y.arrow", "00000001-.arrow", ".DS_Store"):
        (path.parent / name).write_bytes(b"not ours")
    fresh = Store(store.root)
    assert fresh.get("units", "key", 0) is not None
    assert fresh.get("units", "key", 1) is None


def test_many_mapped_tables_hold_no_file_descriptor(store: Store) -> None:
    store.put("units", "key", 0, rows("cpu", range(2)))
    before = len(os.listdir("/proc/self/fd"))
    tables = [store.get("units", "key", 0) for _ in range(50)]
    assert len(os.listdir("/proc/self/fd")) == before
    assert len(tables) == 50


WRITER = """
import sys
from pathlib import Path
from builder.package.store import Store
import pyarrow as pa
store = Store(Path(sys.argv[1]))
sys.stdout.write("ready\\n"); sys.stdout.flush()
for turn in range(int(sys.argv[2])):
    for rank in range(4):
        table = pa.table({"rank": [rank] * 1000, "text": ["x" * 2000] * 1000})
        store.put("units", "key", rank, table)
        assert store.get("units", "key", rank).equals(table)
"""


def test_concurrent_writers(store: Store) -> None:
    writers = [python(WRITER, store.root, 5) for _ in range(3)]
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    assert len(files(store)) == 4
    for rank in range(4):
        assert store.get("units", "key", rank).column("rank").unique().to_pylist() == [rank]


def test_killed_writer_leaves_a_usable_store(store: Store) -> None:
    writer = python(WRITER, store.root, 1_000_000)
    assert writer.stdout is not None
    writer.stdout.readline()
    while not files(store):
        time.sleep(0.01)
    time.sleep(0.05)
    writer.send_signal(signal.SIGKILL)
    writer.communicate(timeout=60)
    for rank in range(4):
        table = pa.table({"rank": [rank] * 1000, "text": ["x" * 2000] * 1000})
        got = store.get("units", "key", rank)
        assert got is None or got.equals(table)
        store.put("units", "key", rank, table)
        assert store.get("units", "key", rank).equals(table)


def test_clean_removes_only_what_nobody_will_finish(store: Store) -> None:
    kept = store.put("units", "key", 0, rows("cpu", range(2)))
    gone = python("import os; print(os.getpid())")
    pid = int(gone.communicate(timeout=60)[0])
    folder = kept.parent
    host = scratch.scratch_name("x").split("-")[1]
    dead_old = folder / f".00000001.tmp-{host}-{pid}-00000000"
    dead_new = folder / f".00000002.tmp-{host}-{pid}-00000000"
    alive_old = folder / f".00000003.tmp-{host}-{os.getpid()}-00000000"
    elsewhere = folder / f".00000004.tmp-ffffffff-{pid}-00000000"
    elsewhere_old = folder / f".00000005.tmp-ffffffff-{pid}-00000000"
    for path in (dead_old, dead_new, alive_old, elsewhere, elsewhere_old):
        path.write_bytes(b"half")
    hours = {dead_old: 2, alive_old: 48, elsewhere: 2, elsewhere_old: 48}
    for path, age in hours.items():
        os.utime(path, (time.time() - 3600 * age,) * 2)
    assert store.clean() == 2
    assert files(store) == sorted([dead_new, alive_old, elsewhere, kept])


def test_clean_of_a_store_that_is_not_there(store: Store) -> None:
    assert store.clean() == 0


def _one_line(error: BaseException) -> str:
    text = str(error)
    assert "\n" not in text
    return text


def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "store")  # fails for root too
    with pytest.raises(StoreError) as caught:
        store.put("units", "key", 0, rows("cpu", range(2)))
    assert _one_line(caught.value) == (
        f"cannot write to the store {store.root}: Not a directory; set {CACHE_VARIABLE} to another folder"
    )


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_full_disk_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, full)
    with pytest.raises(StoreError, match="No space left on device; free some space there, or set WARP") as caught:
        store.put("units", "key", 0, rows("cpu", range(2)))
    _one_line(caught.value)
    assert files(store) == []
    monkeypatch.undo()
    assert store.get("units", "key", 0) is None
    assert store.put("units", "key", 0, rows("cpu", range(2))).is_file()


@contextlib.contextmanager
def small_disk(path: Path, size: str) -> Iterator[Path]:
    """Mount a tmpfs of ``size``, or skip."""
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], capture_output=True)
    if done.returncode:
        pytest.skip("this user may not mount a tmpfs")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_really_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        store = Store(disk / "store")
        table = pa.table({"text": ["x" * 300_000]})
        for rank in range(3):
            store.put("units", "key", rank, table)
        with pytest.raises(StoreError, match="No space left on device"):
            store.put("units", "key", 3, table)
        assert not [path for path in files(store) if ".tmp-" in path.name]
        assert store.get("units", "key", 0).equals(table)


def test_read_only_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        table = rows("cpu", range(2))
        Store(disk).put("units", "key", 0, table)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert Store(disk).get("units", "key", 0).equals(table)
        with pytest.raises(StoreError, match="Read-only file system"):
            Store(disk).put("units", "key", 1, table)


def test_default_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code = "from builder.package.store import default_store; print(default_store().root, end='')"
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    assert python(code).communicate(timeout=60)[0].decode() == str(tmp_path / "hf" / "warp_cuda_pairs")
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    expected = tmp_path / "huggingface" / "warp_cuda_pairs"
    assert python(code).communicate(timeout=60)[0].decode() == str(expected)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "own"))
    assert default_store().root == tmp_path / "own"


def test_wrong_kind_and_rank(store: Store) -> None:
    with pytest.raises(ValueError, match="unknown kind 'shards'; allowed: units, edges"):
        store.get("shards", "key", 0)
    with pytest.raises(ValueError, match="rank -1 is negative"):
        store.get("units", "key", -1)
