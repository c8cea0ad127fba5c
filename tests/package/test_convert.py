"""A converted folder is, byte for byte, the one that a build in that format writes."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from builder.errors import FolderError, SpecError
from builder.package import convert
from builder.package.convert import convert_folder, in_format
from builder.package.folder import write_folder
from builder.package.manifest import MANIFEST, check_folder, read_manifest
from builder.package.scratch import scratch_name

from .made_up import build
from .test_folder import copy_of, tree

FORMATS = ("arrow", "parquet")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same two configs in each format, each train split in several shards."""
    root = tmp_path_factory.mktemp("both")
    for format in FORMATS:
        write_folder(root / format, [build("cuda"), build("paired")], format=format, max_shard_bytes=80_000)
        assert len(list((root / format).glob("data/cuda/train-*"))) > 1
    return {format: root / format for format in FORMATS}


@pytest.mark.parametrize(("old", "new"), [FORMATS, FORMATS[::-1]])
def test_the_same_bytes_as_a_build(both: dict[str, Path], tmp_path: Path, old: str, new: str) -> None:
    before = tree(both[old])
    convert_folder(both[old], tmp_path, new)
    assert tree(tmp_path) == tree(both[new])
    assert check_folder(tmp_path) == []
    assert tree(both[old]) == before


def test_nothing_is_copied_where_the_format_is_right(both: dict[str, Path], tmp_path: Path) -> None:
    with in_format(both["arrow"], "arrow", tmp_path / "store") as ready:
        assert ready == both["arrow"]
    assert not (tmp_path / "store").exists()


def test_the_copy_is_gone_after_the_block(both: dict[str, Path], tmp_path: Path) -> None:
    with in_format(both["arrow"], "parquet", tmp_path / "store") as ready:
        assert tree(ready) == tree(both["parquet"])
        assert ready.parent == tmp_path / "store"
    assert list((tmp_path / "store").iterdir()) == []


def test_what_a_killed_publish_left_is_removed(both: dict[str, Path], tmp_path: Path) -> None:
    left = tmp_path / scratch_name("converted").replace(f"-{os.getpid()}-", "-999999999-")
    left.mkdir()
    os.utime(left, (0, 0))
    with in_format(both["arrow"], "parquet", tmp_path):
        assert not left.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_manifest_keeps_the_versions_it_was_built_with(both: dict[str, Path], tmp_path: Path) -> None:
    old = copy_of(both["arrow"], tmp_path)
    manifest = read_manifest(old)
    versions = {**manifest["versions"], "warp": "1.0.0", "pyarrow": "20.0.0"}
    (old / MANIFEST).write_text(json.dumps({**manifest, "versions": versions}))
    (tmp_path / "new").mkdir()
    convert_folder(old, tmp_path / "new", "parquet")
    now = read_manifest(both["parquet"])["versions"]
    assert read_manifest(tmp_path / "new")["versions"] == {**now, "warp": "1.0.0"}


def test_a_damaged_folder_and_a_format_that_there_is_not(both: dict[str, Path], tmp_path: Path) -> None:
    old = copy_of(both["arrow"], tmp_path)
    (old / "stats.json").write_text("{}")
    with pytest.raises(FolderError, match=r"is not what its manifest says \(damaged: stats.json"):
        convert_folder(old, tmp_path / "new", "parquet")
    with pytest.raises(SpecError, match="Allowed: arrow, parquet"):
        convert_folder(both["arrow"], tmp_path / "new", "csv")


def test_a_full_disk_leaves_no_copy(both: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(convert, "_copy", full)
    with (
        pytest.raises(FolderError, match=r"cannot convert .* to parquet in .*store: No space left .* --format"),
        in_format(both["arrow"], "parquet", tmp_path / "store"),
    ):
        pass
    assert list((tmp_path / "store").iterdir()) == []


def test_a_file_that_changes_meanwhile_is_told(
    both: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = copy_of(both["arrow"], tmp_path)
    checked = convert.check_folder

    def check_then_change(folder: Path) -> list[str]:
        problems = checked(folder)
        (folder / "preamble.cu").write_text("// changed")
        return problems

    monkeypatch.setattr(convert, "check_folder", check_then_change)
    (tmp_path / "new").mkdir()
    with pytest.raises(FolderError, match=r"preamble.cu was changed while it was read"):
        convert_folder(old, tmp_path / "new", "parquet")
