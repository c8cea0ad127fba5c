"""Atomics whose old value decides: hash tables, claims, linked lists, bit sets, relaxations, tickets."""

from __future__ import annotations

from ...atomics import exchanged
from ...author import Author
from ...fusion import coefficient, gate, varied
from ...loops import one_type
from ...terms import Term, both, cast, either, number, where, wp
from ...types import DOUBLE, FLOAT, INT, INT64, UINT, UINT64, VEC3, Scalar
from .places import inside


def _hashed(k: Author, key: Term, count: Term) -> Term:
    """Write the home of a whole key in a table."""
    c, way = k.c, k.c.below(3)
    if way == 0:
        h = (key * c.pick((73856093, 19349663, 83492791, 1540483477))) & 2147483647
    elif way == 1:
        mixed = k.let("mixed|h1|m", (key ^ (key >> c.between(5, 16))) * c.pick((73244475, 668265263, 374761393)))
        h = (mixed ^ (mixed >> c.between(8, 16))) & 2147483647
    else:
        h = wp.abs(key * c.pick((31, 131, 65599)) + c.between(1, 99))
    return k.let("h|home|slot0", wp.abs(h) % count)  # type: ignore[no-any-return]


def _insert(k: Author) -> None:
    """Each thread inserts its key into an open-addressing hash table: compare-and-swap along a probe sequence."""
    c = k.c
    k.name("hash_insert|dedup_keys|unique_ids|count_distinct|claim_slot")
    keys = k.input("keys|ids|codes", INT)
    table = k.inout("table|slots|hash_keys", INT)
    i = gate(k, k.tid("i|tid|n"), keys.shape(0))
    key = k.let("key|code|word", varied(k, keys[i], 0, 2))
    empty = number(c.pick((-1, 0, -2147483647)), INT)
    home = _hashed(k, key, table.shape(0))
    found = k.var("found|place|at", number(-1, INT))
    with k.for_("probe|step|t", _probes(k, table.shape(0))) as t:
        jump = t if c.chance(1, 2) else (t * (t + 1)) // 2 if c.chance(1, 2) else t * c.pick((3, 5, 7))
        slot = k.let("slot|s|cell", (home + jump) % table.shape(0))
        old = k.let("old|was|prev", exchanged("cas", table, slot, empty, key))
        with k.if_(either(old == empty, old == key)):
            found.set(slot)
            if c.chance(1, 2):
                with k.if_(old == empty):
                    k.atomic("add", k.output("n_unique|distinct|filled", INT), 0, 1)
            k.leave("break")
    out = k.output("out|slots_of|where_is", INT)
    out[i] = varied(k, found, 0, 2)
    if c.chance(1, 3):
        values, sums = k.input("values|amounts", FLOAT), k.output("sums|totals", FLOAT)
        with k.if_(found >= 0):
            k.atomic("add", sums, found % sums.shape(0), varied(k, values[i], 0, 2))
    k.summary("Inserts whole keys into a hash table by compare-and-swap, and tells each key's slot.")


def _probes(k: Author, count: Term) -> Term:
    if k.c.chance(1, 2):
        return wp.min(count, k.c.pick((32, 64, 128)))
    return wp.clamp(k.scalar("max_probes|limit|tries", INT), 1, count)


def _lookup(k: Author) -> None:
    """Each thread looks its key up in a hash table that is only read, and joins what stands there."""
    c, T = k.c, one_type(k, FLOAT, INT, VEC3)
    k.name("hash_lookup|find_keys|join_tables|probe_table|voxel_lookup")
    keys, table = k.input("keys|queries|codes", INT), k.input("table|slots|hash_keys", INT)
    values, out = k.input("values|payload|data", T), k.output("out|joined|found_values", T)
    i = gate(k, k.tid("i|tid|n"), keys.shape(0))
    key = k.let("key|code|word", varied(k, keys[i], 0, 2))
    slot = k.var("slot|s|cell", _hashed(k, key, table.shape(0)))
    found, tries = k.var("found|place|at", number(-1, INT)), k.var("tries|t|step", number(0, INT))
    limit = _probes(k, table.shape(0))
    with k.while_(both(tries < limit, found < 0)):
        here = k.let("here|stored|have", table[slot])
        with k.if_(here == key):
            found.set(slot)
        if c.chance(1, 2):
            with k.if_(here < 0):
                k.leave("break")
        slot.set((slot + 1) % table.shape(0) if c.chance(1, 2) else (slot + tries + 1) % table.shape(0))
        tries += 1
    e = k.let("e|hit|src", wp.clamp(found, 0, values.shape(0) - 1))
    missing = k.scalar("missing|fallback|none_value", T)
    form = c.below(2)
    if form == 0:
        out[i] = varied(k, where(found < 0, missing, varied(k, values[e], 0, 1)), 0, 2)
    else:
        with k.if_(found >= 0):
            out[i] = varied(k, values[e], 0, 3)
        with k.else_():
            out[i] = varied(k, missing, 0, 1)
    k.summary(f"Looks keys up in a hash table by probing and fetches the {T.name} values that belong to them.")


def _chains(k: Author) -> None:
    """Each thread hooks its element into a linked list by an exchange of heads, or walks such a list."""
    c = k.c
    build = c.chance(1, 2)
    k.name("build_lists|hook_cells|bucket_chains" if build else "walk_lists|chain_sum|follow_links")
    points = k.input("points|positions|x", one_type(k, FLOAT, VEC3))
    i = k.tid("i|tid|n")
    x = k.let("x0|p|own", varied(k, points[i], 0, 2))
    coordinate = x if isinstance(x.type, Scalar) else x[c.below(3)]
    cell_of = cast(wp.clamp(wp.floor(coordinate * coefficient(k, FLOAT, 100, 900)), -1.0e4, 1.0e4), INT)
    if build:
        heads, links = k.inout("heads|first_of|tops", INT), k.output("next|links|following", INT)
        cell = k.let("cell|bucket|b", _hashed(k, cell_of, heads.shape(0)))
        old = k.let("old|below|tail", exchanged("exch", heads, cell, i))
        links[i] = varied(k, old, 0, 1) if c.chance(1, 4) else old
        depth = k.output("depth|sizes|load", INT)
        depth.add_at(cell, 1)
        cells = k.output("cells|cell_of|home", INT)
        cells[i] = varied(k, cell, 0, 2)
        k.summary("Hooks each point into the linked list of its cell by an atomic exchange of the list's head.")
        return
    heads, links = k.input("heads|first_of|tops", INT), k.input("next|links|following", INT)
    cell = k.let("cell|bucket|b", _hashed(k, cell_of, heads.shape(0)))
    node, acc = k.var("node|e|cur", heads[cell]), k.var("acc|total|near", x)
    seen = k.var("seen|n_met|hops", number(0, INT))
    with k.while_(both(node >= 0, seen < c.pick((32, 64, 100, 256)))):
        e = k.let("e0|at|held", wp.min(node, points.shape(0) - 1))
        v = k.let("v|other|q", varied(k, points[e], 0, 2))
        acc.set((wp.max if c.chance(1, 4) else wp.min)(acc, v) if c.chance(1, 2) else acc + v)
        node.set(links[e])
        seen += 1
    out, counts = k.output("out|sums|result", acc.type), k.output("counts|lengths|met", INT)
    out[i] = varied(k, acc, 0, 2)
    counts[i] = varied(k, seen, 0, 2)
    k.summary("Walks the linked list of each point's cell and joins the points it holds.")


def _bits(k: Author) -> None:
    """Each thread sets, clears, toggles bits of a shared bit set; the old word tells who came first."""
    c = k.c
    T = c.pick((INT, UINT))
    kind = c.pick(("or", "and", "xor"))
    k.name({"or": "set_bits|mark_visited|bitmap_insert", "and": "clear_bits|mask_out|bitmap_erase",
            "xor": "toggle_bits|parity_bits|flip_marks"}[kind])  # fmt: skip
    ids = k.input("ids|vertices|codes", INT)
    words = k.inout("words|bitmap|visited", T)
    i = gate(k, k.tid("i|tid|n"), ids.shape(0))
    e = k.let("e|code|v", wp.abs(varied(k, ids[i], 0, 3)) & 65535)
    shift = c.pick((5, 4, 3))
    word = k.let("word|w|at", (e >> shift if c.chance(1, 2) else e // (1 << shift)) % words.shape(0))
    place = e & ((1 << shift) - 1) if c.chance(1, 2) else e % (1 << shift)
    bit = k.let("bit|mask|m", number(1, T) << (cast(place, T) if T is UINT else place))
    mask = ~bit if kind == "and" else bit
    out = k.output("out|fresh|changed", INT)
    if c.chance(1, 3):
        with k.if_((words[word] & bit) == (0 if kind == "and" else bit)):
            k.leave()
    old = k.let("old|was|before", exchanged(kind, words, word, mask))
    test = (old & bit) == number(0, T)
    if c.chance(1, 2):
        with k.if_(test):
            k.atomic("add", k.output("counter|n_new|first_visits", INT), 0, 1)
            out[i] = varied(k, e, 0, 2)
        with k.else_():
            out[i] = varied(k, word, 0, 2) * number(-1, INT)
    else:
        out[i] = varied(k, where(test, number(1, INT), number(0, INT)) + word * c.between(0, 3), 0, 2)
    verb = {"or": "Sets", "and": "Clears", "xor": "Toggles"}[kind]
    k.summary(f"{verb} the bit of each code in a shared bit set of {T.name} words, and tells whether it was clear.")


def _relax(k: Author) -> None:
    """Each thread relaxes an edge: lowers a distance and acts where it got lower; colours, labels, roots."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    kind = c.pick(("min", "max"))
    k.name("relax_edges|propagate_labels|shortest_step|widest_path|hook_roots")
    sources, targets = k.input("sources|edge_from|u_of", INT), k.input("targets|edge_to|v_of", INT)
    lengths = k.input("lengths|costs|weights", T)
    dist = k.inout("dist|labels|best", T)
    i = gate(k, k.tid("i|tid|e"), sources.shape(0))
    u, v = inside(k, sources[i], dist.shape(0), "u|tail|a"), inside(k, targets[i], dist.shape(0), "v|head|b")
    proposal = k.let("proposal|cand|nd", varied(k, dist[u] + varied(k, lengths[i], 0, 2), 0, 2))
    if c.chance(1, 2):
        with k.if_(proposal >= dist[v] if kind == "min" else proposal <= dist[v]):
            k.leave()
    old = k.let("old|was|before", exchanged(kind, dist, v, proposal))
    better = proposal < old if kind == "min" else proposal > old
    changed = k.output("changed|frontier|dirty", INT)
    if c.chance(1, 2):
        queue, tail = k.output("queue|next_nodes|work", INT), k.output("tail_at|n_next|size_out", INT)
        with k.if_(better):
            slot = k.let("slot|place|at", exchanged("add", tail, 0, 1))
            with k.if_(slot < queue.shape(0)):
                queue[slot] = v
            changed[v] = varied(k, u, 0, 1)
    else:
        with k.if_(better):
            changed[v] = varied(k, i, 0, 1)
            if c.chance(1, 2):
                k.atomic("add", k.output("n_changed|rounds|tally", INT), 0, 1)
    verb = "Lowers" if kind == "min" else "Raises"
    k.summary(f"{verb} the {T.name} value of each edge's head by an atomic, and notes where that changed it.")


def _tickets(k: Author) -> None:
    """Each thread draws numbers from counters: bounded queues, per-bucket slots, round-robin, reservations of many."""
    c = k.c
    T = one_type(k, FLOAT, VEC3, INT)
    C = c.pick((INT, INT64, UINT, UINT64)) if c.chance(1, 2) else INT
    k.name("take_ticket|reserve_slots|bucket_append|round_robin|spawn_items")
    x = k.input("x|items|values", T)
    counters = k.inout("counters|cursors|heads_at", C)
    out = k.output("out|queue|pool", T)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    v = k.let("v|item|own", varied(k, x[i], 0, 2))
    bucket = number(0, INT) if c.chance(1, 2) else k.let("bucket|b|lane", i % counters.shape(0))
    count = number(c.between(1, 4), C)
    way = c.below(3)
    ticket = exchanged("sub" if way == 1 else "add", counters, bucket, count)
    old = k.let("ticket|old|first", ticket)
    place = k.let("place|slot|at", cast(old, INT) if C is not INT else old)
    slot = k.let("held|s|where_to", wp.abs(place) % out.shape(0))
    if way == 2:
        with k.for_("n|copy|l", c.between(2, 4)) as n:
            out[(slot + n) % out.shape(0)] = varied(k, v, 0, 2)
    else:
        with k.if_(both(place >= 0, place < out.shape(0))):
            out[slot] = varied(k, v, 0, 2)
    tickets = k.output("tickets|numbers|slots_of", INT)
    tickets[i] = varied(k, place, 0, 2)
    k.summary(f"Draws a number from an atomic {C.name} counter for each {T.name} item and stores the item there.")


FAMILIES = (_insert, _lookup, _chains, _bits, _relax, _tickets)
