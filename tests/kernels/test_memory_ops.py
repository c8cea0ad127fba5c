"""The specials of memory and of spatial queries: what they give, what they refuse, what Warp makes of them."""

import pytest

from builder import codegen
from builder.kernels.atomics import exchanged
from builder.kernels.author import Author
from builder.kernels.choices import CounterChoices
from builder.kernels.ops.queries import MESH_POINT, MESH_RAY, TEXTURES
from builder.kernels.render import render
from builder.kernels.terms import Term, number, wp
from builder.kernels.tidy import without_dead
from builder.kernels.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    MAT33,
    UINT,
    UINT64,
    VEC2,
    VEC3,
    VEC4,
    Array,
    vec,
)  # fmt: skip


def author():
    return Author(CounterChoices(0, 0), "arithmetic")


def test_atomics_give_the_old_element():
    k = author()
    counts, grid = k.inout("counts", INT), k.inout("grid", DOUBLE, 2)
    assert exchanged("cas", counts, 0, -1, 3).type is INT
    assert exchanged("add", grid, (0, 1), 2.0).type is DOUBLE


@pytest.mark.parametrize(
    ("kind", "type_", "index"),
    [("or", FLOAT, 0), ("cas", HALF, 0), ("max", HALF, 0), ("add", INT, (0, 0))],
)
def test_atomics_refuse_what_warp_lacks(kind, type_, index):
    array = author().inout("data", type_)
    values = (1, 2) if kind == "cas" else (1,)
    with pytest.raises(ValueError, match=r"allowed|indices"):
        exchanged(kind, array, index, *values)


def test_searches_arrays_and_bits():
    k = author()
    keys, n = k.input("keys", FLOAT), k.scalar("n", INT)
    assert wp.lower_bound(keys, 0.5).type is INT
    assert wp.lower_bound(keys, number(0, INT), n, number(0.5)).type is INT
    with pytest.raises(ValueError, match="bounds"):
        wp.lower_bound(keys, n, number(0.5))
    assert wp.array(ptr=k.scalar("p", UINT64), shape=(n, 4), dtype=VEC3).type == Array(VEC3, 2)
    assert wp.zeros(shape=(8,), dtype=INT).type == Array(INT, 1)
    assert wp.cast(number(0.5), UINT).type is UINT
    with pytest.raises(ValueError, match="bits"):
        wp.cast(number(0.5), UINT64)


def test_queries_have_fields():
    k = author()
    mesh, point = k.scalar("mesh", UINT64), k.scalar("p", VEC3)
    hit = wp.mesh_query_point(mesh, point, number(1.0))
    assert hit.type is MESH_POINT
    assert (hit.result.type, hit.face.type, hit.u.type) == (BOOL, INT, FLOAT)
    ray = wp.mesh_query_ray(mesh, point, point, number(9.0))
    assert ray.type is MESH_RAY
    assert ray.normal.type is VEC3
    with pytest.raises(ValueError, match="takes"):
        wp.mesh_query_point(mesh, number(1.0), point)
    near = wp.hash_grid_query(mesh, k.scalar("q", vec(3, DOUBLE)), number(1.0, DOUBLE))
    assert wp.hash_grid_query_next(near, k.var("j", number(0, INT))).type is BOOL
    with pytest.raises(ValueError, match="scalar type"):
        wp.hash_grid_query(mesh, point, number(1.0, DOUBLE))


def test_volumes_and_textures_give_the_type_asked_for():
    k = author()
    volume, point = k.scalar("volume", UINT64), k.scalar("p", VEC3)
    assert wp.volume_sample(volume, point, "wp.Volume.LINEAR", dtype=VEC4).type is VEC4
    grad = k.let("grad", Term(wp.volume_sample_v(volume, point, "wp.Volume.LINEAR").e))
    assert wp.volume_sample_grad(volume, point, "wp.Volume.LINEAR", grad, dtype=FLOAT).type is FLOAT
    with pytest.raises(ValueError, match="mat33"):
        wp.volume_sample_grad(volume, point, "wp.Volume.LINEAR", grad, dtype=VEC3)
    image = k.scalar("image", TEXTURES[2])
    assert wp.texture_sample(image, number(0.5), number(0.5), dtype=VEC2).type is VEC2
    with pytest.raises(ValueError, match="allowed"):
        wp.texture_sample(image, number(0.5), number(0.5), dtype=MAT33)
    with pytest.raises(ValueError, match="place"):
        wp.texture_sample(image, number(0.5), dtype=FLOAT)


def test_specials_generate():
    k = author()
    k.name("specials")
    mesh, bvh = k.scalar("mesh", UINT64), k.scalar("bvh", UINT64)
    points, out, counts = k.input("points", VEC3), k.output("out", FLOAT), k.inout("counts", INT)
    i = k.tid("i")
    query = k.let("query", wp.bvh_query_sphere(bvh, points[i], number(0.5)))
    item = k.var("item", number(0, INT))
    with k.while_(wp.bvh_query_next(query, item)):
        out[item] = 1.0
    with k.each("face", wp.mesh_query_sphere(mesh, points[i], number(0.5))) as face:
        counts.add_at(face, 1)
    whole = k.let("whole", wp.mesh_get(mesh))
    verts = k.let("verts", whole.points)
    old = k.let("old", exchanged("exch", counts, i, 7))
    with k.if_(old == 3):
        k.do(wp.printf('"%d\\n"', old))
    out[i] = verts[0][0]
    code = codegen.generate(render(k.program()))
    for call in ("bvh_query_sphere", "mesh_query_sphere", "mesh_get", "atomic_exch", "printf"):
        assert call in code.cuda_forward


def test_dead_code_is_left_out():
    k = author()
    k.name("dead")
    x, out = k.input("x", FLOAT), k.output("out", FLOAT)
    counts = k.inout("counts", INT)
    alpha, i = k.scalar("alpha", FLOAT), k.tid("i")
    unread = k.var("unread", x[i] * alpha)
    kept = k.let("kept", x[i] + 1.0)
    k.let("ticket", exchanged("add", counts, 0, 1))
    with k.if_(kept > 0.5):
        unread += 1.0
    with k.elif_(kept > 0.25):
        out[i] = kept
    with k.else_():
        unread += 2.0
    text = render(without_dead(k.program()))
    assert "unread" not in text
    assert "alpha" not in text
    assert "ticket" in text
    assert "if not kept > 0.5:" in text
    codegen.generate(text)
