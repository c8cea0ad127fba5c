"""Which of Warp's builtins the categories reach: held against Warp's own table and the file of the others."""

from functools import cache

from builder import codegen
from builder.kernels.categories import category
from builder.kernels.choices import CounterChoices
from builder.kernels.coverage import coverage, name_of, tags
from builder.shipped import category_names, config_names, unused_builtins

# Two categories hold the builtins that are called seldom.
SAMPLE = {"gather_scatter": 900, "spatial_query": 900}
OTHERS = 220


@cache
def table():
    return {builtin.name: builtin for builtin in codegen.builtins()}


@cache
def reached():
    """The tags of a fixed sample of every category; nothing is generated."""
    programs = (
        category(name)(CounterChoices(8, index))
        for name in category_names()
        for index in range(SAMPLE.get(name, OTHERS))
    )
    return frozenset(tag for program in programs for tag in tags(program))


def test_every_builtin_is_used_or_has_a_reason():
    _, unused = coverage(reached(), table())
    assert [name for name in unused if name not in unused_builtins()] == []


def test_what_is_used_has_no_reason_not_to_be():
    used, _ = coverage(reached(), table())
    assert [name for name in used if name in unused_builtins()] == []


def test_reasons_are_for_builtins_of_warp():
    assert [name for name in unused_builtins() if name not in table()] == []
    assert all(len(reason) > 10 for reason in unused_builtins().values())
    assert "unused_builtins" not in config_names()


def test_every_call_of_the_sample_stands_in_warps_table():
    names = {name_of(tag) for tag in reached() if tag.partition(":")[0] in ("builtin", "operator", "make")}
    assert sorted(names - set(table()) - {""}) == []


def test_tags_stand_for_warps_names():
    pairs = {
        "builtin:sqrt": "sqrt", "builtin:vec3d": "vector", "builtin:mat33": "matrix", "builtin:quath": "quaternion",
        "builtin:transformd": "transformation", "builtin:spatial_vector": "spatial_vector", "operator:+": "add",
        "operator:neg": "neg", "control:for": "range", "builtin:float64": "float64", "make:matrix": "matrix",
        "syntax:slice": "slice", "launch:1d": "", "dtype:vec3": "",
    }  # fmt: skip
    assert {tag: name_of(tag) for tag in pairs} == pairs
    assert coverage(["operator:+", "builtin:vec2i"], ["add", "vector", "sub"]) == (("add", "vector"), ("sub",))


def test_the_table_tells_group_and_types():
    sqrt = table()["sqrt"]
    assert (sqrt.group, sqrt.documented) == ("Scalar Math", True)
    assert {"float32", "float64"} <= set(sqrt.first)
    assert not table()["array_store"].documented
