"""The column of PTX: of the row's own text, at its end, null where there is none."""

from __future__ import annotations

import pyarrow as pa
import pytest

from builder import scale, stages
from builder.package import ptx
from builder.package.store import Store
from builder.record import row_schema
from builder.scale.progress import Silent
from builder.spec import load_spec

from ..verify.made import good, swapped


def test_ptx_is_of_the_rows_own_text():
    row = good("kernel_a", 2.0)
    broken = swapped(row, "cuda_backward", "wp::adj_sin(", "wp::adj_sine(")
    table = ptx.ptx_table(pa.Table.from_pylist([row, broken]))
    text, none = table["ptx"].to_pylist()
    assert none is None
    assert ".target sm_80" in text
    assert ".entry kernel_a_cuda_kernel_forward(" in text
    assert ".entry kernel_a_cuda_kernel_backward(" in text
    assert text.isprintable() or "\0" not in text
    assert ptx.ptx_table(pa.Table.from_pylist([row]))["ptx"][0].as_py() == text


@pytest.mark.parametrize("wanted", [True, False])
def test_the_column_is_there_when_asked_for(tmp_path, monkeypatch, wanted):
    monkeypatch.setattr(ptx, "compile_cuda", lambda code, arch: f"// {arch} {len(code)}\0".encode())
    spec = load_spec("cuda", num_kernels=100, seed=5, categories="arithmetic", ptx=wanted)
    store = Store(tmp_path / "store")
    decision = scale.build(spec, store, progress=Silent())
    rows = pa.concat_tables(stages.rows(spec, store, decision, "train"))
    assert rows.schema == row_schema("cuda", ptx=wanted)
    assert ("ptx" in rows.schema.names) is wanted
    if wanted:
        assert rows.schema.names[-1] == "ptx"
        lengths = {int(text.split()[-1]) for text in rows["ptx"].to_pylist()}
        assert min(lengths) > 1000
        assert len(lengths) > 40
