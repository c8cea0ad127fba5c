"""One candidate again: by seed and index, by a row's id, and when it was rejected."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from builder.errors import SpecError
from builder.kernels import KernelSource
from builder.package import reproduce as module
from builder.package.derived import read_tables
from builder.package.reproduce import find, reproduce
from builder.spec import load_spec

from .test_verify_folder import SPEC, folder  # noqa: F401 (a fixture)


def rows(place: Path) -> list[dict[str, object]]:
    shards = sorted((place / "data" / "cuda").iterdir())
    return [row for shard in shards for table in read_tables(shard) for row in table.to_pylist()]


def test_a_row_by_its_id(folder: Path) -> None:  # noqa: F811
    row = rows(folder)[7]
    place = find(str(row["id"]), folder, {})
    assert (place.spec.seed, place.index) == (SPEC["seed"], row["index"])
    assert place.spec.categories == load_spec("cuda", **SPEC).categories
    made = dict(reproduce(place, "none", {}))
    assert made["python_source"] == row["python_source"]
    assert made["cuda_forward"] == row["cuda_forward"]
    assert f"id {row['id']}, skeleton {row['skeleton']}" in made["keys"]
    assert "compile" not in made


def test_by_seed_and_index(folder: Path) -> None:  # noqa: F811
    row = rows(folder)[3]
    place = find(f"{row['seed']}:{row['index']}", None, {"categories": SPEC["categories"]})
    made = dict(reproduce(place, "compile", {}))
    assert made["python_source"] == row["python_source"]
    assert made["compile"].startswith("passed")
    assert made["gpu"] == "not_run"


def test_a_rejected_candidate_ends_where_it_was_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import warp as wp\n\n\n@wp.kernel\ndef bad(x: wp.array(dtype=float)):\n    x[0] = undefined\n"
    monkeypatch.setattr(
        "builder.package.unit.candidate", lambda *_: KernelSource(text, "bad", "arithmetic", "Bad.", ())
    )
    made = list(reproduce(find("3:5", None, {}), "gradient", {}))
    assert [title for title, _ in made] == ["candidate", "description", "python_source", "rejected"]
    assert "codegen_error" in made[-1][1]
    assert "undefined" in made[-1][1]


@pytest.mark.parametrize("what", ["nothing", "3:", ":3", "-1:2", "0123456789abcdef"])
def test_what_names_no_candidate(folder: Path, what: str) -> None:  # noqa: F811
    with pytest.raises(SpecError, match=r"SEED:INDEX"):
        find(what, None, {})
    with pytest.raises(SpecError, match=r"SEED:INDEX"):
        find(what, folder, {})


def test_an_index_beyond_all_candidates() -> None:
    with pytest.raises(SpecError, match="there is no candidate 281474976710656"):
        find(f"0:{2**48}", None, {})
    assert find(f"0:{2**48 - 1}", None, {}).index == 2**48 - 1


def test_mined_sources_that_ran_out() -> None:
    spec = load_spec("cuda", sources="warp-lang")
    with pytest.raises(SpecError, match="the mined ones have no more kernels"):
        list(reproduce(module.Place(spec, 5), "none", {"warp-lang": pa.table({"text": []})}))
