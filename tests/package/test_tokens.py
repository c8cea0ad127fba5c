"""Counting tokens: by lines it gives what whole texts give; loading names what is wrong."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.errors import SpecError
from builder.package import tokens
from builder.record import CODE_COLUMNS

from .made_up import generated, source, train_tokenizer

TEXTS = [
    *(generated(index, name) for index in range(200, 260) for name in CODE_COLUMNS),
    *map(source, range(200, 260)),
    *(
        "",
        "\n",
        "\n\n",
        " ",
        "    x",
        "\n    x\n",
        "a\r\nb\r",
        "\t\tx",
        "x  \n  \n",
        "größe\n日本",
        "\x00\x0b\x85\u2028",
    ),
]

# What generated text is made of, and what it is not made of: joined anyhow.
code = ["\n", " ", "    ", "var_", "12", "wp::", "wp.", "wp", "float32", "_", "::", ", ", ",", "(", ");", "0.25f", "//"]
strange = ["\t", "\r", "1234567", "uint8x", "é", "日", "\u2028", "\x00", "Ġ", "Ċ", "@wp.kernel"]
fragments = st.sampled_from([*code, *strange])
texts = st.lists(fragments | st.text(max_size=3), max_size=30).map("".join)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ours") / "tokenizer.json"
    train_tokenizer(path, ours=True)
    return path


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("other") / "tokenizer.json"
    train_tokenizer(path, ours=False)
    return path


def test_pieces_cover_every_text_and_newlines_only_begin_them() -> None:
    for text in TEXTS:
        pieces = re.findall(tokens.PIECES, text)
        assert "".join(pieces) == text
        assert all("\n" not in piece[1:] for piece in pieces)
        assert [re.findall(tokens.PIECES, piece) for piece in pieces] == [[piece] for piece in pieces]


def test_counting_by_line_equals_whole_texts(ours: Path) -> None:
    tokenizer = tokens.load(str(ours))
    assert tokenizer.by_line
    for _ in range(2):  # unseen lines, then remembered ones
        counts = tokenizer.count(TEXTS)
        assert counts.dtype == np.int32
        np.testing.assert_array_equal(counts, tokenizer.count_whole(TEXTS))


@settings(max_examples=300, deadline=None)
@given(batch=st.lists(texts, max_size=4))
def test_counting_by_line_equals_whole_texts_of_anything(ours: Path, batch: list[str]) -> None:
    tokenizer = tokens.load(str(ours))
    np.testing.assert_array_equal(tokenizer.count(batch), tokenizer.count_whole(batch))


@settings(max_examples=300, deadline=None)
@given(text=texts)
def test_lossless(ours: Path, text: str) -> None:
    inner = tokenizers.Tokenizer.from_file(str(ours))
    assert inner.decode(inner.encode(text).ids) == text


def test_memory_is_bounded_and_stays_exact(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_REMEMBERED", 10)
    tokenizer = tokens.Tokenizer("small", ours.read_bytes())
    np.testing.assert_array_equal(tokenizer.count(TEXTS), tokenizer.count_whole(TEXTS))
    for memory in (tokenizer._lines, tokenizer._pieces):
        assert len(memory) <= 10
        assert len(memory._aged) <= 10


def test_another_tokenizer_counts_whole_texts(other: Path) -> None:
    tokenizer = tokens.load(str(other))
    assert not tokenizer.by_line
    inner = tokenizers.Tokenizer.from_file(str(other))
    expected = [len(inner.encode(text, add_special_tokens=False).ids) for text in TEXTS]
    assert tokenizer.count(TEXTS).tolist() == expected


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "Lowercase"}},
        {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}},
        {"added_tokens": [{"id": 600, "content": "<x>", "single_word": False, "lstrip": False, "rstrip": False}]},
    ],
)
def test_by_line_only_where_it_is_exact(ours: Path, change: dict[str, object]) -> None:
    description = json.loads(ours.read_text())
    for token in change.get("added_tokens", []):
        token |= {"normalized": False, "special": True}
    changed = tokens.Tokenizer("changed", json.dumps(description | change).encode())
    assert not changed.by_line


def test_truncation_and_padding_do_not_count(ours: Path, tmp_path: Path) -> None:
    inner = tokenizers.Tokenizer.from_file(str(ours))
    inner.enable_truncation(5)
    inner.enable_padding(length=50)
    inner.save(str(tmp_path / "cut.json"))
    cut = tokens.load(str(tmp_path / "cut.json"))
    expected = tokens.load(str(ours)).count_whole(TEXTS)
    np.testing.assert_array_equal(cut.count(TEXTS), expected)
    np.testing.assert_array_equal(cut.count_whole(TEXTS), expected)


def test_load_by_file_and_folder(ours: Path) -> None:
    by_file, by_folder = tokens.load(str(ours)), tokens.load(str(ours.parent))
    assert by_file.sha256 == by_folder.sha256
    assert by_file.name == "tokenizer.json"
    assert by_folder.name == ours.parent.name
    assert tokens.load(str(ours)) is by_file


def test_default_tokenizer() -> None:
    default = tokens.load("default")
    assert default.name == "default"
    assert default.by_line
    np.testing.assert_array_equal(default.count(TEXTS), default.count_whole(TEXTS))
    inner = tokenizers.Tokenizer.from_file(str(tokens.data_path("configs", "tokenizer.json")))
    assert inner.get_vocab_size() <= 16_384
    assert [inner.decode(inner.encode(text).ids) for text in TEXTS] == TEXTS


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("./no/such/file.json", r"cannot read no/such/file.json \(No such file or directory\); give 'default'"),
        ("/no/such/folder", "cannot read /no/such/folder .No such file"),
        ("nobody/nothing", "no such path, and not to be had from the Hub .*; give 'default'"),
        ("not a hub id!", "no such path, and not to be had from the Hub .*; give 'default'"),
    ],
)
def test_what_is_not_there(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(SpecError, match=said) as caught:
        tokens.load(name)
    assert repr(name) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"model": 1}'])
def test_what_is_no_tokenizer(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(SpecError, match=r"its tokenizer.json cannot be used"):
        tokens.load(str(path))


def test_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "true")
    tokens.one_thread()
    assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
