"""A loop until something holds, in its many forms, and its cap."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope, Var
from ...terms import Term, both, no, number
from ...types import INT


def cap(k: Author, low: int, high: int) -> Term:
    """Return the cap of a loop: a literal, an argument, a constant."""
    way = k.c.below(3)
    if way == 0:
        return number(k.c.between(low, high), INT)
    return (
        k.scalar("max_iter|limit|max_steps", INT)
        if way == 1
        else k.constant("MAX_ITER|CAP|LIMIT", k.c.between(low, high))
    )


def _turns(k: Scope, way: int, n: Var, cap: Term, holds: Callable[[], Term], step: Callable[[], None]) -> None:
    """Write the loop with ``n`` as the counter of its turns."""
    c = k.c
    if way == 0:
        with k.while_(both(holds(), n < cap) if c.chance(1, 2) else both(n < cap, holds())):
            step()
            n += 1
    elif way == 1:
        with k.while_(n < cap):
            with k.if_(no(holds())):
                k.leave("break")
            step()
            n += 1
    elif way == 2:
        with k.for_("it|turn|rep", cap):
            with k.if_(_opposite(holds())):
                k.leave("break")
            step()
            n += 1
    else:
        with k.while_(holds()):
            n += 1
            with k.if_(n > cap):
                k.leave("break")
            step()


def until(k: Scope, cap: Term, holds: Callable[[], Term], step: Callable[[], None], *, counted: bool = False) -> Term:
    """Write ``step`` again and again while ``holds()`` and for at most ``cap`` turns, by one of five ways.

    Args:
        k: the scope.
        cap: the largest number of turns; small enough to be run.
        holds: gives the test for another turn, from the loop's variables.
        step: writes the statements of one turn.
        counted: whether the caller reads the number of turns.

    Returns:
        The number of turns as a term, where ``counted``; else of no use.
    """
    c = k.c
    way = c.below(4)
    if way == 2 and not counted:
        with k.for_("it|turn|_n", cap):
            with k.if_(no(holds()) if c.chance(1, 2) else _opposite(holds())):
                k.leave("break")
            step()
        return number(0, INT)
    n = k.var("n|it|count|turns|iters", number(0, INT))
    _turns(k, way, n, cap, holds, step)
    if not counted:
        return number(0, INT)
    return Term(n.e)


_OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _opposite(test: Term) -> Term:
    from ...ops import op
    from ...program import Apply

    e = test.e
    if isinstance(e, Apply) and e.op.symbol in _OPPOSITES:
        args = e.args
        return Term(Apply(op(_OPPOSITES[e.op.symbol], *(arg.type for arg in args)), args))
    return no(test)
