"""Canonical text: what goes, what stays."""

from __future__ import annotations

from builder.codegen import generate
from builder.codegen.canonical import canonical

from .kernels import KERNELS

RAW = """

// <kernel source>:4
static int f_P_0123abcd(P_0123abcd a)
{
    //---------
    // y = a + \\                        <L 5>
    var_0 = 1;   \t
        // adj: y = a + \\              <L 5>
    // wp::array_store(var_0);
    // y = other                        <L 6>
    printf("y = a  <L 5>");


    // # y  <L 5>                       <L 7>
}

"""
ECHOES = {"// y = a + \\", "// adj: y = a + \\", "// # y  <L 5>"}


def test_only_echoes_lose_their_padding_and_mark() -> None:
    text = canonical(
        RAW, echoes=ECHOES, renames=[("P_0123abcd", "P")], origins=["// <kernel source>:4"], source_comments=True
    )
    assert (
        text
        == """static int f_P(P a)
{
    //---------
    // y = a +
    var_0 = 1;
        // adj: y = a +
    // wp::array_store(var_0);
    // y = other                        <L 6>
    printf("y = a  <L 5>");

    // # y  <L 5>
}
"""
    )


def test_without_source_comments_only_echoes_go() -> None:
    text = canonical(RAW, echoes=ECHOES, source_comments=False)
    assert (
        text
        == """// <kernel source>:4
static int f_P_0123abcd(P_0123abcd a)
{
    //---------
    var_0 = 1;
    // wp::array_store(var_0);
    // y = other                        <L 6>
    printf("y = a  <L 5>");

}
"""
    )


def test_no_code_gives_no_text() -> None:
    assert canonical("\n \n", echoes=set()) == ""


def _columns(source: str, source_comments: bool) -> list[str]:
    code = generate(source, source_comments=source_comments)
    return [code.cpp_forward, code.cpp_backward, code.cuda_forward, code.cuda_backward]


def test_shape_of_every_column() -> None:
    for name, source in KERNELS.items():
        for source_comments in (True, False):
            for column in _columns(source, source_comments):
                if not column and name == "forward_only":
                    continue
                lines = column.split("\n")
                assert lines[-1] == ""
                assert lines[-2] != ""
                assert not column[0].isspace()
                assert lines == [line.rstrip() for line in lines]
                assert "<L " not in column
                assert "<kernel source>" not in column
                assert "\\\n" not in column


def test_comments_are_the_only_difference() -> None:
    for source in KERNELS.values():
        for with_, without in zip(_columns(source, True), _columns(source, False), strict=True):
            echoes = {line.strip().rstrip("\\ ") for line in source.split("\n") if line.strip()}
            kept = [
                line
                for line in with_.split("\n")
                if not (line.strip().startswith("// ") and line.strip()[3:].removeprefix("adj: ") in echoes)
            ]
            assert "\n".join(kept) == without
            assert len(without) < len(with_) or not with_


def test_struct_names_have_no_hash() -> None:
    for column in _columns(KERNELS["settle"], True):
        assert "Material" in column
        assert "Material_" not in column
        assert "Body_" not in column


def test_two_structs_of_one_name_stay_two() -> None:
    source = """import warp as wp

@wp.struct
class P:
    a: wp.float32

First = P

@wp.struct
class P:
    b: wp.vec3

@wp.kernel
def k(p: First, q: P, out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    out[i] = q.b * p.a
"""
    for column in _columns(source, True):
        assert "P var_p" in column or "P p;" in column
        assert "P_1 var_q" in column or "P_1 q;" in column
