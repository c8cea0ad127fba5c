"""Scans in which a thread walks along its line: prefix sums, running extremes, running figures."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, varied
from ...loops import huge, lowest
from ...terms import Term, cast, either, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, INT64, VEC2, VEC3, Scalar, scalar_of
from .line import Line

_LINE = "j|t|p|pos"


def _numbers(k: Author) -> Scalar:
    return k.c.weighted({FLOAT: 5, k.real(): 2, INT: 2, INT64: 1})


def _prefix(k: Author) -> None:
    """The prefix sums, products, extremes of a line: inclusive or exclusive, forwards or backwards."""
    c, T = k.c, _numbers(k)
    k.name("prefix_scan|row_scan|cumulative|running_total|cumsum")
    line = Line(k, "x|values|src|series", T)
    out = line.output("out|prefix|dst|cum", T)
    inclusive, back, kind = c.chance(1, 2), c.chance(1, 4), c.weighted({"sum": 4, "max": 2, "min": 2, "decayed": 2})
    start = {"max": lowest(T), "min": huge(T)}.get(kind, zero(T))
    acc = k.var("acc|running|total|state", start)
    rate = coefficient(k, T, 20, 95) if T.is_float else number(c.between(2, 4), T)
    with line.walk(_LINE, back=back) as j:
        if not inclusive:
            out[line.at(j)] = varied(k, acc, 0, 2)
        x = varied(k, line.first[line.at(j)], 0, 2)
        if kind == "sum":
            acc += x
        elif kind == "decayed":
            acc.set(acc * rate + x if T.is_float else acc // rate + x)
        elif c.chance(1, 2):
            acc.set((wp.max if kind == "max" else wp.min)(acc, x))
        else:
            v = k.let("v|x0|cur", x)
            with k.if_(v > acc if kind == "max" else v < acc):
                acc.set(v)
        if inclusive:
            out[line.at(j)] = varied(k, acc, 0, 2)
    names = {"sum": "prefix sums", "max": "running maxima", "min": "running minima", "decayed": "decayed sums"}
    how = f"{'inclusive' if inclusive else 'exclusive'} {names[kind]}"
    k.summary(f"Computes the {how} of {T.name} along {line.what}, {'backwards' if back else 'forwards'}.")


def _vectors(k: Author) -> None:
    """The prefix sums of vectors: positions from steps, with a limit on each step."""
    c = k.c
    T = c.pick((VEC3, VEC2))
    k.name("integrate_steps|path_from_steps|cumulative_motion|dead_reckoning")
    line = Line(k, "steps|velocities|moves", T)
    out = line.output("path|positions|track", T)
    dt = coefficient(k, FLOAT, 1, 50)
    pos = k.var("pos|at|where_now", zero(T))
    speed = k.var("speed|len_so_far|travelled", number(0.0, FLOAT)) if c.chance(1, 2) else None
    with line.walk(_LINE) as j:
        v = k.let("v|step|move", varied(k, line.first[line.at(j)], 0, 2))
        pos += varied(k, v * dt, 0, 2)
        out[line.at(j)] = varied(k, pos, 0, 2)
        if speed is not None:
            speed += wp.length(v)
    if speed is not None:
        total = k.output("lengths|mileage|travel", FLOAT)
        total[line.threads[0]] = varied(k, speed, 0, 2)
    k.summary(f"Integrates {T.name} steps into positions along {line.what}.")


def _segmented(k: Author) -> None:
    """A scan that starts afresh where a flag, a key or the value itself says so."""
    c, T = k.c, _numbers(k)
    k.name("segmented_scan|scan_by_key|flagged_scan|restart_scan")
    line = Line(k, "x|values|src", T)
    way = c.below(3)
    marks = line.input("flags|heads|keys", INT) if way < 2 else None
    out = line.output("out|scanned|dst", T)
    acc = k.var("acc|running|total", zero(T))
    prev = k.var("prev|last_key|seen", number(-1, INT)) if way == 1 else None
    reset = coefficient(k, T) if T.is_float else number(c.between(3, 40), T)
    with line.walk(_LINE) as j:
        x = k.let("v|x0|cur", varied(k, line.first[line.at(j)], 0, 2))
        if marks is None:
            test = x > reset
        elif prev is None:
            test = marks[line.at(j)] != 0
        else:
            key = k.let("key|label|group", marks[line.at(j)])
            test = key != prev
            prev.set(key)
        _restart(k, acc, test, x)
        out[line.at(j)] = varied(k, acc, 0, 2)
    what = ("a flag is set", "the key changes", "an element exceeds a limit")[way]
    k.summary(f"Computes prefix sums of {T.name} along {line.what} that start afresh where {what}.")


def _restart(k: Author, acc: Var, test: Term, x: Term) -> None:
    way = k.c.below(3)
    if way == 0:
        with k.if_(test):
            acc.set(x)
        with k.else_():
            acc += x
    elif way == 1:
        acc.set(where(test, x, acc + x))
    else:
        with k.if_(test):
            acc.set(zero(acc.type))
        acc += x


def _running(k: Author) -> None:
    """A running figure of a line: mean, variance, drawdown, best sum so far, place of the record."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    k.name("running_stat|online_figure|drawdown|expanding_window|best_so_far")
    line = Line(k, "x|prices|series|signal", T)
    out = line.output("out|figure|stat", T)
    way = c.below(5)
    first, second = k.var("a0|mean|peak|best", zero(T)), k.var("b0|m2|deepest|current", zero(T))
    with line.walk(_LINE) as j:
        x = k.let("v|x0|price", varied(k, line.first[line.at(j)], 0, 2))
        if way == 0:
            first += (x - first) / cast(j + 1, T)
            second += varied(k, (x - first) * (x - first), 0, 1)
        elif way == 1:
            first.set(wp.max(first, x))
            second.set(wp.max(second, first - x))
        elif way == 2:
            second.set(wp.max(x, second + x))
            first.set(wp.max(first, second))
        elif way == 3:
            delta = k.let("delta|d|diff", x - first)
            first += delta * coefficient(k, T, 5, 90)
            second.set(second * coefficient(k, T, 5, 90) + delta * delta)
        else:
            with k.if_(either(x > first, wp.abs(x) > coefficient(k, T))):
                first.set(x)
                second.set(cast(j, T))
        out[line.at(j)] = varied(k, first - second if c.chance(1, 3) else (second if c.chance(1, 2) else first), 0, 2)
    what = ("the mean and squared deviation", "the peak and deepest fall", "the best sum of a run",
            "the exponential mean and variance", "the record and its place")[way]  # fmt: skip
    k.summary(f"Follows {what} of {T.name} along {line.what}.")


def _since(k: Author) -> None:
    """Integer state along a line: time since an event, length of a run, depth of nesting, index of the last hit."""
    c = k.c
    T = c.pick((INT, FLOAT))
    k.name("time_since|run_length|nesting_depth|event_distance|streak")
    line = Line(k, "x|events|tokens|codes", T)
    out = line.output("out|since|depth|streaks", INT)
    state = k.var("state|count|age|level", number(0, INT))
    limit: Term = coefficient(k, FLOAT) if T is FLOAT else number(c.between(1, 6), INT)
    way, back = c.below(4), c.chance(1, 3)
    prev = k.var("prev|before|last_x", zero(T)) if way == 3 else None
    with line.walk(_LINE, back=back) as j:
        x = k.let("v|code|token", varied(k, line.first[line.at(j)], 0, 2))
        if way == 0:
            state.set(where(x > limit, number(0, INT), state + 1))
        elif way == 1:
            with k.if_(x > limit):
                state += 1
            with k.else_():
                state.set(number(0, INT))
        elif way == 2:
            with k.if_(x > limit):
                state += 1
            with k.elif_(x < -limit):
                state.set(wp.max(state - 1, 0))
        else:
            assert prev is not None
            with k.if_((wp.abs(x - prev) < limit) if c.chance(1, 2) else x > prev):
                state += c.between(1, 2)
            with k.else_():
                state.set(number(c.between(0, 1), INT))
            prev.set(x)
        out[line.at(j)] = varied(k, state, 0, 2)
    what = ("the distance to the last event", "the length of a streak", "the depth of nesting", "the length of a run")
    k.summary(f"Keeps {what[way]} along {line.what} of {scalar_of(T).name}.")


FAMILIES = (_prefix, _vectors, _segmented, _running, _since)
