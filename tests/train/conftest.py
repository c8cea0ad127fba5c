"""What training tests share: small folders of each view, and a tiny model with random weights. No network."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The models that recipes name; here they are folders, relative to where a recipe is run.
BASE, CHAT = "Qwen/Qwen2.5-Coder-0.5B", "Qwen/Qwen2.5-Coder-0.5B-Instruct"
END, PAD = "<|im_end|>", "<|endoftext|>"
# Short kernels, because steps on a CPU take their time.
FIELDS = {"num_kernels": 60, "seed": 11, "splits": "0.8/0.1/0.1", "categories": "arithmetic,math"}
VIEWS = ("prompt_completion", "messages", "text")
MAX_LENGTH = 640
PACKED_LENGTH = 1100  # of packed sequences: two examples or three
# What makes any recipe small enough for a test; all else is the recipe's.
SHORT = {"max_steps": 3, "gradient_accumulation_steps": 1, "use_cpu": "true", "bf16": "false", "logging_steps": 1}


@pytest.fixture(scope="session")
def libraries() -> None:
    """Skip where the trainers are not installed."""
    for name in ("torch", "transformers", "trl"):
        pytest.importorskip(name, reason=f"{name} is missing; `make test-train` installs it")
    import torch

    torch.set_num_threads(1)  # as the commands below


@dataclass(frozen=True)
class Place:
    """A folder for the session: store, caches, the model, and a built folder for each view."""

    root: Path

    @property
    def environment(self) -> dict[str, str]:
        own = {
            # Tests run without an installation, so the import that installation saves is made for them.
            "PYTHONPATH": str(ROOT),
            "HF_HOME": str(self.root / "hf"),
            "WARP_CUDA_PAIRS_CACHE": str(self.root / "store"),
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",  # on a busy machine threads wait for each other more than they gain
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        return {**os.environ, **own}

    def run(self, command: list[str], folder: Path, **variables: str) -> str:
        """Run a command in a folder; return what it printed."""
        environment = {**self.environment, **variables}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def ours(self, *commands: list[str]) -> None:
        """Run command lines of ours one after another, in one process because Warp takes its time to start."""
        code = "import sys, json; from builder.cli import main\n"
        code += "from builder.cli.common import app\n"
        code += "for arguments in json.loads(sys.argv[1]): app(arguments, standalone_mode=False)"
        self.run([sys.executable, "-c", code, json.dumps(commands)], self.root)

    def view(self, view: str) -> Path:
        """Where recipes of a view are run: it holds ``warp_cuda_pairs`` and the models."""
        return self.root / view


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory, libraries: None) -> Place:
    place = Place(tmp_path_factory.mktemp("train"))
    fields = options(**{name.replace("_", "-"): value for name, value in FIELDS.items()})
    folders = {view: str(place.view(view) / "warp_cuda_pairs") for view in VIEWS}
    place.ours(*(["build", "cuda", *fields, "--view", view, "--out", out] for view, out in folders.items()))
    for name in (BASE, CHAT):
        write_model(place.root / name, place.view("text") / "warp_cuda_pairs" / "tokenizer.json", chat=name == CHAT)
    for view in VIEWS:
        (place.view(view) / "Qwen").symlink_to(place.root / "Qwen")
    return place


def write_model(folder: Path, tokenizer_json: Path, *, chat: bool) -> None:
    """Write a model of two layers with random weights, and the built folder's own tokenizer."""
    import torch
    import trl
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(tokenizer_json), eos_token=END, pad_token=PAD, additional_special_tokens=["<|im_start|>"]
    )
    if chat:
        templates = Path(trl.__file__).parent / "chat_templates"
        tokenizer.chat_template = (templates / "qwen2_5.jinja").read_text(encoding="utf-8")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


@pytest.fixture
def inside(place: Place, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return what makes a view's folder the current one, offline, with the session's store and caches."""

    def enter(view: str) -> Path:
        monkeypatch.chdir(place.view(view))
        return place.view(view)

    monkeypatch.setenv("WARP_CUDA_PAIRS_CACHE", str(place.root / "store"))
    monkeypatch.setenv("HF_HOME", str(place.root / "hf"))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", place.root / "hf" / "datasets")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return enter


@pytest.fixture(scope="session")
def packed(place: Place) -> Path:
    """The rows of ``cuda`` packed, with the base model's tokenizer."""
    out = place.view("prompt_completion") / "packed"
    demo = place.view("prompt_completion") / "warp_cuda_pairs"
    place.ours(["pack", str(demo), str(out), "--tokenizer", BASE, "--max-length", str(PACKED_LENGTH)])
    return out


def options(**values: object) -> list[str]:
    """The values as arguments of a command line."""
    return [text for name, value in values.items() for text in (f"--{name}", str(value))]


def command(recipe: Path) -> list[str]:
    """The command that a recipe's head says."""
    (line,) = re.findall(r"^(?:#   |    )((?:trl|python) .*)$", recipe.read_text(), flags=re.M)
    return shlex.split(line)


def trl_sft(arguments: list[str]) -> None:
    """Do what ``trl sft`` does, here and not in a process that it starts."""
    from trl.scripts import sft

    assert arguments[:2] == ["trl", "sft"]
    sft.main(*sft.make_parser().parse_args_and_config(arguments[2:]))


def trained(folder: Path) -> list[float]:
    """The losses of the three steps whose model was saved in a folder, from what Transformers notes there."""
    import torch

    assert (folder / "model.safetensors").is_file()
    (state,) = folder.glob("checkpoint-3/trainer_state.json")
    assert torch.load(folder / "training_args.bin", weights_only=False).max_steps == 3
    losses = [step["loss"] for step in json.loads(state.read_text())["log_history"] if "loss" in step]
    assert len(losses) == 3
    assert all(map(math.isfinite, losses))
    return losses


def fitting(rows: Any) -> Any:
    """The rows of a split that fit, by the counts they carry; the end takes a token."""
    return rows.filter(lambda row: row["prompt_tokens"] + row["completion_tokens"] < MAX_LENGTH)


def tokenizer_of(model: str) -> Any:
    """The tokenizer of one of the models, from the current folder."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model)


def learnt(labels: list[int]) -> list[int]:
    """The labels that the loss sees, which follow one another and are the example's last but for blanks."""
    seen = [index for index, label in enumerate(labels) if label != -100]
    assert seen == list(range(seen[0], seen[-1] + 1))
    return labels[seen[0] : seen[-1] + 1]
