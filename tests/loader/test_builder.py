"""The `datasets` builder, through the functions of `datasets` that users call."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest
from datasets import load_dataset, load_dataset_builder

import warp_cuda_pairs
from builder import scale, stages
from builder.errors import SpecError, SplitError, StoreError
from builder.record import row_schema
from builder.shipped import config_names
from builder.spec import SPLITS, VIEWS, field_names, load_spec

NAME = "warp_cuda_pairs"
# Small, and with no split near empty.
SMALL = {"num_kernels": 60, "splits": "0.6/0.2/0.2", "categories": "arithmetic,vector,struct"}

Load = Callable[..., Any]


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(autouse=True)
def quiet(store: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("WARP_CUDA_PAIRS_CACHE", str(store))
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def call(*args: Any, **kwargs: Any) -> Any:
        return load_dataset(NAME, *args, **{"cache_dir": str(tmp_path / "cache"), **SMALL, **kwargs})

    return call


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the list that every real build adds its keywords to."""
    calls: list[dict[str, Any]] = []
    real = scale.build

    def build(*args: Any, **kwargs: Any) -> Any:
        calls.append(kwargs)
        return real(*args, **kwargs)

    monkeypatch.setattr(scale, "build", build)
    return calls


def rows_of(dataset: Any) -> dict[str, list[dict[str, Any]]]:
    return {split: list(dataset[split]) for split in dataset}


# --- loading ------------------------------------------------------------------------------------------


def test_the_default_config_has_three_splits_of_real_pairs(load: Load) -> None:
    data = load()
    assert list(data) == list(SPLITS)
    assert sum(data.num_rows.values()) == SMALL["num_kernels"]
    assert min(data.num_rows.values()) > 0
    rows = [row for split in data.values() for row in split]
    assert len({row["skeleton"] for row in rows}) == len(rows)
    for row in rows:
        assert row["completion"] == row["cuda_forward"]
        assert row["prompt"].endswith("\n")
        assert row["cpp_forward"] in row["prompt"]
        assert f"{row['kernel_name']}_cuda_kernel_forward" in row["cuda_forward"]
    assert rows_of(load("paired")) == rows_of(data)


@pytest.mark.parametrize("config", config_names())
def test_each_config_has_its_schema(load: Load, config: str) -> None:
    data = load(config)
    assert data["train"].features.arrow_schema.remove_metadata() == row_schema(config)
    assert data["train"].info.config_name == config
    assert data["train"].info.license == "Apache-2.0"


@pytest.mark.parametrize("streaming", [False, True])
def test_each_view_shows_the_same_rows(load: Load, streaming: bool) -> None:
    seen = {}
    for view in VIEWS:
        data = load("cuda", view=view, split="test", streaming=streaming)
        assert data.features.arrow_schema.remove_metadata() == row_schema("cuda", view)
        seen[view] = list(data)
    for base, chat, text, raw in zip(*(seen[view] for view in VIEWS), strict=True):
        prompt, completion = base.pop("prompt"), base.pop("completion")
        turns = [{"role": "user", "content": prompt}, {"role": "assistant", "content": completion}]
        assert chat == {**base, "messages": turns}
        assert text == {**base, "text": prompt + completion}
        assert raw == base


def test_two_processes_give_the_same_rows(load: Load, tmp_path: Path, builds: list[dict[str, Any]]) -> None:
    one = load("cuda", seed=5)
    (other_store := tmp_path / "store").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARP_CUDA_PAIRS_CACHE", str(other_store))
        two = load("cuda", seed=5, num_proc=2, cache_dir=str(tmp_path / "other"))
    assert [call["num_proc"] for call in builds] == [1, 2]
    assert rows_of(two) == rows_of(one)


def test_streaming_gives_the_same_rows_in_the_same_order(load: Load) -> None:
    streamed = load("cpu", streaming=True)
    assert list(streamed) == list(SPLITS)
    assert rows_of(streamed) == rows_of(load("cpu"))
    assert list(load("cpu", split="test", streaming=True)) == list(streamed["test"])


def test_a_stream_starts_before_all_units_are_made(load: Load, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARP_CUDA_PAIRS_CACHE", str(tmp_path / "store"))
        first = next(iter(load("paired", split="train", streaming=True, num_kernels=100_000)))
    assert first["index"] < 128
    assert len(list((tmp_path / "store" / "units").rglob("*.arrow"))) == 1


def test_a_stream_resumes_where_its_state_says(load: Load) -> None:
    stream = load("paired", split="train", streaming=True)
    expected = [row["id"] for row in stream]
    rows = iter(stream)
    seen = [next(rows)["id"] for _ in range(7)]
    state = stream.state_dict()
    again = load("paired", split="train", streaming=True)
    again.load_state_dict(state)
    assert seen + [row["id"] for row in again] == expected


def test_splits_can_be_sliced(load: Load) -> None:
    whole = load("paired", split="train")
    part = load("paired", split="train[:10%]")
    assert list(part) == list(whole)[: round(len(whole) * 0.1)]
    assert len(load("paired", split="train+test")) == len(whole) + len(load("paired", split="test"))


def test_the_second_load_generates_nothing(load: Load, builds: list[dict[str, Any]]) -> None:
    first = load("paired")
    assert len(builds) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "rows", None)
        second = load("paired", num_proc=2)
    assert len(builds) == 1
    assert rows_of(second) == rows_of(first)
    assert second["train"]._fingerprint == first["train"]._fingerprint


def test_a_forced_rebuild_gives_the_same_rows(load: Load, builds: list[dict[str, Any]]) -> None:
    first = rows_of(load("paired"))
    assert rows_of(load("paired", download_mode="force_redownload")) == first
    assert len(builds) == 2


def test_features_of_the_user_are_cast_to(load: Load, builds: list[dict[str, Any]]) -> None:
    plain = load("paired", split="test")
    features = plain.features.copy()
    features["prompt_tokens"] = datasets.Value("int64")
    wide = load("paired", split="test", features=features)
    assert wide.features["prompt_tokens"].dtype == "int64"
    assert list(wide) == list(plain)
    assert len(builds) == 2


def test_the_functions_that_inspect_generate_nothing(builds: list[dict[str, Any]], tmp_path: Path) -> None:
    assert datasets.get_dataset_config_names(NAME) == list(config_names())
    assert datasets.get_dataset_default_config_name(NAME) == "paired"
    assert datasets.get_dataset_split_names(NAME) == list(SPLITS)
    assert datasets.get_dataset_split_names(NAME, "cuda") == list(SPLITS)
    infos = datasets.get_dataset_infos(NAME)
    assert list(infos) == list(config_names())
    for config, info in infos.items():
        assert info.features.arrow_schema.remove_metadata() == row_schema(config)
        assert info.description
    assert builds == []


# --- one cache directory for each dataset ------------------------------------------------------------


@pytest.fixture
def directory(tmp_path: Path) -> Callable[..., str]:
    def call(*args: Any, **kwargs: Any) -> str:
        return str(load_dataset_builder(NAME, *args, cache_dir=str(tmp_path), **kwargs).cache_dir)

    return call


@pytest.mark.parametrize("config", config_names())
def test_explicit_defaults_mean_the_same_directory(directory: Callable[..., str], config: str) -> None:
    spec = load_spec(config)
    explicit = {field: getattr(spec, field) for field in field_names()}
    assert directory(config, **explicit) == directory(config)
    for field, value in explicit.items():
        assert directory(config, **{field: value}) == directory(config)
    assert directory(config, num_kernels=1e4, seed=None, categories=list(spec.categories)) == directory(config)
    assert directory() == directory("paired")


def test_a_builder_made_directly_has_the_same_directory(directory: Callable[..., str], tmp_path: Path) -> None:
    made = warp_cuda_pairs.WarpCudaPairs(cache_dir=str(tmp_path), config_name="cuda", seed=3)
    assert made.cache_dir == directory("cuda", seed=3)


OTHER = {
    "num_kernels": 9999,
    "seed": 1,
    "sources": {"synthetic": 3.0, "warp-lang": 1.0},
    "categories": ["math"],
    "splits": [0.8, 0.1, 0.1],
    "max_per_skeleton": 2,
    "source_comments": False,
    "instruction": "Translate {kernel_name}.",
    "view": "text",
    "verify": "compile",
    "ptx": True,
}


@pytest.mark.parametrize("field", OTHER)
def test_another_value_means_another_directory(directory: Callable[..., str], field: str) -> None:
    assert set(field_names()) == {*OTHER, "tokenizer"}
    assert directory(**{field: OTHER[field]}) != directory()


def test_the_tokenizers_content_counts_and_its_path_does_not(directory: Callable[..., str], tmp_path: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel

    paths = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    for path, word in zip(paths, ("x", "x", "y"), strict=True):
        Tokenizer(WordLevel({word: 0}, unk_token=word)).save(str(path))
    a, b, c = (directory(tokenizer=str(path)) for path in paths)
    assert a == b
    assert len({a, c, directory()}) == 3


def test_other_versions_and_sources_mean_another_directory(
    directory: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import builder.versions

    seen = {directory()}
    with monkeypatch.context() as patch:
        patch.setattr(builder.versions, "__version__", "9.9.9")
        seen.add(directory())
    with monkeypatch.context() as patch:
        patch.setattr(builder.versions, "version", lambda name: "9.9.9")
        seen.add(directory())
    with monkeypatch.context() as patch:
        patch.setattr(warp_cuda_pairs, "source_digest", lambda *parts: "0" * 16)
        seen.add(directory())
    assert len(seen) == 4
    assert directory() in seen


def test_a_new_warp_version_builds_again(
    load: Load, builds: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    load("paired")
    load("paired", max_per_skeleton=2)
    assert len(builds) == 2
    load("paired")
    assert len(builds) == 2
    from builder import versions

    real = versions.version
    monkeypatch.setattr(versions, "version", lambda name: "9.9.9" if name == "warp-lang" else real(name))
    load("paired")
    assert len(builds) == 3


# --- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        (("pared",), {}, "unknown config 'pared'. Did you mean 'paired'? Allowed: cpu, cuda,"),
        ((), {"num_kernel": 5}, "unknown field 'num_kernel'. Did you mean 'num_kernels'? Allowed: num_kernels, seed,"),
        ((), {"num_kernels": -1}, "num_kernels: Input should be greater than or equal to 3 (got -1)"),
        ((), {"categories": ["maths"]}, "unknown category 'maths'. Did you mean 'math'?"),
        ((), {"splits": [0.5, 0.1, 0.1]}, "fractions must sum to 1"),
        ((), {"num_kernels": 5, "splits": [0.8, 0.1, 0.1]}, "split 'validation' would be empty"),
        ((), {"tokenizer": "./missing.json"}, "tokenizer './missing.json'"),
        ((), {"data_dir": "here"}, "data_dir='here' means nothing"),
    ],
)
@pytest.mark.parametrize("streaming", [False, True])
def test_a_wrong_value_is_named_before_any_work(
    load: Load, builds: list[dict[str, Any]], tmp_path: Path, args: Any, kwargs: Any, said: str, streaming: bool
) -> None:
    with pytest.raises(SpecError) as caught:
        load(*args, streaming=streaming, **kwargs)
    assert said in str(caught.value)
    assert builds == []
    assert not (tmp_path / "cache").exists()


def test_our_errors_arrive_as_they_are_and_leave_no_dataset(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    with monkeypatch.context() as patch:
        patch.setenv("WARP_CUDA_PAIRS_CACHE", str(tmp_path / "file"))
        with pytest.raises(StoreError, match="WARP_CUDA_PAIRS_CACHE"):
            load("paired")

    def damaged(*args: Any) -> Iterator[pa.Table]:
        raise StoreError("a unit vanished")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(stages, "rows", damaged)
        with pytest.raises(StoreError, match="a unit vanished") as caught:
            load("paired")
    assert caught.value.__cause__ is None
    assert not list((tmp_path / "cache").rglob("*.arrow"))
    assert load("paired").num_rows["train"] > 0


def test_a_split_that_turns_out_empty_is_our_error(load: Load) -> None:
    def load_many_seeds() -> None:
        # One row is expected in each small split, so more than every second seed leaves one of them empty.
        for seed in range(30):
            load("paired", num_kernels=100, splits=[0.98, 0.01, 0.01], seed=seed)

    with pytest.raises(SplitError, match="empty"):
        load_many_seeds()


# --- the objects -----------------------------------------------------------------------------------


def test_the_config_carries_every_field() -> None:
    for config in warp_cuda_pairs.WarpCudaPairs.BUILDER_CONFIGS:
        spec = load_spec(config.name)
        assert {field: getattr(config, field) for field in field_names()} == spec.model_dump(exclude={"config"})
        assert copy.deepcopy(config) == config
        assert pickle.loads(pickle.dumps(config)) == config
        assert str(config.version) == warp_cuda_pairs.__version__


def test_builders_and_streams_pickle(load: Load, tmp_path: Path) -> None:
    builder = load_dataset_builder(NAME, "cuda", cache_dir=str(tmp_path / "cache"), **SMALL)
    again = pickle.loads(pickle.dumps(builder))
    assert again.cache_dir == builder.cache_dir
    again.download_and_prepare()
    assert list(pickle.loads(pickle.dumps(again)).as_dataset("test")) == list(load("cuda", split="test"))
    stream = load("cuda", split="test", streaming=True)
    assert list(pickle.loads(pickle.dumps(stream))) == list(stream)


def test_a_dataset_can_be_written_as_parquet(tmp_path: Path) -> None:
    builder = load_dataset_builder(NAME, cache_dir=str(tmp_path / "cache"), **SMALL)
    builder.download_and_prepare(str(tmp_path / "out"), file_format="parquet")
    files = sorted(path.name for path in (tmp_path / "out").glob("*.parquet"))
    assert files == [f"{NAME}-{split}.parquet" for split in sorted(SPLITS)]
