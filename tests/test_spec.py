"""Specs: what is allowed, what a wrong value says, and what the fingerprint covers."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import errors, spec, versions
from builder.errors import SpecError, WarpCudaPairsError
from builder.record import PAIR_SCHEMA, TRAINING_COLUMNS, VIEWS, row_schema
from builder.shipped import category_names, config_defaults, config_names, config_summary
from builder.spec import field_names, load_spec

TOKENIZER = "0" * 64


def test_the_shipped_configs():
    assert config_names() == ("cpu", "cuda", "forward_backward", "paired", "standalone")
    for name in config_names():
        loaded = load_spec(name)
        assert (loaded.num_kernels, loaded.seed, loaded.max_per_skeleton) == (10_000, 0, 1)
        assert loaded.splits == {"train": 0.9, "validation": 0.05, "test": 0.05}
        assert loaded.instruction.endswith("\n")
        assert config_summary(name)


def test_the_categories():
    assert category_names()[:10] == (
        "arithmetic", "math", "vector", "matrix", "control_flow", "atomic", "nested_loop", "multi_conditional",
        "combined", "scalar_param",
    )  # fmt: skip
    assert len(category_names()) == len(set(category_names())) == 39


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"num_kernel": 5}, "unknown field 'num_kernel'. Did you mean 'num_kernels'. Allowed: num_kernels, seed"),
        ({"num_proc": 2}, "unknown field 'num_proc'"),
        ({"num_kernels": -1}, "num_kernels: .*greater than or equal to 3"),
        ({"num_kernels": 0}, "num_kernels"),
        ({"num_kernels": 10.5}, "num_kernels"),
        ({"num_kernels": True}, "whole number"),
        ({"num_kernels": "many"}, "num_kernels"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"splits": {"train": 0.9, "validation": 0.05, "test": 0.06}}, "sum to 1, these sum to 1.01"),
        ({"splits": {"train": 0.9, "validation": 0.1}}, "split 'test' would be empty"),
        ({"splits": {"train": 1.0, "validation": 0.0, "test": 0.0}}, "splits"),
        ({"splits": {"train": 0.9, "valid": 0.05, "test": 0.05}}, "unknown split 'valid'. Did you mean 'validation'"),
        ({"splits": {"train": 1.2, "validation": -0.1, "test": -0.1}}, "splits"),
        ({"num_kernels": 19}, "split 'validation' would be empty: .* num_kernels >= 20"),
        ({"categories": ["maths"]}, "unknown category 'maths'. Did you mean 'math'"),
        ({"categories": {}}, "categories"),
        ({"categories": {"math": -1}}, "categories.math"),
        ({"categories": {"math": float("inf")}}, "categories.math"),
        ({"max_per_skeleton": 0}, "max_per_skeleton"),
        ({"source_comments": "perhaps"}, "source_comments"),
        ({"instruction": ""}, "instruction"),
        ({"instruction": "Do {code}"}, "unknown placeholder 'code'"),
        ({"instruction": "Do {"}, "literal brace"),
        ({"tokenizer": ""}, "tokenizer"),
        ({"view": "message"}, "unknown view 'message'. Did you mean 'messages'"),
    ],
)
def test_a_wrong_value_says_what_is_allowed(fields, said):
    with pytest.raises(SpecError, match=said) as raised:
        load_spec("paired", **fields)
    assert "\n" not in str(raised.value)


def test_an_unknown_config_names_the_nearest():
    with pytest.raises(SpecError, match="unknown config 'pairs'"):
        load_spec("pairs")
    with pytest.raises(SpecError, match="Allowed: cpu, cuda, forward_backward, paired, standalone"):
        config_defaults("zzz")


def test_equal_meanings_are_equal_specs():
    plain = load_spec("cpu", num_kernels=1000)
    assert load_spec("cpu", num_kernels="1000") == plain
    assert load_spec("cpu", num_kernels=1e3) == plain
    assert load_spec("cpu", num_kernels=1000, seed=None) == plain
    assert load_spec("cpu", num_kernels=1000, splits="0.9/0.05/0.05") == plain
    assert load_spec("cpu", num_kernels=1000, splits=[0.9, 0.05, 0.05]) == plain
    assert load_spec("cpu", num_kernels=1000, categories=",".join(category_names())) == plain
    assert load_spec("cpu", num_kernels=1000, categories=dict.fromkeys(reversed(category_names()), 1)) == plain
    assert load_spec("cpu", categories="math=2,vector") == load_spec("cpu", categories={"vector": 1.0, "math": 2.0})


CHANGES = {
    "num_kernels": 9_999,
    "seed": 1,
    "sources": {"synthetic": 2.0, "warp-lang": 1.0},
    "categories": {"math": 1.0},
    "splits": "0.8/0.1/0.1",
    "max_per_skeleton": 2,
    "source_comments": False,
    "instruction": "Translate.\n",
    "view": "messages",
    "verify": "execute",
    "ptx": True,
}


def test_every_field_moves_the_fingerprint():
    base = load_spec("paired").fingerprint(TOKENIZER)
    assert set(CHANGES) == set(field_names()) - {"tokenizer"}
    changed = {load_spec("paired", **{name: value}).fingerprint(TOKENIZER) for name, value in CHANGES.items()}
    others = {load_spec(name).fingerprint(TOKENIZER) for name in ("cpu", "cuda", "forward_backward")}
    assert len(changed | others | {base, load_spec("paired").fingerprint("1" * 64)}) == len(CHANGES) + 5


def test_a_tokenizer_counts_by_its_content_not_its_place():
    one, other = (load_spec("paired", tokenizer=name) for name in ("a/tokenizer.json", "b/tokenizer.json"))
    assert one.fingerprint(TOKENIZER) == other.fingerprint(TOKENIZER)


def test_units_are_shared_by_all_configs_and_sizes():
    keys = {load_spec(name, num_kernels=n).generation_key() for name in config_names() for n in (100, 1000)}
    assert len(keys) == 1
    # What has no program of its own is no row of that config.
    assert len({load_spec(name).decision_key() for name in config_names() if name != "standalone"}) == 1
    assert load_spec("standalone").decision_key() != load_spec("cuda").decision_key()
    for name in ("seed", "categories", "source_comments"):
        assert load_spec("paired", **{name: CHANGES[name]}).generation_key() not in keys


def test_versions_move_the_keys(monkeypatch):
    before = load_spec("paired").generation_key()
    monkeypatch.setattr(versions, "version", lambda name: "9.9")
    assert load_spec("paired").generation_key() != before


@given(st.dictionaries(st.sampled_from(category_names()), st.floats(0.01, 100), min_size=1))
def test_the_order_of_weights_does_not_matter(weights):
    backwards = dict(reversed(weights.items()))
    assert load_spec("cpu", categories=weights) == load_spec("cpu", categories=backwards)
    assert list(load_spec("cpu", categories=weights).categories) == [n for n in category_names() if n in weights]


def test_specs_are_frozen():
    with pytest.raises(ValueError, match="frozen"):
        load_spec("cpu").seed = 3  # type: ignore[misc]


def test_the_error_tree_is_as_drawn():
    drawn = errors.__doc__ or ""
    for name, one in inspect.getmembers(errors, inspect.isclass):
        if one.__module__ == errors.__name__:
            assert issubclass(one, WarpCudaPairsError)
            assert name in drawn
            for base in one.__bases__:
                assert base in (Exception, WarpCudaPairsError) or base.__name__ in drawn


def test_a_view_for_every_config_and_no_forbidden_column():
    forbidden = {
        "text", "messages", "conversations", "input_ids", "labels", "completion_mask", "seq_lengths", "tools",
        "image", "images", "chat_template_kwargs",
    }  # fmt: skip
    assert set(VIEWS) == set(config_names())
    for name, view in VIEWS.items():
        schema = row_schema(name)
        assert not forbidden & set(schema.names)
        assert set(view.code) <= set(schema.names)
        assert {"prompt", "completion", "prompt_tokens", "completion_tokens", "verification"} <= set(schema.names)
        assert view.prompt in PAIR_SCHEMA.names
        assert len(set(schema.names)) == len(schema.names)


def test_a_view_shows_one_training_format_and_leaves_the_rest():
    assert tuple(TRAINING_COLUMNS) == spec.VIEWS
    training = {field.name for fields in TRAINING_COLUMNS.values() for field in fields}
    assert training == {"prompt", "completion", "messages", "text"}
    for name in VIEWS:
        others = [[f for f in row_schema(name, view) if f.name not in training] for view in spec.VIEWS]
        assert all(one == others[0] for one in others)
        for view, fields in TRAINING_COLUMNS.items():
            assert [f for f in row_schema(name, view) if f.name in training] == list(fields)


def test_views_share_units_decisions_and_differ_in_fingerprint():
    specs = [load_spec("cuda", view=view) for view in spec.VIEWS]
    assert len({one.decision_key() for one in specs}) == 1
    assert len({one.fingerprint(TOKENIZER) for one in specs}) == len(spec.VIEWS)
