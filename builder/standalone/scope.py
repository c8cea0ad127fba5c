"""Where the names of a function live: which block declares each, and which never change."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at one place: the chain of blocks and statements that leads there, and whether it is stored."""

    chain: tuple[tuple[int, int], ...]
    statement: ast.stmt
    stores: bool


@dataclass(slots=True)
class Scope:
    """What is known of a function's names.

    Attributes:
        declared_at: the names that are declared by the assignment that a statement is.
        declared_before: the names that are declared, empty, before a statement.
        constant: the names that are assigned once and never changed.
        hoisted: loop variables that are read or changed where C++ would not have them so.
        loaded: the names that are read at all.
    """

    declared_at: dict[ast.stmt, set[str]] = field(default_factory=dict)
    declared_before: dict[ast.stmt, list[str]] = field(default_factory=dict)
    constant: set[str] = field(default_factory=set)
    hoisted: set[ast.For] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)


def blocks(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """Yield the blocks of statements in a statement."""
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        yield statement.body
        if statement.orelse:
            yield statement.orelse


def _heads(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what of a statement is no block."""
    if isinstance(statement, (ast.If, ast.While)):
        yield statement.test
    elif isinstance(statement, ast.For):
        yield statement.target
        yield statement.iter
    else:
        yield statement


class _Reader:
    def __init__(self) -> None:
        self.mentions: dict[str, list[Mention]] = {}
        self.numbers: dict[int, Sequence[ast.stmt]] = {}
        self.loops: dict[str, list[ast.For]] = {}
        self.owner: dict[int, ast.stmt] = {}

    def read(self, body: Sequence[ast.stmt], chain: tuple[tuple[int, int], ...], owner: ast.stmt | None) -> None:
        number = len(self.numbers)
        self.numbers[number] = body
        if owner is not None:
            self.owner[number] = owner
        for place, statement in enumerate(body):
            here = (*chain, (number, place))
            if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
                self.loops.setdefault(statement.target.id, []).append(statement)
            for head in _heads(statement):
                for node in ast.walk(head):
                    if isinstance(node, ast.Name):
                        self._note(node, here, statement)
            for block in blocks(statement):
                self.read(block, here, statement)

    def _note(self, node: ast.Name, here: tuple[tuple[int, int], ...], statement: ast.stmt) -> None:
        stores = isinstance(node.ctx, ast.Store)
        self.mentions.setdefault(node.id, []).append(Mention(here, statement, stores))


def scope_of(function: ast.FunctionDef, body: Sequence[ast.stmt]) -> Scope:
    """Return what is known of the names that a function assigns, its arguments left out.

    Args:
        body: its statements, or those of them that are translated.
    """
    reader = _Reader()
    reader.read(body, (), None)
    scope = Scope()
    arguments = {arg.arg for arg in function.args.args}
    for name, mentions in reader.mentions.items():
        if any(not one.stores for one in mentions) or any(isinstance(m.statement, ast.AugAssign) for m in mentions):
            scope.loaded.add(name)
        loops = reader.loops.get(name, [])
        stored = [one for one in mentions if one.stores]
        own = [one for one in stored if not (isinstance(one.statement, ast.For) and one.statement in loops)]
        if name in arguments or not stored:
            continue
        if loops and not own and _inside(mentions, loops):
            continue
        scope.hoisted.update(loops)
        _declare(name, mentions, reader, scope)
        if len(stored) == 1 and not loops and not isinstance(stored[0].statement, ast.AugAssign):
            scope.constant.add(name)
    return scope


def _inside(mentions: Sequence[Mention], loops: Sequence[ast.For]) -> bool:
    """Say whether a loop variable is met only inside loops over it."""
    bodies = {id(statement) for loop in loops for statement in ast.walk(loop) if isinstance(statement, ast.stmt)}
    return all(id(one.statement) in bodies for one in mentions)


def _declare(name: str, mentions: Sequence[Mention], reader: _Reader, scope: Scope) -> None:
    common = mentions[0].chain
    for one in mentions[1:]:
        length = 0
        for a, b in zip(common, one.chain, strict=False):
            if a[0] != b[0]:
                break
            length += 1
            if a[1] != b[1]:
                break
        common = common[:length]
    block, _ = common[-1]
    depth = len(common) - 1
    first = min(one.chain[depth][1] for one in mentions)
    statement = reader.numbers[block][first]
    if _assigns_plainly(statement, name):
        scope.declared_at.setdefault(statement, set()).add(name)
        return
    # What a loop leaves for its next turn lives outside of it.
    loops = [number for number, _ in common if isinstance(reader.owner.get(number), (ast.For, ast.While))]
    if loops and not _always(statement, name):
        block, place = common[[number for number, _ in common].index(loops[0]) - 1]
        statement = reader.numbers[block][place]
    scope.declared_before.setdefault(statement, []).append(name)


def _always(statement: ast.stmt, name: str) -> bool:
    """Say whether a statement gives a name a value before it reads it, whichever way it goes."""
    if isinstance(statement, ast.If):
        read = {n.id for n in ast.walk(statement.test) if isinstance(n, ast.Name)}
        return name not in read and all(_first(block, name) for block in (statement.body, statement.orelse))
    return _assigns_plainly(statement, name)


def _first(block: Sequence[ast.stmt], name: str) -> bool:
    for statement in block:
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
            return _always(statement, name)
    return False


def _assigns_plainly(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name) and statement.target.id == name
    if not isinstance(statement, ast.Assign):
        return False
    read = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
    target = statement.targets[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    return name not in read and any(isinstance(one, ast.Name) and one.id == name for one in names)
