"""Tiles: what the specials give and refuse, how tiles are written, and what the categories use of them."""

from collections import Counter

import pytest

from builder import codegen
from builder.kernels import candidate, draw_program, to_source
from builder.kernels.author import Author
from builder.kernels.choices import CounterChoices
from builder.kernels.ops.special import SPECIALS
from builder.kernels.terms import builtin, number, quoted, wp
from builder.kernels.types import DOUBLE, FLOAT, HALF, INT, UINT, Several, Tile, mat, vec


def author():
    return Author(CounterChoices(0, 0), "tile")


def tile(k, shape, dtype=FLOAT):
    return k.let("t", wp.tile_zeros(shape=shape, dtype=dtype))


def types():
    k = author()
    x, m, ids = k.input("x", FLOAT), k.input("m", DOUBLE, 2), k.input("ids", INT)
    t, u, c = tile(k, (4, 8)), tile(k, 64), tile(k, (8, 8), DOUBLE)
    n = k.constant("N", 16)
    places = k.let("places", wp.tile_load(ids, shape=4, offset=0))
    return {
        "load": (wp.tile_load(x, shape=n, offset=(0,)), Tile(FLOAT, (16,))),
        "load of doubles": (wp.tile_load(m, shape=(n, 4), offset=(0, 0)), Tile(DOUBLE, (16, 4))),
        "gather": (wp.tile_load_indexed(m, indices=places, shape=(4, 8)), Tile(DOUBLE, (4, 8))),
        "range": (wp.tile_arange(2, 12, 3, dtype=INT), Tile(INT, (4,))),
        "range of numbers": (wp.tile_arange(number(0.0), number(1.0), number(0.25), dtype=FLOAT), Tile(FLOAT, (4,))),
        "length worked out": (wp.tile_ones(shape=n * 2 + 1, dtype=HALF), Tile(HALF, (33,))),
        "static length": (wp.tile_ones(shape=k.static(n * 2), dtype=HALF), Tile(HALF, (32,))),
        "sum": (wp.tile_sum(t), Tile(FLOAT, (1,))),
        "sum along an axis": (wp.tile_sum(t, axis=0), Tile(FLOAT, (8,))),
        "reduction": (wp.tile_reduce(builtin("max", FLOAT, FLOAT), t, axis=1), Tile(FLOAT, (4,))),
        "place": (wp.tile_argmax(u), Tile(INT, (1,))),
        "map": (wp.tile_map(builtin("length", vec(3)), tile(k, 8, vec(3))), Tile(FLOAT, (8,))),
        "transpose": (wp.tile_transpose(t), Tile(FLOAT, (8, 4))),
        "reshape": (wp.tile_reshape(t, shape=(2, 16)), Tile(FLOAT, (2, 16))),
        "broadcast": (wp.tile_broadcast(tile(k, (4, 1)), (4, 8)), Tile(FLOAT, (4, 8))),
        "squeeze": (wp.tile_squeeze(tile(k, (1, 4, 1))), Tile(FLOAT, (4,))),
        "conversion": (wp.tile_astype(t, dtype=DOUBLE), Tile(DOUBLE, (4, 8))),
        "view": (wp.tile_view(t, offset=(0, 2), shape=(4, 3)), Tile(FLOAT, (4, 3))),
        "row": (wp.tile_view(t, offset=(1,)), Tile(FLOAT, (8,))),
        "slice": (t[1:3, 2:8], Tile(FLOAT, (2, 6))),
        "slice and place": (t[1, 2:8], Tile(FLOAT, (6,))),
        "element": (t[1, 2], FLOAT),
        "product": (wp.tile_matmul(t, wp.tile_transpose(t)), Tile(FLOAT, (4, 4))),
        "solve": (wp.tile_cholesky_solve(c, tile(k, 8, DOUBLE)), Tile(DOUBLE, (8,))),
        "sum of tiles": (t + t, Tile(FLOAT, (4, 8))),
        "scaled": (2.0 * t, Tile(FLOAT, (4, 8))),
        "vectors scaled": (tile(k, 8, vec(3)) * tile(k, 8), Tile(vec(3), (8,))),
        "thread's values": (wp.tile(k.let("v", number(1.0))), Tile(FLOAT, (256,))),
        "thread's vectors": (wp.untile(tile(k, (3, 256))), vec(3)),
        "thread's matrices": (wp.untile(tile(k, (2, 3, 256))), mat(2, 3)),
        "pop": (wp.tile_stack_pop(k.let("s", wp.tile_stack(capacity=64, dtype=FLOAT))), Several((FLOAT, INT))),
    }


@pytest.mark.parametrize("what", types())
def test_type(what):
    term, expected = types()[what]
    assert term.type == expected


REFUSED = {
    "shape not known": lambda k: wp.tile_zeros(shape=k.scalar("n", INT), dtype=FLOAT),
    "five dimensions": lambda k: wp.tile_zeros(shape=(1, 1, 1, 1, 1), dtype=FLOAT),
    "array of other dimensions": lambda k: wp.tile_load(k.input("x", FLOAT, 2), shape=4, offset=0),
    "another dtype stored": lambda k: wp.tile_store(k.output("y", DOUBLE), tile(k, 4), offset=0),
    "no broadcast": lambda k: wp.tile_broadcast(tile(k, 4), (4, 8)),
    "other size": lambda k: wp.tile_reshape(tile(k, 4), shape=(3, 2)),
    "axis beyond": lambda k: wp.tile_sum(tile(k, (4, 4)), axis=2),
    "inner lengths": lambda k: wp.tile_matmul(tile(k, (4, 8)), tile(k, (4, 8))),
    "not square": lambda k: wp.tile_cholesky(tile(k, (4, 8))),
    "half factored": lambda k: wp.tile_cholesky(tile(k, (4, 4), HALF)),
    "scan of doubles": lambda k: wp.tile_scan_inclusive(tile(k, 4, DOUBLE)),
    "shapes mapped": lambda k: wp.tile_map(builtin("max", FLOAT, FLOAT), tile(k, 4), tile(k, 8)),
    "short transform": lambda k: wp.tile_fft(tile(k, 128, vec(2))),
    "indices of another length": lambda k: wp.tile_load_indexed(
        k.input("x", FLOAT, 2), indices=tile(k, 3, INT), shape=(4, 8)
    ),
    "random state": lambda k: wp.tile_randf(4, number(1, INT)),
    "value of another type scattered": lambda k: wp.tile_scatter_add(tile(k, 4), 0, number(1, INT), True),
    "shapes added": lambda k: tile(k, 4) + tile(k, 8),
    "number added": lambda k: tile(k, 4) + 1.0,
    "types multiplied": lambda k: tile(k, 4) * number(1.0, DOUBLE),
    "bits of floats": lambda k: tile(k, 4) & tile(k, 4),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    with pytest.raises((ValueError, KeyError)):
        REFUSED[what](author())


def test_statements_on_tiles_generate():
    k = author()
    k.name("all_forms")
    x, out = k.input("x", UINT, 2), k.output("out", UINT, 2)
    i, j = k.blocks("i", "j")
    t = k.let("t", wp.tile_load(x, shape=(4, 8), offset=(i * 4, j * 8), storage=quoted("shared"), bounds_check=True))
    t += t
    t &= wp.tile_ones(shape=(4, 8), dtype=UINT)
    t ^= t
    t[1, 2] = number(3, UINT)
    k.put(t[0, 0], number(1, UINT), "+")
    k.do(wp.tile_assign(t, k.let("part", t[2:4, 4:8]), offset=(0, 0)))
    k.do(wp.tile_store(out, t, offset=(i * 4, j * 8)), out)
    k.summary("Uses the forms of statements on tiles.")
    source = to_source(k.program())
    code = codegen.generate(source.text)
    assert code.launch_dim == 2
    assert "launch:tiled" in source.features
    for word in ("tile_add_inplace", "tile_bit_and_inplace", "tile_bit_xor_inplace", "assign", "tile_view"):
        assert word in code.cuda_forward


@pytest.mark.parametrize("category", ["tile", "tile_matmul"])
def test_products_of_a_category_are_launched_tiled(category):
    families = Counter()
    for index in range(150):
        source = candidate(6, index, {category: 1.0})
        families.update(tag for tag in source.features if tag.startswith("family:"))
        assert "launch:tiled" in source.features
    build = __import__(f"builder.kernels.categories.{category}", fromlist=["build"]).build
    assert len(families) == len(build.families)


def test_no_text_needs_code_to_link():
    """Products, factors and transforms have Warp's own loops where there is no target: 0 in place of a symbol."""
    for index in range(12):
        code = codegen.generate(candidate(6, index, {"tile_matmul": 1.0}).text)
        assert "libmathdx" not in code.cuda_forward
        assert "dot_" not in code.cuda_forward.replace("tile_dot", "")


def test_families_use_the_tables():
    used = set()
    for category in ("tile", "tile_matmul"):
        for index in range(500):
            program = draw_program(CounterChoices(9, index), category)
            used |= {tag.removeprefix("builtin:") for tag in to_source(program).features if tag.startswith("builtin:")}
    tables = {name for name, found in SPECIALS.items() if found.family == "tile"}
    assert tables <= used
