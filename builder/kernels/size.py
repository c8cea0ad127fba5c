"""How large the code generated for a program becomes, before it is generated."""

from __future__ import annotations

from .program import Body, Each, Expr, For, If, Literal, Name, Program, Stmt, While
from .reading import bodies, nodes, roots

# Warp writes the body of a loop over a constant range of at most so many trips once for each trip.
UNROLLED_TRIPS = 16


def unrolled_nodes(program: Program) -> int:
    """Return how many expression nodes a program has, those in unrolled loops counted once for each trip."""
    return sum(_nodes(body) for body in bodies(program))


def _nodes(body: Body) -> int:
    return sum(_of(stmt) for stmt in body)


def _of(stmt: Stmt) -> int:
    own = sum(1 for root, _ in roots(stmt) for _ in nodes(root))
    if isinstance(stmt, If):
        return own + sum(_nodes(arm) for _, arm in stmt.arms) + _nodes(stmt.otherwise)
    if isinstance(stmt, For):
        return own + _trips(stmt) * _nodes(stmt.body)
    return own + _nodes(stmt.body) if isinstance(stmt, (Each, While)) else own


def _trips(loop: For) -> int:
    """Return how often the loop's body is written."""
    start, stop = _known(loop.start) if loop.start is not None else 0, _known(loop.stop)
    if start is None or stop is None:
        return 1
    trips = len(range(start, stop, loop.step))
    return trips if trips <= UNROLLED_TRIPS else 1


def _known(bound: Expr) -> int | None:
    if isinstance(bound, Literal):
        return int(bound.value)
    return int(bound.value) if isinstance(bound, Name) and bound.value is not None else None
