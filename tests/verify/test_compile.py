"""Level compile: batches, and bisection to the rows at fault."""

import pytest

from builder.codegen import compile_cpp
from builder.errors import CodegenRejection
from builder.verify import LEVELS, verify
from builder.verify.compiling import _text, sizes
from builder.verify.rows import batches, bisect

from .made import good, swapped


def test_planted_errors_cost_only_themselves():
    rows = [good(f"kernel_{n}", float(n)) for n in range(2)]
    rows[0] = swapped(rows[0], "cuda_backward", "wp::adj_sin(", "wp::adj_sine(")
    rows[1] = swapped(rows[1], "cpp_forward", "wp::sin(", "wp::sine(")
    verdicts = verify(rows, level="compile", archs=(80,))
    assert [verdict.compile.state for verdict in verdicts] == ["failed", "failed"]
    assert verdicts[0].compile.reason.startswith("sm_80: ")
    assert verdicts[1].compile.reason.startswith("C++: ")
    assert verdicts[1].compile.details["instructions_sm_80"] > 20
    assert {verdict.execute.state for verdict in verdicts} == {"not_run"}


def test_the_compiler_makes_code_of_both_directions():
    rows = [good(f"kernel_{n}", float(n)) for n in range(2)]
    code = compile_cpp(_text(rows, "cpp"), optimization_level=0)
    for row in rows:
        for way in ("forward", "backward"):
            assert f"{row['kernel_name']}_cpu_kernel_{way}".encode() in code


def test_bisection_builds_few_times():
    built = []

    def build(rows):
        built.append(len(rows))
        if any(row["id"] == "bad" for row in rows):
            raise CodegenRejection("codegen_error", "bad")
        return len(rows)

    refused, kept = [], []
    rows = [{"id": "bad" if n == 11 else str(n)} for n in range(32)]
    bisect(rows, build, lambda group, _: kept.extend(group), lambda row, why: refused.append((row["id"], why)))
    assert refused == [("bad", "bad")]
    assert len(kept) == 31
    assert len(built) == 11


def test_equal_names_lie_in_different_batches():
    rows = [{"id": str(n), "kernel_name": "same" if n % 2 else f"k{n}"} for n in range(6)]
    groups = list(batches(rows, 4))
    assert sum(map(len, groups)) == 6
    for group in groups:
        names = [row["kernel_name"] for row in group]
        assert len(names) == len(set(names)) <= 4


def test_instructions_and_shared_memory_are_counted_by_entry():
    one = ".shared .align 4 .u32 _ZN3one;\n"
    room = one + ".shared .align 4 .b8 _ZN4room[64];\n.extern .shared .align 16 .b8 _ZN7dynamic[];\n"
    body = "ld.shared.u32 %r2, [_ZN3one];\n\tmov.u32 %r1, _ZN4room;\n\tret;"
    head = f".visible .entry a_cuda_kernel_forward(\n)\n{{\n\t.reg .b32 %r<3>;\n\t{body}\n}}\n"
    ptx = room + head + ".visible .entry b(\n)\n{\n\tret;\n}"
    assert {name: (size.instructions, size.shared) for name, size in sizes(ptx).items()} == {
        "a_cuda_kernel_forward": (3, 68),
        "b": (1, 0),
    }


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="unknown level 'all'"):
        verify([], level="all")
    one = good()
    with pytest.raises(ValueError, match="two rows have one id"):
        verify([one, one], level="compile")
    assert verify([one], level="none")[0].compile.state == "not_run"
    assert LEVELS[0] == "none"
