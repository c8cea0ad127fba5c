"""TRL's SFTTrainer on our rows as they come: what it learns is the completion, up to and with its end."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import datasets
import pytest

from .conftest import BASE, CHAT, FIELDS, MAX_LENGTH, PACKED_LENGTH, fitting, learnt, tokenizer_of

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]


def train(model: str, rows: Any, out: Path, **options: Any) -> Any:
    """Train three steps; return the trainer."""
    from trl import SFTConfig, SFTTrainer

    fixed = {"max_steps": 3, "per_device_train_batch_size": 1, "logging_steps": 1, "max_length": MAX_LENGTH}
    quiet = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "bf16": False, "disable_tqdm": True}
    trainer = SFTTrainer(model, args=SFTConfig(str(out), **{**fixed, **quiet, **options}), train_dataset=rows)
    result = trainer.train()
    assert trainer.state.global_step == 3
    assert math.isfinite(result.training_loss)
    assert result.training_loss > 0
    return trainer


def examples(trainer: Any) -> list[tuple[list[int], list[int]]]:
    """The ids and labels of each example that the trainer made, packed or not; none goes beyond its length."""
    found = []
    for row in trainer.train_dataset:
        sizes = row.get("seq_lengths") or [len(row["input_ids"])]
        ends = list(accumulate(sizes))
        assert ends[-1] == len(row["input_ids"]) == len(row["labels"]) <= trainer.args.max_length
        for size, end in zip(sizes, ends, strict=True):
            found.append((row["input_ids"][end - size : end], row["labels"][end - size : end]))
    return found


@pytest.mark.parametrize("packing", [False, True])
@pytest.mark.parametrize("source", ["name", "folder"])
def test_prompt_and_completion(inside: Callable[[str], Path], tmp_path: Path, source: str, packing: bool) -> None:
    import warp_cuda_pairs  # noqa: F401 (an installation saves this)

    inside(".")
    if source == "name":
        rows = fitting(datasets.load_dataset("warp_cuda_pairs", "cuda", **FIELDS)["train"])
    else:
        rows = fitting(datasets.load_dataset("./prompt_completion/warp_cuda_pairs", "cuda")["train"])
    length = PACKED_LENGTH if packing else MAX_LENGTH
    trainer = train(BASE, rows, tmp_path, packing=packing, max_length=length, completion_only_loss=True)
    tokenizer = tokenizer_of(BASE)
    found = examples(trainer)
    assert sorted(tokenizer.decode(ids) for ids, _ in found) == sorted(
        row["prompt"] + row["completion"] + tokenizer.eos_token for row in rows
    )
    assert sorted(tokenizer.decode(learnt(labels)) for _, labels in found) == sorted(
        row["completion"] + tokenizer.eos_token for row in rows
    )
    assert all(labels[-1] == tokenizer.eos_token_id for _, labels in found)
    if packing:
        assert len(trainer.train_dataset) < len(rows)


def test_messages(inside: Callable[[str], Path], tmp_path: Path) -> None:
    inside("messages")
    rows = datasets.load_dataset("./warp_cuda_pairs", "cuda", split="train")
    rows = fitting(rows).filter(lambda row: row["prompt_tokens"] + row["completion_tokens"] < MAX_LENGTH - 64)
    trainer = train(CHAT, rows, tmp_path, assistant_only_loss=True)
    tokenizer = tokenizer_of(CHAT)
    found = examples(trainer)
    # TRL's own variant of Qwen's template counts the line breaks around the turn as the assistant's.
    assert sorted(tokenizer.decode(learnt(labels)) for _, labels in found) == sorted(
        "\n" + row["messages"][1]["content"] + tokenizer.eos_token + "\n" for row in rows
    )
    assert all(labels[-2] == tokenizer.eos_token_id for _, labels in found)


def test_text(inside: Callable[[str], Path], tmp_path: Path) -> None:
    inside("text")
    rows = fitting(datasets.load_dataset("./warp_cuda_pairs", "cuda", split="train"))
    trainer = train(BASE, rows, tmp_path)
    tokenizer = tokenizer_of(BASE)
    found = examples(trainer)
    assert sorted(tokenizer.decode(labels) for _, labels in found) == sorted(
        row["text"] + tokenizer.eos_token for row in rows
    )
    assert all(labels[-1] == tokenizer.eos_token_id for _, labels in found)
