"""The command line, as a user meets it: in subprocesses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from datasets import load_dataset

from builder.cli import main
from builder.curate.keys import analyse
from builder.package.convert import convert_folder
from builder.record import TRAINING_COLUMNS, row_schema
from builder.spec import VIEWS, field_names
from tests.processes import hear_ctrl_c

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from builder.cli import main; main()"]
SMALL = ["-n", "130", "--seed", "3", "--categories", "arithmetic,vector,struct"]  # quick to make


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def environment(cache):
    own = {"PYTHONPATH": str(ROOT), "HF_HOME": str(cache / "hf"), "WARP_CUDA_PAIRS_CACHE": str(cache / "store")}
    return {**os.environ, **own, "HF_HUB_OFFLINE": "1", "COLUMNS": "80"}


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def run(cache, *arguments, cwd=None):
    return subprocess.run(
        [*COMMAND, *arguments], env=environment(cache), cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def built(cache, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "demo"
    done = run(cache, "build", "paired", "cuda", *SMALL, "--out", str(out))
    assert done.returncode == 0, done.stderr
    return out


def test_build_to_a_folder_loads_and_checks(cache, built):
    assert sorted(path.name for path in (built / "data").iterdir()) == ["cuda", "paired"]
    manifest = json.loads((built / "manifest.json").read_text())
    assert manifest["format"] == "warp_cuda_pairs"
    done = run(cache, "check", str(built))
    assert done.returncode == 0, done.stderr
    script = (
        "from datasets import load_dataset; "
        f"d = load_dataset({str(built)!r}); c = load_dataset({str(built)!r}, 'cuda'); "
        "print(sum(map(len, d.values())), sum(map(len, c.values())), 'cpp_forward' in d['train'].column_names)"
    )
    loaded = subprocess.run([sys.executable, "-c", script], env=environment(cache), capture_output=True, text=True)
    assert loaded.stdout.split() == ["130", "130", "True"], loaded.stderr


def test_two_builds_of_one_spec_are_the_same_bytes(cache, built, tmp_path):
    done = run(tmp_path, "build", "paired", "cuda", *SMALL, "--out", str(tmp_path / "again"), "--num-proc", "2")
    assert done.returncode == 0, done.stderr
    first, second = files(built), files(tmp_path / "again")
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_folder_of_each_view_loads_and_checks(cache, tmp_path, view):
    out = tmp_path / "demo"
    done = run(cache, "build", "cuda", *SMALL, "--view", view, "--out", str(out), "--show", "1")
    assert done.returncode == 0, done.stderr
    assert "import warp as wp" in done.stdout
    assert ("_cuda_kernel_forward(" in done.stdout) == (view != "raw")
    assert run(cache, "check", str(out)).returncode == 0
    assert json.loads((out / "manifest.json").read_text())["configs"]["cuda"]["spec"]["view"] == view
    stats = json.loads(run(cache, "stats", str(out), "--json").stdout)
    assert stats["cuda"]["splits"]["train"]["columns"]["completion"]["tokens"] > 0
    rows = load_dataset(str(out), "cuda", split="test", cache_dir=str(tmp_path / "hf"))
    assert rows.features.arrow_schema.remove_metadata() == row_schema("cuda", view)
    card = (out / "README.md").read_text()
    for field in TRAINING_COLUMNS[view]:
        assert f"`{field.name}`" in card


def test_export_writes_every_row_as_json(cache, built, tmp_path):
    done = run(cache, "export", str(built), str(tmp_path / "out"), "--layout", "jsonl")
    assert done.returncode == 0, done.stderr
    for config in ("paired", "cuda"):
        for split, rows in load_dataset(str(built), config, cache_dir=str(tmp_path / "hf")).items():
            file = tmp_path / "out" / config / f"{split}.jsonl"
            assert f"{file}: {len(rows)} rows" in done.stdout
            assert [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] == list(rows)


def test_check_names_a_damaged_a_missing_and_an_extra_file(cache, tmp_path):
    out = tmp_path / "demo"
    assert run(cache, "build", *SMALL, "--out", str(out)).returncode == 0
    shards = sorted((out / "data" / "paired").iterdir())
    shards[0].write_bytes(shards[0].read_bytes()[:-7])
    shards[1].unlink()
    (out / "data" / "paired" / "stray.arrow").write_bytes(b"")
    done = run(cache, "check", str(out))
    assert done.returncode == 1
    for name in (shards[0].name, shards[1].name, "stray.arrow"):
        assert name in done.stderr


def test_card_is_rendered_again_to_the_same_bytes(cache, tmp_path):
    out = tmp_path / "demo"
    assert run(cache, "build", *SMALL, "--format", "parquet", "--shard-size", "1MB", "--out", str(out)).returncode == 0
    assert len(list((out / "data" / "paired").glob("train-*.parquet"))) == 1
    before = (out / "README.md").read_bytes()
    (out / "README.md").unlink()
    done = run(cache, "card", str(out))
    assert done.returncode == 0, done.stderr
    assert (out / "README.md").read_bytes() == before
    assert b"build paired --num-kernels 130 --seed 3 --categories arithmetic=1.0,vector=1.0,struct=1.0 --" in before
    assert b" --format parquet --shard-size 1000000 --out DIR\n" in before
    assert run(cache, "check", str(out)).returncode == 0


def test_stats_as_tables_and_as_json(cache, built):
    done = run(cache, "stats", str(built))
    assert done.returncode == 0, done.stderr
    assert "prompt" in done.stdout
    assert "p95" in done.stdout
    assert "…" not in done.stdout  # no number is cut
    loaded = json.loads(run(cache, "stats", str(built), "--json").stdout)
    assert loaded["paired"]["rows"] == loaded["cuda"]["rows"] == 130
    assert loaded["paired"]["distinct_skeletons"] == 130


def test_a_converted_folder_is_what_a_build_in_that_format_writes(cache, built, tmp_path):
    done = run(cache, "build", "paired", "cuda", *SMALL, "--format", "parquet", "--out", str(tmp_path / "built"))
    assert done.returncode == 0, done.stderr
    (tmp_path / "converted").mkdir()
    convert_folder(built, tmp_path / "converted", "parquet")
    converted, expected = files(tmp_path / "converted"), files(tmp_path / "built")
    assert sorted(converted) == sorted(expected)
    assert [name for name in converted if converted[name] != expected[name]] == []


def test_what_is_measured_is_that_of_the_rows(cache, built, tmp_path):
    measured = json.loads((built / "stats.json").read_text())["configs"]["paired"]["measured"]
    splits = load_dataset(str(built), "cuda", cache_dir=str(tmp_path / "hf"))
    sets = {
        split: [(row["index"], set(analyse(row["python_source"]).shingles.tolist())) for row in rows]
        for split, rows in splits.items()
    }
    for name, said in measured["similarity"]["between_splits"].items():
        first, second = name.split("-")
        found = {(a, b): len(x & y) / len(x | y) for a, x in sets[first] for b, y in sets[second]}
        assert said["pairs_compared"] == len(found)
        assert said["jaccard"] == round(max(found.values()), 6) == round(found[tuple(said["candidates"])], 6) < 0.75
    rows = sorted((row for split in splits.values() for row in split), key=lambda row: row["index"])
    for column, said in measured["zstd19_first_1000_rows"].items():
        text = "".join(row[column] for row in rows).encode()
        frame = pa.Codec("zstd", compression_level=19).compress(text, asbytes=True)
        assert (said["rows"], said["bytes"], said["compressed_bytes"]) == (130, len(text), len(frame))
    stored = {kind: len(list((cache / "store" / kind).rglob("*.arrow"))) for kind in ("decisions", "compared")}
    assert stored["compared"] == stored["decisions"]  # once for all configs that show the same kernels


def test_build_to_the_cache_shows_rows_and_is_found_by_load_dataset(cache):
    done = run(cache, "build", "cpu", *SMALL, "--show", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("import warp as wp") >= 2
    units = sorted((cache / "store" / "units").rglob("*.arrow"))
    before = [path.stat().st_mtime_ns for path in units]
    script = (
        "import warp_cuda_pairs; from datasets import load_dataset; "
        "print(len(load_dataset('warp_cuda_pairs', 'cpu', split='train', num_kernels=130, seed=3, "
        "categories='arithmetic,vector,struct')))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], env=environment(cache), capture_output=True, text=True)
    assert int(loaded.stdout) > 100, loaded.stderr
    assert "Generating" not in loaded.stderr
    assert [path.stat().st_mtime_ns for path in units] == before


def test_every_field_of_the_spec_is_an_option(cache):
    wide = {**environment(cache), "COLUMNS": "200"}
    done = subprocess.run([*COMMAND, "build", "--help"], env=wide, capture_output=True, text=True, check=False)
    text = done.stdout
    for name in field_names():
        assert f"--{name.replace('_', '-')}" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "pairde"], "Did you mean 'paired'"),
        (["build", "-n", "-5"], "num_kernels"),
        (["build", "-n", "many"], "num_kernels"),
        (["build", "--splits", "0.5/0.5/0.5"], "sum to 1"),
        (["build", "--splits", "0.9/0.1"], "one fraction for each of train, validation, test"),
        (["build", "--categories", "vectors"], "Did you mean 'vector'"),
        (["build", "--categories", "math=0"], "categories"),
        (["build", "--tokenizer", "/nowhere/tokenizer.json"], "tokenizer"),
        (["build", "--num-proc", "0"], "num_proc"),
        (["build", "--format", "csv", "--out", "out"], "arrow, parquet"),
        (["build", "--format", "parquet"], "--out"),
        (["build", "--shard-size", "1GB"], "--out"),
        (["build", "--tokenizer", "nobody/nothing"], "not to be had from the Hub"),
        (["build", "--shard-size", "5XB", "--out", "out"], "500MB"),
        (["build", "-n", "5000", "--out", "/proc/demo"], "/proc/demo"),
        (["check", "/nowhere"], "/nowhere"),
        (["card", "/nowhere"], "/nowhere"),
        (["stats", "/nowhere"], "/nowhere"),
        (["report", "/nowhere"], "/nowhere"),
        (["export", "/nowhere", "out"], "/nowhere"),
        (["export", "/nowhere", "out", "--layout", "json"], "Did you mean 'jsonl'"),
        (["pack", "/nowhere", "out", "--tokenizer", "default", "--max-length", "2048"], "/nowhere"),
        (["pack", "/nowhere", "out", "--tokenizer", "default", "--max-length", "1"], "at least 2"),
    ],
)
def test_wrong_input_is_one_line_and_exit_1(cache, arguments, said):
    done = run(cache, *arguments)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["biuld"], "No such command 'biuld'"),
        (["build", "--bogus"], "No such option: --bogus"),
        (["build", "--num-proc", "two"], "--num-proc"),
        (["build", "--show", "-1"], "--show"),
        (["build", "--out"], "--out"),
        (["stats"], "DIR"),
        (["publish", "demo"], "REPO_ID"),
        (["publish", "demo", "user/demo", "extra"], "extra"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_2(arguments, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["warp-cuda-pairs", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    written = capsys.readouterr()
    assert written.out == ""
    (line,) = written.err.splitlines()
    assert line.startswith("warp-cuda-pairs: error: ")
    assert said in line
    assert line.endswith("--help` says what is allowed")


def test_no_command_shows_the_help_and_fails(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["warp-cuda-pairs"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "publish" in capsys.readouterr().out


def test_a_folder_that_is_not_ours_is_refused_before_any_work(cache, tmp_path):
    (tmp_path / "thesis.tex").write_text("dear")
    done = run(cache, "build", "-n", "5000", "--out", str(tmp_path))
    assert done.returncode == 1
    assert "not ours" in done.stderr
    assert (tmp_path / "thesis.tex").read_text() == "dear"


def test_a_cache_that_cannot_be_made_is_one_line(cache, tmp_path):
    (tmp_path / "hf").write_text("a file where the cache should be")
    done = run(tmp_path, "build", *SMALL)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("warp-cuda-pairs: error:")


def test_weights_and_all_fields_are_taken(cache, tmp_path):
    out = tmp_path / "demo"
    done = run(
        cache, "build", "cpu", "-n", "40", "--categories", "math=3,vector=1", "--splits", "0.8/0.1/0.1", "--seed", "1",
        "--max-per-skeleton", "2", "--no-source-comments", "--instruction", "Write {kernel_name}.", "--out", str(out),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    spec = json.loads((out / "manifest.json").read_text())["configs"]
    assert "math" in json.dumps(spec)
    stats = json.loads(run(cache, "stats", str(out), "--json").stdout)["cpu"]
    assert set(stats["splits"]["train"]["categories"]) <= {"math", "vector"}


def test_ctrl_c_is_one_line_and_exit_130(tmp_path):
    process = subprocess.Popen(
        [*COMMAND, "build", "-n", "5000", "--out", str(tmp_path / "out")],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )
    end = time.monotonic() + 60
    while not list((tmp_path / "store").rglob("*.arrow")):
        assert time.monotonic() < end
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.strip().splitlines()[-1].startswith("warp-cuda-pairs: interrupted")
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["store"]


@pytest.fixture
def tiny_disk(tmp_path):
    """Yield a folder on a file system of 3 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small file system is not allowed here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_of_the_store_is_one_line_and_exit_1(tiny_disk, tmp_path):
    (tiny_disk / "hf").symlink_to(tmp_path)
    done = run(tiny_disk, "build", "-n", "1000", "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_full_disk_of_the_output_is_one_line_and_exit_1(cache, tiny_disk):
    done = run(cache, "build", "paired", "cuda", "forward_backward", *SMALL, "--out", str(tiny_disk / "out"))
    assert done.returncode == 1, done.stdout
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tiny_disk.iterdir())
