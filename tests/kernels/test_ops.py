"""Every row of the ops table, generated alone on both devices."""

import pytest

from builder import codegen
from builder.kernels import facts
from builder.kernels.guards import GUARDS, LIMITS
from builder.kernels.ops import TABLE, op, ops_for
from builder.kernels.program import Apply, Arg, Load, Name, Program, Store
from builder.kernels.reading import Reading
from builder.kernels.render import render
from builder.kernels.types import BOOL, FLOAT, INT, Array


def program_for(row):
    """A kernel that loads each argument from an array, applies one row and stores the result."""
    args = [Arg(f"a{k}", Array(kind, 1)) for k, kind in enumerate(row.params)]
    index = (Name("i", INT),)
    value = Apply(row, tuple(Load(arg.name, index, arg.type.dtype) for arg in args))
    out = Arg("out", Array(row.result, 1))
    body = (Store("out", index, value),)
    return Program("arithmetic", "one_op", (*args, out), ("i",), body)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.symbol}:{','.join(p.name for p in row.params)}")
def test_row_is_what_warp_knows(row):
    code = codegen.generate(render(program_for(row)))
    assert "one_op_cpu_kernel_forward" in code.cpp_forward
    assert "one_op_cuda_kernel_backward" in code.cuda_backward
    if row.builtin and row.builtin not in ("identity",):
        assert f"builtin:{row.builtin}" in facts.features(Reading(program_for(row)))


def test_no_row_twice():
    rows = [(row.symbol, row.params, row.result) for row in TABLE]
    assert len(set(rows)) == len(rows)


def test_every_guard_exists_and_is_used():
    used = {guard for row in TABLE for guard in row.guards if guard}
    assert used == {*GUARDS, *LIMITS}


def test_lookup():
    assert op("+", FLOAT, FLOAT).result == FLOAT
    assert op("<", INT, INT).result == BOOL
    assert all(row.result == FLOAT and row.family == "math" for row in ops_for(FLOAT, ("math",)))
    with pytest.raises(KeyError, match="no op"):
        op("+", BOOL, BOOL)
