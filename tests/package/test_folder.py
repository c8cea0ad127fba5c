"""Built folders: what is written, loads; what is damaged, is named; what fails, leaves nothing."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from builder.codegen import preamble
from builder.errors import FolderError, SpecError, SplitError, StoreError
from builder.package import scratch, shards
from builder.package.card import features_yaml
from builder.package.folder import ConfigBuild, check_target, load_stats, write_folder
from builder.package.manifest import MANIFEST, README, STATS, TOKENIZER, check_folder, read_manifest
from builder.package.sizes import parse_size
from builder.record import VIEWS, row_schema

from .made_up import SPLITS, build, table
from .test_store import small_disk

SMALL = 2_000_000  # three shards of train
SMALL_PARQUET = 100_000


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo") / "demo"
    write_folder(out, [build("paired"), build("cuda")], max_shard_bytes=SMALL)
    return out


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("parquet") / "demo"
    write_folder(out, [build("paired"), build("cuda")], format="parquet", max_shard_bytes=SMALL_PARQUET)
    return out


@pytest.fixture(params=["arrow", "parquet"])
def either(request: pytest.FixtureRequest, demo: Path, parquet: Path) -> Path:
    return demo if request.param == "arrow" else parquet


def copy_of(demo: Path, tmp_path: Path) -> Path:
    out = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(demo), str(out)], check=True)
    return out


def tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_layout_and_manifest(demo: Path) -> None:
    files = tree(demo)
    assert [name for name in files if "paired/train" in name] == [
        f"data/paired/train-0000{number}-of-00003.arrow" for number in range(3)
    ]
    manifest = read_manifest(demo)
    for config in ("paired", "cuda"):
        for split, indices in SPLITS.items():
            part = manifest["configs"][config]["splits"][split]
            assert part["rows"] == len(indices) == sum(file["rows"] for file in part["files"])
            for file in part["files"]:
                content = files.pop(file["path"])
                assert hashlib.sha256(content).hexdigest() == file["sha256"]
                assert len(content) == file["bytes"]
    plots = [name for name in files if name.startswith("plots/")]
    assert len(plots) == 5
    files = {name: data for name, data in files.items() if not name.startswith("recipes/")}
    assert sorted(files) == sorted(
        [MANIFEST, README, STATS, TOKENIZER, "dataset_info.json", "preamble.cpp", "preamble.cu", *plots]
    )
    assert files["preamble.cu"].decode() == preamble("cuda")
    assert hashlib.sha256(files[TOKENIZER]).hexdigest() == manifest["configs"]["cuda"]["tokenizer_sha256"]
    assert manifest["configs"]["paired"]["rejections"] == {"duplicate": 3}
    assert manifest["configs"]["paired"]["spec"]["config"] == "paired"
    assert {"builder", "warp", "datasets", "pyarrow", "tokenizers", "python"} <= set(manifest["versions"])
    assert check_folder(demo) == []


def test_shards_hold_the_rows_without_schema_metadata(demo: Path) -> None:
    paths = sorted((demo / "data" / "paired").glob("train-*"))
    read = [pa.ipc.open_stream(path.read_bytes()).read_all() for path in paths]
    assert all(part.schema.metadata is None for part in read)
    assert pa.concat_tables(read).equals(table("paired", "train"))


def test_parquet_holds_the_rows_in_chunks_with_a_page_index(parquet: Path) -> None:
    paths = sorted((parquet / "data" / "paired").glob("train-*"))
    assert [path.name for path in paths] == [f"train-0000{number}-of-00003.parquet" for number in range(3)]
    assert pa.concat_tables([pq.read_table(path) for path in paths]).equals(table("paired", "train"))
    for path in paths:
        meta = pq.read_metadata(path)
        assert b"content_defined_chunking" in meta.metadata
        column = meta.row_group(0).column(0)
        assert column.has_offset_index
        assert column.has_column_index


def test_sizes_in_memory_do_not_depend_on_the_format(demo: Path, parquet: Path) -> None:
    fronts = [yaml.safe_load((out / README).read_text().split("---\n")[1]) for out in (demo, parquet)]
    infos = [[(info["splits"], info["dataset_size"]) for info in front["dataset_info"]] for front in fronts]
    assert infos[0] == infos[1]
    assert fronts[1]["dataset_info"][0]["download_size"] < fronts[0]["dataset_info"][0]["download_size"]


def test_globs_name_the_files_of_their_split(either: Path) -> None:
    front = yaml.safe_load((either / README).read_text().split("---\n")[1])
    manifest = read_manifest(either)
    for config in front["configs"]:
        for glob in config["data_files"]:
            files = manifest["configs"][config["config_name"]]["splits"][glob["split"]]["files"]
            found = sorted(path.relative_to(either).as_posix() for path in either.glob(glob["path"]))
            assert found == [file["path"] for file in files]


def test_load_dataset_reads_it(either: Path, tmp_path: Path) -> None:
    cache = str(tmp_path)
    loaded = datasets.load_dataset(str(either), cache_dir=cache)
    named = datasets.load_dataset(str(either), "paired", cache_dir=cache)
    for split in SPLITS:
        assert named[split].to_list() == table("paired", split).to_pylist()
        assert loaded[split].column_names == named[split].column_names
    assert datasets.get_dataset_config_names(str(either)) == ["paired", "cuda"]
    streamed = datasets.load_dataset(str(either), "cuda", split="test", streaming=True)
    assert list(streamed) == table("cuda", "test").to_pylist()


def test_a_rebuilt_folder_is_not_served_from_the_cache(tmp_path: Path) -> None:
    out, cache = tmp_path / "demo", str(tmp_path / "cache")
    write_folder(out, [_only(build("cpu"), 30)])
    first = datasets.load_dataset(str(out), "cpu", cache_dir=cache)
    write_folder(out, [_only(build("cpu"), 20)])
    second = datasets.load_dataset(str(out), "cpu", cache_dir=cache)
    assert (first["train"].num_rows, second["train"].num_rows) == (30, 20)


def _only(whole: ConfigBuild, rows: int) -> ConfigBuild:
    def reader(split: str) -> Iterator[pa.Table]:
        yield table(whole.spec.config, split).slice(0, rows)

    splits = {split: (lambda split=split: reader(split)) for split in SPLITS}
    return dataclasses.replace(whole, splits=splits)


@pytest.mark.parametrize("config", list(VIEWS))
def test_features_are_what_datasets_writes(config: str) -> None:
    schema = row_schema(config)
    assert features_yaml(schema) == datasets.Features.from_arrow_schema(schema)._to_yaml_list()


def test_front_matter(demo: Path) -> None:
    front = yaml.safe_load((demo / README).read_text().split("---\n")[1])
    manifest = read_manifest(demo)
    assert [config.get("default") for config in front["configs"]] == [True, None]
    for config in front["configs"]:
        assert config["description"] == "sha256:" + manifest["configs"][config["config_name"]]["sha256"]
    info = front["dataset_info"][0]
    assert {split["name"]: split["num_examples"] for split in info["splits"]} == {
        split: len(indices) for split, indices in SPLITS.items()
    }


def test_stats_come_back(demo: Path) -> None:
    assert load_stats(demo) == {"paired": build("paired").stats, "cuda": build("cuda").stats}


@pytest.mark.parametrize("chunk", [1, 100, 513, 5000])
def test_same_bytes_however_the_rows_come(demo: Path, parquet: Path, tmp_path: Path, chunk: int) -> None:
    builds = [build("paired", chunk=chunk), build("cuda", chunk=chunk)]
    write_folder(tmp_path / "again", builds, max_shard_bytes=SMALL)
    write_folder(tmp_path / "parquet", builds, format="parquet", max_shard_bytes=SMALL_PARQUET)
    assert tree(tmp_path / "again") == tree(demo)
    assert tree(tmp_path / "parquet") == tree(parquet)


def test_check_of_parquet(parquet: Path, tmp_path: Path) -> None:
    assert check_folder(parquet) == []
    out = copy_of(parquet, tmp_path)
    flipped = out / "data/cuda/test-00000-of-00001.parquet"
    data = bytearray(flipped.read_bytes())
    data[-20] ^= 1
    flipped.write_bytes(data)
    (said,) = check_folder(out)
    assert said.startswith("damaged: data/cuda/test-00000-of-00001.parquet does not have the sha256")


def test_check_names_each_damaged_missing_and_extra_file(demo: Path, tmp_path: Path) -> None:
    out = copy_of(demo, tmp_path)
    flipped = out / "data/paired/train-00001-of-00003.arrow"
    data = bytearray(flipped.read_bytes())
    data[len(data) // 2] ^= 1
    flipped.write_bytes(data)
    cut = out / "data/cuda/test-00000-of-00001.arrow"
    size = cut.stat().st_size
    os.truncate(cut, size - 1)
    (out / "data/cuda/validation-00000-of-00001.arrow").unlink()
    (out / "data/paired/train-00003-of-00004.arrow").write_bytes(b"more")
    (out / STATS).write_text("{}")
    (out / README).unlink()
    (out / ".gitattributes").write_text("mine")
    stats_size = (demo / STATS).stat().st_size
    assert check_folder(out) == [
        "missing: README.md",
        f"damaged: data/cuda/test-00000-of-00001.arrow has {size - 1:,} bytes, the manifest says {size:,}",
        "missing: data/cuda/validation-00000-of-00001.arrow",
        "damaged: data/paired/train-00001-of-00003.arrow does not have the sha256 that the manifest says",
        "extra: data/paired/train-00003-of-00004.arrow is not in the manifest",
        f"damaged: stats.json has 2 bytes, the manifest says {stats_size:,}",
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "has no manifest.json: it is not a folder that `build --out` made"),
        (b"{", "is damaged: it is not JSON"),
        (b"\xff", "is damaged: it is not JSON"),
        (b"[]", "is not a manifest of warp_cuda_pairs"),
        (b'{"format": "warp_cuda_pairs", "format_version": 99}', "has format version 99; this version reads 1"),
        (b'{"format": "warp_cuda_pairs", "format_version": 1}', "is damaged (file_format: Field required); build"),
    ],
)
def test_check_without_a_readable_manifest(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(FolderError) as caught:
        check_folder(tmp_path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("file_format",), "csv", "file_format"),
        (("max_shard_bytes",), "500MB", "max_shard_bytes"),
        (("versions", "warp"), 1, "versions.warp"),
        (("configs",), [], "configs"),
        (("configs", "../cuda"), {}, "configs.../cuda"),
        (("configs", "cuda", "spec"), None, "configs.cuda.spec"),
        (("configs", "cuda", "splits", "test"), None, "configs.cuda.splits.test"),
        (("configs", "cuda", "splits", "dev"), {"rows": 0, "bytes": 0, "files": []}, "configs.cuda.splits.dev.files"),
        (("configs", "cuda", "splits", "test", "files", 0, "bytes"), "12", "configs.cuda.splits.test.files.0.bytes"),
        (("configs", "cuda", "splits", "test", "files", 0, "sha256"), "f", "configs.cuda.splits.test.files.0.sha256"),
        (("other_files", 0, "path"), "../thesis.tex", "is no path below the folder"),
        (("other_files", 0, "path"), "/etc/passwd", "is no path below the folder"),
        (("other_files", 0, "path"), "", "is no path below the folder"),
        (("other_files", 0, "mode"), 7, "other_files.0.mode"),
    ],
)
def test_an_edited_manifest_is_told(
    demo: Path, tmp_path: Path, place: tuple[str, ...], value: object, said: str
) -> None:
    manifest = read_manifest(demo)
    inner: Any = manifest
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(FolderError) as caught:
        check_folder(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / MANIFEST} is damaged (")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_load_stats_of_damaged_stats(demo: Path, tmp_path: Path) -> None:
    out = copy_of(demo, tmp_path)
    whole = (out / STATS).read_text()
    manifest = (out / MANIFEST).read_text()
    for edited in ('{"configs": {"paired": {}}}', "[]", "{", whole.replace('"rows": 1320', '"rows": 1321', 1)):
        (out / STATS).write_text(edited)
        with pytest.raises(FolderError, match=r"stats.json is damaged"):
            load_stats(out)
    # Nor does it help to edit the manifest too, where what is said cannot be read.
    (out / STATS).write_text("[]")
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in (whole, "[]")]
    (out / MANIFEST).write_text(manifest.replace(*digests))
    with pytest.raises(FolderError, match=r"stats.json is damaged"):
        load_stats(out)
    (out / STATS).unlink()
    with pytest.raises(FolderError, match=r"cannot read .*stats.json: No such file"):
        load_stats(out)


def test_replaces_an_empty_folder_and_one_of_ours(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    out.mkdir()
    write_folder(out, [build("cpu")])
    write_folder(out, [build("cuda")])
    assert list(read_manifest(out)["configs"]) == ["cuda"]
    assert not (out / "data" / "cpu").exists()
    assert list(tmp_path.iterdir()) == [out]


def test_makes_parents_and_follows_dots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write_folder(Path("../a/b/../c"), [build("cpu")])
    assert check_folder(tmp_path / "a" / "c") == []


@pytest.mark.parametrize("name", ["notes.txt", MANIFEST])
def test_refuses_what_is_not_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / name).write_text("{}")
    before = tree(tmp_path)
    for refuse in (lambda out: write_folder(out, [build("cpu")]), check_target):
        with pytest.raises(FolderError, match=r"is not empty and not ours .*; give a new or empty folder"):
            refuse(tmp_path / "demo")
    assert tree(tmp_path) == before


def test_refuses_a_file_and_a_path_below_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match="is a file; give a folder"):
        write_folder(tmp_path / "file", [build("cpu")])
    with pytest.raises(FolderError, match=r"cannot write .*: (Not a directory|File exists)"):
        write_folder(tmp_path / "file" / "demo", [build("cpu")])
    assert tree(tmp_path) == {"file": b""}


class Stop(BaseException):
    """Stands for Ctrl-C."""


@pytest.mark.parametrize("error", [StoreError("the store is gone"), KeyboardInterrupt(), Stop()])
@pytest.mark.parametrize("existing", [True, False])
def test_interrupted_build_leaves_what_was_there(tmp_path: Path, error: BaseException, existing: bool) -> None:
    def broken() -> Iterator[pa.Table]:
        yield table("cpu", "train").slice(0, 600)
        raise error

    if existing:
        write_folder(tmp_path / "demo", [build("cpu")])
    before = tree(tmp_path)
    half = dataclasses.replace(build("cpu"), splits={**build("cpu").splits, "test": broken})
    with pytest.raises(type(error)) as caught:
        write_folder(tmp_path / "demo", [half])
    assert caught.value is error
    assert tree(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == (["demo"] if existing else [])


@pytest.mark.parametrize("call", ["fsync", "write"])
def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write_folder(tmp_path / "demo", [build("cpu")])
    before = tree(tmp_path)
    target = (os, "fsync") if call == "fsync" else (shards.HashingFile, "write")
    monkeypatch.setattr(*target, full)
    with pytest.raises(FolderError, match=r"cannot write .*demo: No space left on device; what was there is") as caught:
        write_folder(tmp_path / "demo", [build("cuda")])
    assert "\n" not in str(caught.value)
    assert tree(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_really_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        with pytest.raises(FolderError, match="No space left on device"):
            write_folder(disk / "demo", [build("cpu")])
        assert list(disk.iterdir()) == []


def test_refuses_a_mount_point(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk, pytest.raises(FolderError, match="is a mount point"):
        check_target(disk)


def test_failed_move_puts_the_old_folder_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "demo"
    write_folder(out, [build("cpu")])
    before = tree(tmp_path)
    rename = Path.rename
    moves: list[Path] = []

    def third_fails(self: Path, target: Path) -> Path:
        moves.append(self)
        if len(moves) == 3:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(self, target)

    monkeypatch.setattr(scratch, "_exchange", lambda *_: False)
    monkeypatch.setattr(scratch.Path, "rename", third_fails)
    with pytest.raises(FolderError, match="Input/output error"):
        write_folder(out, [build("cuda")])
    assert tree(tmp_path) == before


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_is_replaced_with_and_without_an_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    assert scratch._exchange(old, new)
    assert (old / "name").read_text() == "new"
    if not exchange:
        monkeypatch.setattr(scratch, "_exchange", lambda *_: False)
    scratch.move_into_place(old, new)
    assert tree(tmp_path) == {"new/name": b"new"}


def test_what_is_not_ours_and_came_while_we_wrote_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "demo"

    def rows() -> Iterator[pa.Table]:
        out.mkdir()
        (out / "thesis.tex").write_text("dear")
        yield table("cpu", "test")

    late = dataclasses.replace(build("cpu"), splits={**build("cpu").splits, "test": rows})
    with pytest.raises(FolderError, match="is not empty and not ours"):
        write_folder(out, [late])
    assert tree(tmp_path) == {"demo/thesis.tex": b"dear"}


def test_a_build_that_ended_meanwhile_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "demo"

    def rows() -> Iterator[pa.Table]:
        write_folder(out, [build("cuda")])
        yield table("cpu", "test")

    late = dataclasses.replace(build("cpu"), splits={**build("cpu").splits, "test": rows})
    write_folder(out, [late])
    assert list(read_manifest(out)["configs"]) == ["cpu"]
    assert list(tmp_path.iterdir()) == [out]


def test_split_without_rows(tmp_path: Path) -> None:
    empty = dataclasses.replace(build("cpu"), splits={**build("cpu").splits, "test": lambda: iter(())})
    with pytest.raises(SplitError, match="split 'test' of config 'cpu' has no row"):
        write_folder(tmp_path / "demo", [empty])
    assert list(tmp_path.iterdir()) == []


def test_needs_builds_of_different_configs(tmp_path: Path) -> None:
    for builds in ([], [build("cpu"), build("cpu")]):
        with pytest.raises(ValueError, match="give one build for each config"):
            write_folder(tmp_path / "demo", builds)


def test_refuses_an_unknown_format_and_a_tokenizer_that_did_not_count(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"unknown format 'parquett'. Did you mean 'parquet'\?"):
        write_folder(tmp_path / "demo", [build("cpu")], format="parquett")
    with pytest.raises(ValueError, match="cpu was counted with tokenizer"):
        write_folder(tmp_path / "demo", [dataclasses.replace(build("cpu"), tokenizer_json=b"{}")])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("1gb", 10**9), ("1.5 MiB", 3 << 19), ("1_000", 1000), (7, 7), ("2B", 2), ("0.5KB", 500)],
)
def test_sizes(text: str | int, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "0.4B", "-1", "5XB", "MB", "1e6", "1 2", "inf", "٣MB"])
def test_wrong_sizes_say_what_is_allowed(text: str) -> None:
    with pytest.raises(SpecError, match="is not allowed; give bytes, or a number with KB"):
        parse_size(text)


def test_killed_build_leaves_no_dataset(tmp_path: Path) -> None:
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[2]); from pathlib import Path\n"
        "import dataclasses, os, signal\n"
        "from tests.package.made_up import build, table\n"
        "from builder.package.folder import write_folder\n"
        "def rows():\n"
        "    yield table('cpu', 'test')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "b = build('cpu')\n"
        "write_folder(Path(sys.argv[1]), [dataclasses.replace(b, splits={**b.splits, 'test': rows})])\n"
    )
    out = tmp_path / "demo"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code, str(out), str(root)], cwd=root)
    assert done.returncode == -9
    assert not out.exists()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".demo.tmp-")
    os.utime(left, (0, 0))
    write_folder(out, [build("cpu")])
    assert list(tmp_path.iterdir()) == [out]
    assert json.loads((out / STATS).read_text())["configs"]["cpu"]["rows"] == 1320
