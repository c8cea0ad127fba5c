"""Loops that walk: searches, linked lists, relaxation, early ends of rows."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, number, wp
from ...types import DOUBLE, FLOAT, INT, UINT, VEC2, VEC3, Scalar, Value
from .common import cap, until


def binary_search(k: Author) -> None:
    """Binary search of sorted arrays: lower and upper bounds, exact places, interpolation."""
    c = k.c
    T = c.pick((FLOAT, INT, UINT, DOUBLE))
    k.name("lower_bound|find_slots|search_sorted|locate|bucketize|upper_bound")
    table, queries = k.input("table|sorted_keys|edges", T), k.input("queries|q|x", T)
    i = gate(k, k.tid("i|tid|idx"), queries.shape(0))
    q = k.let("q0|key|target", varied(k, queries[i], 0, 1))
    lo, hi = k.var("lo|left|first", number(0, INT)), k.var("hi|right|last", table.shape(0))
    upper = c.chance(1, 2)
    exact = c.chance(1, 3)
    place = k.var("place|found|hit", number(-1, INT)) if exact else None

    def step() -> None:
        a, b = Term(lo.e), Term(hi.e)
        mid = k.let("mid|m|half", (a + b) // 2 if c.chance(1, 2) else a + ((b - a) >> 1))
        if place is not None:
            with k.if_(table[mid] == q):
                place.set(mid)
        test = table[mid] <= q if upper else table[mid] < q
        with k.if_(test):
            lo.set(mid + 1)
        with k.else_():
            hi.set(mid)

    until(k, cap(k, 24, 40), lambda: Term(lo.e) < Term(hi.e), step)
    slot = k.let("slot|at|pos", wp.max(wp.min(Term(lo.e), table.shape(0) - 1), 0))
    way = c.below(3)
    if way == 0:
        k.output("out|slots|places", INT)[i] = varied(k, slot if place is None else Term(place.e), 0, 2)
    elif way == 1:
        hist = k.output("hist|counts|bins", INT)
        k.atomic("add", hist, slot % hist.shape(0), 1 if c.chance(1, 2) else varied(k, slot, 1, 1))
    else:
        base = k.let("base|below_|prev", table[wp.max(slot - 1, 0)])
        gap = varied(k, table[slot] - base, 0, 1) if c.chance(1, 2) else q - base
        k.output("out|gap|residual", T)[i] = varied(k, gap, 0, 2)
    if way and place is not None:
        k.output("exact|found_at|match", INT)[i] = Term(place.e)
    k.summary(f"Searches a sorted {T.name} table for each query by halving.")


def chase(k: Author) -> None:
    """Walks along links: linked lists, parents in a forest, cycles of permutations."""
    c = k.c
    way = c.below(4)
    k.name(
        ("walk_list|list_sum", "find_root|tree_root|union_find", "cycle_length|orbit_size", "depth_of|list_rank")[way]
    )
    links = k.input("next_id|links|parent|succ", INT)
    weights = k.input("weights|cost|values", FLOAT) if way in (0, 3) or c.chance(1, 3) else None
    i = gate(k, k.tid("i|tid|node"), links.shape(0))
    length = k.let("n|total_nodes|size", links.shape(0))
    node = k.var("node|cur|at", i)
    acc = k.var("acc|total|path", number(0.0)) if weights is not None else None

    def safe(value: Term) -> Term:
        return wp.clamp(value, 0, length - 1) if c.chance(1, 2) else wp.abs(value) % length

    nxt = k.var("nxt|to|follow", safe(links[i]))

    def step() -> None:
        if acc is not None and weights is not None:
            acc.set(Term(acc.e) + varied(k, weights[Term(node.e) % weights.shape(0)], 0, 2))
        node.set(Term(nxt.e))
        nxt.set(safe(links[Term(node.e)]))
        if way == 1 and c.chance(1, 2):
            nxt.set(safe(links[Term(nxt.e)]))

    def holds() -> Term:
        return Term(nxt.e) != i if way == 2 else Term(nxt.e) != Term(node.e)

    turns = until(k, cap(k, 16, 100), holds, step, counted=True)
    kinds: list[tuple[str, Term]] = [("roots|ends|leaders", Term(node.e)), ("lengths|depths|ranks", turns)]
    if acc is not None:
        kinds.append(("sums|totals|costs", Term(acc.e)))
    others = [kinds[0], *kinds[2:]]
    for words, value in [kinds[1], *c.sample(others, c.below(len(others) + 1))]:
        made = varied(k, value, 0, 2)
        k.output(words, made.type)[i] = made
    what = ("a linked list", "links to a root", "a cycle of links", "a list")[way]
    k.summary(f"Follows {what} from each node until it ends or a cap is reached.")


def fixed_point(k: Author) -> None:
    """Iterations of a vector or scalar towards a fixed point, until it moves little."""
    c = k.c
    kinds: tuple[Value, ...] = (FLOAT, VEC2, VEC3, DOUBLE)
    V = c.pick(kinds)
    k.name("relax_point|fixed_point|settle|iterate_until|converge")
    start = k.input("start|x0|init", V)
    target = k.input("target|goal|anchor", V)
    i = gate(k, k.tid("i|tid|idx"), start.shape(0))
    x = k.var("x|cur|p", varied(k, start[i], 0, 1))
    goal = k.let("goal1|y|aim", varied(k, target[i], 0, 1))
    scalar = isinstance(V, Scalar)
    T = V if isinstance(V, Scalar) else FLOAT
    move = k.var("move|change|err", number(1.0, T))
    rate = coefficient(k, T, 5, 60)

    def step() -> None:
        pull = k.let("pull|d|step_", (goal - Term(x.e)) * rate)
        nxt = k.let("nxt|x1|new_x", Term(x.e) + pull)
        if c.chance(1, 2):
            nxt = k.let("mid|rel|mix", varied(k, nxt, 1, 1) * number(0.1, T) + nxt * number(0.9, T))
        gap = nxt - Term(x.e)
        move.set(wp.abs(gap) if scalar else wp.length(gap))
        x.set(nxt)

    eps = k.scalar("eps|tol|tolerance", T) if c.chance(1, 2) else number(c.pick((0.001, 0.01)), T)
    counted = c.chance(1, 2)
    turns = until(k, cap(k, 8, 60), lambda: Term(move.e) > eps, step, counted=counted)
    value = k.let("res|fixed|end", varied(k, Term(x.e), 0, 2))
    k.output("out|settled|result", V)[i] = value
    if counted:
        k.output("turns_out|iters_out|steps_out", INT)[i] = turns
    statistic(k, value)
    k.summary(f"Moves each {V.name} towards a target until it moves little.")


def scan_rows(k: Author) -> None:
    """Rows read until something turns up: the first crossing, a budget, a sentinel; nested loops with breaks."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    way = c.below(3)
    k.name(("first_above|first_crossing", "budget_prefix|take_until", "until_sentinel|row_length")[way])
    x = k.input("x|rows|signal", T, 2)
    i = gate(k, k.tid("i|tid|row"), x.shape(0))
    j, acc = k.var("j|at|col", number(0, INT)), k.var("acc|total|run", number(0, T))
    limit = k.scalar("limit|threshold|budget", T)
    skip = c.chance(1, 3)
    with k.while_(j < x.shape(1)):
        v = k.let("v|xij|val", varied(k, x[i, Term(j.e)], 0, 2))
        if skip:
            with k.if_(v < number(c.below(3), T)):
                j += 1
                k.leave("continue")
        if way == 0:
            with k.if_(v > limit):
                k.leave("break")
            acc.set(Term(acc.e) + v)
        elif way == 1:
            acc.set(Term(acc.e) + wp.abs(v))
            with k.if_(acc > limit):
                k.leave("break")
        else:
            with k.if_(v == limit if T is INT else wp.abs(v - limit) < 0.01):
                k.leave("break")
            acc.set(wp.max(Term(acc.e), v))
        j += 1 if c.chance(3, 4) else c.between(2, 3)
    k.output("first|lengths|stop_at", INT)[i] = varied(k, Term(j.e), 0, 1)
    value = k.let("sum_before|best|w", varied(k, Term(acc.e), 0, 2))
    k.output("sums|acc_out|out", T)[i] = value
    statistic(k, value)
    what = ("an element above a limit", "the sum of sizes passes a limit", "an element is the sentinel")[way]
    k.summary(f"Reads each {T.name} row up to where {'there is ' if way == 0 else ''}{what}.")
