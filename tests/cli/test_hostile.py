"""Whatever is put in: one clear error and exit code 1 or 2, nothing written elsewhere, nothing lost."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys

import pytest

from builder import shipped
from builder.cli import main
from builder.errors import SpecError
from builder.package.folder import write_folder
from builder.spec import BuildSpec, load_spec
from tests.package import report_folder

from . import hostile

# How many inputs of each kind: with `slow`, those of the table.
FEW, MANY = 10, 130


def each(few, many):
    """Mark a test to run on a few inputs, and among the slow ones on many."""
    return pytest.mark.parametrize("count", [few, pytest.param(many, marks=pytest.mark.slow)])


class Accepted(Exception):
    """The input was taken, and a build would begin."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "demo"
    write_folder(folder, [report_folder.build("cuda")])
    return folder


@pytest.fixture
def tell(capsys):
    """Add a line to the table of `make test-faults`."""

    def line(kind, tried, refused):
        if tried >= MANY:
            with capsys.disabled():
                print(
                    f"\nhostile {kind}: {tried} tried, {refused} refused with one clear error, 0 lost", file=sys.stderr
                )

    return line


@pytest.fixture
def place(tmp_path, monkeypatch, own_cache):
    """A folder to be in, beside a file that must stay what it is."""
    (tmp_path / "precious").write_text("dear")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


def snapshot(folder):
    """Return what every file, folder and link below a folder is."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        data = path.read_bytes() if stat.S_ISREG(mode) else os.readlink(path) if stat.S_ISLNK(mode) else ""
        found[path.relative_to(folder).as_posix()] = (stat.S_IFMT(mode), data)
    return found


def call(arguments, monkeypatch, capsys):
    """Run the command line in this process; return its exit code and lines of error. Any other exception is a bug."""
    monkeypatch.setattr(sys, "argv", ["warp-cuda-pairs", *arguments])
    capsys.readouterr()
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0), capsys.readouterr().err.splitlines()
    raise AssertionError("it did not end")


def is_clear(code, lines):
    return code in (1, 2) and len([line for line in lines if line.startswith("warp-cuda-pairs: error: ")]) == 1


@each(40, 3 * MANY)
def test_specs(count, tell):
    draw = random.Random("specs")
    refused = 0
    for _ in range(count):
        fields = hostile.spec_fields(draw)
        try:
            assert isinstance(load_spec("paired", **fields), BuildSpec)
        except SpecError as error:
            refused += 1
            assert len(str(error)) > 10  # noqa: PT017
    assert refused > count // 2
    tell("specs", count, refused)


@each(FEW, MANY)
def test_command_lines(count, tell, place, monkeypatch, capsys):
    def would_build(*_, **__):
        raise Accepted

    for name in ("builder.scale.folders.build_folder", "builder.cli.build._to_cache"):
        monkeypatch.setattr(name, would_build)
    before = snapshot(place)
    draw = random.Random("command lines")
    refused = 0
    for _ in range(count):
        arguments = hostile.command_line(draw, place / "out")
        try:
            code, lines = call(arguments, monkeypatch, capsys)
        except Accepted:
            continue
        refused += 1
        assert is_clear(code, lines), (arguments, code, lines)
    assert refused > count // 2
    assert snapshot(place) == before
    tell("command lines", count, refused)


@each(2 * FEW, MANY)
def test_yaml(count, tell, place, monkeypatch):
    draw = random.Random("yaml")
    paths = {"hostile": place / "hostile.yaml"}
    original = shipped.data_path
    monkeypatch.setattr(shipped, "data_path", lambda folder, name: paths.get(name[:-5]) or original(folder, name))
    monkeypatch.setattr(shipped, "config_names", lambda: ("hostile",))
    refused = 0
    for _ in range(count):
        paths["hostile"].write_bytes(hostile.yaml_text(draw))
        shipped._yaml.cache_clear()
        shipped.config_defaults.cache_clear()
        try:
            shipped.config_defaults("hostile")
            load_spec("hostile")
        except SpecError as error:
            refused += 1
            assert "hostile" in str(error)  # noqa: PT017
    shipped._yaml.cache_clear()
    shipped.config_defaults.cache_clear()
    assert refused > count // 2
    assert sorted(path.name for path in place.rglob("*")) == ["here", "hostile.yaml", "precious"]
    tell("YAML", count, refused)


@each(FEW, MANY)
def test_manifests(count, tell, built, place, monkeypatch, capsys):
    draw = random.Random("manifests")
    refused = 0
    for _ in range(count):
        folder = place / "demo"
        shutil.copytree(built, folder)
        hostile.edit_manifest(draw, folder / "manifest.json")
        refused += harmless(draw, folder, place, monkeypatch, capsys)
    assert refused > count // 2
    tell("manifests", count, refused)


@each(FEW, MANY)
def test_folders(count, tell, built, place, monkeypatch, capsys):
    draw = random.Random("folders")
    refused = 0
    for _ in range(count):
        folder = place / "demo"
        shutil.copytree(built, folder)
        hostile.spoil_folder(draw, folder, place / "precious")
        refused += harmless(draw, folder, place, monkeypatch, capsys)
    assert refused > count // 3
    tell("folders", count, refused)


def harmless(draw, folder, place, monkeypatch, capsys):
    """Run a command on a spoilt folder; say whether it was refused. What it wrote is removed, and the folder."""
    before = snapshot(place)
    arguments = hostile.folder_command(draw, folder, place / "out")
    code, lines = call(arguments, monkeypatch, capsys)
    if arguments[0] == "check" and code == 1:
        assert lines
    else:
        assert code == 0 or is_clear(code, lines), (arguments, code, lines)
    for name in ("out", "out.html"):
        target = place / name
        assert code == 0 or not target.exists()
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    assert snapshot(place) == before
    shutil.rmtree(folder)
    return code != 0


# Whatever may lie in a built folder; none of it runs when the folder is loaded.
HARMLESS = {".arrow", ".parquet", ".json", ".md", ".svg", ".png", ".yaml", ".txt", ".h", ".css", ".html", ".cpp", ".cu"}
LOAD = """
import importlib.abc, sys

class Never(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("builder", "warp_cuda_pairs", "_warp_cuda_pairs_hook", "warp"):
            raise AssertionError(f"loading a folder imports {name}")

for name in [name for name in sys.modules if name.partition(".")[0] in ("builder", "_warp_cuda_pairs_hook")]:
    del sys.modules[name]
sys.meta_path.insert(0, Never())
from datasets import load_dataset
print(sum(map(len, load_dataset(sys.argv[1], "cuda", cache_dir=sys.argv[2]).values())))
"""


def test_loading_a_folder_runs_none_of_our_code(built, tmp_path):
    folder = built
    env = {**os.environ, "WARP_CUDA_PAIRS_NO_HOOK": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    env.pop("PYTHONPATH", None)
    arguments = [sys.executable, "-c", LOAD, str(folder), str(tmp_path / "cache")]
    done = subprocess.run(arguments, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["54"], done.stderr
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    assert [str(path) for path in files if path.suffix not in HARMLESS and path.parts[0] != "recipes"] == []
    assert [path for path in files if os.access(folder / path, os.X_OK)] == []
    assert [str(path) for path in files if path.suffix == ".py" and path.stem in ("demo", "cuda", "data")] == []
