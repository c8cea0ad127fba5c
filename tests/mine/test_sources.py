"""Mined and synthetic kernels in one dataset."""

from collections import Counter

import pytest

from builder import scale, stages
from builder.errors import SpecError, SplitError
from builder.package.store import Store
from builder.scale.progress import Silent
from builder.spec import SPLITS, load_spec

from .made_up import GOOD, install


@pytest.fixture
def store(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    install(folder, GOOD)
    monkeypatch.syspath_prepend(str(folder))
    return Store(tmp_path / "store")


def rows(spec, store):
    decision = scale.build(spec, store, progress=Silent())
    return [row for split in SPLITS for table in stages.rows(spec, store, decision, split) for row in table.to_pylist()]


def test_every_mined_kernel_comes_once_and_tells_where_it_is_from(store):
    spec = load_spec("cuda", num_kernels=60, sources="synthetic=5,made-up=1", splits="0.6/0.2/0.2")
    found = rows(spec, store)
    origins = Counter(row["origin"] for row in found)
    assert set(origins) == {"synthetic", "made-up"}
    mined = [row for row in found if row["origin"] == "made-up"]
    assert len({row["origin_path"] for row in mined}) == len(mined)
    assert {row["license"] for row in mined} == {"MIT"}
    assert all(row["category"].startswith("mined_") and row["prompt"] for row in mined)
    assert rows(spec, store) == found


def test_a_source_that_is_not_installed():
    with pytest.raises(SpecError, match=r"'nowhere' is not installed here.*'synthetic', or the name of an installed"):
        load_spec("cuda", sources="synthetic,nowhere")


def test_a_mined_source_alone_ends(store):
    spec = load_spec("cuda", num_kernels=300, sources="made-up")
    with pytest.raises(SplitError, match="add categories or sources"):
        rows(spec, store)
