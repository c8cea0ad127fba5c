"""What must not leak: tokens; and where foreign packages may not lead: out of themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from builder.mine.distribution import find

ROOT = Path(__file__).resolve().parents[1]
TOKEN = "hf_PLANTEDplantedPLANTEDplanted0123456789"
COMMAND = [sys.executable, "-c", "from builder.cli import main; main()"]
SMALL = ["-n", "40", "--splits", "0.8/0.1/0.1", "--categories", "arithmetic,vector"]
# A bug of ours, in the process that builds and in its workers: what its traceback shows must be no secret.
BUG = """
import os
if os.environ.get("TEST_BUG"):
    import importlib.abc, importlib.util, sys
    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name != "builder.package.unit":
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            run = spec.loader.exec_module
            def exec_module(module):
                run(module)
                def broken(*_, **__):
                    raise ZeroDivisionError("a bug")
                module.candidates = broken
            spec.loader.exec_module = exec_module
            return spec
    sys.meta_path.insert(0, Finder())
"""


@pytest.mark.slow
def test_a_planted_token_is_nowhere(tmp_path):
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf" / "token").write_text(TOKEN)
    (tmp_path / "sitecustomize.py").write_text(BUG)
    env = {
        **os.environ,
        "HF_TOKEN": TOKEN,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "WARP_CUDA_PAIRS_CACHE": str(tmp_path / "store"),
        "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))),
    }
    out = tmp_path / "out"
    runs = [
        ([*SMALL, "--num-proc", "2", "--out", str(out)], {}, 0),
        (SMALL, {}, 0),  # to the cache of datasets
        ([*SMALL, "--tokenizer", "nobody/nothing"], {}, 1),
        ([*SMALL, "--seed", "9"], {"TEST_BUG": "1"}, 1),
        ([*SMALL, "--seed", "9", "--num-proc", "2"], {"TEST_BUG": "1"}, 1),
    ]
    said = []
    for arguments, more, code in runs:
        done = subprocess.run([*COMMAND, "build", *arguments], env={**env, **more}, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        said.append(done.stdout + done.stderr)
    assert "ZeroDivisionError" in said[-1]
    assert TOKEN not in "".join(said)
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path != tmp_path / "hf" / "token"]
    assert any(path.suffix == ".arrow" for path in files)
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []


def test_paths_and_names_of_a_foreign_package_stay_inside(tmp_path, monkeypatch):
    site = tmp_path / "site"
    info = site / "evil-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "evil").mkdir()
    for path in ("evil/good.py", "evil/ba d.py", "evil/x\x1b[31m.py"):
        (site / path).write_text("")
    (tmp_path / "outside.py").write_text("")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\x1b[2J" + "9" * 500 + "\n")
    listed = [
        "evil/good.py",
        "evil/ba d.py",
        "evil/x\x1b[31m.py",
        "../outside.py",
        f"{tmp_path}/outside.py",
        "evil/../../outside.py",
    ]
    (info / "RECORD").write_text("".join(f'"{path}",,\n' for path in listed))
    monkeypatch.syspath_prepend(str(site))
    assert metadata.version("evil").startswith("1.0")
    found = find("evil")
    assert [(module.name, module.path) for module in found.modules] == [("evil.good", "evil/good.py")]
    assert len(found.version) == 200
    assert found.version.isprintable()
