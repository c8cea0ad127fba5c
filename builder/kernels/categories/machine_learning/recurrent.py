"""Recurrent cells."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, precise
from ...fusion.sweeps import TermOf, total
from ...terms import Term, wp
from ...types import Scalar


def recurrent(k: Author) -> None:
    """One step of a GRU, LSTM, minimal gated or plain recurrent cell, or of a linear state-space model."""
    c, T = k.c, precise(k)
    kind = c.pick(("gru", "lstm", "mgu", "rnn", "ssm"))
    k.name(f"{kind}_cell|{kind}_step|{kind}_forward|{kind}_pointwise")
    b, u = k.tid("b|row|sample", "u|unit|h_idx|col")
    gates = _gates(k, b, u, T)
    old = k.input("h_prev|state_in|hidden", T, 2)[b, u] if c.chance(1, 2) else None
    previous = old if old is not None else k.input("h|h0|last_h", T, 2)[b, u]
    h = local(k, "h_old|hp|was", previous)
    sigma = k.function(
        "sigmoid|logistic|gate_of", {"v|x|a": T}, lambda s, v: 1.0 / (1.0 + wp.exp(-wp.clamp(v, -9.0, 9.0)))
    )
    squash: TermOf = wp.tanh if c.chance(3, 4) else _hard_tanh
    if kind == "gru":
        z, r = local(k, "z|update|zt", sigma(gates("z"))), local(k, "r|reset|rt", sigma(gates("r")))
        cand = local(k, "cand|n_t|fresh", squash(gates("n") + r * coefficient(k, T) * h))
        new = (1.0 - z) * cand + z * h if c.chance(1, 2) else wp.lerp(cand, h, z)
    elif kind == "lstm":
        forget, put = local(k, "f|forget|ft", sigma(gates("f"))), local(k, "inp|put_g|it_g", sigma(gates("i")))
        cell = k.inout("cell|c_state|mem", T, 2)
        kept = local(k, "c_new|ct|mem_new", forget * cell[b, u] + put * squash(gates("g")))
        cell[b, u] = kept
        new = sigma(gates("o")) * squash(varied(k, kept, 0, 1)) + coefficient(k, T, 1, 9) * h
    elif kind == "mgu":
        forget = local(k, "f|forget|ft", sigma(gates("f")))
        new = (1.0 - forget) * h + forget * squash(gates("n") + forget * h)
    elif kind == "rnn":
        new = squash(gates("x") + coefficient(k, T) * h)
    else:
        decay = local(k, "decay|a_bar|lam_t", wp.exp(-wp.clamp(wp.abs(gates("d")), 0.0, 15.0)))
        new = decay * h + (1.0 - decay) * gates("x")
    new = local(k, "h_new|ht|now", varied(k, new, 0, 2))
    k.output("h_next|out|state_out", T, 2)[b, u] = new
    statistic(k, new)
    k.summary(f"Makes one step of the {kind.upper()} cell for each sample and unit.")


def _hard_tanh(v: Term) -> Term:
    return wp.clamp(v, -1.0, 1.0)


def _logistic(s: Scope, v: Term) -> Term:
    if s.c.chance(1, 2):
        return 1.0 / (1.0 + wp.exp(-wp.clamp(v, -9.0, 9.0)))
    return 0.5 * wp.tanh(0.5 * v) + 0.5


def _gates(k: Author, b: Term, u: Term, T: Scalar) -> Callable[[str], Term]:
    """Return what gives a gate's input: a column of one array, an array of its own, or a short product."""
    c = k.c
    way = c.weighted({"arrays": 2, "blocks": 1, "product": 2})
    if way == "blocks":
        packed = k.input("gates|preact|packed", T, 3)
        places: dict[str, int] = {}

        def block(name: str) -> Term:
            given: Term = varied(k, packed[places.setdefault(name, len(places)), b, u], 0, 1)
            return given

        return block
    if way == "arrays":

        def own(name: str) -> Term:
            value = k.input(f"pre_{name}|x_{name}|gate_{name}", T, 2)[b, u]
            value = value + k.input(f"b_{name}|bias_{name}", T)[u] if c.chance(1, 3) else value
            given: Term = varied(k, value, 0, 1)
            return given

        return own
    x = k.input("x|inp|features", T, 2)

    def product(name: str) -> Term:
        w = k.input(f"w_{name}|weight_{name}", T, 2)
        acc = total(k, f"acc_{name}|s_{name}", x.shape(1), lambda j: x[b, j] * w[u, j], T)
        return acc if c.chance(1, 2) else acc + k.input(f"b_{name}|bias_{name}", T)[u]

    return product
