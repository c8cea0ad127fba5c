"""Training from a packed folder: examples that share a sequence do not see each other, in TRL and in Transformers."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import datasets
import pytest

from .conftest import BASE, SHORT, command, options, tokenizer_of, trained, trl_sft

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]


@pytest.fixture
def rows(inside: Callable[[str], Path], packed: Path) -> Any:
    inside("prompt_completion")
    rows = datasets.load_dataset("./packed", split="train")
    assert max(map(len, rows["seq_lengths"])) > 1
    return rows


def apart(model: Any, row: dict[str, Any]) -> tuple[float, int]:
    """The loss over the labels of a row, summed over its examples taken one by one, and how many labels."""
    import torch

    total, labels = 0.0, 0
    ends = list(accumulate(row["seq_lengths"]))
    for start, end in zip([0, *ends], ends, strict=False):
        batch = {name: torch.tensor([row[name][start:end]]) for name in ("input_ids", "labels")}
        seen = int((batch["labels"][:, 1:] != -100).sum())
        total += float(model(**batch).loss) * seen
        labels += seen
    return total, labels


def trl_trainer(rows: Any, out: Path) -> Any:
    from trl import SFTConfig, SFTTrainer

    one_row = {"per_device_train_batch_size": 1, "packing": False, "padding_free": True, "max_length": None}
    quiet = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "bf16": False, "disable_tqdm": True}
    return SFTTrainer(BASE, args=SFTConfig(str(out), max_steps=3, **one_row, **quiet), train_dataset=rows)


def plain_trainer(rows: Any, out: Path) -> Any:
    from transformers import AutoModelForCausalLM, Trainer, TrainingArguments, default_data_collator

    quiet = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "disable_tqdm": True}
    arguments = TrainingArguments(str(out), max_steps=3, per_device_train_batch_size=1, **quiet)
    model = AutoModelForCausalLM.from_pretrained(BASE)
    return Trainer(model, arguments, train_dataset=rows, data_collator=default_data_collator)


@pytest.mark.parametrize("make", [trl_trainer, plain_trainer])
def test_examples_of_a_sequence_do_not_see_each_other(rows: Any, tmp_path: Path, make: Callable[..., Any]) -> None:
    import torch

    together = rows.filter(lambda row: len(row["seq_lengths"]) > 1).select(range(1))
    trainer = make(together, tmp_path)
    (batch,) = trainer.get_train_dataloader()
    trainer.model.eval()
    trainer.model.config.use_cache = trainer.args.use_cache  # as the trainer does when it begins
    with torch.no_grad():
        loss = float(trainer.model(**batch).loss)
        total, labels = apart(trainer.model, together[0])
    assert loss == pytest.approx(total / labels, rel=1e-5)
    # And they would see each other without what keeps them apart.
    blind = {name: batch[name] for name in ("input_ids", "labels")}
    with torch.no_grad():
        assert float(trainer.model(**blind).loss) != pytest.approx(total / labels, rel=1e-5)


def test_the_recipe_of_a_packed_folder(rows: Any, packed: Path) -> None:
    said = command(packed / "recipes" / "trl-cuda.yaml")
    trl_sft([*(BASE if word == "MODEL" else word for word in said), *options(**SHORT)])
    assert trained(packed.parent / "trl-cuda-packed")


def test_the_script_of_its_readme(rows: Any, packed: Path) -> None:
    (script,) = re.findall(r"^```python\n(.*?)^```", (packed / "README.md").read_text(), flags=re.M | re.S)
    small = 'TrainingArguments("out", max_steps=3, use_cpu=True, report_to="none", save_strategy="no", '
    changes = {"path/to/this/folder": "./packed", "path/to/the/model": BASE, 'TrainingArguments("out", ': small}
    for written, put in {**changes, "gradient_accumulation_steps=4": "gradient_accumulation_steps=1"}.items():
        assert written in script
        script = script.replace(written, put)
    names: dict[str, Any] = {}
    exec(script, names)
    trainer = names["trainer"]
    assert trainer.state.global_step == 3
    before = dict(type(trainer.model).from_pretrained(BASE).named_parameters())
    assert all(not weight.equal(before[name]) for name, weight in trainer.model.named_parameters())


def test_its_tokenizer_is_the_one_that_made_it(rows: Any) -> None:
    tokenizer, model = tokenizer_of("./packed"), tokenizer_of(BASE)
    assert tokenizer.get_vocab() == model.get_vocab()
    assert tokenizer.eos_token == model.eos_token
    for row in rows:
        for end in accumulate(row["seq_lengths"]):
            assert row["labels"][end - 1] == row["input_ids"][end - 1] == model.eos_token_id
