"""Programs that are compiled and run: they say PASS, and FAIL where an error is planted."""

import pytest

from builder.codegen import generate
from builder.errors import StandaloneRejection
from builder.kernels import candidate
from builder.standalone import checked_programs, standalone
from builder.standalone.building import compile_with_nvcc, host_text, nvcc, run_on_host, takes_turns
from builder.verify import row_of

CHOSEN = (("arithmetic", 1), ("struct", 2), ("block_sync", 0), ("random", 1), ("tile_matmul", 6))


@pytest.fixture(scope="module")
def made():
    """Programs of a few kernels, with the values that Warp's CPU code gives."""
    rows = {}
    for category, index in CHOSEN:
        source = candidate(19, index, {category: 1.0})
        rows[category] = row_of(source.text, generate(source.text)) | {"description": source.description}
    programs = checked_programs(list(rows.values()))
    found = {category: programs[row["id"]] for category, row in rows.items()}
    assert all(one.text and not one.unknown for one in found.values())
    return {category: one.text for category, one in found.items()}


@pytest.mark.parametrize("category", ["arithmetic", "block_sync", "tile_matmul"])
def test_a_program_agrees_with_warp(made, category):
    outcome = run_on_host(made[category])
    assert outcome.passed, outcome.said
    assert outcome.said == "PASS"


def test_the_order_of_threads_decides_what_an_atomic_operation_returns():
    assert not takes_turns("// It atomically adds.\n  atomicAdd(&out[0], v);\n")
    assert takes_turns("  const int slot = atomicAdd(&count[0], 1);\n")


def test_arrays_within_the_elements_of_an_array_are_refused():
    source = """import warp as wp

@wp.struct
class Table:
    data: wp.array(dtype=float)

@wp.kernel
def k(tables: wp.array(dtype=Table), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = tables[i].data[0]
"""
    with pytest.raises(StandaloneRejection, match="an array of structs that hold arrays"):
        standalone(source)


def test_a_program_with_a_planted_error_says_where(made):
    text = made["arithmetic"]
    at = text.index("__global__")
    store = text.index("] = ", at) + len("] = ")
    outcome = run_on_host(text[:store] + "1 + " + text[store:])
    assert not outcome.passed
    assert outcome.said.startswith("FAIL ")
    assert "expected" in outcome.said


def test_a_product_without_one_of_its_barriers_fails(made):
    before, barrier, behind = made["tile_matmul"].rpartition("    __syncthreads();\n")
    assert barrier
    assert "__global__" in before
    outcome = run_on_host(before + behind)
    assert not outcome.passed
    assert outcome.said.startswith("FAIL ")


def test_another_size_runs_without_a_comparison(made):
    outcome = run_on_host(made["arithmetic"], sizes=(50, 1))
    assert (outcome.passed, outcome.said) == (True, "DONE, not compared")


def test_blocks_whose_threads_wait_for_each_other_are_whole(made):
    refused = run_on_host(made["block_sync"], sizes=(100,))
    assert not refused.passed
    assert "a multiple of 256" in refused.said
    assert run_on_host(made["block_sync"], sizes=(512,)).passed


def test_a_launch_is_written_for_any_compiler():
    text = "  kern<<<grid, block>>>(d_a, n);\n  after();\n"
    assert host_text(text) == "  host_launch(grid, block, [=] { kern(d_a, n); });\n  after();\n"


@pytest.mark.skipif(not nvcc(), reason="there is no nvcc")
def test_nvcc_has_no_warning(made):
    outcome = compile_with_nvcc(made["struct"], (80,))
    assert outcome.passed, outcome.said


@pytest.mark.slow
def test_sanitizers_find_nothing(made):
    for category, text in made.items():
        outcome = run_on_host(text, sanitize=True)
        assert outcome.passed, f"{category}: {outcome.said}"
