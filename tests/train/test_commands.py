"""The generated recipes as their first lines say, with values for a tiny model; README's test runs two as commands."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from .conftest import BASE, CHAT, MAX_LENGTH, SHORT, Place, command, learnt, options, tokenizer_of, trained, trl_sft

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]
OVERRIDDEN = options(max_length=MAX_LENGTH, **SHORT)


@pytest.mark.parametrize("view", ["messages", "text"])
def test_trl_sft_of_other_views(inside: Callable[[str], Path], view: str) -> None:
    folder = inside(view)
    trl_sft([*command(folder / "warp_cuda_pairs" / "recipes" / "trl-cuda.yaml"), *OVERRIDDEN])
    assert trained(folder / "trl-cuda")


@pytest.mark.parametrize("view", ["prompt_completion", "messages", "text"])
def test_what_the_script_for_transformers_learns(
    inside: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    folder = inside(view)
    script = str(folder / "warp_cuda_pairs" / "recipes" / "transformers-cuda.py")
    assert command(Path(script)) == ["python", "warp_cuda_pairs/recipes/transformers-cuda.py"]
    monkeypatch.setattr(sys, "argv", [script, *OVERRIDDEN, "--output_dir", "script", "--eval_strategy", "no"])
    monkeypatch.setattr("transformers.Trainer.train", lambda self: None)  # a test above trains
    names = runpy.run_path(script)
    tokenizer = tokenizer_of(CHAT if view == "messages" else BASE)
    rows = names["load_dataset"]("./warp_cuda_pairs", "cuda", split="train")
    for row in rows:
        made = names["tokenize"](row)
        assert len(made["input_ids"]) == len(made["labels"])
        seen = learnt(made["labels"])
        assert made["labels"][-1] == made["input_ids"][-1] == seen[-1] == tokenizer.eos_token_id
        said = row["messages"][1]["content"] if view == "messages" else row.get("completion") or row["text"]
        assert tokenizer.decode(seen[:-1]) == said
        hidden = tokenizer.decode(made["input_ids"][: -len(seen)])
        asked = row["messages"][0]["content"] if view == "messages" else row.get("prompt", "")
        assert asked in hidden
    kept = names["trainer"].train_dataset
    assert 0 < len(kept) < len(rows)
    assert max(map(len, kept["input_ids"])) <= MAX_LENGTH


def test_recipes_say_what_to_learn(place: Place) -> None:
    found = {}
    for view in ("prompt_completion", "messages", "text"):
        recipe = yaml.safe_load((place.view(view) / "warp_cuda_pairs" / "recipes" / "trl-cuda.yaml").read_text())
        found[view] = {name for name in recipe if name.endswith("_only_loss") and recipe[name]}
    assert found == {"prompt_completion": {"completion_only_loss"}, "messages": {"assistant_only_loss"}, "text": set()}
