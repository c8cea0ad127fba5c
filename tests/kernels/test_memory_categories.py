"""What the families on memory promise: every family comes up, says what it is, and holds its loops and bounds."""

import ast

import pytest

from builder.kernels import candidate
from builder.kernels.categories import category
from builder.kernels.choices import CounterChoices
from builder.kernels.coverage import tags

CATEGORIES = ("reduction", "scan", "stencil", "gather_scatter", "spatial_query")


def sample(name, count=300):
    return [category(name)(CounterChoices(6, index)) for index in range(count)]


@pytest.mark.parametrize("name", CATEGORIES)
def test_every_family_comes_up_under_its_own_name(name):
    families = [family.__name__.strip("_") for family in category(name).families]
    assert len(set(families)) == len(families)
    assert {program.family for program in sample(name, 600)} == set(families)


@pytest.mark.parametrize("name", CATEGORIES)
def test_a_summary_is_one_sentence(name):
    for program in sample(name):
        assert program.summary.endswith(".")
        assert program.summary.count(". ") == 0
        assert program.summary[0].isupper()


@pytest.mark.parametrize("name", CATEGORIES)
def test_no_continue_skips_the_step_of_a_while_loop(name):
    """A while loop over a counter ends with the counter's step, which ``continue`` would jump over."""
    for index in range(200):
        for loop in ast.walk(ast.parse(candidate(6, index, {name: 1.0}).text)):
            if isinstance(loop, ast.While) and not any(isinstance(n, ast.Call) for n in ast.walk(loop.test)):
                inner = [node for stmt in loop.body for node in ast.walk(stmt)]
                assert not any(isinstance(node, ast.Continue) for node in inner), ast.unparse(loop)


def test_the_tags_of_memory_are_there():
    found = {name: set().union(*(tags(program) for program in sample(name))) for name in CATEGORIES}
    assert {"builtin:atomic_cas", "builtin:lower_bound", "array:indexedarray", "syntax:view"} <= found["gather_scatter"]
    assert {"builtin:hash_grid_query", "builtin:bvh_query_next", "builtin:mesh_query_ray"} <= found["spatial_query"]
    assert {"launch:1d", "launch:2d", "launch:3d", "launch:4d"} <= found["stencil"]
    assert {"control:while", "builtin:atomic_add", "uses:struct"} <= found["reduction"]
