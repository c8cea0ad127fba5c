"""Mutants that do what the row does, by where their numbers come from and go to.

Warp's code gives each variable one value at one place, so three things can be read off it: whether what a guard holds
off is used elsewhere, whether a step of the adjoint has anything to hand on, and whether that is of whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from .lines import Call, call_of, declared, spans
from .planting import Mutant
from .readable import readable

# Steps that take the derivative from an array, or change a variable in place, not from their last argument.
_FROM_ELSEWHERE = (
    "adj_array_store",
    "adj_atomic",
    "adj_tile",
    "adj_assign",
    "adj_store",
    "adj_add_inplace",
    "adj_sub_inplace",
)
_WHOLE = ("wp::int", "wp::uint", "bool", "wp::shape_t", "wp::range_t", "wp::tuple_t<wp::int32>", "wp::str")


def equal_by_dataflow(mutant: Mutant) -> str:
    """Return why a mutant does what its row does, or nothing."""
    column = mutant.columns[0]
    lines = _function(mutant.of[column].split("\n"), mutant.number)
    number = lines.index(f"\0{mutant.old}")
    lines[number] = mutant.old
    if mutant.kind == "guard dropped":
        return "what the guard holds off is selected by it anyway" if _selected(lines, number) else ""
    if column.endswith("_backward"):
        return _nothing_flows(lines, number)
    return ""


def _function(lines: list[str], number: int) -> list[str]:
    """Return the lines of the function that a line is in, which is marked."""
    start = max((n for n in range(number) if lines[n] == "}"), default=-1) + 1
    end = next(n for n in range(number, len(lines)) if lines[n] == "}")
    return [*lines[start:number], f"\0{lines[number]}", *lines[number + 1 : end]]


def _nothing_flows(lines: Sequence[str], number: int) -> str:
    types = dict(found for line in lines if (found := declared(line)))
    words = [lines[number][start:end] for _, start, end in spans(lines[number])]
    adjoints = [word for word in words if word in types and word.startswith("adj_")]
    if adjoints and all(_whole(types[word]) for word in adjoints):
        return "whole numbers have no derivative"
    if _ends_nowhere(lines, number, types):
        return "what it hands on comes to no array"
    call = call_of(lines[number])
    if call is None or not lines[number].strip().startswith("wp::") or call.name.startswith(_FROM_ELSEWHERE):
        return ""
    source = lines[number][slice(*call.arguments[-1])]
    if source in types and not any(_writes(line, source) for line in lines):
        return "nothing is handed on to what it hands on"
    return ""


def _ends_nowhere(lines: Sequence[str], number: int, types: dict[str, str]) -> bool:
    """Say whether nothing that a step of a kernel's adjoint adds to is handed on to an array of floats."""
    if not any("_cuda_kernel_backward(" in line for line in lines):
        return False
    steps = [(call, line) for line in lines if "adj_" in line and (call := call_of(line)) and not call.target]
    left, seen = [lines[number]], set[str]()
    while left:
        line = left.pop()
        call = call_of(line)
        if call is None or call.name.startswith(_FROM_ELSEWHERE) or not line.strip().startswith("wp::adj_"):
            return False
        for word in {line[start:end] for start, end in call.arguments[:-1]} - seen:
            if not word.startswith("adj_"):
                continue
            seen.add(word)
            if any(f"{word}." in line for line in lines):
                return False
            if types.get(word, "wp::array_t<").startswith("wp::array_t<") and not _whole(types.get(word, "")):
                return False
            left += [other for step, other in steps if word in _named(step, other)[-1:]]
            if any(word in _named(step, other) for step, other in steps if step.name.startswith(_FROM_ELSEWHERE)):
                return False
    return True


def _named(call: Call, line: str) -> list[str]:
    return [line[start:end] for start, end in call.arguments]


def _whole(kind: str) -> bool:
    inner = kind.removeprefix("wp::array_t<").rstrip(">& ") if kind.startswith("wp::array_t<") else kind
    return inner.startswith(_WHOLE)


def _writes(line: str, adjoint: str) -> bool:
    """Say whether a line may add to an adjoint: names it other than as what is handed on, or to declare it."""
    words = [line[start:end] for _, start, end in spans(line)]
    if adjoint not in words or line.strip().startswith("//"):
        return False
    call = call_of(line)
    if call and not call.name.startswith(_FROM_ELSEWHERE) and line.strip().startswith("wp::"):
        return words.count(adjoint) > 1 or line[slice(*call.arguments[-1])] != adjoint
    return declared(line) is None or "&" in words or words[-3:] != ["{", "}", ";"]


def _selected(lines: Sequence[str], number: int) -> bool:
    """Say whether the block of a guard only gives values to variables that are elsewhere taken by the guard itself.

    Whatever is read in it from memory is read before it too, in no block, so that it may be read.
    """
    test = lines[number].strip()
    inverse, guard = test.startswith("if (!"), test.removeprefix("if (").removeprefix("!").removesuffix(") {")
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    end = next(n for n in range(number, len(lines)) if lines[n] == f"{indent}}}")
    # The other arm has run, or will, wherever this one is held off.
    outer = _before(lines, number) + _other_arm(lines, number, end, guard, inverse)
    types = dict(found for line in lines if (found := declared(line)))
    given = set()
    for line in lines[number + 1 : end]:
        if line.strip().startswith(("//", "if (", "}")) or not line.strip():
            continue
        target = _pure(line, outer, lines, types)
        if target == guard and line.strip().startswith(f"{guard} = {guard} {'||' if inverse else '&&'} "):
            continue  # the second half of `and` or `or`: with the first decided it changes nothing
        if not target or target == guard:
            return False
        given.add(target)
    if any(_assigned(line) in given for n, line in enumerate(lines) if not number < n < end):
        return False
    return all(_selects(line, guard, inverse, given) for line in lines[end:]) and _kept(lines[end:], guard, given)


def _before(lines: Sequence[str], number: int) -> list[str]:
    """Return the lines that have run whenever a line is come to: those before it in the blocks that it is in."""
    found, depth = [], _depth(lines[number])
    for line in reversed(lines[:number]):
        if line.strip() and _depth(line) <= depth:
            depth = _depth(line)
            found.append(line)
    return found


def _other_arm(lines: Sequence[str], number: int, end: int, guard: str, inverse: bool) -> list[str]:
    """Return the lines of the block of the opposite guard beside a block, less those of blocks in it."""
    indent = lines[number][: _depth(lines[number])]
    if inverse:
        opening = next((n for n in range(number - 1, -1, -1) if lines[n] == f"{indent}if ({guard}) {{"), None)
        closing = number - 1
    else:
        opening = end + 1 if lines[end + 1 : end + 2] == [f"{indent}if (!{guard}) {{"] else None
        closing = next((n for n in range(end + 1, len(lines)) if lines[n] == f"{indent}}}"), end)
    if opening is None or lines[closing] != f"{indent}}}" or f"{indent}}}" in lines[opening:closing]:
        return []
    return [line for line in lines[opening + 1 : closing] if _depth(line) == _depth(lines[opening + 1])]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _assigned(line: str) -> str:
    words = [line[start:end] for _, start, end in spans(line)]
    if len(words) > 2 and words[1] == "=":
        return words[0]
    call = call_of(line)
    return line[slice(*call.arguments[0])] if call and call.name == "assign" else ""


def _pure(line: str, outer: Sequence[str], lines: Sequence[str], types: dict[str, str]) -> str:
    """Return the variable that a line gives a value to and does nothing else; or nothing."""
    words = [line[start:end] for _, start, end in spans(line)]
    if len(words) < 3 or words[1] != "=" or "goto" in words:
        return ""
    call = call_of(line)
    if call is None:
        return words[0]  # a constant, or a comparison
    if not line.partition(" = ")[2].startswith("wp::") or call.name.startswith(
        ("atomic", "tile", "rand", "range", "iter")
    ):
        return ""
    if call.name in ("mod", "div") and _whole(types.get(words[0], "wp::int")):
        return ""
    if call.name == "address":
        return words[0] if readable(line, outer, lines) else ""
    return words[0]


def _selects(line: str, guard: str, inverse: bool, given: set[str]) -> bool:
    """Say whether a line names what a block gave only where the guard that the block had selects it."""
    named = [word for word in (line[start:end] for _, start, end in spans(line)) if word in given]
    if not named or line.strip().startswith("//"):
        return True
    call = call_of(line)
    if call is None or call.name != "where":
        return False
    condition, yes, no = (line[start:end] for start, end in call.arguments)
    return condition == guard and named == [no if inverse else yes]


def _kept(after: Sequence[str], guard: str, given: set[str]) -> bool:
    """Say whether a guard keeps its value as long as what it selects is named."""
    last = max((n for n, line in enumerate(after) if any(name in line for name in given)), default=0)
    return all(_assigned(line) != guard for line in after[:last])
