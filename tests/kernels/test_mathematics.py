"""The families of mathematics, learning, statistics, finance and searching: what they promise beyond the grammar's."""

import ast

import pytest

from builder import codegen
from builder.kernels import to_source
from builder.kernels.author import Author
from builder.kernels.categories import category
from builder.kernels.choices import Choices, CounterChoices
from builder.kernels.fusion.cells import Cells, records, setting, settings, transform
from builder.kernels.fusion.rows import Rows
from builder.kernels.fusion.sweeps import extreme, sweep, total, winner
from builder.kernels.tidy import without_dead
from builder.kernels.types import DOUBLE, FLOAT, HALF, INT, UINT

CATEGORIES = ("linear_algebra", "machine_learning", "statistics", "sorting_searching")
FAMILIES = [(name, family) for name in CATEGORIES for family in category(name).families]


class Simplest(Choices):
    """Every decision is the simplest one."""

    __slots__ = ()

    def below(self, n):
        return 0


def written(name, family, choices):
    author = Author(choices, name, family.__name__.strip("_"))
    family(author)
    return without_dead(author.program())


@pytest.mark.parametrize(("name", "family"), FAMILIES, ids=lambda value: getattr(value, "__name__", value))
def test_family_generates_says_what_it_does_and_is_tagged(name, family):
    for choices in (Simplest(), *(CounterChoices(31, index) for index in range(3))):
        source = to_source(written(name, family, choices))
        assert codegen.generate(source.text).kernel_name == source.kernel_name
        assert f"family:{family.__name__.strip('_')}" in source.features
        assert source.description.split(". It ")[0][0].isupper()
        assert "  " not in source.description


@pytest.mark.parametrize(("name", "family"), FAMILIES, ids=lambda value: getattr(value, "__name__", value))
def test_family_has_no_dead_arguments_or_locals(name, family):
    """Every argument and every local but counters is read somewhere."""
    for index in range(4):
        tree = ast.parse(to_source(written(name, family, CounterChoices(47, index))).text)
        kernel = tree.body[-1]
        read = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        stored = {
            node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        counters = {node.target.id for node in ast.walk(kernel) if isinstance(node, ast.For)}
        threads = {node.id for node in ast.walk(kernel.body[0]) if isinstance(node, ast.Name)}
        assert {arg.arg for arg in kernel.args.args} <= read
        assert stored - counters - threads <= read


@pytest.mark.parametrize("name", CATEGORIES)
def test_candidates_are_the_same_again(name):
    first = [to_source(category(name)(CounterChoices(3, index))) for index in range(10)]
    assert first == [to_source(category(name)(CounterChoices(3, index))) for index in range(10)]


def author(index=0):
    return Author(CounterChoices(5, index), "statistics", "test")


def text_of(k):
    k.name("probe")
    k.summary("Probes.")
    return to_source(k.program()).text


@pytest.mark.parametrize("index", range(25))
def test_a_change_is_the_same_wherever_it_is_applied(index):
    k = author(index)
    cells = Cells(k, 1)
    x, out = cells.input("x", FLOAT), cells.output("out", FLOAT)
    change = transform(k, "f", FLOAT)
    value = k.let("value", x[cells.place])
    assert change(value).e == change(value).e
    out[cells.place] = change(value)
    assert codegen.generate(text_of(k)).kernel_name.startswith("probe")


@pytest.mark.parametrize("type_", [FLOAT, DOUBLE, HALF, INT, UINT])
def test_loops_over_rows_generate_for_every_type(type_):
    for index in range(12):
        k = author(index)
        rows = Rows(k, "row")
        x = rows.input("x", type_)
        sum_ = total(k, "acc", rows.count, lambda j, x=x: x[j], type_)
        high = extreme(k, "high", rows.count, lambda j, x=x: x[j], type_)
        low, place = winner(k, rows.count, lambda j, x=x: x[j], type_, largest=False)
        rows.result("out", type_)[rows.place] = sum_ + high + low
        rows.result("at", INT)[rows.place] = place
        assert codegen.generate(text_of(k)).kernel_name.startswith("probe")


def test_an_ordered_sweep_goes_upwards():
    for index in range(60):
        k = author(index)
        rows = Rows(k, "row")
        x, out = rows.input("x", FLOAT), rows.output("out", FLOAT)
        with sweep(k, rows.count, "j", ordered=True) as j:
            out[j] = x[j]
        assert "back" not in text_of(k)


@pytest.mark.parametrize("index", range(20))
def test_records_give_every_number_in_its_type(index):
    k = author(index)
    cells = Cells(k, 2)
    spec = {"a": ("a", FLOAT), "b": ("b", FLOAT), "n": ("n", INT if index % 2 else FLOAT)}
    found = records(k, cells, spec, "Record", "table")
    assert {key: value.type for key, value in found.items()} == {key: type_ for key, (_, type_) in spec.items()}


def test_settings_keep_their_type_and_stay_below_one():
    for index in range(40):
        k = author(index)
        k.tid("i")
        found = settings(k, {"a": ("a", 0.9), "b": ("b", 0.99)}, DOUBLE)
        assert all(value.type is DOUBLE for value in found.values())
        value = getattr(setting(k, "c", 0.999).e, "value", None)
        assert value is None or value < 1.0
