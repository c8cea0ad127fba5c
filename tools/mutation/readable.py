"""Whether an index lies in its array because of how it was made."""

from __future__ import annotations

from collections.abc import Sequence

from .lines import Call, call_of


def readable(line: str, before: Sequence[str], lines: Sequence[str]) -> bool:
    """Say whether what a line takes the address of is there for sure.

    Args:
        line: ``target = wp::address(array, indices...);``.
        before: lines that have run whenever this one is come to.
        lines: all lines of the function.

    Each index is one that the same array was read or written with at the same place before; or what remains of a
    division by the array's length, which may be negative, as Warp's indices may; or is held below the length and not
    below zero.
    """
    array, *indices = _words(line)
    made = {name: one for one in lines if (name := one.strip().partition(" = ")[0])}
    return all(_inside(array, place, index, before, made) for place, index in enumerate(indices))


def _words(line: str) -> list[str]:
    call = call_of(line)
    return [line[start:end] for start, end in call.arguments] if call else []


def _inside(array: str, place: int, index: str, before: Sequence[str], made: dict[str, str]) -> bool:
    for line in before:
        call, words = call_of(line), _words(line)
        if (
            call
            and call.name in ("address", "array_store")
            and words[:1] == [array]
            and words[1:][place : place + 1] == [index]
        ):
            return True
    call, words = _made(index, made)
    if call is None:
        return False
    if call.name == "mod":
        return _is_length(words[1], array, place, made)
    if call.name == "min":
        return _not_negative(words[0], made) and _is_last(words[1], array, place, made)
    if call.name == "clamp":
        return _not_negative(words[1], made) and _is_last(words[2], array, place, made)
    if call.name == "max" and _not_negative(words[1], made):
        inner, parts = _made(words[0], made)
        less = inner is not None and inner.name == "sub" and _not_negative(parts[1], made)
        return less and _zero(words[1], made) and _inside(array, place, parts[0], before, made)
    return False


def _made(name: str, made: dict[str, str]) -> tuple[Call | None, list[str]]:
    line = made.get(name, "")
    return call_of(line), _words(line)


def _is_length(name: str, array: str, place: int, made: dict[str, str]) -> bool:
    """Say whether a variable is ``array.shape[place]``."""
    call, words = _made(name, made)
    if call is None or call.name != "extract" or _constant(words[1], made) != str(place):
        return False
    loaded, shape = _made(words[0], made)
    return loaded is not None and loaded.name == "load" and made.get(shape[0], "").endswith(f" = &({array}.shape);")


def _is_last(name: str, array: str, place: int, made: dict[str, str]) -> bool:
    call, words = _made(name, made)
    one = call is not None and call.name == "sub" and _constant(words[1], made) == "1"
    return one and _is_length(words[0], array, place, made)


def _constant(name: str, made: dict[str, str]) -> str:
    line = made.get(f"const wp::int32 {name}", "")
    return line.partition(" = ")[2].removesuffix(";")


def _zero(name: str, made: dict[str, str]) -> bool:
    return _constant(name, made) == "0"


def _not_negative(name: str, made: dict[str, str]) -> bool:
    """Say whether a variable is a constant that is not negative, a thread's index, or a sum of such."""
    if _constant(name, made).isdigit():
        return True
    line = made.get(name, "")
    if "builtin_tid1d()" in line or any(
        f"builtin_tid{n}d(" in one and name in _words(one) for one in made.values() for n in (2, 3, 4)
    ):
        return True
    call, words = _made(name, made)
    return call is not None and call.name == "add" and all(_not_negative(word, made) for word in words)
