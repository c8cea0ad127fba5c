"""README's section on training: its script and its commands, for three steps of a tiny model."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.test_readme import BLOCKS, SHELL, TRAINING

from .conftest import FIELDS, MAX_LENGTH, PACKED_LENGTH, SHORT, Place, options, trained

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]


def test_the_script(inside: Callable[[str], Path]) -> None:
    import warp_cuda_pairs  # noqa: F401 (an installation saves this)

    inside(".")
    (script,) = (text for language, text in BLOCKS if language == "python" and "from trl" in text)
    fields = ", ".join(f"{name}={value!r}" for name, value in FIELDS.items())
    small = "max_steps=3, use_cpu=True, bf16=False, report_to='none', per_device_train_batch_size=1, logging_steps=1"
    length = f"max_length={PACKED_LENGTH}"
    changes = {
        "num_kernels=2_000, seed=7": fields,
        "max_length=2048": f"{small}, {length}",
        "< 2048": f"< {PACKED_LENGTH}",
    }
    for written, put in changes.items():
        assert written in script
        script = script.replace(written, put)
    names: dict[str, Any] = {}
    exec(script, names)
    assert trained(Path("cuda-writer"))
    made = names["trainer"].train_dataset
    assert sum(map(len, made["seq_lengths"])) == len(names["fits"]["train"]) > len(made)
    counts = [row["prompt_tokens"] + row["completion_tokens"] + 1 for row in names["fits"]["train"]]
    assert sorted(counts) == sorted(size for row in made for size in row["seq_lengths"])  # exact, not estimates


@pytest.mark.parametrize("line", [line for line in SHELL if line.startswith(TRAINING)])
def test_the_commands(place: Place, line: str) -> None:
    folder = place.view("prompt_completion")
    demo = folder / "demo"
    if not demo.is_symlink():
        demo.symlink_to(folder / "warp_cuda_pairs")
    out = place.run([*shlex.split(line), *options(max_length=MAX_LENGTH, **SHORT)], folder)
    (name,) = re.findall(r"recipes/(\w+-cuda)\.", line)
    assert trained(folder / name)
    if name.startswith("transformers"):
        assert re.search(rf"^train: [1-9]\d* of [1-9]\d* rows fit {MAX_LENGTH} tokens$", out, flags=re.M)
