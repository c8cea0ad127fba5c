"""Golden kernels: two of each category of the random grammar and one of each other, as they were reviewed.

``UPDATE_GOLDEN=1 pytest tests/kernels/test_golden.py`` writes them anew; read the diff before you commit it.
"""

import os
from pathlib import Path

import pytest

from builder import codegen
from builder.kernels import candidate
from builder.shipped import category_names

from .drawing import RANDOM_CATEGORIES

GOLDEN = Path(__file__).with_name("golden")


def snapshot(category, index):
    source = candidate(0, index, {category: 1.0})
    code = codegen.generate(source.text)
    parts = {
        "description": source.description,
        "features": " ".join(source.features),
        "python_source": source.text,
        "cpp_forward": code.cpp_forward,
        "cpp_backward": code.cpp_backward,
        "cuda_forward": code.cuda_forward,
        "cuda_backward": code.cuda_backward,
    }
    return "".join(f"===== {title} =====\n{text.rstrip()}\n\n" for title, text in parts.items())


GOLDENS = [(name, index) for name in category_names() for index in range(1 + (name in RANDOM_CATEGORIES))]


@pytest.mark.parametrize(("category", "index"), GOLDENS)
def test_golden(category, index):
    path = GOLDEN / f"{category}_{index}.txt"
    text = snapshot(category, index)
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over():
    wanted = {f"{category}_{index}.txt" for category, index in GOLDENS}
    assert {path.name for path in GOLDEN.iterdir()} == wanted
