"""The report page as a reader meets it, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from builder.spec import SPLITS as SPLIT_NAMES
from tests.package.made_up import lengths
from tests.package.report_folder import HOSTILE_LINE, HOSTILE_NAME, SPLITS, table

if TYPE_CHECKING:
    from .page import Page

pytestmark = pytest.mark.browser
ROWS = sum(map(len, SPLITS.values()))
SOURCES = [row for split in SPLIT_NAMES for row in table("paired", split).to_pylist()]


def expected(**wanted: str) -> set[str]:
    return {row["kernel_name"] for row in SOURCES if all(row[name] == value for name, value in wanted.items())}


def count(page: Page) -> str:
    return page.find("#count").text


def test_all_rows_are_listed_and_filters_take_away(page: Page) -> None:
    assert set(page.names) == expected()
    assert count(page) == f"{ROWS} of {ROWS} rows"
    page.choose("category", "atomic")
    assert set(page.names) == expected(category="atomic")
    page.choose("origin", "some-package")
    assert set(page.names) == expected(category="atomic", origin="some-package")
    page.find("#clear").click()
    assert set(page.names) == expected()
    page.choose("split", "test")
    names = {row["kernel_name"] for row in table("paired", "test").to_pylist()}
    assert set(page.names) == names
    assert count(page) == f"{len(names)} of {ROWS} rows"


@pytest.mark.parametrize("config", ["paired", "cuda"])
def test_token_length_filters_and_sorts_by_the_chosen_config(page: Page, config: str) -> None:
    sizes = {}
    for split in SPLITS:
        rows = table(config, split)
        sizes.update(zip(rows["kernel_name"].to_pylist(), lengths(rows).tolist(), strict=True))
    page.choose("config", config)
    middle = sorted(sizes.values())[ROWS // 2]
    page.find("#least").send_keys(str(middle))
    assert set(page.names) == {name for name, size in sizes.items() if size >= middle}
    page.find("#most").send_keys(str(middle))
    assert set(page.names) == {name for name, size in sizes.items() if size == middle}
    page.find("#clear").click()
    page.choose("config", config)
    page.choose("sort", "long")
    assert [sizes[name] for name in page.names] == sorted(sizes.values(), reverse=True)


def test_search_looks_into_name_description_and_code_of_every_column(page: Page) -> None:
    search = page.find("#search")
    for wanted in ("k_3", "does A sum", "cuda_backward", "größe", SOURCES[5]["id"]):
        search.clear()
        search.send_keys(wanted)
        texts = [
            "\n".join([row["kernel_name"], row["description"], row["id"], row["python_source"], *code.values()])
            for row, code in zip(SOURCES, CODE, strict=True)
        ]
        found = {row["kernel_name"] for row, text in zip(SOURCES, texts, strict=True) if wanted.lower() in text.lower()}
        assert set(page.names) == found, wanted
    search.clear()
    search.send_keys("no kernel says this")
    assert page.names == []
    assert page.find("#none").is_displayed()
    assert count(page) == f"0 of {ROWS} rows"


CODE = [
    {name: row[name] for name in ("cpp_forward", "cuda_forward", "cpp_backward", "cuda_backward")}
    for split in SPLIT_NAMES
    for row in table("forward_backward", split).to_pylist()
]


def test_a_row_opens_with_its_code_side_by_side(page: Page) -> None:
    page.find("#search").send_keys("k_12")
    page.find("#list button").click()
    assert page.row == "k_12"
    assert page.texts(".pane:not([hidden]) h3") == ["Python", "C++ forward", "CUDA forward"]
    source = next(row for row in SOURCES if row["kernel_name"] == "k_12")
    for column in ("python_source", "cpp_forward", "cuda_forward"):
        lines = page.texts(f'.pane[data-column="{column}"] .l')
        assert "\n".join([*lines, ""]) == source[column]
    boxes = [pane.rect for pane in page.all(".pane:not([hidden])")]
    assert len({box["y"] for box in boxes}) == 1
    assert boxes[0]["x"] < boxes[1]["x"] < boxes[2]["x"]
    assert "def" in page.texts(".pane .k")
    assert any("k_12" in line for line in page.texts(".l.hit"))
    page.find("#toggles button:last-child").click()
    assert page.texts(".pane:not([hidden]) h3")[-1] == "CUDA backward"
    page.find("#close").click()
    assert page.row is None


def test_code_is_copied_as_it_is_in_the_row_or_the_reader_is_told(page: Page) -> None:
    page.open(at=f"#row-{SOURCES[4]['id']}")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    copy = page.find('.pane[data-column="cuda_forward"] button')
    copy.click()
    assert page.run("return window.copied") == SOURCES[4]["cuda_forward"]
    assert copy.text == "Copied"
    page.run("navigator.clipboard.writeText = async () => { throw new Error('no'); }")
    copy.click()
    assert copy.text == "Not allowed"


def test_a_hostile_row_is_shown_as_text(page: Page) -> None:
    page.find("#search").send_keys("alert('out')")
    page.press("ARROW_DOWN", "ENTER")
    assert page.row == HOSTILE_NAME
    assert HOSTILE_LINE in page.texts(".pane .l")
    assert page.find("#row-description").text == '</script><h1 id="broken">no</h1>'
    assert page.all("img, #broken, #row i, #row b") == []


def test_everything_can_be_done_by_keyboard(page: Page) -> None:
    page.press("/")
    assert page.focus == "search"
    page.press("k", "_", "2")
    names = page.names
    assert len(names) > 3
    page.press("ARROW_DOWN", "ARROW_DOWN", "ARROW_DOWN", "ARROW_UP")
    assert page.focus.startswith(names[1])
    page.press("ENTER")
    assert page.row == names[1]
    page.press("ARROW_RIGHT")
    assert page.row == names[2]
    page.press("ARROW_LEFT", "ARROW_LEFT")
    assert page.row == names[0]
    page.press("ARROW_LEFT")
    assert page.row == names[0]
    page.press("ESCAPE")
    assert page.row is None
    assert page.focus.startswith(names[0])
    page.press("END")
    assert page.focus.startswith(names[-1])
    page.press("HOME", "ARROW_UP")
    assert page.focus == "search"
    page.press("ESCAPE")
    assert count(page) == f"{ROWS} of {ROWS} rows"
    page.press("/", "TAB")
    assert page.focus == "category"


def test_tab_reaches_every_control_and_focus_is_visible(page: Page) -> None:
    page.press("/")
    reached = []
    for _ in range(9):
        outline = page.run("return getComputedStyle(document.activeElement).outlineWidth")
        assert outline == "3px", page.focus
        reached.append(page.focus)
        page.press("TAB")
    assert reached == ["search", "category", "split", "origin", "config", "least", "most", "sort", "clear"]
    assert page.focus.startswith(page.names[0])
    page.press("ENTER")
    reached = []
    for _ in range(12):
        page.press("TAB")
        reached.append(page.run("return document.getElementById('row').contains(document.activeElement)"))
    assert reached.count(True) >= 10  # the browser's own frame may take a turn; the page behind never does
    assert page.run("return document.activeElement.closest('main')") is None


def test_every_control_has_a_name(page: Page) -> None:
    page.find("#list button").click()
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = ("button", "combobox", "searchbox", "spinbutton", "dialog", "region", "image", "link", "list")
    controls = [node for node in tree if node.get("role", {}).get("value") in roles and not node["ignored"]]
    assert len(controls) > 8
    assert [node for node in controls if not node.get("name", {}).get("value")] == []


def test_a_link_opens_its_row(page: Page) -> None:
    page.open(at=f"#row-{SOURCES[9]['id']}")
    assert page.row == SOURCES[9]["kernel_name"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 800])
def test_it_fits_and_reads_in_both_schemes(page: Page, width: int, scheme: str) -> None:
    page.open(width=width, scheme=scheme)
    assert page.run("return document.documentElement.scrollWidth <= window.innerWidth")
    page.find("#list button").click()
    panes = page.all(".pane:not([hidden])")
    assert all(pane.rect["x"] >= 0 and pane.rect["x"] + pane.rect["width"] <= width for pane in panes)
    low = page.run(CONTRAST)
    assert low == [], scheme


# Every text that is shown against what lies behind it; 4.5 is what WCAG 2 asks of text (AA).
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
