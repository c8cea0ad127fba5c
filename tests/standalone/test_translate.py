"""The translation of kernels to CUDA of their own: what is written, what is refused, the same each time."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from builder.codegen.arguments import ArrayOf, Number
from builder.errors import StandaloneRejection
from builder.kernels import candidate
from builder.kernels.ops import TABLE
from builder.kernels.render import render
from builder.standalone import program, standalone, translate
from builder.standalone.expressions import BUILTINS
from builder.standalone.operators import PLAIN
from builder.standalone.shapes import shapes_of
from builder.standalone.snippets import on_device
from builder.standalone.tiles.table import DOERS, MAKERS
from builder.standalone.untranslated import CONSTRUCTS, reason_of
from tests.kernels.test_ops import program_for

ROOT = Path(__file__).resolve().parents[2]
BASE = (
    "arithmetic", "math", "vector", "matrix", "control_flow", "atomic", "nested_loop", "multi_conditional", "combined",
    "scalar_param",
)  # fmt: skip


def kernel(body, args="x: wp.array(dtype=float), out: wp.array(dtype=float)", before="", options="grid_stride=False"):
    """Return a kernel source; its body stands below ``i = wp.tid()``."""
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    head = f"@wp.kernel({options})\ndef k({args}):\n    i = wp.tid()\n"
    return f"import warp as wp\n\n\n{textwrap.dedent(before)}\n\n{head}{lines}\n"


def body_of(source):
    """Return the lines of the translated kernel behind its guard."""
    lines = translate(source).kernel.rstrip("\n").split("\n")
    return [line[2:] for line in lines[lines.index("  }") + 1 : -1]]


@pytest.mark.parametrize(
    ("python", "cuda"),
    [
        ("out[i] = x[i] * 2.0 + 1.0", "out[i] = x[i] * 2.0f + 1.0f;"),
        ("out[i] = wp.round(x[i]) + wp.rint(x[i])", "out[i] = roundf(x[i]) + rintf(x[i]);"),
        ("out[i] = wp.min(x[i], wp.max(0.0, x[0]))", "out[i] = fminf(x[i], fmaxf(0.0f, x[0]));"),
        ("out[i] = x[i] % 2.0", "out[i] = fmodf(x[i], 2.0f);"),
        ("out[i] = float(i // 3)", "out[i] = (float)(i / 3);"),
        ("out[i] = float((i - 4) // 3)", "out[i] = (float)floordiv(i - 4, 3);"),
        ("out[i] = float(i % 3)", "out[i] = (float)(i % 3);"),
        ("out[i] = float(wp.uint8(i) + wp.uint8(200))", "out[i] = (float)(uint8_t)((uint8_t)i + 200);"),
        ("out[i] = -(-x[i])", "out[i] = -(-x[i]);"),
        ("out[i] = x[i] - (x[0] - 1.0)", "out[i] = x[i] - (x[0] - 1.0f);"),
        ("out[i] = float(wp.float64(0.1))", "out[i] = (float)0.1;"),
        ("out[i] = wp.where(x[i] > 0.0, 1.0, x[i])", "out[i] = x[i] > 0.0f ? 1.0f : x[i];"),
        ("out[i] += x[i]", "atomicAdd(&out[i], x[i]);"),
        ("wp.atomic_min(out, 0, x[i])", "atomic_min(&out[0], x[i]);"),
        ("out[i] = float((i & 1) + (i << 2))", "out[i] = (float)((i & 1) + (i << 2));"),
    ],
)
def test_an_expression_means_what_it_means_to_warp(python, cuda):
    assert body_of(kernel(python)) == [cuda]


def test_loops_keep_their_direction_and_their_limits():
    source = kernel("""
        total = float(0.0)
        n = int(4)
        for j in range(n, 0, -2):
            n = n + 1
            total += x[j]
        for j in range(20):
            if x[j] < 0.0:
                continue
            total += x[j]
        while total > 10.0:
            total *= 0.5
        out[i] = total
        """)
    assert body_of(source) == [
        "float total = 0.0f;",
        "int n = 4;",
        "for (int j = n; j > 0; j -= 2) {",
        "  n = n + 1;",
        "  total += x[j];",
        "}",
        "for (int j = 0; j < 20; ++j) {",
        "  if (x[j] < 0.0f) {",
        "    continue;",
        "  }",
        "  total += x[j];",
        "}",
        "while (total > 10.0f) {",
        "  total *= 0.5f;",
        "}",
        "out[i] = total;",
    ]


def test_a_limit_that_the_body_changes_is_taken_once():
    source = kernel("""
        n = int(x[i])
        total = float(0.0)
        for j in range(n):
            n = n - 1
            total += 1.0
        out[i] = total + float(n)
        """)
    lines = body_of(source)
    assert "const int j_end = n;" in lines
    assert "for (int j = 0; j < j_end; ++j) {" in lines


def test_a_name_is_declared_where_all_its_uses_see_it():
    source = kernel("""
        if x[i] > 0.0:
            y = x[i] * 2.0
        else:
            y = x[i] * 3.0
        out[i] = y
        """)
    assert body_of(source)[0] == "float y = 0.0f;"
    assert "const float y" not in translate(source).kernel


def test_a_name_of_cpp_or_of_a_helper_is_changed():
    source = kernel("""
        new = x[i]
        sign = wp.sign(new)
        out[i] = sign
        """)
    assert body_of(source) == [
        "const float new_ = x[i];",
        "const float sign = new_ < 0.0f ? -1.0f : 1.0f;",
        "out[i] = sign;",
    ]
    vectors = "x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)"
    lines = body_of(kernel("length = wp.length(x[i])\nout[i] = length", args=vectors))
    assert lines == ["const float length_ = length(x[i]);", "out[i] = length_;"]


def test_a_name_of_the_host_side_is_changed():
    before = "@wp.func\ndef pcg(state: wp.uint32):\n    return state * wp.uint32(3)\n"
    args = "n: int, x: wp.array(dtype=wp.uint32), out: wp.array(dtype=wp.uint32)"
    text = program(translate(kernel("out[i] = pcg(x[i]) + wp.uint32(n)", args=args, before=before)))
    assert "out[i] = pcg_(x[i]) + (unsigned int)n;" in text
    assert "if (i >= threads) {" in text
    assert "k<<<grid, block>>>(n_arg, d_x, d_out, n);" in text


def test_a_snippet_keeps_what_it_does_on_a_gpu():
    text = "#if defined(__CUDA_ARCH__)\na;\n#if N > 2\nb;\n#else\nc;\n#endif\n#else\nd;\n#if N\ne;\n#endif\n#endif\nf;"
    assert on_device(text) == "a;\n#if N > 2\nb;\n#else\nc;\n#endif\nf;"
    assert on_device("#ifndef __CUDA_ARCH__\na;\n#else\nb;\n#endif") == "b;"


def test_draws_keep_their_order():
    lines = body_of(kernel("state = wp.rand_init(1, i)\nout[i] = wp.randf(state) - wp.randf(state)"))
    assert lines == [
        "unsigned int state = rand_init(1, i);",
        "const float drawn1 = randf(state);",
        "const float drawn2 = randf(state);",
        "out[i] = drawn1 - drawn2;",
    ]


def test_only_what_is_used_stands_in_the_program():
    translation = translate(
        kernel("out[i] = wp.dot(x[i], x[0])", args="x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)")
    )
    assert len(translation.helpers) == 1
    assert translation.helpers[0].startswith("__device__ inline float dot(float3 a, float3 b)")
    assert translation.types == ()


def test_arrays_are_pointers_with_the_lengths_that_are_needed():
    args = "x: wp.array2d(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)"
    text = translate(kernel("row = x[i]\nout[i] = row[2] + y[y.shape[0] - 1]", args=args)).kernel
    assert (
        "(const float *__restrict__ x, int x_dim1, const float *__restrict__ y, int y_dim0, float *__restrict__" in text
    )
    assert "const float *row = x + i * x_dim1;" in text


def test_a_grid_stride_kernel_leaves_one_place_only():
    text = translate(kernel("if x[i] < 0.0:\n    return\nout[i] = x[i]", options="grid_stride=True")).kernel
    assert "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {" in text
    assert "continue;" in text
    assert "return" not in text


@pytest.mark.parametrize(
    ("source", "construct", "line"),
    [
        (kernel("out[i] = wp.grad(f)(x[i])", before="@wp.func\ndef f(v: float):\n    return v * v\n"), "wp.grad", 12),
        (
            kernel(
                "v = x[i]\nf(v)\nout[i] = v",
                before="@wp.func\ndef f(v: wp.ref[float]):\n    v += 1.0\n",
                options="enable_backward=False",
            ),
            "a reference to a variable",
            5,
        ),
        (kernel("v = x[i]\nfor j in range(2, 2):\n    out[i] = v\nout[i] = 1.0"), "a loop that never runs", 10),
        (kernel("j, k = wp.tid()\nout[i] = x[j + k]"), "one index of a grid of several dimensions", 8),
        (kernel("s = wp.tile_stack(capacity=4, dtype=float)\nwp.tile_stack_push(s, x[i], True)"), "wp.tile_stack", 9),
    ],
)
def test_what_has_no_translation_is_named_with_its_line(source, construct, line):
    with pytest.raises(StandaloneRejection) as refused:
        translate(source)
    assert (refused.value.construct, refused.value.line) == (construct, line)
    assert reason_of(construct.removeprefix("wp.")) or construct in CONSTRUCTS


def _one_of_each():
    seen = set()
    for row in TABLE:
        if (row.symbol, row.family) not in seen:
            seen.add((row.symbol, row.family))
            yield row


def untranslated(rows):
    """Return what of some rows of the ops table has neither a translation nor a reason why not."""
    left = []
    for row in rows:
        try:
            program(translate(render(program_for(row))))
        except StandaloneRejection as refused:
            name = refused.construct.removeprefix("several results of ").removeprefix("wp.")
            if not (reason_of(name) or refused.construct in CONSTRUCTS):
                left.append(f"{row.symbol}({', '.join(kind.name for kind in row.params)}): {refused}")
    return left


def test_every_op_has_a_translation_or_a_reason():
    assert untranslated(_one_of_each()) == []
    assert not [name for name in (*BUILTINS, *MAKERS, *DOERS) if reason_of(name)]
    assert set(PLAIN) <= set(BUILTINS)


@pytest.mark.slow
def test_every_op_of_every_type_has_a_translation_or_a_reason():
    assert untranslated(TABLE) == []


def test_the_ten_base_categories_are_translated():
    left = []
    for category in BASE:
        for index in range(5):
            source = candidate(7, index, {category: 1.0})
            try:
                standalone(source.text)
            except StandaloneRejection as refused:
                left.append(f"{category} {index}: {refused}")
    assert len(left) <= 1, left


def test_the_same_source_gives_the_same_bytes_in_any_process():
    script = (
        "from builder.kernels import candidate; from builder.standalone import standalone; import hashlib\n"
        "names = ('vector', 'struct', 'matrix', 'block_sync', 'mechanics', 'random')\n"
        "texts = [standalone(candidate(3, 1, {name: 1.0}).text, seed=5) for name in names]\n"
        "print(hashlib.sha256(''.join(texts).encode()).hexdigest())"
    )
    found = set()
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_arrays_are_as_long_as_the_grid_only_where_that_is_seen_to_be_enough():
    args = (("x", ArrayOf("array", Number("float32"), 1)), ("out", ArrayOf("array", Number("float32"), 1)))
    for text, shapes in (
        ("out[i] = x[i] + x[(i + 1) % x.shape[0]] + x[wp.min(i + 1, x.shape[0] - 1)]", "equal"),
        ("out[i] = x[i + 1]", "longer"),
        ("out[i] = x[int(x[i])]", "longer"),
    ):
        translation = translate(kernel(text))
        assert shapes_of(translation.nodes, args, translation.names) == shapes, text
