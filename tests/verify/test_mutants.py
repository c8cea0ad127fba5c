"""Errors planted in generated code are found, and what makes nothing of its inputs never passes."""

import pytest

from builder.verify.running import run_rows
from tools.mutation.dataflow import equal_by_dataflow
from tools.mutation.kinds import ADJOINT, FORWARD
from tools.mutation.planting import Mutant, plant

from .made import row, swapped

SMALL = row("""
    def small(x: wp.array2d(dtype=float), y: wp.array(dtype=float), limit: int, out: wp.array2d(dtype=float)):
        i, j = wp.tid()
        if i >= limit:
            return
        v = wp.sin(x[i, wp.min(j + 1, x.shape[1] - 1)]) * y[i] + 2.5 * x[i, j]
        if i > 0:
            v = v - y[i - 1]
        out[i, j] = v
    """)
WARPS = row(
    """
    def warps(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i % out.shape[0]] = warp_sum(x[i % x.shape[0]])
    """,
    before='''
    @wp.func_native("""
        #if defined(__CUDA_ARCH__)
        for (int step = 16; step > 0; step >>= 1) x += __shfl_xor_sync(0xffffffffu, x, step);
        return x;
        #else
        return x * 2.0f;
        #endif
    """)
    def warp_sum(x: float) -> float:
        ...
    ''',
)
STORE = "wp::array_store(var_out, var_0, var_1, "


def stored(name, value):
    """Return a row both of whose texts store this, whatever they have worked out."""
    made = {**SMALL, "id": name}
    for column in ("cpp_forward", "cuda_forward"):
        head, call, rest = made[column].partition(STORE)
        assert call
        made[column] = f"{head}{call}{value}{rest[rest.index(')') :]}"
    return made


KINDS = {kind: plant(SMALL, kind, 0) for kind in (*FORWARD, *ADJOINT)}
CASES = {
    "zero": (stored("zero", "wp::float32(0.0)"), "trivial"),
    "copied": (stored("copied", "wp::float32(*wp::address(var_x, var_0, var_1))"), ""),
    "loop": (swapped(SMALL, "cuda_forward", "_idx += ", "_idx -= "), "few=True"),
    "last": (swapped(SMALL, "cpp_forward", "var_10 = wp::sub(", "var_10 = wp::add("), "ends the process"),
    "axis": (swapped(SMALL, "cuda_forward", "const wp::int32 var_6 = 1;", "const wp::int32 var_6 = 0;"), "oblong"),
    "device": (swapped(WARPS, "cuda_forward", "x += __shfl", "x -= __shfl"), "CUDA text is not that by the C++"),
    "one thread": (swapped(WARPS, "cpp_forward", "x * 2.0f", "x * 3.0f"), "CUDA text is not that by the C++"),
}


@pytest.fixture(scope="module")
def verdicts():
    forward = [KINDS[kind].row for kind in FORWARD] + [made for name, (made, _) in CASES.items() if name != "copied"]
    backward = [SMALL, CASES["copied"][0], *(KINDS[kind].row for kind in ADJOINT)]
    return run_rows([WARPS, *forward], "execute", 0) | run_rows(backward, "gradient", 0)


def test_the_sound_rows_pass(verdicts):
    assert [verdicts[SMALL["id"]][stage].state for stage in ("execute", "gradient")] == ["passed", "passed"]
    assert verdicts[WARPS["id"]]["execute"].state == "passed"


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_mutant_is_found(verdicts, kind):
    stage = "execute" if kind in FORWARD else "gradient"
    assert verdicts[KINDS[kind].row["id"]][stage].state == "failed", KINDS[kind].new


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1]])
def test_what_only_other_arguments_show_is_found(verdicts, name):
    made, why = CASES[name]
    verdict = verdicts[made["id"]]["execute"]
    assert verdict.state == "failed"
    assert why in verdict.reason


def test_a_copy_of_the_input_is_told_by_its_adjoint(verdicts):
    # Alike in both texts: no run of them says that it is not what was meant, but its derivative is another.
    assert verdicts["copied"]["gradient"].state == "failed"


def test_equivalence_needs_a_reason():
    lines = SMALL["cuda_backward"].split("\n")

    def missing(start):
        number = next(n for n, line in enumerate(lines) if line.strip().startswith(start))
        return Mutant(SMALL, SMALL, "adjoint term missing", ("cuda_backward", "cpp_backward"), number, "")

    assert equal_by_dataflow(missing("wp::adj_min(")) == "whole numbers have no derivative"
    assert equal_by_dataflow(missing("wp::adj_sin(")) == ""
    assert equal_by_dataflow(missing("wp::adj_add(")) == ""
