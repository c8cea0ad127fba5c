"""Indicators along series of prices, and figures of order books."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, Spec, local, precise, records, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, sweep
from ...terms import Term, cast, number, where, wp
from ...types import Scalar

_KINDS = ("drawdown", "rsi", "macd", "bollinger", "ewma_vol", "garch", "momentum", "returns", "parkinson", "backtest")


def indicator(k: Author) -> None:
    """An indicator along each series of prices, every value stored or the last one only."""
    c, T = k.c, precise(k)
    kind = c.pick(_KINDS)
    k.name(f"{kind}|rolling_{kind}|{kind}_series|compute_{kind}")
    rows = Rows(k, "row|asset|i|a", "length|n_days|n|steps")
    x = rows.input("prices|close|px|series", T)
    floor = number(c.pick((1.0e-3, 1.0e-2)), T)
    last, fast, slow = k.var("last|prev|before", number(1.0, T)), k.var("fast|up|peak", number(0.0, T)), None
    if kind not in ("drawdown", "returns", "ewma_vol"):
        slow = k.var("slow|down|other", number(0.0, T))
    out = rows.output("out|indicator_out|signal_out", T) if c.chance(2, 3) else None
    worst = k.var("worst|extreme_v|peak_v", number(0.0, T)) if out is None or c.chance(1, 3) else None
    with sweep(k, rows.count, "t|day|j", ordered=True) as t:
        p = local(k, "p|price|cur", wp.max(varied(k, x[t], 0, 1), floor))
        with k.if_(t == 0):
            last.set(p)
        value = local(k, "ind|reading|v", _reading(k, kind, p, last, fast, slow, t, T))
        last.set(p)
        if out is not None:
            out[t] = varied(k, value, 0, 2)
        if worst is not None:
            worst.set(wp.max(worst, value) if c.chance(1, 2) else wp.lerp(worst, value, coefficient(k, T, 5, 60)))
    if worst is not None:
        kept = settled(k, Term(worst.e), 0, 2)
        rows.result("summary_out|peaks|kept_out", T)[rows.place] = kept
        statistic(k, kept)
    k.summary(f"Follows the {kind.replace('_', ' ')} of each series of prices.")


def _reading(k: Author, kind: str, p: Term, last: Var, fast: Var, slow: Var | None, t: Term, T: Scalar) -> Term:
    c = k.c
    a, b = number(c.between(10, 40) / 100, T), number(c.between(2, 9) / 100, T)
    gain = p / wp.max(last, 1.0e-3) - 1.0 if c.chance(1, 2) else wp.log(p / wp.max(last, 1.0e-3))
    gain = local(k, "ret|gain|r_t", gain)
    if kind == "returns":
        fast.set(fast + gain)
        return gain if c.chance(1, 2) else Term(fast.e)
    if kind == "drawdown":
        fast.set(wp.max(fast, p))
        return 1.0 - p / fast if c.chance(1, 2) else (fast - p) / (fast + gain * gain)
    if kind == "ewma_vol":
        fast.set((1.0 - b) * fast + b * gain * gain)
        return wp.sqrt(fast + 1.0e-8) * number(c.pick((1.0, 15.874508)), T)
    assert slow is not None
    if kind == "rsi":
        fast.set(wp.lerp(fast, wp.max(gain, 0.0), b))
        slow.set(wp.lerp(slow, wp.max(-gain, 0.0), b))
        return fast / (fast + slow + 1.0e-6) if c.chance(1, 2) else 100.0 - 100.0 / (1.0 + fast / (slow + 1.0e-4))
    if kind == "macd":
        fast.set(fast + a * (p - fast))
        slow.set(slow + b * (p - slow))
        return fast - slow + coefficient(k, T, 1, 20) * gain
    if kind == "bollinger":
        fast.set(wp.lerp(fast, p, a))
        d = local(k, "d|dev|gap", p - fast)
        slow.set(wp.lerp(slow, d * d, a) + 0.01 * gain * gain)
        return d / (wp.sqrt(slow + 1.0e-6) * number(c.pick((2.0, 1.0, 2.5)), T))
    return _signal(k, kind, p, gain, fast, slow, t, T)


def _signal(k: Author, kind: str, p: Term, gain: Term, fast: Var, slow: Var, t: Term, T: Scalar) -> Term:
    c = k.c
    a, b = number(c.between(4, 12) / 100, T), number(c.between(70, 90) / 100, T)
    if kind == "garch":
        fast.set(coefficient(k, T, 1, 9) * 0.001 + a * gain * gain + b * fast)
        slow.set(slow + 0.5 * (wp.log(fast + 1.0e-6) + gain * gain / (fast + 1.0e-4)))
        return Term(slow.e) if c.chance(1, 2) else wp.sqrt(fast + 1.0e-8)
    if kind == "momentum":
        fast.set(b * fast + gain)
        slow.set(wp.max(b * slow, wp.abs(fast)))
        return fast / (slow + 1.0e-3)
    if kind == "parkinson":
        fast.set(wp.max(wp.lerp(fast, p, a), p))
        slow.set(where(t == 0, p, wp.min(wp.lerp(slow, p, a), p)))
        span = local(k, "span|hl|range_t", wp.log(fast / wp.max(slow, 1.0e-3)) + gain)
        return wp.sqrt(span * span * 0.36067376)
    level = coefficient(k, T, 1, 10)
    with k.if_(gain > level):
        slow.set(number(1.0, T))
    with k.elif_(gain < -level):
        slow.set(number(-1.0, T))
    fast += slow * gain - (coefficient(k, T, 1, 5) * 0.01 if c.chance(1, 2) else number(0.0005, T))
    return Term(fast.e)


_BOOK = ("imbalance", "microprice", "vwap", "depth", "pressure", "fill")


def order_book(k: Author) -> None:
    """A figure of an order book: of its best quotes, or over its levels."""
    c, T = k.c, precise(k)
    kind = c.pick(_BOOK)
    k.name(f"book_{kind}|{kind}|order_{kind}|{kind}_signal")
    value = _levels(k, kind, T) if kind in ("depth", "vwap", "fill") else _best(k, kind, T)
    statistic(k, value)
    names = {
        "vwap": "volume-weighted price", "fill": "mean price of filling an order, less a charge on the rest",
        "depth": "depth, damped away from the best price,", "microprice": "price weighted by the quoted sizes",
        "imbalance": "imbalance of the best quotes", "pressure": "mid price moved by the imbalance",
    }  # fmt: skip
    k.summary(f"Computes the {names[kind]} of each order book.")


def _best(k: Author, kind: str, T: Scalar) -> Term:
    c = k.c
    cells = Cells(k, 2)
    spec: Spec = {
        "bid": ("bid|bid_px", T),
        "ask": ("ask|ask_px", T),
        "bq": ("bid_size|bq", T),
        "aq": ("ask_size|aq", T),
    }
    q = records(k, cells, spec, "Quote|Tick|Top", "quotes|ticks|tops")
    bq, aq = local(k, "vb|buy_q|qb", wp.abs(q["bq"])), local(k, "va|sell_q|qa", wp.abs(q["aq"]))
    both_q = local(k, "depth|tot_q|vol_q", bq + aq + 1.0e-3)
    mid = 0.5 * (q["bid"] + q["ask"])
    mid = local(k, "mid|fair|mp", mid if c.chance(1, 2) else wp.lerp(q["bid"], q["ask"], coefficient(k, T, 20, 80)))
    ratio = (bq - aq) / both_q if c.chance(1, 2) else bq / both_q - aq / both_q
    ratio = local(k, "ratio|obi|imb", varied(k, ratio, 0, 1))
    if kind == "microprice":
        value = (q["bid"] * aq + q["ask"] * bq) / both_q + ratio * coefficient(k, T, 1, 30)
    elif kind == "pressure":
        value = mid * (1.0 + ratio * (q["ask"] - q["bid"]))
    else:
        value = ratio / (wp.abs(q["ask"] - q["bid"]) + wp.abs(mid) * 0.001 + 0.01)
    if c.chance(1, 3):
        before = cells.inout("state_out|ema|smooth_in", T)
        value = wp.lerp(before[cells.place], value, coefficient(k, T, 5, 80))
        value = settled(k, value, 0, 1)
        before[cells.place] = value
        return value
    value = settled(k, value, 0, 2)
    cells.output("out|signal|figure", T)[cells.place] = value
    return value


def _levels(k: Author, kind: str, T: Scalar) -> Term:
    c = k.c
    rows = Rows(k, "book|i|row|sym", "n_levels|depth_n|levels")
    prices, sizes = rows.input("prices|level_px|px", T), rows.input("sizes|volumes|level_q", T)
    change = transform(k, "size_of|shape_q|visible", T, 1)
    damp = coefficient(k, T, 5, 90)

    def size(j: Term) -> Term:
        return wp.abs(change(sizes[j]))

    if kind == "fill":
        value = _walked(k, rows, lambda j: prices[j], size, T)
    else:
        money, volume = k.var("money|pv|notional", number(0.0, T)), k.var("volume|q_sum|vol", number(0.0, T))
        with sweep(k, rows.count, "lev|j|l0") as j:
            q = local(k, "q|size_j|qty", size(j))
            if kind != "vwap":
                q = local(k, "qd|damped|weight", q * wp.exp(-damp * cast(wp.min(j, 50), T)))
            volume += q
            money += q * prices[j]
        value = money / wp.max(volume, 1.0e-3)
        value = value if kind == "vwap" else (volume - value if c.chance(1, 2) else volume / (1.0 + wp.abs(value)))
    value = settled(k, value, 0, 2)
    rows.result("out|signal|figure", T)[rows.place] = value
    return value


def _walked(k: Author, rows: Rows, price: TermOf, size: TermOf, T: Scalar) -> Term:
    """Return the mean price above the first level at which an order of a given size is filled."""
    left = k.var("left|remaining|to_fill", wp.abs(rows.per_row("orders|targets|parent_q", T)))
    paid, got = k.var("paid|cost|spent", number(0.0, T)), k.var("got|filled|done_q", number(0.0, T))
    with k.for_("lev|j|l0", rows.count) as j:
        take = local(k, "take|fill_j|part", wp.min(left, size(j)))
        paid += take * price(j)
        got += take
        left -= take
        if k.c.chance(1, 2):
            with k.if_(left <= 0.0):
                k.leave("break")
    return paid / wp.max(got, 1.0e-3) - coefficient(k, T, 1, 20) * left
