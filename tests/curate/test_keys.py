"""Skeletons and exact digests: what they ignore, and what they do not."""

from __future__ import annotations

import ast
import io
import os
import random
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from builder.curate import analyse
from builder.curate.keys import BANDS, GRAM, _blank, band_hashes, code_tokens, shingle_hashes
from builder.curate.snippets import lex, native_snippets
from builder.curate.syntax import LAYOUT, Walk
from builder.errors import CodegenRejection

from .corpus import kernel, own_names, renamed, with_literals

PLAIN = """\
import warp as wp


@wp.kernel
def scale(a: wp.array(dtype=float), k: float, out: wp.array(dtype=float)):
    i = wp.tid()
    if a[i] > 0.5:
        out[i] = a[i] * k + 1.0
    else:
        out[i] = -a[i]
"""

WITH_FUNCTION = """\
import warp as wp


@wp.struct
class Body:
    mass: float
    pos: wp.vec3


GAIN = wp.constant(2.5)


@wp.func
def pull(body: Body, x: wp.vec3) -> float:
    r = wp.length(body.pos - x)
    return GAIN * body.mass / (r * r + 0.1)


@wp.kernel(grid_stride=False)
def forces(bodies: wp.array(dtype=Body), x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    total = float(0.0)
    for j in range(bodies.shape[0]):
        total += pull(bodies[j], x=x[i])
    wp.atomic_add(out, 0, total)
"""

LOOPS = """\
import warp as wp


@wp.kernel
def loops(n: int, m: wp.array2d(dtype=wp.int32)):
    i, j = wp.tid()
    k = int(0)
    while k < n and not (i == j or k > 100):
        k += 1 << (j & 3)
        if k % 7 == 0:
            continue
        m[i, j] = k if i <= j else -k
"""

# skeleton, exact, number of shingles: the same on every Python, platform and run. A change here changes datasets.
GOLDEN = {
    "plain": (PLAIN, "63e2b87a576217a3", "9653b93e4c489123", 62),
    "with_function": (WITH_FUNCTION, "9edcad8f6782d7bb", "d87f52eaa0e49215", 150),
    "loops": (LOOPS, "861c373377603a88", "02c2c56b0701a81d", 84),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    source, skeleton, exact, shingles = GOLDEN[name]
    keys = analyse(source)
    assert (keys.skeleton, keys.exact, len(keys.shingles)) == (skeleton, exact, shingles)


def test_golden_signature() -> None:
    keys = analyse(PLAIN)
    assert keys.shingles[:3].tolist() == [92167105, 102772451, 102929897]
    assert keys.bands[:3].tolist() == [164202412, 3062251038, 2982450810]


def test_shapes() -> None:
    keys = analyse(WITH_FUNCTION)
    assert keys.shingles.dtype == np.uint32
    assert np.all(np.diff(keys.shingles.astype(np.int64)) > 0)
    assert keys.bands.dtype == np.uint32
    assert keys.bands.shape == (BANDS,)
    assert len(keys.skeleton) == len(keys.exact) == 16


def test_a_given_tree_is_used_and_left_alone() -> None:
    tree = ast.parse(WITH_FUNCTION)
    before = ast.dump(tree)
    assert analyse(WITH_FUNCTION, tree).exact == analyse(WITH_FUNCTION).exact
    assert ast.dump(tree) == before


SAME = {
    "kernel name": PLAIN.replace("scale", "scaled"),
    "argument": PLAIN.replace("k: float", "factor: float").replace("* k", "* factor"),
    "local": PLAIN.replace("i = wp", "row = wp").replace("[i]", "[row]"),
    "a name of a builtin": PLAIN.replace("k: float", "max: float").replace("* k", "* max"),
    "alias of the import": PLAIN.replace("as wp", "as w").replace("wp.", "w."),
    "another import": "import math\n" + PLAIN,
    "comment": PLAIN.replace("wp.tid()", "wp.tid()  # the row"),
    "docstring": PLAIN.replace("    i = wp", '    """Scale a row."""\n    i = wp'),
    "module docstring": '"""A kernel."""\n' + PLAIN,
    "parentheses": PLAIN.replace("a[i] * k + 1.0", "((a[i] * (k)) + 1.0)"),
    "white space": PLAIN.replace("a[i] * k", "a[ i ]*k").replace("\n\n\n", "\n\n"),
    "line breaks": PLAIN.replace("k: float, ", "\n    k: float,\n    "),
    "spelling of a number": PLAIN.replace("0.5", "5e-1"),
}


@pytest.mark.parametrize("what", SAME)
def test_what_never_counts(what: str) -> None:
    assert SAME[what] != PLAIN
    keys, plain = analyse(SAME[what]), analyse(PLAIN)
    assert (keys.skeleton, keys.exact) == (plain.skeleton, plain.exact)
    np.testing.assert_array_equal(keys.shingles, plain.shingles)


OWN = {
    "struct": ("Body", "Thing"),
    "field": ("mass", "weight"),
    "field that is also a local": ("pos", "r"),
    "function": ("pull", "tug"),
    "constant": ("GAIN", "G"),
    "counter": ("j", "jj"),
}


@pytest.mark.parametrize("what", OWN)
def test_every_own_name_may_change(what: str) -> None:
    old, new = OWN[what]
    source = re.sub(rf"\b{old}\b", new, WITH_FUNCTION)
    assert source != WITH_FUNCTION
    assert analyse(source).exact == analyse(WITH_FUNCTION).exact


def test_a_keyword_is_its_function_s_own_name() -> None:
    source = WITH_FUNCTION.replace("x: wp.vec3) -> float", "y: wp.vec3) -> float")
    source = source.replace("body.pos - x", "body.pos - y").replace("x=x[i]", "y=x[i]")
    assert analyse(source).exact == analyse(WITH_FUNCTION).exact


def test_names_of_two_functions_are_apart() -> None:
    # `x` of the function and `x` of the kernel have nothing to do with each other.
    source = WITH_FUNCTION.replace("x: wp.array(dtype=wp.vec3)", "xs: wp.array(dtype=wp.vec3)").replace(
        "=x[i]", "=xs[i]"
    )
    assert analyse(source).exact == analyse(WITH_FUNCTION).exact


NUMBERS = {
    "float": PLAIN.replace("+ 1.0", "+ 2.5"),
    "integer for float": PLAIN.replace("+ 1.0", "+ 1"),
    "sign": PLAIN.replace("+ 1.0", "+ -1.0"),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_are_blanked_in_the_skeleton_only(what: str) -> None:
    keys, plain = analyse(NUMBERS[what]), analyse(PLAIN)
    assert keys.skeleton == plain.skeleton
    assert keys.exact != plain.exact
    np.testing.assert_array_equal(keys.shingles, plain.shingles)


OTHER = {
    "operator": PLAIN.replace("* k", "/ k"),
    "comparison": PLAIN.replace("> 0.5", ">= 0.5"),
    "order of operands": PLAIN.replace("a[i] * k", "k * a[i]"),
    "grouping": PLAIN.replace("a[i] * k + 1.0", "a[i] * (k + 1.0)"),
    "order of branches": PLAIN.replace("a[i] * k + 1.0", "?").replace("-a[i]", "a[i] * k + 1.0").replace("?", "-a[i]"),
    "element type": PLAIN.replace("a: wp.array(dtype=float)", "a: wp.array(dtype=wp.float64)"),
    "scalar type": PLAIN.replace("k: float", "k: int"),
    "dimension": PLAIN.replace("a: wp.array(", "a: wp.array2d("),
    "decorator argument": PLAIN.replace("@wp.kernel", "@wp.kernel(grid_stride=True)"),
    "value of a boolean": PLAIN.replace("@wp.kernel", "@wp.kernel(grid_stride=False)"),
    "which argument": PLAIN.replace("> 0.5", "> k").replace("a[i] > k", "k > k"),
    "indentation": PLAIN.replace("    else:\n        out[i] = -a[i]", "    out[i] = -a[i]"),
    "sign of a variable": PLAIN.replace("= -a[i]", "= a[i]"),
}


@pytest.mark.parametrize("what", OTHER)
def test_what_makes_another_skeleton(what: str) -> None:
    others = [PLAIN, *(source for name, source in OTHER.items() if name != what)]
    assert analyse(OTHER[what]).skeleton not in {analyse(source).skeleton for source in others}


def test_booleans_are_not_numbers() -> None:
    on = PLAIN.replace("@wp.kernel", "@wp.kernel(grid_stride=True)")
    off = PLAIN.replace("@wp.kernel", "@wp.kernel(grid_stride=False)")
    assert analyse(on).skeleton != analyse(off).skeleton


@given(index=st.integers(0, 10**6), data=st.data())
@settings(max_examples=60, deadline=None)
def test_renaming_any_name_changes_nothing(index: int, data: st.DataObject) -> None:
    source = kernel(index)
    assume("func_native" not in source)  # a snippet names its parameters in a text of its own
    names = data.draw(st.lists(st.sampled_from(own_names(ast.parse(source))), unique=True, min_size=1))
    copy = renamed(source, {name: f"fresh_{place}" for place, name in enumerate(names)})
    keys, copied = analyse(source), analyse(copy)
    assert (keys.skeleton, keys.exact) == (copied.skeleton, copied.exact)
    np.testing.assert_array_equal(keys.bands, copied.bands)


@given(index=st.integers(0, 10**6), step=st.floats(0.125, 8))
@settings(max_examples=40, deadline=None)
def test_numbers_change_only_the_exact_digest(index: int, step: float) -> None:
    source = kernel(index)
    copy = with_literals(source, step)
    assert analyse(copy).skeleton == analyse(source).skeleton
    has_floats = any(isinstance(n, ast.Constant) and type(n.value) is float for n in ast.walk(ast.parse(source)))
    assert (analyse(copy).exact != analyse(source).exact) == has_floats


class _Bare(ast.NodeTransformer):
    """Takes away imports and docstrings."""

    def visit_Import(self, node: ast.Import) -> None:
        return None

    visit_ImportFrom = visit_Import

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node


def _python_tokens(tree: ast.Module) -> list[str]:
    """Return Python's own tokens, without imports; numbers as values, the tokens of snippets in their place."""
    kinds = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
    snippets = native_snippets(tree)
    texts = {node.value for node in ast.walk(tree) if id(node) in snippets}
    bare = _Bare().visit(ast.parse(ast.unparse(tree)))
    source = ast.unparse(bare)
    found: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.STRING and ast.literal_eval(token.string) in texts:
            found += [text for _, text in lex(ast.literal_eval(token.string))]
        elif token.type in kinds:
            found.append(repr(ast.literal_eval(token.string)) if token.string[0].isdigit() else token.string)
    return found


@pytest.mark.parametrize("index", range(120))
def test_the_walk_writes_the_tokens_of_the_source(index: int) -> None:
    # Python's own tokenizer is the reference; ast.unparse takes away redundant parentheses. Both sides lose all
    # parentheses, for ast.unparse writes a few that need not be there. Numbers are compared as values.
    tree = ast.parse(kernel(index))
    walk = Walk(tree)
    ours = [walk.names.get(token, token) for token in walk.tokens if token not in LAYOUT]
    assert [t for t in ours if t not in "()"] == [t for t in _python_tokens(tree) if t not in "()"]


def test_syntax_kernels_seldom_use_is_told_apart() -> None:
    shape = "import warp as wp\n@wp.kernel\ndef f(a: wp.array(dtype=float), n: int):\n    {}\n"
    bodies = [
        "assert n > 0",
        "a[0] = {1: 2.0}[n]",
        "b = [x for x in range(n)]",
        "b = [x + n for x in range(n)]",
        "b = (lambda x: x + n)(n)",
        "b = (lambda x: x - n)(n)",
        "b = f'{n}'",
        "b, *c = a",
        "try:\n        n = 1\n    except ValueError:\n        n = 2",
        "with a as b:\n        n = 1",
        "b = n ** -n",
        "b = (-n) ** n",
        "b = -(n ** n)",
        "b = a[1:n]",
        "b = a[1:n:2]",
        "b = n,",
        "b = n",
        "b: int = n",
    ]
    skeletons = [analyse(shape.format(body)).skeleton for body in bodies]
    # (-n) ** n differs from -(n ** n), which Python also writes -n ** n.
    assert len(set(skeletons)) == len(bodies)


@pytest.mark.parametrize("source", ["def (:", "a\0b", "x = " + "(" * 500])
def test_what_does_not_parse_is_rejected(source: str) -> None:
    with pytest.raises(CodegenRejection, match="source_error"):
        analyse(source)


def test_shingles_are_the_sets_of_runs(corpus: list[str]) -> None:
    # Hashed sets have the sizes of the sets of token runs themselves: no collision in the corpus.
    runs: set[tuple[str, ...]] = set()
    hashes: set[int] = set()
    for source in corpus[:200]:
        tokens = code_tokens(_blank(Walk(ast.parse(source))))
        own = {tuple(tokens[k : k + GRAM]) for k in range(len(tokens) - GRAM + 1)}
        found = shingle_hashes(tokens)
        assert len(own) == len(found)
        runs |= own
        hashes |= set(found.tolist())
    assert len(runs) == len(hashes)


def test_few_tokens_are_one_shingle() -> None:
    assert len(shingle_hashes([])) == len(shingle_hashes(["a"])) == len(shingle_hashes(["a"] * GRAM)) == 1
    assert shingle_hashes(["a"]) != shingle_hashes(["b"])


@pytest.mark.parametrize("size", [10, 40, 300])
def test_signatures_estimate_jaccard_without_bias(size: int) -> None:
    # Bands of 6 rows agree with probability J**6 each; over 300 pairs the mean is known to about 1 %.
    random_ = np.random.default_rng(size)
    rates, expected = [], []
    for _ in range(300):
        shared = int(random_.integers(size // 2, size))
        pool = np.unique(random_.integers(0, 2**32, 3 * size, dtype=np.uint32))
        random_.shuffle(pool)
        one, two = np.sort(pool[:size]), np.sort(np.r_[pool[:shared], pool[size : 2 * size - shared]])
        rates.append(np.mean(band_hashes(one) == band_hashes(two)))
        expected.append((shared / (2 * size - shared)) ** 6)
    assert abs(np.mean(rates) - np.mean(expected)) < 0.02


_SCRIPT = """
import hashlib, sys
from curate.corpus import kernel
from builder.curate import analyse
digest = hashlib.sha256()
for i in range(25):
    keys = analyse(kernel(i))
    digest.update(keys.skeleton.encode() + keys.exact.encode() + keys.shingles.tobytes() + keys.bands.tobytes())
print(digest.hexdigest())
"""


def test_the_same_in_every_process() -> None:
    root = Path(__file__).resolve().parents[2]
    digests = set()
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}{os.pathsep}{root / 'tests'}"},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(done.stdout)
    assert len(digests) == 1


def test_recall_of_near_duplicates(corpus: list[str]) -> None:
    # All pairs of the corpus, judged by exact Jaccard; every one of at least 0.75 must share a band.
    keys = [analyse(source) for source in random.Random(3).sample(corpus, 300)]
    near = missed = 0
    for i, one in enumerate(keys):
        for two in keys[:i]:
            shared = len(np.intersect1d(one.shingles, two.shingles, assume_unique=True))
            if 4 * shared >= 3 * (len(one.shingles) + len(two.shingles) - shared):
                near += 1
                missed += not np.any(one.bands == two.bands)
    assert near > 200
    assert missed == 0
