"""Exports: every row comes back; what is not ours, or not whole, is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builder.errors import FolderError
from builder.package.derived import read_tables
from builder.package.export import MARK, export_jsonl
from builder.package.folder import write_folder

from .made_up import SPLITS, build, table
from .test_folder import tree


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo") / "demo"
    write_folder(out, [build("paired"), build("cuda")], max_shard_bytes=2_000_000)
    return out


def test_every_row_comes_back(demo: Path, tmp_path: Path) -> None:
    rows = export_jsonl(demo, tmp_path / "new" / "out")
    assert rows == {f"{c}/{s}.jsonl": len(SPLITS[s]) for c in ("paired", "cuda") for s in SPLITS}
    for config in ("paired", "cuda"):
        for split in SPLITS:
            lines = (tmp_path / "new" / "out" / config / f"{split}.jsonl").read_bytes().decode().split("\n")
            assert lines.pop() == ""
            assert [json.loads(line) for line in lines] == table(config, split).to_pylist()
    assert json.loads((tmp_path / "new" / "out" / MARK.file).read_text())["files"] == rows


def test_an_export_of_ours_is_replaced_by_the_same_bytes(demo: Path, tmp_path: Path) -> None:
    export_jsonl(demo, tmp_path / "out")
    before = tree(tmp_path)
    (tmp_path / "out" / "paired" / "old.jsonl").write_text("{}")
    export_jsonl(demo, tmp_path / "out")
    assert tree(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("content", [None, "{}", "{", "[]"])
def test_what_is_not_ours_is_refused(demo: Path, tmp_path: Path, content: str | None) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("dear")
    if content is not None:
        (tmp_path / "out" / MARK.file).write_text(content)
    before = tree(tmp_path)
    with pytest.raises(FolderError, match="is not empty and not an export of ours; give a new or empty folder"):
        export_jsonl(demo, tmp_path / "out")
    assert tree(tmp_path) == before


def test_a_built_folder_is_not_written_into_nor_over(demo: Path) -> None:
    before = tree(demo.parent)
    for out in (demo, demo / "jsonl", demo.parent, demo.parent / "x" / ".." / "demo"):
        with pytest.raises(FolderError, match="give a folder beside it"):
            export_jsonl(demo, out)
    with pytest.raises(FolderError, match="is a file; give a folder"):
        export_jsonl(demo, Path(__file__))
    assert tree(demo.parent) == before


def test_a_damaged_folder_is_not_exported(tmp_path: Path) -> None:
    write_folder(tmp_path / "demo", [build("cpu")])
    (tmp_path / "demo" / "notes.txt").write_text("mine")
    export_jsonl(tmp_path / "demo", tmp_path / "out")
    shard = tmp_path / "demo" / "data" / "cpu" / "test-00000-of-00001.arrow"
    shard.write_bytes(shard.read_bytes()[:-1] + b"!")
    with pytest.raises(FolderError, match=r"is not whole \(damaged: data/cpu/test-00000-of-00001.arrow"):
        export_jsonl(tmp_path / "demo", tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_an_interrupted_export_leaves_what_was_there(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(path: Path) -> None:
        raise KeyboardInterrupt

    export_jsonl(demo, tmp_path / "out")
    before = tree(tmp_path)
    monkeypatch.setattr("builder.package.export.read_tables", stop)
    with pytest.raises(KeyboardInterrupt):
        export_jsonl(demo, tmp_path / "out")
    assert tree(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_parquet_shards_are_read(tmp_path: Path) -> None:
    pq.write_table(table("cpu", "test"), tmp_path / "test.parquet")
    assert pa.concat_tables(read_tables(tmp_path / "test.parquet")).equals(table("cpu", "test"))
