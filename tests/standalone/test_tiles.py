"""Kernels on tiles: what becomes a loop, what lies in shared memory, where threads wait for each other."""

import textwrap

import pytest

from builder.errors import StandaloneRejection
from builder.kernels import candidate
from builder.kernels.ops.special import SPECIALS
from builder.standalone import translate
from builder.standalone.expressions import BUILTINS
from builder.standalone.tiles.table import DOERS, MAKERS
from builder.standalone.untranslated import CONSTRUCTS, reason_of

ARRAYS = "x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)"
TABLES = "x: wp.array2d(dtype=float), y: wp.array2d(dtype=float), out: wp.array2d(dtype=float)"


def kernel(body, args=ARRAYS, before="", index="b = wp.tid()"):
    """Return a kernel source; its body stands below the line that names its indices."""
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    head = f"@wp.kernel\ndef k({args}):\n    {index}\n"
    return f"import warp as wp\n\nN = wp.constant(64)\n\n{textwrap.dedent(before)}\n\n{head}{lines}\n"


def lines_of(source):
    """Return the lines of the translated kernel below the one that gives the block's place."""
    return [line[2:] for line in translate(source).kernel.rstrip("\n").split("\n")[2:-1]]


def test_what_goes_element_by_element_is_one_loop_without_shared_memory():
    source = kernel("""
        t = wp.tile_load(x, shape=N, offset=b * N)
        u = wp.tile_load(y, shape=N, offset=b * N)
        v = wp.tile_map(wp.sin, t) * 2.0
        v += u
        wp.tile_store(out, v, offset=b * N)
        """)
    assert lines_of(source) == [
        "for (int i = threadIdx.x; i < N; i += blockDim.x) {",
        "  const int at = b * N + i;",
        "  const float t = at < x_dim0 ? x[at] : 0.0f;",
        "  const float u = at < y_dim0 ? y[at] : 0.0f;",
        "  float v = sinf(t) * 2.0f;",
        "  v += u;",
        "  if (at < out_dim0) {",
        "    out[at] = v;",
        "  }",
        "}",
    ]


def test_a_reduction_goes_over_the_block_and_one_thread_stores_it():
    source = kernel("""
        t = wp.tile_load(x, shape=N, offset=b * N)
        s = wp.tile_sum(t * t)
        out[b] = wp.sqrt(s[0])
        """)
    assert lines_of(source) == [
        "float s = 0.0f;",
        "for (int i = threadIdx.x; i < N; i += blockDim.x) {",
        "  const int at = b * N + i;",
        "  const float t = at < x_dim0 ? x[at] : 0.0f;",
        "  s += t * t;",
        "}",
        "s = block_sum(s);",
        "if (threadIdx.x == 0) {",
        "  out[b] = sqrtf(s);",
        "}",
    ]


def test_neighbours_are_read_from_shared_memory_behind_a_barrier():
    source = kernel("""
        halo = wp.tile_load(x, shape=66, offset=b * 64)
        left = wp.tile_view(halo, offset=(0,), shape=(64,))
        wp.tile_store(out, left + halo[2:66], offset=b * 64)
        """)
    assert lines_of(source) == [
        "__shared__ float halo[66];",
        "for (int i = threadIdx.x; i < 66; i += blockDim.x) {",
        "  const int at = b * 64 + i;",
        "  halo[i] = at < x_dim0 ? x[at] : 0.0f;",
        "}",
        "__syncthreads();",
        "for (int i = threadIdx.x; i < 64; i += blockDim.x) {",
        "  const int at = b * 64 + i;",
        "  if (at < out_dim0) {",
        "    out[at] = halo[i] + halo[i + 2];",
        "  }",
        "}",
    ]


PRODUCT = kernel(
    """
    acc = wp.tile_zeros(shape=(16, 16), dtype=float)
    for t in range(x.shape[1] // 8):
        left = wp.tile_load(x, shape=(16, 8), offset=(b * 16, t * 8))
        right = wp.tile_load(y, shape=(8, 16), offset=(t * 8, c * 16))
        wp.tile_matmul(left, right, acc)
    wp.tile_store(out, acc, offset=(b * 16, c * 16))
    """,
    args=TABLES,
    index="b, c = wp.tid()",
)


def test_a_product_has_a_barrier_before_it_and_one_before_the_next_turn():
    translation = translate(PRODUCT)
    assert translation.grid.blocks == 2
    text = translation.kernel
    assert "const int b = blockIdx.y;" in text
    assert "sum += left[row][k] * right[k][col];" in text
    turn = text[text.index("for (int t = 0; t < x_dim1 / 8; ++t) {") : text.index("out[at_row")]
    assert turn.count("__syncthreads();") == 2
    assert turn.index("left[row][col] =") < turn.index("__syncthreads();") < turn.index("float sum")
    assert turn.index("acc[row][col] += sum;") < turn.rindex("__syncthreads();")
    # Each thread has its own elements of the sum, in the loop and behind it.
    assert text.count("__syncthreads();") == 2


def test_threads_that_add_into_a_tile_do_so_atomically():
    source = kernel(
        """
        bins = wp.tile_zeros(shape=16, dtype=int)
        i = b * 256 + lane
        wp.tile_scatter_add(bins, i % 16, 1, i < x.shape[0])
        wp.tile_atomic_add(counts, bins, offset=0)
        """,
        args="x: wp.array(dtype=float), counts: wp.array(dtype=int)",
        index="b, lane = wp.tid()",
    )
    text = translate(source).kernel
    assert "const int lane = threadIdx.x;" in text
    assert "if (i < x_dim0) {\n    atomicAdd(&bins[i % 16], 1);" in text
    assert "atomicAdd(&counts[k], bins[k]);" in text
    assert text.count("__syncthreads();") == 2


def test_a_tile_that_is_seen_otherwise_is_the_same_memory():
    source = kernel(
        """
        t = wp.tile_load(x, shape=(8, 16), offset=(b * 8, 0))
        turned = wp.tile_transpose(t)
        t += wp.tile_ones(shape=(8, 16), dtype=float)
        wp.tile_store(out, turned, offset=(0, b * 8))
        """,
        args=TABLES,
    )
    text = translate(source).kernel
    assert text.count("__shared__") == 1
    assert "t[row][col] += 1.0f;" in text
    assert "= t[col][row];" in text


@pytest.mark.parametrize(
    ("body", "construct"),
    [
        ("s = wp.tile_stack(capacity=4, dtype=float)\nwp.tile_stack_push(s, x[b], True)", "wp.tile_stack"),
        ("if b > 3:\n    wp.tile_store(out, wp.tile_load(x, shape=4), offset=b)", "a tile in a conditional"),
        ("t = wp.tile_zeros(shape=(128, 128), dtype=float)\nt[0, 0] = 1.0", "more shared memory than a block has"),
    ],
)
def test_what_has_no_translation_is_named(body, construct):
    with pytest.raises(StandaloneRejection) as refused:
        translate(kernel(body))
    assert refused.value.construct == construct
    assert reason_of(construct.removeprefix("wp.")) or CONSTRUCTS[construct]


def test_every_operation_on_tiles_has_a_translation_or_a_reason():
    names = {name for name, one in SPECIALS.items() if one.family == "tile"}
    assert len(names) > 50
    done = {*BUILTINS, *MAKERS, *DOERS}
    assert not {name for name in names - done if not reason_of(name)}


def test_most_kernels_of_the_grammar_are_translated():
    left = []
    for category in ("tile", "tile_matmul"):
        for index in range(12):
            try:
                translate(candidate(7, index, {category: 1.0}).text)
            except StandaloneRejection as refused:
                left.append(f"{category} {index}: {refused}")
                name = refused.construct.removeprefix("wp.")
                assert reason_of(name) or name in CONSTRUCTS
    assert len(left) <= 3, left
