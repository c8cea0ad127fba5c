"""The C++ of native snippets: what of it counts in a skeleton."""

import pytest
from pygments.lexers.c_cpp import CppLexer
from pygments.token import Comment, Number, Token

from builder.curate import analyse
from builder.curate.snippets import lex
from builder.kernels import candidate

SOURCE = '''\
import warp as wp

total_snippet = """
    // all lanes have the sum
    #if defined(__CUDA_ARCH__)
    float acc = x * 2.0f;
    for (int offset = 16; offset > 0; offset >>= 1) {
        acc += __shfl_xor_sync(0xffffffffu, acc, offset);
    }
    return acc - y;
    #else
    return x * 2.0f - y;
    #endif
    """
total_adj_snippet = """
    adj_x += 2.0f * adj_ret;
    adj_y -= adj_ret;
    """


@wp.func_native(total_snippet, adj_snippet=total_adj_snippet)
def total(x: float, y: float) -> float:
    ...


@wp.kernel
def warp_total(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = total(a[i], 1.0)
'''

SAME = {
    "local": ("acc", "sum"),
    "loop variable": ("offset", "by"),
    "comment": ("// all lanes have the sum", "/* of all */"),
    "white space": ("x * 2.0f;", "x*2.0f ;"),
    "line break": ("return acc - y;", "return acc\n        - y;"),
}
OTHER = {
    "operator": ("acc +=", "acc -="),
    "intrinsic": ("__shfl_xor_sync", "__shfl_down_sync"),
    "which parameter": ("return acc - y", "return acc - x"),
    "order of parameters": ("return x * 2.0f - y", "return y * 2.0f - x"),
    "type": ("float acc", "double acc"),
    "loop": ("for (int offset = 16; offset > 0; offset >>= 1)", "for (int offset = 1; offset < 32; offset <<= 1)"),
    "directive": ("#if defined(__CUDA_ARCH__)", "#ifdef __CUDA_ARCH__"),
    "adjoint": ("adj_y -= adj_ret", "adj_y += adj_ret"),
    "whose adjoint": ("adj_y -= adj_ret", "adj_x -= adj_ret"),
}


def changed(pair):
    assert pair[0] in SOURCE
    return analyse(SOURCE.replace(*pair))


@pytest.mark.parametrize("what", SAME)
def test_what_does_not_count(what):
    assert changed(SAME[what]).exact == analyse(SOURCE).exact


@pytest.mark.parametrize("what", OTHER)
def test_what_makes_another_kernel(what):
    skeletons = {changed(pair).skeleton for name, pair in OTHER.items() if name != what}
    assert changed(OTHER[what]).skeleton not in {*skeletons, analyse(SOURCE).skeleton}


def test_a_parameter_is_renamed_with_its_function():
    renamed = SOURCE.replace("x:", "value:").replace("x *", "value *").replace("adj_x", "adj_value")
    assert analyse(renamed).exact == analyse(SOURCE).exact


def test_numbers_and_their_signs_are_blanked():
    for other in ("x * 3.5f;", "x * -2.0f;", "x * 0x2p0f;"):
        keys = changed(("x * 2.0f;", other))
        assert keys.skeleton == analyse(SOURCE).skeleton
        assert keys.exact != analyse(SOURCE).exact


def test_a_minus_between_two_is_no_sign():
    assert changed(("acc - y;", "acc - 1.0f;")).skeleton != changed(("acc - y;", "acc + 1.0f;")).skeleton


def test_a_string_that_is_no_snippet_is_one_token():
    plain = SOURCE.replace("wp.func_native(total_snippet, adj_snippet=total_adj_snippet)", "wp.func")
    assert len(analyse(plain).shingles) < len(analyse(SOURCE).shingles) - 40


def pygments_tokens(text):
    """Pygments' tokens with its single characters of operators joined to nothing: text without white space."""
    tokens = CppLexer(stripnl=False).get_tokens_unprocessed(text)
    return "".join(
        "".join(value.split())
        for _, kind, value in tokens
        if not (kind in Comment and kind not in Comment.Preproc) and kind in Token
    )


def test_the_lexer_finds_what_pygments_finds():
    """Same text less comments; numbers end at the same places (a sign, which Pygments may take in, aside)."""
    texts = []
    for category in ("warp_shuffle", "block_sync", "shared_memory", "cooperative_groups"):
        source = candidate(8, 0, {category: 1.0}).text
        texts += source.split('"""')[1::2]
    for text in texts:
        assert "".join(token.replace(" ", "") for _, token in lex(text)) == pygments_tokens(text)
        theirs = [v.lstrip("+-") for _, k, v in CppLexer().get_tokens_unprocessed(text) if k in Number]
        assert [token for kind, token in lex(text) if kind == "number"] == theirs
