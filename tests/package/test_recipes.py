"""Recipes: each parses, and each config, split and column that it names is there."""

from __future__ import annotations

import ast
import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pytest
import yaml

from builder.package.destination import parse_destination
from builder.package.folder import write_folder
from builder.package.lengths import LIMITS
from builder.package.manifest import check_folder
from builder.package.publish_plan import files_to_send
from builder.record import TRAINING_COLUMNS, row_schema
from builder.spec import VIEWS

from .made_up import build


def fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from fields(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name, inner
            yield from fields(inner)


@pytest.fixture(scope="module", params=VIEWS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    # The rows are made up and keep their columns; what a recipe says follows from the spec.
    whole = build("cuda")
    out = tmp_path_factory.mktemp("recipes") / "warp_cuda_pairs"
    spec = whole.spec.model_copy(update={"view": request.param})
    write_folder(out, [dataclasses.replace(whole, spec=spec)])
    return request.param, out


TRAINERS = ("axolotl", "llama_factory", "torchtune", "trl")


def test_recipes_name_what_is_there(made: tuple[str, Path]) -> None:
    view, out = made
    assert check_folder(out) == []
    names = sorted(path.name for path in out.glob("recipes/*.yaml"))
    assert names == ([] if view == "raw" else [f"{trainer}-cuda.yaml" for trainer in TRAINERS])
    columns = row_schema("cuda", view).names
    keys = {"input", "output", "field", "column", "conversation_column", "field_messages"}
    keys |= {"field_instruction", "field_output"}
    for name in names:
        recipe = yaml.safe_load((out / "recipes" / name).read_text())
        found = dict(fields(recipe))
        named = [value for key, value in fields(recipe) if key in keys]
        assert set(named) <= set(columns)
        assert bool(named) == name.startswith(("axolotl", "torchtune"))
        assert found.get("name", "cuda") == found.get("dataset_config", "cuda") == "cuda"
        for length in ("max_length", "sequence_len", "cutoff_len"):
            assert found.get(length, 512) in (512, 1024, 2048)


def test_the_paths_in_recipes_load_beside_the_folder(
    made: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, out = made
    monkeypatch.chdir(out.parent)
    paths = set()
    for name in out.glob("recipes/*.yaml"):
        for key, value in fields(yaml.safe_load(name.read_text())):
            if key in ("dataset_name", "path", "source", "dataset_dir"):
                paths.add(value)
    assert paths == (set() if view == "raw" else {"./warp_cuda_pairs"})
    for path in paths:
        assert len(datasets.load_dataset(path, "cuda", split="test", cache_dir=str(tmp_path))) == 60
        with pytest.raises(FileNotFoundError):  # Axolotl tries this first
            datasets.load_from_disk(path)


def test_the_script_for_transformers_names_what_is_there(made: tuple[str, Path]) -> None:
    view, out = made
    scripts = [path.name for path in out.rglob("*.py")]
    assert scripts == ([] if view == "raw" else ["transformers-cuda.py"])
    if view == "raw":
        return
    tree = ast.parse((out / "recipes" / "transformers-cuda.py").read_text())
    read = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "row"]
    columns = {ast.literal_eval(node.slice) for node in read} - {"input_ids"}
    assert columns == {field.name for field in TRAINING_COLUMNS[view]}
    defaults = {ast.unparse(node.target): ast.literal_eval(node.value) for node in ast.walk(tree) if is_default(node)}
    assert defaults["dataset"] == "./warp_cuda_pairs"
    assert defaults["max_length"] in LIMITS


def is_default(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is not None


def test_a_script_in_the_recipes_is_no_loading_script(
    made: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, out = made
    sent = files_to_send(out, parse_destination("you/warp_cuda_pairs"))
    assert ("recipes/transformers-cuda.py" in sent) == (view != "raw")
    monkeypatch.chdir(out.parent)
    for path in ("./warp_cuda_pairs", str(out)):
        rows = datasets.load_dataset(path, "cuda", cache_dir=str(tmp_path))
        assert {split: len(part) for split, part in rows.items()} == {"train": 1200, "validation": 60, "test": 60}


def test_no_recipe_lets_packed_rows_see_each_other(made: tuple[str, Path]) -> None:
    view, out = made
    if view == "raw":
        return
    trl, axolotl, llama_factory = (
        yaml.safe_load((out / "recipes" / f"{name}-cuda.yaml").read_text())
        for name in ("trl", "axolotl", "llama_factory")
    )
    assert trl["packing"] is False
    assert axolotl["sample_packing"] is True
    assert axolotl["attn_implementation"] == "sdpa"  # without one, Axolotl warns that it does not keep rows apart
    # In its stage `pt` LLaMA-Factory joins rows unless it is told not to; in `sft` it does not.
    assert llama_factory["stage"] == ("pt" if view == "text" else "sft")
    assert llama_factory.get("packing") is (False if view == "text" else None)


def test_llama_factory_finds_its_datasets(
    made: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, out = made
    monkeypatch.chdir(out.parent)
    assert (out / "dataset_info.json").exists() == (view != "raw")
    if view == "raw":
        return
    info = json.loads((out / "dataset_info.json").read_text())
    recipe = yaml.safe_load((out / "recipes" / "llama_factory-cuda.yaml").read_text())
    assert [recipe["dataset"], recipe["eval_dataset"]] == list(info)
    for entry in info.values():
        assert set(entry["columns"].values()) <= set(row_schema("cuda", view).names)
        # As LLaMA-Factory loads it.
        path = os.path.join(recipe["dataset_dir"], entry["script_url"])
        rows = datasets.load_dataset(path, name=entry["subset"], split=entry["split"], cache_dir=str(tmp_path))
        assert len(rows) == {"train": 1200, "validation": 60}[entry["split"]]
