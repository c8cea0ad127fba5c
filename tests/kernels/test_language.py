"""What the categories on Warp's language promise: tags, generic kernels, gradients, options, true summaries."""

import pytest

from builder import codegen
from builder.errors import CodegenRejection
from builder.kernels import candidate, draw_program, to_source
from builder.kernels.author import Author
from builder.kernels.choices import CounterChoices
from builder.kernels.program import Apply, Name, Store
from builder.kernels.reading import expressions, statements
from builder.kernels.terms import identity, make, wp
from builder.kernels.types import DOUBLE, FLOAT, INT, QUAT, VEC3, Array, mat, transform, vec

MUST = {
    "struct": "uses:struct",
    "quaternion": "dtype:quat",
    "transform": "launch:",
    "random": "builtin:rand_init",
    "integer_bits": "dtype:",
    "mixed_precision": "dtype:float",
    "generic": "uses:generic",
    "device_function": "uses:function",
    "linear_types": "dtype:",
}
NEW = (*MUST, "dynamic_loop", "grid_stride")


@pytest.mark.parametrize("category", MUST)
def test_category_shows_what_it_is_about(category):
    for index in range(40):
        source = candidate(13, index, {category: 1.0})
        assert any(tag.startswith(MUST[category]) for tag in source.features), source.text


@pytest.mark.parametrize("category", NEW)
def test_generates_and_reads_what_it_declares(category):
    for index in range(25):
        program = draw_program(CounterChoices(17, index), category)
        source = to_source(program)
        assert codegen.generate(source.text).kernel_name == program.name
        assert program.family
        assert program.summary
        assert source.description.startswith(program.summary)
        names = {node.name for node in expressions(program) if isinstance(node, Name)}
        arrays = {node.array for node in expressions(program) if hasattr(node, "array")}
        arrays |= {stmt.array for stmt in statements(program.body) if hasattr(stmt, "array")}
        assert {arg.name for arg in program.args} <= names | arrays


def test_dynamic_loops_have_a_loop_that_is_left_by_the_data():
    for index in range(40):
        tags = candidate(13, index, {"dynamic_loop": 1.0}).features
        assert "control:while" in tags or "control:break" in tags


def _generic(overloads):
    text = """
from typing import Any

import warp as wp


@wp.kernel
def scaled(x: wp.array(dtype=Any), s: Any, n: int, out: wp.array2d(dtype=Any)):
    i = wp.tid()
    out[i, n] = x[i] * s


"""
    return text + "\n".join(f"wp.overload(scaled, {{{types}}})" for types in overloads) + "\n"


FLOATS = '"x": wp.array(dtype=float), "s": float, "out": wp.array2d(dtype=float)'
VECTORS = '"x": wp.array(dtype=wp.vec3d), "s": wp.float64, "out": wp.array2d(dtype=wp.vec3d)'


def test_a_generic_kernel_with_one_overload_is_that_overload():
    code = codegen.generate(_generic([VECTORS]))
    assert code.args == (
        ("x", "wp.array(dtype=wp.vec3d)"), ("s", "wp.float64"), ("n", "int"), ("out", "wp.array2d(dtype=wp.vec3d)"),
    )  # fmt: skip
    assert code.kernel_name == "scaled"
    assert "wp::vec_t<3, wp::float64>" in code.cuda_forward


@pytest.mark.parametrize("overloads", [[], [FLOATS, VECTORS]])
def test_a_generic_kernel_needs_exactly_one_overload(overloads):
    with pytest.raises(CodegenRejection, match=f"{len(overloads)} overloads; give it one"):
        codegen.generate(_generic(overloads))


def test_the_adjoint_stands_above_a_kernel_that_calls_wp_grad():
    text = """
import warp as wp


@wp.func
def f(x: wp.float64) -> wp.float64:
    return wp.sin(x) * x


@wp.kernel
def slope(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = wp.grad(f)(x[i])
"""
    code = codegen.generate(text)
    for forward, backward in ((code.cpp_forward, code.cpp_backward), (code.cuda_forward, code.cuda_backward)):
        assert forward.index("void adj_f_0(") < forward.index("slope_c")
        assert "void adj_f_0(" not in backward


def test_gradients_replays_and_defaults_are_written():
    k = Author(CounterChoices(1, 1), "device_function", "own")
    k.name("kernel_of")
    x, out = k.input("x", FLOAT), k.output("out", FLOAT)
    f = k.function(
        "f", {"x": FLOAT, "w": FLOAT}, lambda s, a, w: a * w,
        gradient=lambda s, a, w, adj: s.add_adjoint(a, adj * w),
        replay=lambda s, a, w: a + w,
        defaults=(make(vec(2), 1.0, 2.0)[0],),
    )  # fmt: skip
    i = k.tid("i")
    out[i] = f(x[i])
    source = to_source(k.program())
    assert "@wp.func_grad(f)\ndef adj_f(x: float, w: float, adj_ret: float):" in source.text
    assert "wp.adjoint[x] += adj_ret * w" in source.text
    assert "@wp.func_replay(f)" in source.text
    assert {"uses:custom_gradient", "uses:replay"} <= set(source.features)


def test_options_of_the_decorator():
    k = Author(CounterChoices(1, 1), "grid_stride", "own")
    k.name("kernel_of")
    k.option("launch_bounds", (256, 2))
    k.option("enable_backward", False)
    x, out = k.input("x", FLOAT), k.output("out", FLOAT)
    i = k.tid("i")
    out[i] = x[i] * 2.0
    source = to_source(k.program())
    assert "@wp.kernel(launch_bounds=(256, 2), enable_backward=False)" in source.text
    code = codegen.generate(source.text)
    assert "__launch_bounds__(256, 2)" in code.cuda_forward
    assert code.cuda_backward == ""


def test_slices_and_attributes_have_types():
    k = Author(CounterChoices(1, 1), "linear_types")
    v, m = k.scalar("v", vec(5, DOUBLE)), k.scalar("m", mat(2, 3))
    assert v[1:3].type == vec(2, DOUBLE)
    assert m[:, 0].type == vec(2)
    assert m[0].type == VEC3
    X = k.scalar("X", transform())
    assert (X.p.type, X.q.type, X.q.w.type) == (VEC3, QUAT, FLOAT)
    with pytest.raises(TypeError, match="no slices"):
        _ = X[0:3]
    with pytest.raises(AttributeError):
        _ = v.x.y
    assert identity(QUAT).type == QUAT


def test_spatial_vectors_are_not_made_of_one_number():
    with pytest.raises(TypeError, match="no spatial_vector"):
        make(vec(6), 1.0)


def test_sample_cdf_takes_a_state_and_an_array():
    k = Author(CounterChoices(1, 1), "random")
    cdf, seed = k.input("cdf", FLOAT), k.scalar("seed", INT)
    assert wp.sample_cdf(wp.rand_init(seed), cdf).type == INT
    with pytest.raises(ValueError, match="sample_cdf takes"):
        wp.sample_cdf(seed, cdf)


def test_structs_are_built_of_their_fields_in_order():
    k = Author(CounterChoices(1, 1), "struct")
    pair = k.struct("Pair", {"a": FLOAT, "b": INT})
    made = make(pair, 1.0, 2)
    assert isinstance(made.e, Apply)
    assert made.type == pair
    with pytest.raises(TypeError, match="its fields in order"):
        make(pair, 1.0, wp.sin(made.a))


def test_an_element_whose_field_is_written_counts_as_stored():
    k = Author(CounterChoices(1, 1), "struct", "own")
    k.name("kernel_of")
    k.summary("Doubles a field.")
    pair = k.struct("Pair", {"a": FLOAT, "b": INT})
    items = k.inout("items", pair)
    i = k.tid("i")
    k.put(items[i].a, items[i].a * 2.0)
    program = k.program()
    assert not any(isinstance(stmt, Store) for stmt in program.body)
    assert "stores a float32 in items" in to_source(program).description
    assert isinstance(program.args[0].type, Array)
