"""Groups of lanes of a warp, their shuffles, and folds over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .cpp import MASK, PRODUCT, SUM, Cpp, Fold


@dataclass(frozen=True, slots=True)
class Lanes:
    """A group of ``width`` neighbouring lanes of a warp, and how its shuffles are written."""

    width: int
    mask: str

    def shuffle(self, kind: str, value: str, by: str) -> str:
        """Return a shuffle; ``kind`` is down, up, xor or nothing (from a lane)."""
        name = f"__shfl_{kind}_sync" if kind else "__shfl_sync"
        width = f", {self.width}" if self.width < 32 else ""
        return f"{name}({self.mask}, {value}, {by}{width})"


def lanes(cpp: Cpp) -> Lanes:
    """Draw a group of lanes; write the name of its mask where it has one."""
    width = cpp.c.weighted({32: 3, 16: 1, 8: 1})
    if cpp.c.chance(1, 2):
        return Lanes(width, MASK)
    name = cpp.word("mask|full|members|all_lanes")
    cpp(f"const unsigned int {name} = {MASK};")
    return Lanes(width, name)


def offsets(cpp: Cpp, width: int) -> Iterator[str]:
    """Write a loop over powers of two below ``width``, from above or from below, or its turns one by one."""
    name, way = cpp.word("offset|step|delta|d"), cpp.c.below(4)
    if way == 3:
        turns = [width >> turn for turn in range(1, width.bit_length())]
        yield from map(str, turns if cpp.c.chance(1, 2) else turns[::-1])
        return
    if cpp.c.chance(1, 3):
        cpp("#pragma unroll")
    half = {0: f"{name} >>= 1", 1: f"{name} /= 2", 2: f"{name} <<= 1"}[way]
    head = f"int {name} = {width // 2}; {name} > 0; {half}" if way < 2 else f"int {name} = 1; {name} < {width}; {half}"
    with cpp.block(f"for ({head})"):
        yield name


def warp_fold(cpp: Cpp, group: Lanes, fold: Fold, name: str, *, everywhere: bool) -> None:
    """Fold the lanes' values of ``name``; lane 0 has the result, and all of them if ``everywhere``."""
    kind = "xor" if everywhere and cpp.c.chance(2, 3) else "down"
    spare = cpp.c.chance(1, 3) and fold in (SUM, PRODUCT)
    for by in offsets(cpp, group.width):
        moved = group.shuffle(kind, name, by)
        if fold in (SUM, PRODUCT) and not spare:
            cpp(fold.into(cpp.c, name, moved))
        else:
            with cpp.block(""):
                other = cpp.word("other|theirs|from|peer")
                cpp(f"const auto {other} = {moved};", fold.into(cpp.c, name, other))
    if everywhere and kind == "down":
        cpp(f"{name} = {group.shuffle('', name, '0')};")
