"""Verification of a built folder: each kernel once, verdicts kept, an edited text found."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from builder.errors import SpecError
from builder.package.folder import write_folder
from builder.package.store import Store, default_store
from builder.package.verified import VERIFIED_SCHEMA
from builder.package.verify_folder import CHUNK, chunks, verify_chunk
from builder.scale.folders import config_build
from builder.scale.verifying import verify
from builder.spec import load_spec

SPEC = {"num_kernels": 24, "seed": 3, "categories": "arithmetic,vector", "splits": "0.6/0.2/0.2"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("verified")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARP_CUDA_PAIRS_CACHE", str(place / "store"))
        write_folder(
            place / "demo", [config_build(load_spec(name, **SPEC), default_store()) for name in ("cpu", "cuda")]
        )
    return place / "demo"


def test_every_row_compiles_and_is_looked_at_once(folder: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    store = Store(tmp_path / "store")
    todo, tables = verify(folder, store, level="compile", on_chunk=lambda *at: seen.append(at))
    verdicts = [row for table in tables for row in table["verification"].to_pylist()]
    assert len(verdicts) == SPEC["num_kernels"]  # two configs of the same kernels
    assert {row["compile"] for row in verdicts} == {"passed"}
    assert {row[check] for row in verdicts for check in ("execute", "gradient", "gpu")} == {"not_run"}
    assert seen == [(24, 24)]
    assert store.path("verified", todo[0].key, 0) is not None


def test_verdicts_are_read_again(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store")
    (chunk,) = chunks(folder, "compile")
    assert CHUNK >= len(chunk.rows) == 24
    kept = pa.Table.from_pylist([], VERIFIED_SCHEMA)
    store.put("verified", chunk.key, 0, kept)
    assert verify_chunk(chunk, store).num_rows == 0


def test_a_text_that_its_source_does_not_generate_has_failed(folder: Path, tmp_path: Path) -> None:
    (chunk,) = chunks(folder, "compile")
    first, second = ({**row} for row in chunk.rows[:2])
    first["cuda_forward"] = first["cuda_forward"].replace("var_0", "var_1", 1)
    second["python_source"] = second["python_source"].replace("@wp.kernel", "@wp.kernels")
    edited = type(chunk)(chunk.level, "0" * 32, 0, chunk.comments, (first, second))
    said = verify_chunk(edited, Store(tmp_path / "store"))["verification"].to_pylist()
    assert said[0]["compile"] == said[1]["compile"] == "failed"
    old = {**first, "warp_version": "1.0.0"}
    edited = type(chunk)(chunk.level, "1" * 32, 0, chunk.comments, (old,))
    (older,) = verify_chunk(edited, Store(tmp_path / "store"))["verification"].to_pylist()
    assert older["reason"].endswith("; install the row's own, 1.0.0")
    assert said[0]["reason"] == "compile: cuda_forward: not what its python_source generates"
    assert "kernels" in said[1]["reason"]


@pytest.mark.parametrize(("level", "num_proc"), [("none", 1), ("exec", 1), ("compile", 0)])
def test_what_is_not_allowed_is_said(folder: Path, tmp_path: Path, level: str, num_proc: int) -> None:
    with pytest.raises(SpecError, match=r"Allowed|at least 1"):
        verify(folder, Store(tmp_path / "store"), level=level, num_proc=num_proc)
