"""The generated recipes, run by the trainers' own commands as their first lines say, with values for a tiny model."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from .conftest import BASE, CHAT, MAX_LENGTH, SHORT, Place, learnt, options, tokenizer_of, trained

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]
OVERRIDDEN = options(max_length=MAX_LENGTH, **SHORT)


def command(recipe: Path) -> list[str]:
    """The command that a recipe's head says."""
    (line,) = re.findall(r"^(?:#   |    )((?:trl|python) .*)$", recipe.read_text(), flags=re.M)
    return shlex.split(line)


def test_trl_sft(place: Place) -> None:
    folder = place.view("prompt_completion")
    said = command(folder / "warp_cuda_pairs" / "recipes" / "trl-cuda.yaml")
    assert said[:2] == ["trl", "sft"]
    place.run([*said, *OVERRIDDEN], folder)
    assert trained(folder / "trl-cuda")


@pytest.mark.parametrize("view", ["messages", "text"])
def test_trl_sft_of_other_views(inside: Callable[[str], Path], view: str) -> None:
    # What the command runs, without its start of another process.
    from trl.scripts import sft

    folder = inside(view)
    arguments = [*command(folder / "warp_cuda_pairs" / "recipes" / "trl-cuda.yaml")[2:], *OVERRIDDEN]
    sft.main(*sft.make_parser().parse_args_and_config(arguments))
    assert trained(folder / "trl-cuda")


def test_transformers(place: Place) -> None:
    folder = place.view("prompt_completion")
    said = command(folder / "warp_cuda_pairs" / "recipes" / "transformers-cuda.py")
    assert said[0] == "python"
    out = place.run([*said, *OVERRIDDEN], folder)
    assert re.search(rf"^train: [1-9]\d* of [1-9]\d* rows fit {MAX_LENGTH} tokens$", out, flags=re.M)
    assert trained(folder / "transformers-cuda")


@pytest.mark.parametrize("view", ["prompt_completion", "messages", "text"])
def test_what_the_script_for_transformers_learns(
    inside: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    folder = inside(view)
    script = str(folder / "warp_cuda_pairs" / "recipes" / "transformers-cuda.py")
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
