"""README: every command and every script in it, run as written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tokenizers

from tests.publish.hub import Hub

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.M | re.S)
SCRIPTS = [text for language, text in BLOCKS if language == "python" and "from trl" not in text]
SHELL = [line.split(" #")[0].strip() for language, text in BLOCKS if language == "sh" for line in text.splitlines()]
ONLINE = [line for line in SHELL if line.startswith(("warp-cuda-pairs publish", "hf "))]
MINING = [line for line in SHELL if line.startswith("warp-cuda-pairs mine")]
# What runs kernels takes a minute or two.
CHECKING = [line for line in SHELL if " --verify " in line or line.startswith("warp-cuda-pairs verify")]
MINING_SCRIPTS = [text for text in SCRIPTS if "import mined" in text]
# What trains needs PyTorch: tests/train runs it.
TRAINING = ("trl ", "python ")
# The default dataset takes a minute to build.
LONG = [text for text in SCRIPTS if 'load_dataset("warp_cuda_pairs", "paired")' in text]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a store and a cache of its own, in which the README's commands were run."""
    place = tmp_path_factory.mktemp("readme")
    (place / "bin").mkdir()
    command = place / "bin" / "warp-cuda-pairs"
    command.write_text(f"#!{sys.executable}\nfrom builder.cli import main\nmain()\n")
    command.chmod(0o755)
    write_tokenizer(place / "Qwen" / "Qwen2.5-Coder-0.5B")
    hf = place / "bin" / "hf"
    hf.write_text(f"#!{sys.executable}\nfrom huggingface_hub.cli.hf import main\nmain()\n")
    hf.chmod(0o755)
    for line in SHELL:
        if line.startswith("warp-cuda-pairs") and line not in (*ONLINE, *MINING, *CHECKING):
            run(place, line, shell=True)
    return place


def write_tokenizer(folder):
    """Write a tokenizer where a path of that name is looked for before the Hub is asked."""
    inner = tokenizers.Tokenizer.from_file(str(ROOT / "configs" / "tokenizer.json"))
    inner.add_special_tokens(["<|endoftext|>"])
    folder.mkdir(parents=True)
    inner.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"eos_token": "<|endoftext|>"}')


def run(place, command, *, shell=False, **variables):
    environment = {
        **os.environ,
        # Tests run without an installation, so the import that installation saves is made for them.
        "PYTHONPATH": str(ROOT),
        "HF_HOME": str(place / "hf"),
        "WARP_CUDA_PAIRS_CACHE": str(place / "store"),
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "HF_HUB_OFFLINE": "1",
        **variables,
    }
    done = subprocess.run(command, shell=shell, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def python(place, text):
    return run(place, [sys.executable, "-c", f"import warp_cuda_pairs\n{text}"])


def test_commands_run_as_written(place):
    assert len([line for line in SHELL if line.startswith("warp-cuda-pairs")]) >= 3
    assert (place / "demo" / "manifest.json").is_file()
    assert (place / "demo-packed" / "pack.json").is_file()


def test_commands_that_publish_run_as_written(place):
    with Hub() as hub:
        hub.users = {"hf_token": "YOU"}
        online = {"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_token", "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
        for line in ONLINE:
            run(place, line, shell=True, HF_HUB_DISABLE_UPDATE_CHECK="1", **online)
        repo = hub.repos["YOU/demo"]
    assert repo.private
    assert len(repo.commits) == 2  # it was made; it was published; `hf upload` found everything there
    held = repo.commits[repo.refs["refs/heads/main"]].items()
    assert {path: data for path, data in held if path != ".gitattributes"} == {
        path.relative_to(place / "demo-parquet").as_posix(): path.read_bytes()
        for path in (place / "demo-parquet").rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("number", [k for k, text in enumerate(SCRIPTS) if text not in LONG + MINING_SCRIPTS])
def test_scripts_run_as_written(place, number):
    python(place, SCRIPTS[number])


@pytest.mark.slow
def test_mining_runs_as_written(place):
    assert MINING
    assert MINING_SCRIPTS
    for line in MINING:
        run(place, line, shell=True)
    assert (place / "mined" / "kernels.parquet").is_file()
    for text in MINING_SCRIPTS:
        python(place, text)


@pytest.mark.slow
def test_checks_run_as_written(place):
    assert len(CHECKING) == 2
    for line in CHECKING:
        run(place, line, shell=True)
    assert (place / "verdicts.jsonl").read_text().count('"execute": "passed"') == 60


@pytest.mark.slow
@pytest.mark.parametrize("text", LONG)
def test_long_scripts_run_as_written(place, text):
    out = python(place, text)
    assert all(split in out for split in ("train", "validation", "test"))


def test_every_make_target_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    named = [line.split()[1] for line in SHELL if line.startswith("make ")]
    assert named
    assert set(named) <= targets


def test_every_shell_line_is_known():
    known = ("make ", "warp-cuda-pairs ", "hf ", "pip install", *TRAINING)
    assert [line for line in SHELL if not line.startswith(known)] == []


def test_the_fields_are_all_told_with_their_defaults():
    from builder.shipped import config_defaults
    from builder.spec import field_names

    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", README, flags=re.M))
    for name in field_names():
        assert name in rows, name
    defaults = config_defaults("paired")
    for name in ("num_kernels", "seed", "max_per_skeleton"):
        assert rows[name].strip() == str(defaults[name])
