"""Packed folders: every row once or counted, nothing over the length, labels and ends where they belong."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pytest
import tokenizers

from builder.errors import FolderError, SpecError
from builder.package.derived import read_tables
from builder.package.folder import ConfigBuild, write_folder
from builder.package.manifest import TOKENIZER
from builder.package.pack import MARK, pack_folder
from builder.package.packed import PackSpec
from builder.package.stats import Stats
from builder.package.tokens import load
from builder.package.totals import percent
from builder.spec import SPLITS

from .made_up import build, table, train_tokenizer
from .test_folder import tree

ROOT = Path(__file__).resolve().parents[2]
END, BEGIN = "</s>", "<s>"
LIMIT = 1024


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tokenizer that begins each text with a token of its own, as Llama's does, and names its end."""
    folder = tmp_path_factory.mktemp("tokenizer")
    train_tokenizer(folder / "tokenizer.json", ours=False)
    inner = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    inner.add_special_tokens([BEGIN, END])
    begin = (BEGIN, inner.token_to_id(BEGIN))
    inner.post_processor = tokenizers.processors.TemplateProcessing(f"{BEGIN} $A", special_tokens=[begin])
    inner.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": {"content": END}}))
    return folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer without any special token, as the default one."""
    path = tmp_path_factory.mktemp("plain") / "tokenizer.json"
    train_tokenizer(path, ours=True)
    return path


def counted(whole: ConfigBuild, path: Path, view: str = "prompt_completion") -> ConfigBuild:
    """The build with its rows in a view, and with the counts of a tokenizer."""
    tokenizer = load(str(path))
    parts: dict[str, pa.Table] = {}
    stats = []
    for split in SPLITS:
        rows = table(whole.spec.config, split)
        for name in ("prompt", "completion"):
            counts = pa.array(tokenizer.count(rows[name].to_pylist()), pa.int32())
            rows = rows.set_column(rows.schema.get_field_index(f"{name}_tokens"), f"{name}_tokens", counts)
        stats.append(Stats.of(split, rows, tokenizer=tokenizer.name, tokenizer_sha256=tokenizer.sha256))
        if view == "text":
            texts = [p + c for p, c in zip(*(rows[n].to_pylist() for n in ("prompt", "completion")), strict=True)]
            rows = rows.drop_columns(["completion"]).rename_columns({"prompt": "text"})
            rows = rows.set_column(rows.schema.get_field_index("text"), "text", pa.array(texts, pa.string()))
        parts[split] = rows
    return dataclasses.replace(
        whole,
        spec=whole.spec.model_copy(update={"view": view}),
        splits={split: lambda rows=rows: iter([rows]) for split, rows in parts.items()},
        stats=Stats.merged(stats),
        tokenizer_json=tokenizer.data,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, plain: Path) -> Path:
    out = tmp_path_factory.mktemp("demo") / "demo"
    write_folder(out, [counted(build("paired"), plain), counted(build("cuda"), plain)])
    return out


def spec(path: Path, **fields: Any) -> PackSpec:
    return PackSpec(**{"tokenizer": str(path), "max_length": LIMIT, "config": "cuda", **fields})


def sequences(out: Path, split: str) -> list[dict[str, Any]]:
    (path,) = (out / "data" / "cuda").glob(f"{split}-00000-of-00001.*")
    return [row for rows in read_tables(path) for row in rows.to_pylist()]


def examples(out: Path, split: str) -> dict[str, tuple[list[int], list[int], list[int]]]:
    """The ids, labels and positions of each example, by its row; each row at most once."""
    found: dict[str, tuple[list[int], list[int], list[int]]] = {}
    for row in sequences(out, split):
        at = np.cumsum([0, *row["seq_lengths"]]).tolist()
        assert at[-1] == len(row["input_ids"]) == len(row["labels"]) == len(row["position_ids"])
        for name, start, end in zip(row["ids"], at[:-1], at[1:], strict=True):
            assert name not in found
            found[name] = tuple(row[key][start:end] for key in ("input_ids", "labels", "position_ids"))
    return found


def expected(tokenizer: Path, split: str) -> dict[str, tuple[list[int], list[int]]]:
    """The ids before the completion and those after, by row, from the tokenizers library alone."""
    inner = tokenizers.Tokenizer.from_file(str(tokenizer / "tokenizer.json"))
    end = inner.token_to_id(END)
    return {
        row["id"]: (
            inner.encode(row["prompt"]).ids,
            [*inner.encode(row["completion"], add_special_tokens=False).ids, end],
        )
        for row in table("cuda", split).to_pylist()
    }


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory, demo: Path, tokenizer: Path) -> Path:
    out = tmp_path_factory.mktemp("packed") / "packed"
    pack_folder(demo, out, spec(tokenizer))
    return out


def test_every_row_is_there_once_or_counted(packed: Path, tokenizer: Path) -> None:
    mark = json.loads((packed / MARK.file).read_text())
    assert (mark["eos_token"], len(mark["begins_with"])) == (END, 1)
    for split in SPLITS:
        wanted = {row: both for row, both in expected(tokenizer, split).items() if sum(map(len, both)) <= LIMIT}
        found, counts = examples(packed, split), mark["splits"][split]
        assert set(found) == set(wanted)
        assert counts["rows"] == len(found) < table("cuda", split).num_rows == counts["rows"] + counts["left_out"]
        assert counts["cut"] == 0
        for row, (ids, labels, positions) in found.items():
            before, after = wanted[row]
            assert ids == before + after
            assert labels == [-100] * len(before) + after
            assert positions == list(range(len(ids)))
        assert all(len(row["input_ids"]) <= LIMIT for row in sequences(packed, split))
        assert counts["sequences"] == len(sequences(packed, split))
        assert counts["tokens"] == sum(len(row["input_ids"]) for row in sequences(packed, split))


def test_cut_rows_are_counted_and_lack_their_end(demo: Path, tokenizer: Path, tmp_path: Path) -> None:
    wanted = expected(tokenizer, "test")
    limit = sorted(len(before) for before, _ in wanted.values())[len(wanted) // 2]
    result = pack_folder(demo, tmp_path / "out", spec(tokenizer, max_length=limit, overlong="cut", splits=("test",)))
    assert list(result.splits) == ["test"]
    found = examples(tmp_path / "out", "test")
    assert set(found) == {row for row, (before, _) in wanted.items() if len(before) < limit} < set(wanted)
    whole = 0
    for row, (ids, labels, _) in found.items():
        before, after = wanted[row]
        whole += len(before + after) <= limit
        assert ids == (before + after)[:limit]
        assert labels == ([-100] * len(before) + after)[:limit]
    one = result.splits["test"]
    assert (one.packing.rows, one.cut, one.left_out) == (len(found), len(found) - whole, len(wanted) - len(found))
    assert min(one.cut, one.left_out) > 0


def test_all_labels_are_all_but_the_first(demo: Path, tokenizer: Path, tmp_path: Path) -> None:
    pack_folder(demo, tmp_path / "out", spec(tokenizer, labels="all", splits=("test",)))
    for ids, labels, _ in examples(tmp_path / "out", "test").values():
        assert labels == [-100, *ids[1:]]


def test_it_becomes_as_full_as_the_card_says(demo: Path, plain: Path, tmp_path: Path) -> None:
    result = pack_folder(demo, tmp_path / "out", spec(plain, eos_token="<end>"))
    said = (demo / "README.md").read_text().split("How full")[1]
    heads, line = (next(one for one in said.splitlines() if one.startswith(head)) for head in ("| config", "| `cuda`"))
    shown = dict(zip(heads.split("|"), line.split("|"), strict=True))[f" {LIMIT:,} "]
    assert shown.strip() == percent(result.splits["train"].packing.density)
    assert 0.9 < result.splits["train"].packing.density < 1


def test_the_same_bytes_twice(demo: Path, packed: Path, tokenizer: Path, tmp_path: Path) -> None:
    shutil.copytree(packed, tmp_path / "out")
    (tmp_path / "out" / "data" / "old.txt").write_text("old")
    pack_folder(demo, tmp_path / "out", spec(tokenizer))
    assert tree(tmp_path / "out") == tree(packed)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_arrow_holds_the_same_rows_in_the_same_bytes(demo: Path, packed: Path, tokenizer: Path, tmp_path: Path) -> None:
    for name in ("out", "again"):
        pack_folder(demo, tmp_path / name, spec(tokenizer, format="arrow", splits=("test",)))
    assert tree(tmp_path / "out") == tree(tmp_path / "again")
    assert [path.name for path in (tmp_path / "out").rglob("test-*")] == ["test-00000-of-00001.arrow"]
    assert sequences(tmp_path / "out", "test") == sequences(packed, "test")


@pytest.mark.parametrize("format", ["arrow", "parquet"])
def test_datasets_loads_it_with_its_splits(demo: Path, tokenizer: Path, tmp_path: Path, format: str) -> None:
    splits = ("test", "validation")
    pack_folder(demo, tmp_path / "out", spec(tokenizer, format=format, splits=splits))
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["validation", "test"]
    for split in splits:
        assert loaded[split].to_list() == sequences(tmp_path / "out", split)
    # Packed anew in the same place: not served from the cache.
    pack_folder(demo, tmp_path / "out", spec(tokenizer, format=format, splits=splits, max_length=800))
    again = datasets.load_dataset(str(tmp_path / "out"), split="test", cache_dir=str(tmp_path / "cache"))
    assert again.to_list() == sequences(tmp_path / "out", "test") != loaded["test"].to_list()


def test_a_text_is_packed_as_its_prompt_and_completion(
    plain: Path, packed: Path, tokenizer: Path, tmp_path: Path
) -> None:
    write_folder(tmp_path / "demo", [counted(build("cuda"), plain, view="text")])
    pack_folder(tmp_path / "demo", tmp_path / "out", spec(tokenizer, config=None, splits=("test",)))
    (name,) = (path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("test-*"))
    assert (tmp_path / "out" / name).read_bytes() == (packed / name).read_bytes()


def test_a_tokenizer_without_special_tokens_gets_the_end(demo: Path, plain: Path, tmp_path: Path) -> None:
    pack_folder(demo, tmp_path / "out", spec(plain, eos_token="<end>", splits=("test",)))
    inner = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / TOKENIZER))
    end = tokenizers.Tokenizer.from_file(str(plain)).get_vocab_size()
    assert inner.token_to_id("<end>") == end
    rows = {row["id"]: row for row in table("cuda", "test").to_pylist()}
    for row, (ids, labels, _) in examples(tmp_path / "out", "test").items():
        assert ids[-1] == labels[-1] == end
        assert inner.decode(ids[:-1]) == rows[row]["prompt"] + rows[row]["completion"]


KILLED = """
import os, sys
from pathlib import Path
from builder.package import pack
from builder.package.packed import PackSpec

write = pack.write_shards
def killed(root, config, split, tables, **options):
    def rows():
        for number, one in enumerate(tables):
            if split == "test":
                os.kill(os.getpid(), 9)
            yield one
    return write(root, config, split, rows(), **options)
pack.write_shards = killed
demo, out, tokenizer = sys.argv[1:]
pack.pack_folder(Path(demo), Path(out), PackSpec(tokenizer, 600, "cuda", ("validation", "test")))
"""


@pytest.mark.parametrize("there", [False, True])
def test_a_killed_run_leaves_what_was_there(
    demo: Path, packed: Path, tokenizer: Path, tmp_path: Path, there: bool
) -> None:
    out = tmp_path / "out"
    if there:
        shutil.copytree(packed, out)
    before = tree(out) if there else None
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", KILLED, str(demo), str(out), str(tokenizer)]
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    assert (tree(out) if out.exists() else None) == before
    (scratch,) = (path for path in tmp_path.iterdir() if path != out)
    os.utime(scratch, (0, 0))  # as old as what nobody will finish
    pack_folder(demo, out, spec(tokenizer, splits=("test",)))
    assert sequences(out, "test") == sequences(packed, "test")
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"config": "cud"}, "unknown config 'cud'. Did you mean 'cuda'"),
        ({"config": None}, "has several configs; give --config, one of cuda, paired"),
        ({"splits": ("tets",)}, "unknown split 'tets'. Did you mean 'test'"),
        ({"max_length": 1}, "max_length: must be at least 2 .got 1"),
        (
            {"max_length": 20, "splits": ("test",)},
            r"no row of cuda/test fits 20 tokens .the shortest has \d+.; give a larger --max-length",
        ),
        ({"labels": "completions"}, "unknown labels 'completions'. Did you mean 'completion'"),
        ({"overlong": "clip"}, "unknown overlong 'clip'.*Allowed: drop, cut"),
        ({"format": "json"}, "unknown format 'json'"),
        ({"tokenizer": "/no/such"}, "cannot read /no/such"),
        (
            {"tokenizer": "default"},
            "'default' does not say which token ends a sequence; give --eos-token .any text: it",
        ),
        ({"eos_token": "<s/>"}, "has no token '<s/>'. Did you mean '</?s>'. Allowed: <s>, </s>"),
    ],
)
def test_wrong_values_are_refused(
    demo: Path, tokenizer: Path, tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        pack_folder(demo, tmp_path / "out", spec(tokenizer, **fields))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (None, "does not say which token ends a sequence; give --eos-token .one of <s>, </s>"),
        ("{}", "does not say which token ends a sequence; give --eos-token .one of <s>, </s>"),
        ('{"eos_token": null}', "does not say which token ends a sequence"),
        ('{"eos_token": "<gone>"}', "has no token '<gone>'"),
        ("[]", "tokenizer_config.json is not a JSON object"),
        ("{", "tokenizer_config.json is not a JSON object"),
    ],
)
def test_what_does_not_name_the_end_is_refused(
    demo: Path, tokenizer: Path, tmp_path: Path, settings: str | None, said: str
) -> None:
    shutil.copy(tokenizer / "tokenizer.json", tmp_path)
    if settings is not None:
        (tmp_path / "tokenizer_config.json").write_text(settings)
    with pytest.raises(SpecError, match=said):
        pack_folder(demo, tmp_path / "out", spec(tmp_path / "tokenizer.json"))
    pack_folder(demo, tmp_path / "out", spec(tmp_path / "tokenizer.json", eos_token=END, splits=("test",)))


@pytest.mark.parametrize("view", ["messages", "raw"])
def test_a_view_without_plain_text_is_refused(tokenizer: Path, tmp_path: Path, view: str) -> None:
    whole = build("cuda")
    changed = dataclasses.replace(whole, spec=whole.spec.model_copy(update={"view": view}))
    write_folder(tmp_path / "demo", [changed])
    with pytest.raises(SpecError, match=f"has the view '{view}', which cannot be packed: .*; build it with another"):
        pack_folder(tmp_path / "demo", tmp_path / "out", spec(tokenizer))


def test_a_folder_of_somebody_else_is_refused(demo: Path, tokenizer: Path, tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text('{"format": "warp_cuda_pairs export"}')
    before = tree(tmp_path)
    with pytest.raises(FolderError, match="is not empty and not a packed folder of ours; give a new or empty folder"):
        pack_folder(demo, tmp_path, spec(tokenizer))
    with pytest.raises(FolderError, match="give a folder beside it"):
        pack_folder(demo, demo / "packed", spec(tokenizer))
    assert tree(tmp_path) == before
