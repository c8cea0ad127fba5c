"""Tokenizers: loading one, and counting tokens.

The default tokenizer is a byte-level BPE whose pre-tokenizer (:data:`PIECES`) is made for this text: the
lines of generated code repeat, so counting remembers lines and pieces of lines and runs BPE only on pieces
it has not seen. That is exact, because no piece goes past a line's end and BPE never looks past a piece.
Any other tokenizer counts whole texts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tokenizers

from ..errors import SpecError
from ..resources import data_path

DEFAULT = "default"

# How the default tokenizer cuts text before BPE: a newline with the indentation after it; identifiers with their
# numbers (`var_12`), Warp's namespace and the sign or blank before them; digits by three; other signs; other
# blanks. Written in character ranges that mean the same in Python's `re` and in the tokenizers library. It matches
# every text from end to end, no match holds a newline but as its first character, and nothing looks ahead or
# behind: so a piece is cut the same way alone as in its text.
_WORD = r"(?:, |[^\n\r0-9A-Za-z_])?(?:wp(?:::|\.))?"
PIECES = (
    r"\n *"
    rf"|{_WORD}[A-Za-z_][0-9A-Za-z_]*"
    r"|[0-9]{1,3}"
    r"| ?[^ \n\t\r0-9A-Za-z_]+"
    r"|[ \t\r]+"
)

_cut = re.compile(PIECES).findall
# First line, indentation, line, indentation, line ...: an indentation is a piece of its own, with its newline, and the
# same line stands in C++ and in CUDA code with another.
_lines = re.compile("\n( *)").split
_REMEMBERED = 1 << 15  # entries; about 8 MB of lines


def one_thread() -> None:
    """Make tokenizers in this process use one thread; for workers, which are one for each core already."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


def pre_tokenizer() -> Any:
    """Return the default tokenizer's pre-tokenizer: :data:`PIECES`, then bytes."""
    return tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(PIECES), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


class Tokenizer:
    """A tokenizer that counts.

    Attributes:
        name: how it was asked for; of a path, only the last part.
        data: content of its ``tokenizer.json``.
        sha256: 64 hex digits over it.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._inner = tokenizers.Tokenizer.from_str(data.decode("utf-8"))
        self._inner.no_truncation()
        self._inner.no_padding()
        self._by_line = _counts_by_line(json.loads(self._inner.to_str()))
        self._pieces = _Memory(self._count_piece, _REMEMBERED)
        self._lines = _Memory(self._count_line, _REMEMBERED)
        self._indents = _Memory(lambda blanks: self._count_piece("\n" + blanks), _REMEMBERED)

    @property
    def by_line(self) -> bool:
        """Whether counts are put together from lines, because this tokenizer allows it exactly."""
        return self._by_line

    def count(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the tokens of each text, special ones not counted; shape ``(len(texts),)``, int32."""
        if self._by_line:
            return np.fromiter(map(self._count_text, texts), np.int32, len(texts))
        return self.count_whole(texts)

    def count_whole(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return what :meth:`count` returns, by encoding the whole texts."""
        encodings = self._inner.encode_batch_fast(list(texts), add_special_tokens=False)
        return np.fromiter((len(encoding) for encoding in encodings), np.int32, len(texts))

    def _count_text(self, text: str) -> int:
        parts = _lines(text)
        return sum(map(self._lines.__getitem__, parts[::2])) + sum(map(self._indents.__getitem__, parts[1::2]))

    def _count_line(self, line: str) -> int:
        return sum(map(self._pieces.__getitem__, _cut(line)))

    def _count_piece(self, piece: str) -> int:
        return len(self._inner.encode(piece, add_special_tokens=False))


class _Memory(dict[str, int]):
    """A function's values, filled on demand; keeps the ``size`` newest, and older ones still in use."""

    def __init__(self, function: Callable[[str], int], size: int) -> None:
        super().__init__()
        self._function = function
        self._size = size
        self._aged: dict[str, int] = {}

    def __missing__(self, key: str) -> int:
        value = self._aged.get(key)
        if value is None:
            value = self._function(key)
        if len(self) >= self._size:
            self._aged = dict(self)
            self.clear()
        self[key] = value
        return value


def _counts_by_line(description: dict[str, Any]) -> bool:
    """Say whether a ``tokenizer.json`` is of the form for which counting by pieces is exact."""
    ours = tokenizers.Tokenizer(tokenizers.models.BPE())
    ours.pre_tokenizer = pre_tokenizer()
    model = description["model"]
    return (
        description["normalizer"] is None
        and description["pre_tokenizer"] == json.loads(ours.to_str())["pre_tokenizer"]
        and not description["added_tokens"]  # they are found in the text before it is cut
        and model["type"] == "BPE"
        and not model["dropout"]
    )


@lru_cache(maxsize=4)
def _parse(name: str, data: bytes) -> Tokenizer:
    try:
        return Tokenizer(name, data)
    except Exception as error:  # noqa: BLE001 (the library raises nothing narrower)
        raise SpecError(f"tokenizer {name!r}: its tokenizer.json cannot be used ({error})") from None


def load(name: str) -> Tokenizer:
    """Return a tokenizer; the same content loads once for each process and keeps what it remembers.

    Args:
        name: ``default``; or the path of a ``tokenizer.json`` or of a folder that holds one; or a Hub id.

    Raises:
        SpecError: there is no such tokenizer, or its file is not one.
    """
    label = Path(name).expanduser().resolve().name if is_path(name) else name
    return _parse(label, _content(name))


def digest(name: str) -> str:
    """Return the ``sha256`` of the tokenizer that :func:`load` would return, without taking time to load it.

    Raises:
        SpecError: there is no such tokenizer.
    """
    return hashlib.sha256(_content(name)).hexdigest()


def _content(name: str) -> bytes:
    path = locate(name)
    try:
        return path.read_bytes()
    except OSError as error:
        raise SpecError(f"tokenizer {name!r}: cannot read {path} ({error.strerror}); {_ALLOWED}") from None


def is_path(name: str) -> bool:
    """Say whether a tokenizer's name is that of a file or a folder, and not ``default`` or a Hub id."""
    if name == DEFAULT:
        return False
    return Path(name).expanduser().exists() or name.startswith((".", "/", "~")) or name.endswith(".json")


def locate(name: str, beside: str | None = None) -> Path:
    """Return the path of a tokenizer's ``tokenizer.json``, or of a file that lies ``beside`` it; it may be missing.

    Raises:
        SpecError: it is to come from the Hub and cannot.
    """
    if name == DEFAULT:
        return data_path("configs", beside or "tokenizer.json")
    path = Path(name).expanduser()
    if not is_path(name):
        return _download(name, beside or "tokenizer.json")
    if path.is_dir():
        return path / (beside or "tokenizer.json")
    return path.with_name(beside) if beside else path


_ALLOWED = "give 'default', the path of a tokenizer.json or of a folder that holds one, or a Hub id"


def _download(name: str, file: str) -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, HFValidationError

    from .hub_quiet import quiet

    try:
        with quiet():
            return Path(hf_hub_download(name, file))
    except (OSError, ValueError, EntryNotFoundError, HfHubHTTPError, HFValidationError) as error:
        said = " ".join(str(error).split())[:300]
        message = f"tokenizer {name!r}: no such path, and not to be had from the Hub ({said}); {_ALLOWED}"
        raise SpecError(message) from None
