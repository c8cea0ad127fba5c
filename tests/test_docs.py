"""docs/: what they tell people to type exists."""

from __future__ import annotations

import inspect
from pathlib import Path

from builder.cli import build as command
from builder.scale.slurm import Jobs

ROOT = Path(__file__).resolve().parents[1]
LINES = (ROOT / "docs" / "beyond-one-machine.md").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
COMMANDS = [line.split() for line in LINES if line.startswith("    warp-cuda-pairs ")]


def test_options_of_the_commands_exist():
    parameters = set(inspect.signature(command.build).parameters)
    for words in COMMANDS:
        assert words[1] == "build"
        options = {word.removeprefix("--").replace("-", "_") for word in words if word.startswith("--")}
        assert options <= parameters
    (jobs,) = [words[words.index("--slurm") + 1] for words in COMMANDS if "--slurm" in words]
    assert Jobs.parse(jobs).units == 64
