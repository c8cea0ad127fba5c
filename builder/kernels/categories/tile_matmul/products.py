"""Matrix products: with a loop over the inner dimension, of transposes, in chains, with epilogues."""

from __future__ import annotations

from ...author import Arr, Author, Tiled
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import extent, give_single, loaded, named_tile, shaped, single, size_of, stored
from ...terms import Like, Term, number, quoted, wp
from ...types import DOUBLE, FLOAT, HALF, INT, Scalar

_EDGES = (8, 16, 32)


def _dtypes(k: Author) -> tuple[Scalar, Scalar]:
    """Return the type of the operands and of the accumulator."""
    pairs = {(FLOAT, FLOAT): 6, (HALF, FLOAT): 2, (DOUBLE, DOUBLE): 2, (HALF, HALF): 1}
    return k.c.weighted(pairs)


def zeros(k: Author, shape: tuple[Term, ...], T: Scalar) -> Tiled:
    keywords: dict[str, Like] = {"shape": shape, "dtype": T}
    if k.c.chance(1, 3):
        keywords["storage"] = quoted("shared")
    return k.let("acc|c_tile|total|sum_tile", wp.tile_zeros(**keywords))  # type: ignore[no-any-return]


def _edges(k: Author) -> tuple[Term, Term, Term]:
    return (
        extent(k, "TILE_M|BM|BLOCK_M", _EDGES),
        extent(k, "TILE_N|BN|BLOCK_N", _EDGES),
        extent(k, "TILE_K|BK|BLOCK_K", _EDGES),
    )


def _multiply(k: Author, a: Term, b: Term, acc: Tiled) -> None:
    """Add the product of two tiles to a third, in place or with an operator."""
    T = acc.type.dtype  # type: ignore[union-attr]
    if a.type.dtype is T and k.c.chance(1, 3):  # type: ignore[union-attr]
        product = wp.tile_matmul(a, b)
        acc += product if k.c.chance(1, 2) else k.let("prod|part|ab", product)
    else:
        k.do(wp.tile_matmul(a, b, acc))


def _operand(k: Author, x: Arr, shape: tuple[Term, Term], at: tuple[Term, Term], *, flip: bool, words: str) -> Term:
    """Load a tile of a matrix, or of its transpose, which is turned."""
    if not flip:
        return loaded(k, x, shape, at, words, inside=False)
    turned = loaded(k, x, shape[::-1], at[::-1], words)
    return k.let("turned|flipped|tt", wp.tile_transpose(turned))  # type: ignore[no-any-return]


def gemm(k: Author) -> None:
    """C = epilogue(A B): a block for each tile of C, which walks along the inner dimension."""
    c = k.c
    T, A = _dtypes(k)
    k.name("tile_gemm|gemm|matmul_tiled|matmul|sgemm_tile")
    batched = c.chance(1, 4)
    ndim = 3 if batched else 2
    a, b, out = k.input("A|a|lhs", T, ndim), k.input("B|b|rhs", T, ndim), k.output("C|out|result", A, ndim)
    rows, cols, inner = _edges(k)
    ids = k.blocks(*(("batch|b0|layer",) if batched else ()), "i|bi|row", "j|bj|col")
    i, j = ids[-2:]
    if batched:
        a, b, view = (k.let(words, x[ids[0]]) for words, x in (("a_mat|ab", a), ("b_mat|bb", b), ("c_mat|cb", out)))
    else:
        view = out
    flips = (c.chance(1, 4), c.chance(1, 4))
    acc = zeros(k, (rows, cols), A)
    fused = c.chance(1, 2) and T is A
    with k.for_("t|step|k0|s", a.shape(0 if flips[0] else 1) // inner) as t:
        left = _operand(k, a, (rows, inner), (i * rows, t * inner), flip=flips[0], words="a_tile|ta|left")
        right = _operand(k, b, (inner, cols), (t * inner, j * cols), flip=flips[1], words="b_tile|tb|right")
        _multiply(k, named_tile(k, shaped(k, left, 0, 1)) if fused else left, right, acc)
    result = _epilogue(k, acc, rows, cols, i, j)
    k.do(wp.tile_store(view, result, offset=(i * rows, j * cols)), out)
    turned = [name for name, flip in zip(("the first", "the second"), flips, strict=True) if flip]
    of = f", {' and '.join(turned)} transposed," if turned else ""
    k.summary(f"Multiplies {'batches of ' * batched}two {T.name} matrices{of} in tiles, summed in {A.name}.")


def _epilogue(k: Author, acc: Term, rows: Term, cols: Term, i: Term, j: Term) -> Term:
    """Scale, shift by a bias, add to another matrix, activate."""
    T, c = acc.type.dtype, k.c  # type: ignore[union-attr]
    assert isinstance(T, Scalar)
    value = acc
    if c.chance(1, 3):
        line = loaded(k, k.input("bias|beta|shift", T), (cols,), (j * cols,), "bias_tile|row_bias")
        value = value + wp.tile_broadcast(shaped(k, line, 0, 1), (rows, cols))
    if c.chance(1, 3):
        old = loaded(k, k.input("D|residual|prior", T, 2), (rows, cols), (i * rows, j * cols), "old|d_tile|skip")
        value = value + old * coefficient(k, T)
    return shaped(k, value, 1, 3)  # type: ignore[no-any-return]


def gram(k: Author) -> None:
    """X^T X or X X^T: covariance, similarity, kernel matrices."""
    c, T = k.c, k.c.weighted({FLOAT: 4, DOUBLE: 1})
    k.name("gram|covariance|similarity|kernel_matrix|syrk")
    x, out = k.input("X|x|features", T, 2), k.output("G|out|cov", T, 2)
    edge, depth = extent(k, "TILE|BM|EDGE", _EDGES), extent(k, "DEPTH|BK|STEP", _EDGES)
    i, j = k.blocks("i|bi|row", "j|bj|col")
    acc = zeros(k, (edge, edge), T)
    columns = c.chance(1, 2)
    with k.for_("t|step|s", x.shape(0 if columns else 1) // depth) as t:
        if columns:
            left, right = (loaded(k, x, (depth, edge), (t * depth, n * edge), "xa|xi|part") for n in (i, j))
            left = named_tile(k, shaped(k, left, 0, 1))
            _multiply(k, k.let("xt|turned", wp.tile_transpose(left)), right, acc)
        else:
            left, right = (loaded(k, x, (edge, depth), (n * edge, t * depth), "xa|xi|part") for n in (i, j))
            right = named_tile(k, shaped(k, right, 0, 1))
            _multiply(k, left, k.let("xt|turned", wp.tile_transpose(right)), acc)
    stored(k, out, shaped(k, acc, 1, 3), (i * edge, j * edge))
    k.summary(f"Multiplies a {T.name} matrix with its own transpose, in tiles.")


def chain(k: Author) -> None:
    """(A B) C, or powers of a matrix, on tiles alone."""
    c, T = k.c, k.c.weighted({FLOAT: 4, DOUBLE: 1})
    k.name("chain|triple_product|matrix_power|sandwich|compose")
    edge = extent(k, "TILE|N|EDGE", (4, 8, 16))
    i = k.blocks("i|batch|item")
    tiles = []
    for words in ("A|a|p", "B|b|q", "C|c0|r")[: c.between(1, 3)]:
        page = k.let("mat|page|m", k.input(words, T, 3)[i])
        tiles.append(named_tile(k, shaped(k, loaded(k, page, (edge, edge), (0, 0)), 0, 1)))
    value = tiles[0]
    for other in tiles[1:]:
        value = _times(k, value, other, T)
    if len(tiles) == 1 or c.chance(1, 3):
        value = _times(k, value, k.let("turned|at|flip", wp.tile_transpose(value)) if c.chance(1, 2) else value, T)
    if c.chance(1, 3):
        value = _times(k, value, tiles[0], T)
    out = k.output("out|products|result", T, 3)
    page = k.let("dest|out_page|target", out[i])
    k.do(wp.tile_store(page, shaped(k, value, 1, 2)), out)
    k.summary(f"Multiplies small {T.name} matrices of a batch in a chain.")


def _times(k: Author, left: Term, right: Term, T: Scalar) -> Tiled:
    made = wp.tile_matmul(left, right)
    if k.c.chance(1, 3):
        made = wp.tile_matmul(left, right, alpha=coefficient_number(k, T))
    return named_tile(k, shaped(k, made, 0, 1), "prod|ab|p2|step_tile")


def coefficient_number(k: Author, T: Scalar) -> Term:
    """Return a literal factor, as products on tiles ask for."""
    return number(k.c.between(5, 300) / 100, T)


def small_batch(k: Author) -> None:
    """A stack of small matrices times one vector each, or rows of a batch times one weight."""
    c, T = k.c, k.c.weighted({FLOAT: 4, DOUBLE: 1})
    k.name("batch_transform|apply_mats|project_rows|batched_linear")
    rows, inner = extent(k, "ROWS|M|OUT_DIM", (4, 8, 16)), extent(k, "COLS|K|IN_DIM", (4, 8, 16))
    mats, x, out = k.input("mats|M|ops", T, 3), k.input("x|vecs|states", T, 2), k.output("y|out|moved", T, 2)
    i = k.blocks("i|batch|item")
    page = k.let("mat|page|m", mats[i])
    left = named_tile(k, shaped(k, loaded(k, page, (rows, inner), (0, 0)), 0, 1))
    line = shaped(k, loaded(k, k.let("vec_in|xi|line", x[i]), (inner,), (0,)), 0, 2)
    column = k.let("column|v|xc", wp.tile_reshape(line, shape=(inner, 1)))
    if c.chance(1, 2):
        product = k.let("prod|yc|mv", wp.tile_matmul(left, column))
    else:
        product = zeros(k, (rows, number(1, INT)), T)
        k.do(wp.tile_matmul(left, column, product))
    flat = wp.tile_squeeze(product) if c.chance(1, 2) else wp.tile_reshape(product, shape=(rows,))
    made = shaped(k, flat, 1, 3)
    stored(k, out, wp.tile_reshape(made, shape=(1, rows)), (i, 0))
    k.summary(f"Applies a small {T.name} matrix of its own to each vector of a batch.")


def matvec(k: Author) -> None:
    """y = A x: by a product with a column, or by broadcasting x and summing along rows."""
    c, T = k.c, k.c.weighted({FLOAT: 4, DOUBLE: 1})
    k.name("matvec|gemv_tile|apply_matrix|row_dots")
    a, x, y = k.input("A|a|m", T, 2), k.input("x|v|src", T), k.output("y|out|dst", T)
    rows, cols = extent(k, "TILE_M|BM|ROWS", _EDGES), extent(k, "TILE_N|BN|COLS", _EDGES)
    i = k.blocks("i|bi|strip")
    acc = k.let("acc|sums|total", wp.tile_zeros(shape=rows, dtype=T))
    with k.for_("t|step|s", a.shape(1) // cols) as t:
        left = loaded(k, a, (rows, cols), (i * rows, t * cols), "a_tile|ta")
        line = named_tile(k, shaped(k, loaded(k, x, (cols,), (t * cols,), "x_tile|tx"), 0, 1))
        if c.chance(1, 2):
            column = wp.tile_reshape(line, shape=(cols, 1))
            product = wp.tile_matmul(left, k.let("column|xc", column))
            acc += wp.tile_reshape(product, shape=(rows,))
        else:
            spread = wp.tile_broadcast(line, (rows, cols))
            acc += wp.tile_sum(left * spread, axis=1)
    stored(k, y, shaped(k, acc, 1, 3), (i * rows,))
    k.summary(f"Multiplies a {T.name} matrix with a vector, a strip of rows for each block.")


def quadratic(k: Author) -> None:
    """x^T A x of each vector of a batch: energies, Mahalanobis distances, Rayleigh quotients."""
    c, T = k.c, k.c.weighted({FLOAT: 4, DOUBLE: 1})
    k.name("quadratic_form|energy|mahalanobis|rayleigh|bilinear")
    n = extent(k, "N|DIM|TILE", (4, 8, 16))
    a, x = k.input("A|metric|m", T, 2), k.input("x|states|points", T, 2)
    out = k.output("out|energies|dist", T)
    i = k.blocks("i|item|point")
    metric = loaded(k, a, (n, n), (0, 0), "a_tile|metric_tile")
    metric = named_tile(k, shaped(k, metric, 0, 1))
    row = named_tile(k, loaded(k, x, (number(1, INT), n), (i, 0), "row|xt"))
    if c.chance(1, 3):
        mean = loaded(k, k.input("mean|centre|mu", T), (n,), (0,), "mean_tile|mu_tile")
        row = named_tile(k, row - wp.tile_reshape(mean, shape=(1, n)), "gap|delta")
    row = named_tile(k, shaped(k, row, 0, 1))
    ax = k.let("ax|pushed|xa", wp.tile_matmul(row, metric))
    if c.chance(1, 2):
        product = wp.tile_dot(ax, row)
    else:
        turned = k.let("column|xt0|turned", wp.tile_transpose(row))
        product = wp.tile_reshape(wp.tile_matmul(ax, turned), shape=(1,))
    if c.chance(1, 2):
        out[i] = varied(
            k, single(k, product) / (single(k, wp.tile_dot(row, row), "xx|norm2") + coefficient(k, T)), 0, 2
        )
    else:
        give_single(k, out, product, i)
    k.summary(f"Computes the quadratic form of {size_of(n)}-vectors of {T.name}.")
