"""Code in which Warp reads a variable before it sets it is no row."""

from __future__ import annotations

import pytest

from builder.codegen import generate
from builder.codegen.unset import read_before_set
from builder.errors import CodegenRejection

KERNEL = """import warp as wp

AREA = 5


@wp.kernel
def mean(inp: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    s = wp.float64(0.0)
    j = int(0)
    while j < AREA:
        s += inp[i]
        j += 1
    out[i] = s / {count}
"""


def test_a_constant_that_becomes_a_variable_is_found():
    with pytest.raises(CodegenRejection, match="Warp reads var_4 before it sets it") as refusal:
        generate(KERNEL.format(count="wp.float64(AREA)"))
    assert refusal.value.reason == "codegen_error"


def test_what_sets_first_is_not():
    assert generate(KERNEL.format(count="wp.float64(5.0)")).kernel_name == "mean"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("wp::float64 var_1;\nvar_1 = 2.0;\nvar_2 = wp::add(var_1, var_1);", ""),
        ("wp::float64 var_1;\nvar_2 = wp::add(var_3, var_1);\nvar_1 = 2.0;", "var_1"),
        ("bool var_1;\nif (var_1) {\nvar_1 = true;", "var_1"),
        ("wp::int32 var_1;\nwp::int32 var_11;\nbuiltin_tid2d(var_1, var_11);\nvar_2 = wp::add(var_1, var_11);", ""),
        ("wp::int32 var_1;\n// var_2 = var_1;\nvar_1 = 3;", ""),
        ("return var_1;\n}\nfloat f(\nwp::int32 var_1)\n{\nvar_2 = var_1;", ""),
        ("const wp::int32 var_1 = 3;\nvar_2 = var_1;", ""),
    ],
)
def test_lines(code, expected):
    assert read_before_set(code) == expected
