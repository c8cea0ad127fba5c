"""Prefix sums: steps of a parallel scan, and whole scans of rows."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import statistic, varied
from ...fusion.cells import Cells, local, settled
from ...fusion.rows import Rows
from ...fusion.sweeps import sweep
from ...terms import Term, both, number, where, wp
from ...types import FLOAT, INT, UINT, Scalar
from .sorting import key_of


def scan(k: Author) -> None:
    """A step of a parallel prefix sum, or a whole scan of each row: sum, maximum, product, xor, segmented."""
    c = k.c
    T = c.pick((INT, FLOAT, INT, UINT))
    kind = c.pick(("hillis_steele", "up_sweep", "down_sweep", "row", "add_offsets", "segmented"))
    k.name(f"scan_{kind}|{kind}_scan|prefix_{kind}|{kind}_step")
    how = c.pick(("sum", "max", "min", "xor") if T.is_int else ("sum", "max", "min", "decayed"))
    if kind == "row":
        _row_scan(k, T, how)
    else:
        _step(k, kind, T, how)
    names = {"hillis_steele": "Hillis-Steele", "up_sweep": "up-sweep", "down_sweep": "down-sweep"}
    what = f"{names.get(kind, kind.replace('_', ' '))} step" if kind != "row" else "whole scan of each row"
    k.summary(f"Makes the {what} of a {how} prefix scan of {T.name} numbers.")


def _joined(how: str, a: Term, b: Term) -> Term:
    if how == "sum":
        return a + b
    if how == "decayed":
        return a * 0.5 + b
    return a ^ b if how == "xor" else wp.max(a, b) if how == "max" else wp.min(a, b)


def _row_scan(k: Author, T: Scalar, how: str) -> None:
    c = k.c
    rows = Rows(k, "row|r|segment|b0")
    x = rows.input("x|values|data", T)
    out, exclusive, back = rows.output("out|scanned|prefix", T), c.chance(1, 2), c.chance(1, 3)
    start = 0 if how in ("sum", "xor", "decayed", "max") else 1000000
    acc = k.var("acc|running|carry", number(start, T))
    prepared = key_of(k, T)
    with sweep(k, rows.count, "n0|j|e", ordered=True) as n:
        j = local(k, "at|p|slot", rows.count - 1 - n) if back else n
        if exclusive:
            out[j] = varied(k, Term(acc.e), 0, 2)
        acc.set(_joined(how, Term(acc.e), prepared(x[j])))
        if not exclusive:
            out[j] = varied(k, Term(acc.e), 0, 2)
    value = settled(k, Term(acc.e), 0, 2)
    rows.result("totals|row_sums|ends", T)[rows.place] = value
    statistic(k, value)


def _step(k: Author, kind: str, T: Scalar, how: str) -> None:
    c = k.c
    cells = Cells(k, 1) if c.chance(1, 2) else None
    i = k.tid("i|tid|lane") if cells is None else cells.first
    x = k.inout("data|tree|sums_io", T) if kind in ("up_sweep", "down_sweep") else k.input("x|src|sums_in", T)
    flags = k.input("flags|heads|starts_at", INT) if kind == "segmented" else None
    n = local(k, "n|size|length", x.shape(0))
    stride = k.scalar("stride|offset|dist", INT)
    d = local(k, "d|step|reach", wp.max(stride, 1)) if c.chance(1, 2) else wp.max(stride, 1)
    if kind in ("up_sweep", "down_sweep"):
        _tree_step(k, kind, x, i, d, n, how)
        return
    with k.if_(i >= n):
        k.leave()
    mine = local(k, "mine|v|cur", varied(k, x[i], 0, 1))
    acc = k.var("acc|sum_v|now", mine)
    if kind == "add_offsets":
        block = local(k, "block|tile_id|owner", i // c.pick((32, 64, 128, 256)))
        offsets = k.input("block_sums|carries|bases", T)
        with k.if_(block > 0):
            acc.set(_joined(how, offsets[wp.min(block - 1, offsets.shape(0) - 1)], mine))
    else:
        test = i >= d
        if flags is not None:
            test = both(test, flags[i] == 0)
            earlier = where(i >= d, flags[wp.max(i - d, 0)], number(1, INT))
            k.output("flags_out|heads_out|next_flags", INT)[i] = wp.max(flags[i], earlier)
        with k.if_(test):
            acc.set(_joined(how, x[i - d], mine))
    value = settled(k, Term(acc.e), 0, 2)
    k.output("out|dst|sums_out", T)[i] = value
    statistic(k, value)


def _tree_step(k: Author, kind: str, x: Arr, i: Term, d: Term, n: Term, how: str) -> None:
    """Join or hand down the two ends of one subtree."""
    right = local(k, "right|hi|b", (i + 1) * 2 * d - 1)
    left = local(k, "left|lo|a", right - d)
    with k.if_(right >= n):
        k.leave()
    value = local(k, "joined|both_v|acc", _joined(how, x[left], x[right]))
    if kind == "down_sweep":
        held = local(k, "held|tmp|was", x[right])
        x[right] = value
        x[left] = varied(k, held, 0, 1)
    else:
        x[right] = varied(k, value, 0, 1)
