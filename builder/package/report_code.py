"""Code for the report page: highlighted here, and packed so that a line which many kernels share is kept once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

# Longer texts are cut, and the page says so: one mined kernel must not make it too large to open.
MAX_LINES = 1000
PLAIN = "x"
# Letters of the page's classes, most specific kind first.
_LETTERS = (
    (Comment.Preproc, "p"),
    (Comment.PreprocFile, "p"),
    (Comment, "c"),
    (Keyword.Type, "t"),
    (Keyword, "k"),
    (Name.Function, "f"),
    (Name.Class, "t"),
    (Name.Decorator, "d"),
    (Name.Builtin, "b"),
    (Name.Namespace, "t"),
    (String, "s"),
    (Number, "m"),
)


@cache
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


@cache
def _letter(kind: _TokenType) -> str:
    return next((letter for parent, letter in _LETTERS if parent in kind.split()), PLAIN)


def paint(text: str, language: str) -> list[tuple[str, str]]:
    """Return a text's lines, each with its runs: ``"4k1x3f"`` is 4 characters of kind k, 1 plain, 3 of kind f.

    What is plain to the end of a line is left out.

    Args:
        text: any text; ``\\r\\n`` and ``\\r`` end a line as ``\\n`` does.
        language: a Pygments lexer's alias.
    """
    lines: list[tuple[str, str]] = []
    line, runs = "", _Runs()
    for letter, value in _letters(text, language):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append((line, runs.text()))
                line, runs = "", _Runs()
            line += part
            runs.add(letter, len(part.encode("utf-16-le")) // 2)
    if line:
        lines.append((line, runs.text()))
    return lines


def _letters(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield a text's tokens, each with its letter.

    The lexers leave every name that is not a definition plain. In generated code those are nearly all, so what
    is called, and what follows ``::``, is told here.
    """
    tokens = list(_lexer(language).get_tokens(text))
    for place, (kind, value) in enumerate(tokens):
        letter = _letter(kind)
        if kind is Name and place + 1 < len(tokens) and tokens[place + 1][1].startswith("("):
            letter = "f"
        elif kind is Name and place > 1 and tokens[place - 1][1] == tokens[place - 2][1] == ":":
            letter = "t"
        yield letter, value


@dataclass
class _Runs:
    """Runs of one line; lengths in UTF-16 units, which is what a browser counts in."""

    items: list[tuple[str, int]] = field(default_factory=list)

    def add(self, letter: str, length: int) -> None:
        if not length:
            return
        if self.items and self.items[-1][0] == letter:
            length += self.items.pop()[1]
        self.items.append((letter, length))

    def text(self) -> str:
        end = len(self.items) - (1 if self.items and self.items[-1][0] == PLAIN else 0)
        return "".join(f"{length}{letter}" for letter, length in self.items[:end])


@dataclass
class LineTable:
    """Lines seen so far, each once.

    Attributes:
        texts: the lines.
        runs: their runs, as :func:`paint` gives them.
    """

    texts: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    def pack(self, text: str, language: str) -> dict[str, object]:
        """Return a text as ranges of lines of this table, ``[first, last, first, last, ...]``, last included.

        Returns:
            ``{"lines": ranges, "total": lines of the whole text}``; at most :data:`MAX_LINES` are packed.
        """
        ranges: list[int] = []
        whole = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        total = len(whole) - (1 if not whole[-1] else 0)
        for painted in paint("\n".join(whole[:MAX_LINES]), language)[:MAX_LINES]:
            place = self._place(painted)
            if ranges and ranges[-1] + 1 == place:
                ranges[-1] = place
            else:
                ranges += [place, place]
        return {"lines": ranges, "total": total}

    def _place(self, painted: tuple[str, str]) -> int:
        place = self._places.setdefault(painted, len(self.texts))
        if place == len(self.texts):
            self.texts.append(painted[0])
            self.runs.append(painted[1])
        return place


def language_of(column: str) -> str:
    """Return the Pygments alias for a code column of the record."""
    return column.split("_")[0]
