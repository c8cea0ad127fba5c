"""docs/standalone.md: its programs are what is generated. ``UPDATE_GOLDEN=1`` writes them."""

import os
from pathlib import Path

from builder.kernels import candidate
from builder.standalone import standalone
from builder.standalone.making import program_seed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "standalone.md"
# Seed, index and category of each kernel on the page.
SHOWN = ((2, 3, "reduction"), (4, 38, "tile_matmul"))


def blocks():
    """Return the Python and the CUDA of each kernel, as fenced blocks."""
    for seed, index, category in SHOWN:
        source = candidate(seed, index, {category: 1.0})
        yield f"```python\n{source.text}```\n"
        row = {"seed": seed, "index": index}
        text = standalone(source.text, seed=program_seed(row), summary=source.description)
        yield f"```cuda\n{text}```\n"


def fenced(page):
    """Return the fenced blocks of a page."""
    parts = page.split("```")
    return [f"```{inside}```\n" for inside in parts[1::2]]


def test_the_programs_on_the_page_are_what_is_generated():
    page = PAGE.read_text(encoding="utf-8")
    made = list(blocks())
    if os.environ.get("UPDATE_GOLDEN"):
        for old, new in zip(fenced(page), made, strict=True):
            page = page.replace(old, new)
        PAGE.write_text(page, encoding="utf-8")
    assert fenced(page) == made
    assert "__shared__" in made[-1]
    assert "atomicAdd" in made[1]
