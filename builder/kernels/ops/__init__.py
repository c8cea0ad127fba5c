"""The ops table: every operation a program may use is one row.

A row says the types it takes and gives, how it is written, which domain each argument must be held to
(a guard the grammar applies), a family the categories choose by, a phrase for descriptions, and
whether its adjoint is defined. Adding a Warp builtin is adding a row. What works on tiles, queries and
other things whose types depend on more than the arguments' types is in ``special.py``.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from ..types import Value
from . import linear, memory, queries, rotations, sampling, scalars, tile_linear, tile_math, tile_shapes, tiles
from .row import PRECEDENCE, PREFIXES, TIGHTEST, Op, Row
from .signature import Binding

# Importing these registers their operations in `special.py`.
REGISTERED = (tiles, tile_shapes, tile_math, tile_linear, queries, memory)

_TABLES = (scalars, linear, rotations, sampling, memory, queries)
ROWS: tuple[Row, ...] = tuple(r for module in _TABLES for r in module.rows())

_BY_SYMBOL: defaultdict[str, list[Row]] = defaultdict(list)
for _row in ROWS:
    _BY_SYMBOL[_row.symbol].append(_row)


@cache
def _instance(row: Row, binding: tuple[tuple[str, object], ...]) -> Op:
    return row.op(dict(binding))  # type: ignore[arg-type]


def _op(row: Row, binding: Binding) -> Op:
    return _instance(row, tuple(sorted(binding.items(), key=lambda item: item[0])))


# Every row for every choice of types that the random grammar draws from.
TABLE: tuple[Op, ...] = tuple(_op(row, binding) for row in ROWS for binding in row.signature.bindings())


@cache
def ops_for(result: Value, families: tuple[str, ...]) -> tuple[Op, ...]:
    """Return the rows of these families that give this type, in table order."""
    return tuple(op for op in TABLE if op.result == result and op.family in families)


@cache
def op(symbol: str, *params: Value, result: Value | None = None) -> Op:
    """Return the row for this symbol on these parameter types (and result, where those do not tell).

    Raises:
        KeyError: the table has no such row.
    """
    for row in (*_BY_SYMBOL[symbol], *_BY_SYMBOL["{result}"]):
        binding = row.signature.bind(params, result)
        if binding is not None:
            found = _op(row, binding)
            if found.symbol == symbol:
                return found
    raise KeyError(f"no op {symbol} on {', '.join(p.name for p in params)}")


__all__ = ["PRECEDENCE", "PREFIXES", "ROWS", "TABLE", "TIGHTEST", "Op", "Row", "op", "ops_for"]
