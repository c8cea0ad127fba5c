"""Properties of every program the grammar can draw, for production's stream and for Hypothesis'."""

import ast
from collections import Counter

import pytest
from hypothesis import given, settings

from builder import codegen
from builder.curate.keys import analyse
from builder.kernels import candidate, category_of, to_source
from builder.kernels.pieces import unsigned
from builder.kernels.program import (
    Apply,
    Assign,
    Atomic,
    Call,
    Let,
    Literal,
    Load,
    Name,
    Part,
    Span,
    Store,
    Word,
)
from builder.kernels.reading import bodies, children, expressions, roots, statements
from builder.kernels.types import Array, Mat, Quat, Transform, Vec
from builder.shipped import category_names

from .drawing import RANDOM_CATEGORIES, WEIGHTS, programs


def by_category(name, count, seed=11):
    return [candidate(seed, index, {name: 1.0}) for index in range(count)]


@settings(max_examples=150)
@given(programs())
def test_every_program_parses_and_generates_on_both_devices(program):
    source = to_source(program)
    tree = ast.parse(source.text)
    # Only a generic kernel is followed by something: the call that gives it its types.
    kernel = tree.body[-2 if program.overloaded else -1]
    assert isinstance(kernel, ast.FunctionDef)
    assert ast.unparse(kernel.decorator_list[0]).startswith("wp.kernel")
    assert "import warp as wp" in source.text
    code = codegen.generate(source.text, tree=tree)
    assert code.kernel_name == source.kernel_name
    assert code.launch_dim == (program.ndim or len(program.tid))
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
        elif isinstance(expr, Part):
            sizes = components(expr.base.type)
            assert len(expr.index) <= len(sizes)
            for k, size in zip(expr.index, sizes, strict=False):
                assert 0 <= k < size if isinstance(k, int) else k.type.is_int
    for stmt in statements(program.body):
        for load in (e for root, _ in roots(stmt) for e in nodes(root) if isinstance(e, Load)):
            check_index(load, arrays)
        if isinstance(stmt, (Store, Atomic)) and stmt.array in arrays:
            assert stmt.value.type == arrays[stmt.array].dtype
            assert len(stmt.index) == arrays[stmt.array].ndim


def nodes(expr):
    yield expr
    for child in children(expr):
        yield from nodes(child)


def components(type_):
    if isinstance(type_, Mat):
        return (type_.rows, type_.cols)
    return ({Vec: getattr(type_, "n", 0), Quat: 4, Transform: 7}[type(type_)],)


def check_index(load, arrays):
    """An element has the array's dtype, a view the dimensions that are left."""
    if load.array not in arrays:
        return
    whole = arrays[load.array]
    left = whole.ndim - len(load.index) + sum(isinstance(k, Span) for k in load.index)
    assert left >= 0
    assert load.type == (Array(whole.dtype, left) if left else whole.dtype)


@settings(max_examples=300)
@given(programs())
def test_nothing_is_dead(program):
    """Every argument and every local is read, every output written."""
    names = {e.name for e in expressions(program) if isinstance(e, Name)}
    names |= {e.array for e in expressions(program) if isinstance(e, Load)}
    for body in bodies(program):
        found = list(statements(body))
        written = {s.array for s in found if isinstance(s, (Store, Atomic))}
        if body is program.body:
            for arg in program.args:
                assert arg.name in names or arg.name in written, arg.name
        for stmt in found:
            if isinstance(stmt, Let):
                updated = any(isinstance(s, Assign) and s.name == stmt.name for s in found)
                assert stmt.name in names or stmt.name in written or updated, stmt.name
    called = {e.function for e in expressions(program) if isinstance(e, Call)}
    words = {e.text for e in expressions(program) if isinstance(e, Word)}
    for function in program.functions:
        assert function.name in called or function.name in words, function.name
    for constant in program.constants:
        assert constant.name in names, constant.name


@settings(max_examples=100)
@given(programs(RANDOM_CATEGORIES))
def test_no_array_is_read_and_written(program):
    loads = {e.array for e in expressions(program) if isinstance(e, Load)}
    written = {s.array for s in statements(program.body) if isinstance(s, (Store, Atomic))}
    assert not loads & written


@settings(max_examples=300)
@given(programs(RANDOM_CATEGORIES))
def test_no_operation_cancels_itself(program):
    """Nothing like x - x, x + -x, min(x, x), x < x, cross(x, x), --x or abs(abs(x)); squares may stand."""
    for expr in expressions(program):
        if not isinstance(expr, Apply) or expr.op.family.endswith("_make") or "low" in expr.op.guards:
            continue
        if len(expr.args) >= 2 and expr.op.symbol not in ("*", "wp.cw_mul"):
            assert unsigned(expr.args[0]) != unsigned(expr.args[1])
        if expr.op.symbol in ("neg", "not", "wp.abs", "wp.sign", "wp.transpose"):
            assert not (isinstance(expr.args[0], Apply) and expr.args[0].op is expr.op)


@settings(max_examples=300)
@given(programs(RANDOM_CATEGORIES))
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
    weights = {"math": 3.0, "vector": 1.0, "atomic": 0.1}
    for count in (100, 1000, 20_000):
        drawn = Counter(category_of(2, index, weights) for index in range(count))
        for name, weight in weights.items():
            assert abs(drawn[name] - count * weight / 4.1) < 5
    assert candidate(2, 7, weights).category == category_of(2, 7, weights)


def test_candidates_do_not_depend_on_each_other():
    forward = [candidate(4, index, WEIGHTS) for index in range(40)]
    backward = [candidate(4, index, WEIGHTS) for index in reversed(range(40))]
    assert forward == backward[::-1]


def test_description_tells_what_the_program_does():
    for index in range(300):
        source = candidate(9, index, WEIGHTS)
        text = source.description
        family = any(tag.startswith("family:") for tag in source.features)
        assert text.endswith(".")
        assert " It " in text if family else text.startswith("For each thread of a ")
        assert "  " not in text
        assert ("nested loops" in text) == any(tag.startswith("loop_depth:") for tag in source.features)
        if not family:
            assert text.count(".") == 1
            assert ("atomic" in text) == any(tag.startswith("builtin:atomic_") for tag in source.features)
            assert ("early exit" in text) == ("control:return" in source.features)
            kernel = ast.parse(source.text).body[-1]
            assert all(arg.arg in text for arg in kernel.args.args)
