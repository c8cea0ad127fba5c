"""The card: every figure is the data's, the front matter is the Hub's, and it can be rendered again."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections import Counter
from pathlib import Path

import jinja2
import jinja2.meta
import numpy as np
import pytest
import yaml

from builder import __version__
from builder.curate.keys import analyse
from builder.errors import FolderError
from builder.package import card as card_module
from builder.package import page
from builder.package.card_command import command
from builder.package.card_text import sample
from builder.package.density import pack
from builder.package.folder import load_stats, write_folder
from builder.package.manifest import MANIFEST, README, STATS, check_folder, read_entries, read_manifest
from builder.package.refresh import refresh_card
from builder.package.stats import Stats
from builder.package.totals import percent
from builder.record import VERDICTS
from builder.resources import data_path
from builder.shipped import config_defaults
from builder.spec import SPLITS, load_spec

from .made_up import SHA, build, lengths, table

CONFIGS = ("paired", "cuda", "forward_backward")
LIMITS = (512, 1024, 2048, 4096, 8192, 16384, 32768)
Tables = dict[tuple[str, ...], list[list[str]]]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("card") / "demo"
    write_folder(out, [build(name) for name in CONFIGS], format="parquet")
    return out


@pytest.fixture(scope="module")
def card(demo: Path) -> str:
    return (demo / README).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tables(card: str) -> Tables:
    """The card's tables: lines of cells by their headers."""
    found: Tables = {}
    for block in re.findall(r"(?:^\|.*\n)+", card, flags=re.M):
        lines = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in block.splitlines()]
        found[tuple(lines[0])] = lines[2:]
        assert all(len(line) == len(lines[0]) for line in lines)
    return found


def whole(config: str, name: str) -> np.ndarray:
    parts = [table(config, split) for split in SPLITS]
    return np.concatenate([lengths(p) if name == "total" else p[f"{name}_tokens"].to_numpy() for p in parts])


def find(tables: Tables, *headers: str) -> list[list[str]]:
    (lines,) = [lines for heads, lines in tables.items() if set(headers) <= set(heads)]
    return lines


def test_rows_of_each_config_and_split(tables: Tables) -> None:
    found = {line[0]: line[-3:] for line in find(tables, "prompt from", *SPLITS)}
    assert found == {name: ["1,200", "60", "60"] for name in CONFIGS}


def test_skeletons_are_those_of_the_rows(tables: Tables, card: str) -> None:
    lines = find(tables, "distinct skeletons")
    assert len(lines) == len(CONFIGS) * len(SPLITS)
    for config, split, *figures in lines:
        counts = Counter(table(config, split)["skeleton"].to_pylist())
        assert figures == [f"{n:,}" for n in (counts.total(), len(counts), max(counts.values()))]
    said = re.findall(r"`(\w+)`: ([\d,]+) distinct skeletons .* sum to ([\d,]+), .* than one split: (\d+)", card)
    assert said == [(name, "660", "660", "0") for name in CONFIGS]


def test_a_skeleton_in_two_splits_is_counted(tmp_path: Path) -> None:
    leaky = build("cpu")
    leaky.stats.splits["test"].skeletons.update(dict.fromkeys(list(leaky.stats.splits["train"].skeletons)[:3], 1))
    write_folder(tmp_path / "demo", [leaky])
    assert "so skeletons in more than one split: 3." in (tmp_path / "demo" / README).read_text()


def test_similarity_between_splits_is_that_of_the_rows(tables: Tables) -> None:
    sets = {
        split: [
            (row["index"], set(analyse(row["python_source"]).shingles.tolist()))
            for row in table("cuda", split).select(["index", "python_source"]).to_pylist()
        ]
        for split in SPLITS
    }
    lines = find(tables, "pairs compared")
    assert [line[0] for line in lines] == ["`, `".join(CONFIGS)] * 3
    assert [line[1] for line in lines] == ["train-validation", "train-test", "validation-test"]
    for _, names, candidates, compared, largest in lines:
        first, second = names.split("-")
        found = {(a, b): len(x & y) / len(x | y) for a, x in sets[first] for b, y in sets[second]}
        assert compared == f"all {len(found):,}"
        assert largest == f"{max(found.values()):.3f}"
        one, other = map(int, candidates.split(", "))
        assert found[one, other] == max(found.values())
    for _, split, rows, *figures in find(tables, "split", "p95", "max"):
        best = [max(len(x & y) / len(x | y) for _, y in sets["train"]) for _, x in sets[split]]
        expected = np.percentile(np.floor(np.array(best) * 100 + 1e-9), (50, 95, 100), method="inverted_cdf")
        assert (rows, figures) == (str(len(best)), [f"{value / 100:.2f}" for value in expected])


def test_pairs_that_were_not_compared_are_said_to_be_missing(tmp_path: Path) -> None:
    two = build("cpu")
    two.stats.measured.similarity.pairs["train-test"] -= 1
    write_folder(tmp_path / "demo", [two])
    assert "| 71,999 of 72,000 |" in (tmp_path / "demo" / README).read_text()


def test_a_folder_in_which_nothing_was_measured_says_so(tmp_path: Path) -> None:
    write_folder(tmp_path / "demo", [dataclasses.replace(build("cpu"), stats=_unmeasured(build("cpu").stats))])
    assert "was not measured when this folder was built" in (tmp_path / "demo" / README).read_text()


def _unmeasured(stats: Stats) -> Stats:
    return Stats(stats.tokenizer, stats.tokenizer_sha256, stats.splits, stats.rejections)


def test_token_lengths_are_those_of_the_rows(tables: Tables) -> None:
    lines = find(tables, "bytes per token")
    assert len(lines) == 3 * len(CONFIGS)
    for config, name, tokens, _, *figures in lines:
        values = whole(config, name)
        expected = np.percentile(values, (5, 50, 90, 95, 99, 100), method="inverted_cdf")
        assert tokens == f"{values.sum():,}"
        assert figures == [f"{value:,}" for value in expected]


def test_shares_that_fit_are_those_of_the_rows(card: str, tables: Tables) -> None:
    fits = card.split("How many rows fit")[1].split("How full")[0]
    for config in CONFIGS:
        (line,) = [line for line in fits.splitlines() if line.startswith(f"| `{config}` |")]
        shares = [percent(float(np.mean(whole(config, "total") <= limit))) for limit in LIMITS]
        assert [cell.strip() for cell in line.strip("|").split("|")[1:]] == shares


def test_packing_is_that_of_the_rows(card: str) -> None:
    packed = card.split("How full")[1].split("![")[0]
    for config in CONFIGS:
        (line,) = [line for line in packed.splitlines() if line.startswith(f"| `{config}` |")]
        counts = Counter((lengths(table(config, "train")) + 1).tolist())  # with an end-of-sequence token
        densities = [percent(pack(counts, limit).density) for limit in LIMITS]
        assert [cell.strip() for cell in line.strip("|").split("|")[1:]] == densities


def test_verdicts_and_origins_are_those_of_the_rows(tables: Tables, card: str) -> None:
    assert find(tables, "not_applicable") == [
        [name, check, "0", "0", "0", "1,320"] for name in CONFIGS for check in VERDICTS
    ]
    assert "No check was run on any row" in card
    assert find(tables, "licence") == [[name, "synthetic", "0.1.0", "Apache-2.0", "1,320"] for name in CONFIGS]


def test_a_check_that_ran_is_not_said_to_be_missing(tmp_path: Path) -> None:
    checked = build("cpu")
    checked.stats.splits["train"].breakdown.verdicts["compile"] = Counter(passed=1190, nonsmooth=10)
    write_folder(tmp_path / "demo", [checked])
    text = (tmp_path / "demo" / README).read_text()
    assert "No check was run" not in text
    assert "| `cpu` | compile | 1,190 | 10 | 0 | 120 |" in text


def test_ptx_is_told_where_rows_have_it(tmp_path: Path, card: str) -> None:
    made = build("cuda")
    made = dataclasses.replace(made, spec=made.spec.model_copy(update={"ptx": True}))
    write_folder(tmp_path / "demo", [made])
    assert "- `ptx`: what NVRTC makes" in (tmp_path / "demo" / "README.md").read_text()
    assert "- `ptx`" not in card


def test_rejections_by_reason(tables: Tables) -> None:
    assert tables[("reason", *CONFIGS)] == [["duplicate", *["3"] * 3], ["of candidates in all", *["1,323"] * 3]]


def test_names_the_tokenizer_the_versions_and_the_fingerprints(demo: Path, card: str) -> None:
    assert f"sha256 `{SHA}`" in card
    for name, number in read_manifest(demo)["versions"].items():
        assert f"{name} {number}" in card
    assert card.count("f" * 32) == 2 * len(CONFIGS)
    assert f"- {__version__}: " in card.split("## Changelog")[1]
    assert f"This is version {__version__}." in card


def test_samples_are_rows(card: str) -> None:
    for config in CONFIGS:
        part = re.search(rf"^### {config}\n(.*?)(?=^##)", card, flags=re.M | re.S)
        assert part
        identity = re.search(r"id `(\w{16})`", part[1])
        assert identity
        (row,) = [row for row in table(config, "train").to_pylist() if row["id"] == identity[1]]
        assert f"Prompt ({row['prompt_tokens']:,} tokens)" in part[1]
        for column in (card_module.card_text.VIEWS[config].prompt, card_module.card_text.VIEWS[config].completion):
            head = row[column].split("\n")[:20]
            assert "\n".join(head) in part[1]


def test_a_long_sample_is_cut_in_the_middle_and_says_so() -> None:
    row = table("cpu", "train").slice(0, 1).to_pylist()[0]
    code = "\n".join(f"line {number} ```" for number in range(100)) + "\n"
    shown = sample("cpu", {**row, "cpp_forward": code}, "Write {kernel_name}.\nNow:\n")
    assert f"“Write {row['kernel_name']}. Now:”" in shown
    assert "// ... 56 lines left out ...\nline 78 ```" in shown
    assert shown.endswith("line 99 ```\n~~~~")


def test_the_command_gives_the_specs_back() -> None:
    changed = {"num_kernels": 500, "seed": 9, "categories": "math=3,vector=0.1", "splits": "0.8/0.1/0.1"}
    more = {"max_per_skeleton": 2, "source_comments": False, "instruction": "It's {kernel_name}.\nNow:"}
    for fields in ({}, changed, {**changed, **more}):
        made = dataclasses.replace(build("cpu"), spec=load_spec("cpu", **fields))
        entry = card_module.ConfigEntry(made.spec.model_dump(), "f" * 32, SHA, {}, {})
        words = shlex.split(command({"cpu": entry}, {"file_format": "arrow", "max_shard_bytes": 7}))
        assert words[:3] == ["warp-cuda-pairs", "build", "cpu"]
        assert words[-6:] == ["--format", "arrow", "--shard-size", "7", "--out", "DIR"]
        given: dict[str, object] = {}
        options = words[3:-6]
        if "--no-source-comments" in options:
            options.remove("--no-source-comments")
            given["source_comments"] = False
        for option, value in zip(options[::2], options[1::2], strict=True):
            given[option.removeprefix("--").replace("-", "_")] = value
        assert load_spec("cpu", **given) == made.spec


def test_a_field_without_a_way_of_its_own_stands_in_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = {**config_defaults("cpu"), "some_view": "plain"}
    monkeypatch.setattr(card_module.card_command, "config_defaults", lambda _: defaults)
    for view, said in (("plain", ""), ("a chat", "--some-view 'a chat' ")):
        entry = card_module.ConfigEntry({**build("cpu").spec.model_dump(), "some_view": view}, "", SHA, {}, {})
        line = command({"cpu": entry}, {"file_format": "arrow", "max_shard_bytes": 500_000_000})
        assert line.endswith(f" --seed 0 {said}--format arrow --out DIR")


def test_configs_with_different_fields_have_a_command_each(tmp_path: Path) -> None:
    other = dataclasses.replace(build("cuda"), spec=load_spec("cuda", seed=5))
    write_folder(tmp_path / "demo", [build("paired"), other])
    text = (tmp_path / "demo" / README).read_text()
    n = config_defaults("paired")["num_kernels"]
    assert f"build paired --num-kernels {n} --seed 0 --format arrow --out DIR-1\n" in text
    assert f"build cuda --num-kernels {n} --seed 5 --format arrow --out DIR-2\n" in text


def test_front_matter_is_what_the_hub_knows(card: str) -> None:
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["license"] == "apache-2.0"
    assert front["language"] == ["code", "en"]
    assert front["task_categories"] == ["text-generation"]
    # The Hub's enumerations for the creators and for sizes.
    creators = {"crowdsourced", "found", "expert-generated", "machine-generated", "no-annotation", "other"}
    assert {*front["annotations_creators"], *front["language_creators"]} <= creators
    assert front["size_categories"] == ["1K<n<10K"]
    assert [config["config_name"] for config in front["configs"]] == list(CONFIGS)
    assert {"pretty_name", "tags", "configs", "dataset_info", "source_datasets"} <= set(front)


def test_front_matter_names_the_licences_and_origins_of_its_rows(tmp_path: Path) -> None:
    made = build("cpu")
    origins = {"synthetic | 0.1.0 | Apache-2.0": 5, "some-kernels | 2.0 | MIT": 3, "more | 1 | MIT AND Zlib": 2}
    made.stats.splits["train"].breakdown.origins = Counter(origins)
    write_folder(tmp_path / "demo", [made])
    front = yaml.safe_load((tmp_path / "demo" / README).read_text().split("---\n")[1])
    assert front["license"] == ["apache-2.0", "mit", "other"]
    assert front["language_creators"] == ["machine-generated", "found"]
    assert "synthetic" in front["tags"]


def test_every_name_in_the_template_is_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub

    given: set[str] = set()
    original = huggingface_hub.DatasetCard.from_template

    def noting(*arguments: object, **fields: object) -> object:
        given.update(fields)
        return original(*arguments, **fields)

    monkeypatch.setattr(huggingface_hub.DatasetCard, "from_template", noting)
    write_folder(tmp_path / "demo", [build("cpu")])
    source = data_path("cards", "dataset_card.md.jinja").read_text(encoding="utf-8")
    wanted = jinja2.meta.find_undeclared_variables(jinja2.Environment(autoescape=False).parse(source))
    assert wanted - given == {"card_data"}
    assert given - wanted == {"template_path"}


def test_pictures_in_the_card_are_in_the_folder(demo: Path, card: str) -> None:
    named = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", card)
    assert sorted(named) == sorted(path.relative_to(demo).as_posix() for path in (demo / "plots").iterdir())


def test_rendering_again_gives_the_same_bytes(demo: Path) -> None:
    before = {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()}
    for path in (demo / "plots").iterdir():
        path.unlink()
    (demo / README).write_text("mine")
    refresh_card(demo)
    assert {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()} == before
    assert check_folder(demo) == []


def test_the_version_is_that_of_the_build(demo: Path) -> None:
    manifest = read_manifest(demo)
    older = {**manifest, "versions": {**manifest["versions"], "builder": "0.0.7"}}
    assert "This is version 0.0.7." in page.readme(demo, older, read_entries(manifest), load_stats(demo))


@pytest.mark.parametrize(("name", "said"), [("default", "It was trained on such code"), ("own", "Another one gives")])
def test_only_the_default_tokenizer_was_trained_on_such_code(tmp_path: Path, name: str, said: str) -> None:
    made = build("cpu")
    made.stats.tokenizer = name
    write_folder(tmp_path / "demo", [made])
    assert said in (tmp_path / "demo" / README).read_text()


def test_rendering_again_gives_the_same_bytes_whatever_the_fields(tmp_path: Path) -> None:
    fields = {"categories": "vector=1,atomic=2.5,math=3", "splits": "0.8/0.1/0.1", "instruction": "Now:"}
    write_folder(tmp_path / "demo", [dataclasses.replace(build("cpu"), spec=load_spec("cpu", **fields))])
    before = (tmp_path / "demo" / README).read_bytes()
    refresh_card(tmp_path / "demo")
    assert (tmp_path / "demo" / README).read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"seed": 0', '"sede": 0', "unknown field 'sede'"),
        ('"config": "cpu"', '"config": "cpu", "view": "chat"', "chat"),
    ],
)
def test_a_spec_of_another_version_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    write_folder(tmp_path / "demo", [build("cpu")])
    text = (tmp_path / "demo" / MANIFEST).read_text()
    assert text.count(old) == 1
    if '"view"' in new:
        text = text.replace('"view": "prompt_completion"', '"max_per_skeleton": 1')
    (tmp_path / "demo" / MANIFEST).write_text(text.replace(old, new))
    with pytest.raises(FolderError, match=rf"was not built by this version {__version__}.*{said}"):
        refresh_card(tmp_path / "demo")
    assert check_folder(tmp_path / "demo") == []


def test_rendering_again_takes_a_picture_that_changed_into_the_manifest(demo: Path, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    write_folder(out, [build("cpu")])
    manifest = (out / MANIFEST).read_text()
    digest = next(f["sha256"] for f in read_manifest(out)["other_files"] if f["path"].startswith("plots/"))
    (out / MANIFEST).write_text(manifest.replace(digest, "0" * 64))
    assert len(check_folder(out)) == 1
    refresh_card(out)
    assert (out / MANIFEST).read_text() == manifest


def test_a_damaged_folder_gets_no_new_card(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    write_folder(out, [build("cpu")])
    (out / STATS).write_text((out / STATS).read_text().replace("1200", "1300"))
    before = (out / README).read_bytes()
    with pytest.raises(FolderError, match=r"is not what its manifest says \(damaged: stats.json"):
        refresh_card(out)
    assert (out / README).read_bytes() == before
    assert sorted(path.name for path in out.iterdir() if path.name.startswith(".")) == []


def test_entries_come_back_from_the_manifest(demo: Path) -> None:
    manifest = read_manifest(demo)
    entries = read_entries(manifest)
    assert {name: entry.sha256 for name, entry in entries.items()} == {
        name: config["sha256"] for name, config in manifest["configs"].items()
    }
