"""Cholesky factors, triangular solves, linear systems and least squares on tiles."""

from __future__ import annotations

from ...author import Author, Tiled
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import extent, loaded, named_tile, shaped, single, stored
from ...terms import Term, number, quoted, wp
from ...types import DOUBLE, FLOAT, INT, Scalar

_EDGES = (4, 8, 16)


def _type(k: Author) -> Scalar:
    return k.c.weighted({FLOAT: 4, DOUBLE: 1})


def _page(k: Author, words: str, T: Scalar, i: Term, n: Term) -> Tiled:
    """Load a square matrix of a batch."""
    page = k.let("page|mat|m", k.input(words, T, 3)[i])
    return loaded(k, page, (n, n), (0, 0), "a_tile|t|mat_tile")


def _regular(k: Author, a: Term, n: Term, T: Scalar) -> Tiled:
    """Return a positive definite matrix made of any: A A^T (or A^T A) plus a multiple of the identity."""
    at = k.let("at|turned|flip", wp.tile_transpose(a))
    sides = (a, at) if k.c.chance(1, 2) else (at, a)
    if k.c.chance(1, 2):
        spd = k.let("spd|gram|h", wp.tile_matmul(*sides))
    else:
        spd = k.let("spd|gram|h", wp.tile_zeros(shape=(n, n), dtype=T))
        k.do(wp.tile_matmul(*sides, spd))
    shift = wp.tile_full(shape=n, value=coefficient(k, T, 50, 300) + 1.0, dtype=T)
    if k.c.chance(1, 3):
        extra = loaded(k, k.input("damping|reg|diag", T), (n,), (0,), "reg_tile|d_tile")
        shift = wp.tile_map(k.function("safe|floor_fn|positive", {"x|v": T}, _positive).word, extra)
    return k.let("damped|regular|spd1", wp.tile_diag_add(spd, shift))  # type: ignore[no-any-return]


def _positive(s: Author, x: Term) -> Term:
    way = s.c.below(3)
    if way == 0:
        return wp.abs(x) + coefficient(s, x.type, 50, 200)  # type: ignore[arg-type]
    return x * x + 1.0 if way == 1 else wp.max(wp.abs(varied(s, x, 0, 1)), 1.0)


def _factor(k: Author, a: Term) -> tuple[Term, bool]:
    """Return a Cholesky factor, and whether it is the upper one."""
    upper = k.c.chance(1, 4)
    keywords = {"fill_mode": quoted("upper" if upper else "lower")} if upper or k.c.chance(1, 4) else {}
    if k.c.chance(1, 4):
        k.do(wp.tile_cholesky_inplace(a, **keywords))
        return a, upper
    return k.let("L|chol|factor" if not upper else "U|chol|factor", wp.tile_cholesky(a, **keywords)), upper


def factor(k: Author) -> None:
    """The factor of each matrix of a batch, its determinant's logarithm, or samples coloured by it."""
    c, T = k.c, _type(k)
    k.name("cholesky|factorize|log_det|color_samples|spd_root")
    n, i = extent(k, "N|DIM|TILE", _EDGES), k.blocks("i|batch|item")
    a = named_tile(k, shaped(k, _page(k, "A|mats|cov", T, i, n), 0, 2))
    chol, upper = _factor(k, _regular(k, a, n, T))
    way = c.below(3)
    if way == 0:
        out = k.output("out|factors|roots", T, 3)
        page = k.let("dest|out_page", out[i])
        k.do(wp.tile_store(page, shaped(k, chol, 0, 1)), out)
    elif way == 1:
        total = k.var("total|logdet|acc", number(0.0, T))
        with k.for_("d|p|q", n) as d:
            total += wp.log(wp.abs(named_tile(k, chol)[d, d]) + coefficient(k, T, 1, 5))
        k.output("out|dets|logs", T)[i] = varied(k, total, 0, 2)
    else:
        noise = loaded(k, k.input("noise|z|samples", T, 2), (n, number(1, INT)), (0, i), "z_tile|noise_tile")
        noise = named_tile(k, shaped(k, noise, 0, 1))
        root = k.let("root|lt", wp.tile_transpose(chol)) if upper else chol
        stored(k, k.output("out|coloured|draws", T, 2), shaped(k, wp.tile_matmul(root, noise), 0, 2), (0, i))
    what = ("stores it", "takes the logarithm of its determinant", "multiplies noise with it")[way]
    k.summary(f"Takes the {'upper' if upper else 'lower'} Cholesky factor of each {T.name} matrix and {what}.")


def _right(k: Author, T: Scalar, i: Term, n: Term, words: str = "b|rhs|y") -> Tiled:
    line = k.let("line|bi|right", k.input(words, T, 2)[i])
    return named_tile(k, shaped(k, loaded(k, line, (n,), (0,), "b_tile|rhs_tile"), 0, 2))


def _solve(k: Author, chol: Term, b: Tiled, upper: bool) -> Term:
    keywords = {"fill_mode": quoted("upper")} if upper else {}
    way = k.c.below(3)
    if way == 0:
        return k.let("x|sol|z", wp.tile_cholesky_solve(chol, b, **keywords))  # type: ignore[no-any-return]
    if way == 1:
        k.do(wp.tile_cholesky_solve_inplace(chol, b, **keywords))
        return b
    turned = k.let("lt|turned|other", wp.tile_transpose(chol))
    lower, high = (turned, chol) if upper else (chol, turned)
    first = k.let("w|forward|half", wp.tile_lower_solve(lower, b))
    return k.let("x|sol|z", wp.tile_upper_solve(high, first))  # type: ignore[no-any-return]


def linear_system(k: Author) -> None:
    """x = (A A^T + d I)^-1 b of each system of a batch, perhaps refined once, and its residual."""
    c, T = k.c, _type(k)
    k.name("solve_spd|linear_solve|cholesky_solve|newton_step|precondition")
    n, i = extent(k, "N|DIM|TILE", _EDGES), k.blocks("i|batch|system")
    a = named_tile(k, shaped(k, _page(k, "A|mats|jac", T, i, n), 0, 1))
    h = _regular(k, a, n, T)
    b = _right(k, T, i, n)
    chol, upper = _factor(k, h)
    x = _solve(k, chol, b, upper)
    if c.chance(1, 2):
        x = named_tile(k, shaped(k, x, 1, 2))
    out = k.output("x_out|out|steps", T, 2)
    stored(k, out, wp.tile_reshape(x, shape=(1, n)), (i, 0))
    if c.chance(1, 3):
        gain = single(k, wp.tile_dot(x, x), "norm2|size")
        k.output("norms|sizes|gains", T)[i] = varied(k, gain, 0, 2)
    k.summary(f"Solves a positive definite {T.name} system for each item of a batch.")


def least_squares(k: Author) -> None:
    """Ridge regression of each block of samples: normal equations, factor, solve."""
    c, T = k.c, _type(k)
    k.name("ridge|least_squares|fit_linear|normal_equations|regress")
    rows, n = extent(k, "ROWS|SAMPLES|M", (8, 16, 32)), extent(k, "N|FEATURES|DIM", (4, 8))
    x, y = k.input("X|x|features", T, 2), k.input("y|targets|labels", T)
    out = k.output("w|coefs|out", T, 2)
    i = k.blocks("i|fit|chunk")
    tx = named_tile(k, shaped(k, loaded(k, x, (rows, n), (i * rows, 0), "x_tile|tx"), 0, 2))
    ty = named_tile(k, shaped(k, loaded(k, y, (rows,), (i * rows,), "y_tile|ty"), 0, 1))
    xt = k.let("xt|turned", wp.tile_transpose(tx))
    gram = k.let("gram|xtx|h", wp.tile_matmul(xt, tx))
    ridge = wp.tile_full(shape=n, value=coefficient(k, T, 50, 200) + 0.5, dtype=T)
    if c.chance(1, 2):
        ridge = ridge * k.scalar("lam|ridge|reg", T) if c.chance(1, 2) else wp.tile_ones(shape=n, dtype=T) * 2.0
    damped = k.let("damped|regular|a", wp.tile_diag_add(gram, ridge))
    right = wp.tile_matmul(xt, k.let("yc|column", wp.tile_reshape(ty, shape=(rows, 1))))
    moment = named_tile(k, wp.tile_reshape(right, shape=(n,)), "xty|moment|g")
    chol, upper = _factor(k, damped)
    w = shaped(k, _solve(k, chol, moment, upper), 0, 2)
    stored(k, out, wp.tile_reshape(w, shape=(1, n)), (i, 0))
    k.summary(f"Fits a regularised linear model to each block of {T.name} samples.")


def triangular(k: Author) -> None:
    """Substitution with a lower or an upper triangular matrix, one right-hand side or several."""
    c, T = k.c, _type(k)
    k.name("forward_substitution|triangular_solve|back_substitution|whiten|trsm")
    n, i = extent(k, "N|DIM|TILE", _EDGES), k.blocks("i|batch|item")
    a = named_tile(k, shaped(k, _page(k, "L|tri|factors", T, i, n), 0, 1))
    steady = k.let("steady|dominant|tri0", wp.tile_diag_add(a * number(0.1, T), _diagonal(k, T, n)))
    several, lower = c.chance(1, 2), c.chance(1, 2)
    if several:
        cols = extent(k, "COLS|RHS|K", (4, 8))
        page = k.let("sides|rhs_page", k.input("b|rhs|y", T, 3)[i])
        b = named_tile(k, shaped(k, loaded(k, page, (n, cols), (0, 0), "b_tile|rhs_tile"), 0, 2))
    else:
        b = _right(k, T, i, n)
    if c.chance(1, 2):
        x = k.let("x|sol|z", (wp.tile_lower_solve if lower else wp.tile_upper_solve)(steady, b))
    else:
        k.do((wp.tile_lower_solve_inplace if lower else wp.tile_upper_solve_inplace)(steady, b))
        x = b
    out = k.output("out|x_out|solved", T, 3 if several else 2)
    made = shaped(k, x, 0, 2)
    if several:
        target = k.let("dest|out_page", out[i])
        k.do(wp.tile_store(target, made), out)
    else:
        stored(k, out, wp.tile_reshape(made, shape=(1, n)), (i, 0))
    which = "lower" if lower else "upper"
    k.summary(f"Solves with the {which} triangle of each {T.name} matrix of a batch.")


def _diagonal(k: Author, T: Scalar, n: Term) -> Term:
    if k.c.chance(1, 2):
        return wp.tile_full(shape=n, value=coefficient(k, T, 200, 600) + 2.0, dtype=T)
    return wp.tile_ones(shape=n, dtype=T) * number(k.c.between(20, 60) / 10, T)
