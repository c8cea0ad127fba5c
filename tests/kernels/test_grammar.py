"""Properties of every program the grammar can draw, for production's stream and for Hypothesis'."""

import ast

import pytest
from hypothesis import given, settings

from builder import codegen
from builder.curate.keys import analyse
from builder.kernels import candidate, to_source
from builder.kernels.guards import unsigned
from builder.kernels.program import Apply, Assign, Atomic, Let, Literal, Load, Name, Part, Store
from builder.kernels.reading import expressions, statements
from builder.kernels.types import Array
from builder.shipped import category_names

from .drawing import WEIGHTS, programs


def by_category(name, count, seed=11):
    return [candidate(seed, index, {name: 1.0}) for index in range(count)]


@settings(max_examples=150)
@given(programs())
def test_every_program_parses_and_generates_on_both_devices(program):
    source = to_source(program)
    tree = ast.parse(source.text)
    assert [type(node).__name__ for node in tree.body] == ["Import", "FunctionDef"]
    code = codegen.generate(source.text, tree=tree)
    assert code.kernel_name == source.kernel_name
    assert code.launch_dim == len(program.tid)
    for text in (code.cpp_forward, code.cpp_backward, code.cuda_forward, code.cuda_backward):
        assert source.kernel_name in text
        assert not text[0].isspace()


@settings(max_examples=80)
@given(programs())
def test_reruns_in_an_empty_namespace_to_the_same_text(program):
    text = to_source(program).text
    assert codegen.generate(text) == codegen.generate(text)


@settings(max_examples=300)
@given(programs())
def test_every_expression_has_the_type_its_place_asks_for(program):
    arrays = {arg.name: arg.type for arg in program.args if isinstance(arg.type, Array)}
    for expr in expressions(program):
        if isinstance(expr, Apply):
            assert tuple(arg.type for arg in expr.args) == expr.op.params
        elif isinstance(expr, Load):
            assert expr.type == arrays[expr.array].dtype
            assert len(expr.index) == arrays[expr.array].ndim
        elif isinstance(expr, Part):
            assert all(0 <= k < expr.base.type.n for k in expr.index)
    for stmt in statements(program.body):
        if isinstance(stmt, (Store, Atomic)):
            assert stmt.value.type == arrays[stmt.array].dtype


@settings(max_examples=300)
@given(programs())
def test_nothing_is_dead(program):
    """Every argument and every local is read, every output written."""
    names = {e.name for e in expressions(program) if isinstance(e, Name)}
    loads = {e.array for e in expressions(program) if isinstance(e, Load)}
    body = list(statements(program.body))
    written = {s.array for s in body if isinstance(s, (Store, Atomic))}
    for arg in program.args:
        if isinstance(arg.type, Array):
            assert arg.name in loads or arg.name in written, arg.name
            assert not (arg.name in loads and arg.name in written)
        else:
            assert arg.name in names, arg.name
    for stmt in body:
        if isinstance(stmt, Let):
            updated = any(isinstance(s, Assign) and s.name == stmt.name for s in body)
            assert stmt.name in names or updated, stmt.name


@settings(max_examples=300)
@given(programs())
def test_no_operation_cancels_itself(program):
    """Nothing like x - x, x + -x, min(x, x), x < x, cross(x, x), --x or abs(abs(x)); squares may stand."""
    for expr in expressions(program):
        if not isinstance(expr, Apply) or expr.op.family in ("vec_make", "mat_make") or "low" in expr.op.guards:
            continue
        if len(expr.args) >= 2 and expr.op.symbol not in ("*", "wp.cw_mul"):
            assert unsigned(expr.args[0]) != unsigned(expr.args[1])
        if expr.op.symbol in ("neg", "not", "wp.abs", "wp.sign", "wp.transpose"):
            assert not (isinstance(expr.args[0], Apply) and expr.args[0].op is expr.op)


@settings(max_examples=300)
@given(programs())
def test_no_bare_constant_is_stored(program):
    for stmt in statements(program.body):
        if isinstance(stmt, Store):
            assert not isinstance(stmt.value, Literal)


@settings(max_examples=300)
@given(programs())
def test_names_do_not_collide(program):
    names = [arg.name for arg in program.args] + list(program.tid)
    names += [s.name for s in statements(program.body) if isinstance(s, Let)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("category", category_names())
def test_category_is_what_its_name_says(category):
    must = {
        "atomic": "builtin:atomic_",
        "nested_loop": "loop_depth:",
        "multi_conditional": "control:elif",
        "control_flow": "control:",
        "combined": "control:for",
        "matrix": "dtype:mat",
        "vector": "dtype:vec",
    }
    for source in by_category(category, 60):
        assert source.category == category
        if category in must:
            assert any(tag.startswith(must[category]) for tag in source.features), source.text


@pytest.mark.parametrize("category", category_names())
def test_category_is_wide(category):
    """300 candidates of one category alone have (nearly) as many skeletons."""
    skeletons = {analyse(source.text).skeleton for source in by_category(category, 300)}
    assert len(skeletons) >= 290


def test_scalar_param_has_scalars():
    for source in by_category("scalar_param", 40):
        code = codegen.generate(source.text)
        assert sum("array" not in type_ for _, type_ in code.args) >= 2


def test_weights_choose_categories():
    drawn = [candidate(2, index, {"math": 3.0, "vector": 1.0}).category for index in range(800)]
    assert set(drawn) == {"math", "vector"}
    assert 0.7 < drawn.count("math") / 800 < 0.8


def test_candidates_do_not_depend_on_each_other():
    forward = [candidate(4, index, WEIGHTS) for index in range(40)]
    backward = [candidate(4, index, WEIGHTS) for index in reversed(range(40))]
    assert forward == backward[::-1]


def test_description_tells_what_the_program_does():
    for index in range(200):
        source = candidate(9, index, WEIGHTS)
        text = source.description
        assert text.startswith("For each thread of a ")
        assert text.endswith(".")
        assert text.count(".") == 1
        assert ("nested loops" in text) == any(tag.startswith("loop_depth:") for tag in source.features)
        assert ("atomic" in text) == any(tag.startswith("builtin:atomic_") for tag in source.features)
        assert ("early exit" in text) == ("control:return" in source.features)
        tree = ast.parse(source.text)
        kernel = tree.body[-1]
        assert all(arg.arg in text for arg in kernel.args.args)
