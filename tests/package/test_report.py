"""The report page: its numbers are the stats', its rows are the folder's, and no text of a row can break it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.errors import FolderError, SpecError
from builder.package.folder import load_stats
from builder.package.lengths import LIMITS, PERCENTILES, Column
from builder.package.manifest import check_folder, read_manifest
from builder.package.report import REASONS, default_page, whole, write_report
from builder.package.report_charts import histograms, percent
from builder.package.report_code import MAX_LINES, LineTable, language_of, paint
from builder.package.report_sample import Key, choose, read_samples
from builder.package.scratch import scratch_name
from builder.record import Reason, row_schema

from .report_folder import HOSTILE_LINE, HOSTILE_NAME, SPLITS, table, write
from .test_store import small_disk

CONFIGS = ("paired", "cuda", "forward_backward")
ROWS = sum(map(len, SPLITS.values()))


class Page(HTMLParser):
    """What a browser's parser makes of the page: tags, attributes, tables, scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.tables: list[tuple[dict[str, str | None], list[list[str]]]] = []
        self.tiles: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        if tag == "table":
            self.tables.append((dict(attrs), []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][1][-1].append("")
        elif tag == "script":
            self.scripts.append("")
        elif tag == "dd":
            self.tiles.append("")
        if tag in ("th", "td", "dd", "script"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open:
            return
        if self._open[-1] == "script":
            self.scripts[-1] += data
        elif self._open[-1] == "dd":
            self.tiles[-1] += data.strip()
        else:
            self.tables[-1][1][-1][-1] += data.strip()

    def table(self, kind: str, config: str | None = None) -> list[list[str]]:
        """The lines of a table below its head."""
        return next(t[1:] for a, t in self.tables if a.get("data-table") == kind and a.get("data-config") == config)

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script reads."""
        return json.loads(self.scripts[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("report") / "demo")


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    return write_report(folder).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def unpack(data: dict[str, Any], code: dict[str, Any]) -> list[str]:
    ranges = zip(code["lines"][::2], code["lines"][1::2], strict=True)
    return [data["texts"][line] for first, last in ranges for line in range(first, last + 1)]


def test_hostile_rows_stay_text(text: str, page: Page) -> None:
    assert page.tags["script"] == 2
    assert page.tags["img"] == page.tags["b"] == page.tags["i"] == 0
    assert ("id", "broken") not in page.attributes
    assert HOSTILE_NAME in [row["kernel_name"] for row in page.data["rows"]]
    assert HOSTILE_LINE in page.data["texts"]
    assert "<" not in re.search(r'id="data">(.*?)</script>', text, flags=re.S)[1]
    assert any(line[0] == "<i>sin</i>" for _, lines in page.tables for line in lines)


def test_the_page_names_no_other_place_and_its_policy_lets_only_itself_run(text: str, page: Page) -> None:
    places = {value for name, value in page.attributes if name in ("src", "href", "action", "data", "srcset")}
    assert all(place.startswith(("#", "data:")) for place in places), places
    assert not re.search(r"https?:|//\w+\.", text.split('id="data">')[0] + page.scripts[1])
    assert "url(" not in text.split("</style>")[0]
    policy = next(value for name, value in page.attributes if value and "default-src" in value)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    style = re.search(r"<style>(.*?)</style>", text, flags=re.S)[1]
    for content in (style, page.scripts[1]):
        assert base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() in policy
    assert not [value for name, value in page.attributes if name == "style" or name.startswith("on")]


def test_token_tables_equal_the_stats(folder: Path, page: Page) -> None:
    for config, stats in load_stats(folder).items():
        lengths, fits = page.table("lengths", config), page.table("fits", config)
        columns = [(s, name, column) for s, split in stats.splits.items() for name, column in split.columns.items()]
        assert len(columns) == len(lengths) == len(fits) == 9
        for (split, name, column), length, fit in zip(columns, lengths, fits, strict=True):
            sizes = [f"{n:,}" for n in (column.count, column.bytes, column.tokens)]
            figures = [f"{column.percentile(p):,}" for p in PERCENTILES]
            assert length == [split, name, *sizes, f"{column.bytes_per_token:.2f}", *figures]
            assert fit == [split, name, *(f"{100 * column.fits(limit):.1f} %" for limit in LIMITS)]


def place(name: str, kind: str) -> tuple[str, str]:
    """Family and name that the page shows a category or feature under."""
    if kind == "category":
        return "", name
    return (name.split(":", 1)[0], name.split(":", 1)[1]) if ":" in name else ("other", name)


def test_overview_mix_and_rejections_equal_the_stats(folder: Path, page: Page) -> None:
    loaded = load_stats(folder)
    stats, total = loaded["paired"], whole(loaded["paired"])["total"]
    assert page.tiles[:5] == [
        f"{stats.rows:,}", f"{stats.skeletons:,}", "4", f"{total.percentile(50):,}", f"{100 * total.fits(4096):.1f} %",
    ]  # fmt: skip
    assert [line[0] for line in page.table("configs")] == sorted(CONFIGS, key=lambda name: name != "paired")
    for line in page.table("configs"):
        one = loaded[line[0]]
        rows = [f"{split.rows:,}" for split in one.splits.values()]
        tokens = whole(one)["total"].tokens
        assert line[2:8] == [*rows, f"{one.rows:,}", f"{one.skeletons:,}", f"{tokens:,}"]
    for kind, what in (("category", "categories"), ("feature", "features")):
        told = {
            (a["data-family"], line[0]): line[2:]
            for a, lines in page.tables
            if a.get("data-table") == kind
            for line in lines[1:]
        }
        counts = [getattr(split, what) for split in stats.splits.values()]
        assert told == {
            place(name, kind): [str(c[name]) for c in counts] + [str(sum(c[name] for c in counts))]
            for name in set().union(*counts)
        }
    looked = stats.rows + stats.rejections.total()
    assert [[line[0], line[2], line[3]] for line in page.table("rejections")] == [
        [reason, str(n), f"{100 * n / looked:.1f} %"] for reason, n in sorted(stats.rejections.items())
    ]


def test_similarity_equals_the_stats(folder: Path, page: Page) -> None:
    stats = load_stats(folder)["paired"]
    similarity = stats.measured.similarity
    assert [line[1:] for line in page.table("between")] == [
        [f"{pair.candidates[0]}, {pair.candidates[1]}", f"all {similarity.pairs[name]:,}", f"{pair.jaccard:.3f}"]
        for name, pair in similarity.in_order()
    ]
    assert [line[:2] for line in page.table("nearest")] == [
        [split, str(stats.splits[split].rows)] for split in ("validation", "test")
    ]
    assert page.table("clusters")[0][:2] == [f"{similarity.near_pairs:,}", f"{similarity.clusters.total():,}"]
    assert [line[-1] for line in page.table("zstd")] == [
        f"{one.ratio:.2f}" for _, one in sorted(stats.measured.zstd.items())
    ]


def test_spec_and_versions_equal_the_manifest(folder: Path, page: Page) -> None:
    manifest = read_manifest(folder)
    versions = [line for a, lines in page.tables if a.get("data-table") == "versions" for line in lines]
    assert versions == [[name, manifest["versions"][name]] for name in sorted(manifest["versions"])]
    for config in CONFIGS:
        entry = manifest["configs"][config]
        told = dict(
            both
            for a, lines in page.tables
            if a.get("data-config") in ("common", config) and a["data-table"] == "spec"
            for both in lines
        )
        assert told["fingerprint"] == entry["fingerprint"]
        assert told["sha256 of its files"] == entry["sha256"]
        assert told["tokenizer sha256"] == entry["tokenizer_sha256"]
        assert set(told) == {"fingerprint", "sha256 of its files", "tokenizer sha256", *entry["spec"]} - {"config"}
        assert told["seed"] == str(entry["spec"]["seed"])
        assert told["num_kernels"] == str(entry["spec"]["num_kernels"])
        assert told["instruction"] == entry["spec"]["instruction"].strip()
        assert told["splits"] == ", ".join(f"{name} {part}" for name, part in entry["spec"]["splits"].items())


def test_every_reason_has_its_words() -> None:
    assert set(REASONS) == set(Reason)


def test_rows_are_the_folders(page: Page) -> None:
    data = page.data
    sources = {split: {row["id"]: row for row in table("forward_backward", split).to_pylist()} for split in SPLITS}
    pairs = {row["id"]: row for split in SPLITS for row in table("paired", split).to_pylist()}
    assert len(data["rows"]) == ROWS
    for row in data["rows"]:
        source = sources[row["split"]][row["id"]]
        columns = ["python_source", "cpp_forward", "cuda_forward", "cpp_backward", "cuda_backward"]
        assert list(row["code"]) == columns
        for column in columns:
            assert unpack(data, row["code"][column]) == source[column].removesuffix("\n").split("\n")
            assert row["code"][column]["total"] == len(unpack(data, row["code"][column]))
        assert row["tokens"]["paired"] == [pairs[row["id"]]["prompt_tokens"], pairs[row["id"]]["completion_tokens"]]
        assert set(row["tokens"]) == set(CONFIGS)
        assert row["category"] == source["category"]
        assert row["verification"] == source["verification"]


def test_same_folder_same_bytes(folder: Path, text: str, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from builder.package.report import write_report; "
        f"write_report(Path({str(folder)!r}), Path(sys.argv[1]))"
    )
    for seed in ("1", "2"):
        out = tmp_path / f"{seed}.html"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        subprocess.run([sys.executable, "-c", script, str(out)], env=environment, check=True)
        assert out.read_bytes() == text.encode()


def test_the_page_lies_beside_the_folder_which_stays_as_it_was(folder: Path, text: str) -> None:
    assert default_page(folder) == folder.with_name("demo-report.html")
    assert default_page(folder).read_text(encoding="utf-8") == text
    assert check_folder(folder) == []
    assert sorted(path.name for path in folder.parent.iterdir()) == ["demo", "demo-report.html"]


def test_a_read_only_place_is_told(folder: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(FolderError, match=r"cannot write .*page\.html: Read-only file system; .* --out"):
            write_report(folder, disk / "page.html", rows=1)


def test_what_a_killed_report_left_is_removed(folder: Path, tmp_path: Path) -> None:
    left = tmp_path / scratch_name("page.html")
    left.write_text("half")
    os.utime(left, (0, 0))
    left = left.rename(left.with_name(left.name.replace(f"-{os.getpid()}-", "-999999999-")))
    write_report(folder, tmp_path / "page.html", rows=1)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_cannot_be_done_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="outside it"):
        write_report(folder, folder / "README.md")
    with pytest.raises(FolderError, match="is a folder"):
        write_report(folder, tmp_path)
    with pytest.raises(FolderError, match=r"cannot write .*/proc/no/page"):
        write_report(folder, Path("/proc/no/page.html"), rows=1)
    with pytest.raises(SpecError, match="at least 1 row"):
        write_report(folder, tmp_path / "page.html", rows=0)
    with pytest.raises(FolderError, match=r"manifest\.json"):
        write_report(tmp_path, tmp_path.with_name("page.html"))
    broken = tmp_path / "broken"
    subprocess.run(["cp", "-r", str(folder), str(broken)], check=True)
    shard = next((broken / "data" / "cuda").iterdir())
    shard.write_bytes(b"no arrow")
    with pytest.raises(FolderError, match=f"{shard.name}.*check"):
        write_report(broken, tmp_path / "page.html")
    stats = (broken / "stats.json").read_bytes()
    (broken / "stats.json").write_text(json.dumps({"configs": {"cuda": json.loads(stats)["configs"]["cuda"]}}))
    with pytest.raises(FolderError, match=r"stats\.json is damaged"):
        write_report(broken, tmp_path / "page.html")
    (broken / "stats.json").write_bytes(stats)
    shard.unlink()
    with pytest.raises(FolderError, match=f"{shard.name}.*check"):
        write_report(broken, tmp_path / "page.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken"]


def test_parquet_shards_and_rows_without_training_columns_are_read(folder: Path, tmp_path: Path) -> None:
    manifest = {
        "configs": {"paired": {"splits": {split: {"files": [{"path": f"{split}.parquet"}]} for split in SPLITS}}}
    }
    keep = [name for name in row_schema("paired").names if name not in ("prompt_tokens", "completion_tokens")]
    for split in SPLITS:
        pq.write_table(table("paired", split).select(keep), tmp_path / f"{split}.parquet", row_group_size=7)
    found, kernels = read_samples(tmp_path, manifest, 10)
    both = {"configs": {"paired": read_manifest(folder)["configs"]["paired"]}}
    wanted, _ = read_samples(folder, both, 10)
    assert kernels == ROWS
    assert [(s.id, s.split, s.facts, s.code) for s in found] == [(s.id, s.split, s.facts, s.code) for s in wanted]
    assert [s.tokens for s in found] == [{}] * 10


keys = st.builds(
    Key,
    st.sampled_from(list(SPLITS)),
    st.sampled_from("abc"),
    st.sampled_from("xy"),
    st.text("0123456789abcdef", min_size=4),
)


@given(st.sets(keys, max_size=60), st.integers(1, 80))
def test_a_sample_is_spread_evenly_and_a_larger_one_holds_it(all_keys: set[Key], count: int) -> None:
    chosen = choose(all_keys, count)
    assert len(chosen) == len(set(chosen)) == min(count, len(all_keys))
    assert set(chosen) <= set(choose(all_keys, count + 5))

    def group(key: Key) -> tuple[str, str, str]:
        return key.split, key.category, key.origin

    taken, there = Counter(map(group, chosen)), Counter(map(group, all_keys))
    left = [name for name in there if taken[name] < there[name]]
    # Where a group has more to give, no other group gave two rows more.
    assert all(taken[name] + 1 >= max(taken.values()) for name in left)


@given(st.text(), st.sampled_from(["python", "cpp", "cuda"]))
def test_painting_keeps_every_character(code: str, language: str) -> None:
    plain = code.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    lines = paint(code, language)
    assert "\n".join(line for line, _ in lines) == plain.removesuffix("\n")
    for line, runs in lines:
        assert re.fullmatch(r"([1-9]\d*[a-z])*", runs)
        painted = sum(map(int, re.findall(r"\d+", runs)))
        assert painted <= len(line.encode("utf-16-le", "surrogatepass")) // 2


def test_code_is_highlighted_by_what_it_is() -> None:
    assert paint("// sum 🙂\nvar_1 = wp::add(a, 2);", "cuda") == [
        ("// sum 🙂", "9c"),
        ("var_1 = wp::add(a, 2);", "12x3f4x1m"),
    ]
    assert paint("wp::float32 x;", "cpp") == [("wp::float32 x;", "4x7t")]
    assert paint("__global__ void f()", "cuda")[0][1].startswith("10k")
    assert paint("def f(a):\n    return 'x'", "python") == [("def f(a):", "3k1x1f"), ("    return 'x'", "4x6k1x3s")]
    assert [language_of(name) for name in ("python_source", "cpp_forward", "cuda_backward")] == [
        "python",
        "cpp",
        "cuda",
    ]


def test_shared_lines_are_kept_once_and_long_code_is_cut_openly() -> None:
    lines = LineTable()
    first, second = lines.pack("a\nb\nc\n", "cpp"), lines.pack("b\nc\nb\n", "cpp")
    assert (first, second) == ({"lines": [0, 2], "total": 3}, {"lines": [1, 2, 1, 1], "total": 3})
    assert lines.texts == ["a", "b", "c"]
    long = lines.pack("x;\n" * (MAX_LINES + 7), "cpp")
    assert long["total"] == MAX_LINES + 7
    assert len(unpack({"texts": lines.texts}, long)) == MAX_LINES


def test_only_all_is_100_per_cent() -> None:
    shares = (0, 0.0001, 0.006, 0.5, 0.994, 0.9951, 0.99999, 1.0)
    assert [percent(share) for share in shares] == ["0 %", "<1 %", "1 %", "50 %", "99 %", ">99 %", ">99 %", "100 %"]


@given(st.dictionaries(st.integers(0, 40_000), st.integers(1, 50), min_size=1, max_size=30))
def test_bars_hold_every_row_once(lengths: dict[int, int]) -> None:
    (chart,) = histograms({"total": Column(1, Counter(lengths)), "prompt": Column()})
    assert sum(bar.rows for bar in chart.bars) == sum(lengths.values())
    for bar in chart.bars:
        low = 0 if bar is chart.bars[0] else bar.low  # an empty text stands with the shortest
        assert bar.rows == sum(rows for length, rows in lengths.items() if low <= length < bar.high)
        assert 0 <= bar.x < bar.x + bar.width <= 360.2
        assert bar.height == pytest.approx(120 * bar.rows / chart.top, abs=0.1)
