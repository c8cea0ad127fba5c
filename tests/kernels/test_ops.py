"""Every row of the ops table, generated alone on both devices."""

import pytest

from builder import codegen
from builder.kernels import candidate, facts
from builder.kernels.guards import GUARDS, LIMITS
from builder.kernels.ops import TABLE, op, ops_for
from builder.kernels.program import Apply, Arg, Do, Let, LetMany, Load, Name, Program, Store
from builder.kernels.reading import Reading
from builder.kernels.render import render
from builder.kernels.types import BFLOAT, BOOL, DOUBLE, FLOAT, INT, Array, Several, vec

INDEX = (Name("i", INT),)


def program_for(row):
    """A kernel that loads each argument from an array, applies one row and stores the result (or each of several).

    A row called for its effect writes into its arguments, so they are locals, and they are stored.
    """
    args = [Arg(f"a{k}", Array(kind, 1)) for k, kind in enumerate(row.params)]
    loads = [Load(arg.name, INDEX, arg.type.dtype) for arg in args]
    if not isinstance(row.result, Several):
        return _program(args, [], [Apply(row, tuple(loads))])
    if row.result.items:
        names = [Name(f"r{k}", kind) for k, kind in enumerate(row.result.items)]
        return _program(args, [LetMany(tuple(name.name for name in names), Apply(row, tuple(loads)))], names)
    names = [Name(f"v{k}", kind) for k, kind in enumerate(row.params)]
    lets = [Let(name.name, load) for name, load in zip(names, loads, strict=True)]
    return _program(args, [*lets, Do(Apply(row, tuple(names)))], names)


def _program(args, body, results):
    outs = [Arg(f"out{k}", Array(result.type, 1)) for k, result in enumerate(results)]
    stores = [Store(out.name, INDEX, result) for out, result in zip(outs, results, strict=True)]
    return Program("arithmetic", "one_op", (*args, *outs), ("i",), (*body, *stores))


def _once_for_each_signature():
    """Yield each row for its commonest types; for its other types too, marked slow."""
    seen = set()
    for row in TABLE:
        shape = (row.symbol, row.phrase, len(row.params), row.family)
        name = f"{row.symbol}:{','.join(p.name for p in row.params)}"
        yield pytest.param(row, id=name, marks=[pytest.mark.slow] if shape in seen else [])
        seen.add(shape)


@pytest.mark.parametrize("row", list(_once_for_each_signature()))
def test_row_is_what_warp_knows(row):
    code = codegen.generate(render(program_for(row)))
    assert "one_op_cpu_kernel_forward" in code.cpp_forward
    assert "one_op_cuda_kernel_backward" in code.cuda_backward
    if row.builtin and row.builtin not in ("identity",):
        assert f"builtin:{row.builtin}" in facts.features(Reading(program_for(row)))


def test_no_row_twice():
    rows = [(row.symbol, row.params, row.result, row.family, row.guards) for row in TABLE]
    assert len(set(rows)) == len(rows)


def test_every_guard_exists_and_is_used():
    used = {guard for row in TABLE for guard in row.guards if guard}
    assert used == {*GUARDS, *LIMITS}


def test_lookup():
    assert op("+", FLOAT, FLOAT).result == FLOAT
    assert op("<", INT, INT).result == BOOL
    assert all(row.result == FLOAT and row.family == "math" for row in ops_for(FLOAT, ("math",)))
    assert op("wp.float64", FLOAT, result=DOUBLE).result == DOUBLE
    assert op("wp.svd3", op("wp.skew", vec(3)).result).result.items[1] == vec(3)
    with pytest.raises(KeyError, match="no op"):
        op("+", BOOL, BOOL)


def test_bfloat16_has_rows_but_the_random_grammar_does_not_draw_it():
    assert op("*", BFLOAT, BFLOAT).result == BFLOAT
    assert not [row for row in TABLE if row.family == "arith" and BFLOAT in row.params]


def test_a_row_for_its_effect_gives_nothing():
    row = op("wp.quat_to_axis_angle", *next(r.params for r in TABLE if r.family == "quat_split" and len(r.params) == 3))
    assert row.result == Several(())


def test_vectors_of_whole_numbers_are_not_divided_by_rounded_fractions():
    """``wp.vec2i(0.5)`` is zero."""
    divided = 0
    for index in range(400):
        text = candidate(7, index, {"vector": 1.0}).text
        divided += "% (wp.abs(" in text
        assert not any(f"wp.vec{n}i(0." in text for n in (2, 3, 4))
    assert divided
