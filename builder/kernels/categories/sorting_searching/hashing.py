"""Hash tables and sketches."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import varied
from ...fusion.cells import Cells, local
from ...fusion.sweeps import TermOf
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT, UINT


def _mix(s: Scope, v: Term) -> Term:
    """Scramble 32 bits: multiplicative, xor-shift, or in the way of MurmurHash3's finaliser."""
    way = s.c.below(4)
    first, second = s.c.pick((2654435761, 2246822519, 3266489917)), s.c.pick((668265263, 374761393, 3432918353))
    h = s.var("h|hv|bits", v * number(first, UINT) if way != 1 else v)
    if way == 0:
        return h ^ (h >> number(15, UINT))
    if way == 1:
        h ^= h << number(13, UINT)
        h ^= h >> number(17, UINT)
        h ^= h << number(5, UINT)
        return Term(h.e)
    h ^= h >> number(16, UINT)
    h *= number(second, UINT)
    return h ^ (h >> number(13, UINT)) if way == 2 else h + (h >> number(7, UINT))


def hashing(k: Author) -> None:
    """Hash tables and sketches: look-up by probing, count-min, distinct counts, min-hash, bucket counts."""
    c = k.c
    kind = c.pick(("lookup", "count_min", "distinct", "min_hash", "buckets", "bloom"))
    k.name(f"hash_{kind}|{kind}_update|{kind}_kernel|hashed_{kind}")
    cells = Cells(k, 2)
    keys = cells.input("keys_in|items|ids", c.pick((INT, UINT)))
    key = local(k, "key|item|x", varied(k, keys[cells.place], 0, 1))
    mix = k.function("mix|hash_u32|scramble", {"x|v|key": UINT}, _mix)
    salt = number(c.between(1, 9999), UINT) if c.chance(1, 2) else cast(k.scalar("salt|seed|nonce", INT), UINT)
    h = local(k, "h|code|hashed", mix(cast(key, UINT) ^ salt))
    _HASHES[kind](k, cells, key, h, mix)
    names = {
        "lookup": "Looks up each key in an open-addressing table", "count_min": "Adds each key to a count-min sketch",
        "distinct": "Updates the registers of a distinct-count sketch with each key",
        "min_hash": "Lowers the min-hash signature of each key's group", "buckets": "Counts keys by hash bucket",
        "bloom": "Tests each key against a Bloom filter",
    }  # fmt: skip
    k.summary(f"{names[kind]}.")


def _lookup(k: Author, cells: Cells, key: Term, h: Term, _: TermOf) -> None:
    c = k.c
    table, V = k.input("slots|table_keys|occupied", key.type), c.pick((INT, FLOAT))
    values = k.input("slot_values|table_vals|payload", V)
    size = local(k, "size|capacity|n_slots", table.shape(0))
    slot = k.var("slot|probe|at", cast(h >> number(1, UINT), INT) % size)
    found = k.var("found|where_at|hit_slot", number(-1, INT))
    turns = (
        number(c.pick((20, 32, 64)), INT) if c.chance(1, 2) else wp.min(size, k.scalar("max_probe|limit|reach", INT))
    )
    with k.for_("n|tries|step_i", turns) as n:
        with k.if_(table[slot] == key):
            found.set(slot)
            k.leave("break")
        if c.chance(1, 2):
            with k.if_(table[slot] == number(0, key.type)):  # type: ignore[arg-type]
                k.leave("break")
        slot.set((slot + (n + 1 if c.chance(1, 3) else number(1, INT))) % size)
    cells.output("found_at|slot_out|places", INT)[cells.place] = found
    if c.chance(2, 3):
        got = values[wp.max(found, 0)]
        out = cells.output("values_out|got|looked_up", V)
        out[cells.place] = varied(k, where(found >= 0, got, number(0, V)), 0, 2)
    else:
        with k.if_(found >= 0):
            k.atomic("add", k.output("used|hit_sums|weights_hit", V), 0, values[wp.max(found, 0)])


def _count_min(k: Author, cells: Cells, key: Term, h: Term, mix: TermOf) -> None:
    c = k.c
    sketch = k.output("sketch|counters|cm_table", INT, 2)
    amount = cells.input("amounts|weights_in|freq", INT)[cells.place] if c.chance(1, 2) else number(1, INT)
    with k.for_(
        "d|row|depth", sketch.shape(0) if c.chance(1, 2) else wp.min(number(c.between(17, 20), INT), sketch.shape(0))
    ) as d:
        code = mix(h + cast(d, UINT) * number(c.pick((40503, 2654435761)), UINT))
        col = local(k, "col|cell|slot", cast(code >> number(1, UINT), INT) % sketch.shape(1))
        sketch.add_at((d, col), amount) if c.chance(1, 2) else k.atomic("add", sketch, (d, col), amount)
    if c.chance(1, 2):
        cells.output("codes_out|hash_out|tags", INT)[cells.place] = varied(k, cast(h >> number(1, UINT), INT), 0, 2)


def _distinct(k: Author, cells: Cells, key: Term, h: Term, _: TermOf) -> None:
    c = k.c
    registers = k.output("registers|sketch|hll", INT)
    bits = c.between(3, 6)
    place = cast(h >> number(32 - bits, UINT), INT) % registers.shape(0)
    rest = k.var("rest|tail|left", (h << number(bits, UINT)) | number(1, UINT))
    zeros = k.var("zeros|rho|lead", number(1, INT))
    with k.while_((rest & number(2147483648, UINT)) == number(0, UINT)):
        rest.set(rest << number(1, UINT))
        zeros += 1
    value = varied(k, Term(zeros.e), 0, 2)
    k.atomic("max", registers, place, value)
    if c.chance(1, 2):
        cells.output("rho_out|ranks|leads", INT)[cells.place] = zeros


def _min_hash(k: Author, cells: Cells, key: Term, h: Term, mix: TermOf) -> None:
    c = k.c
    groups = cells.input("groups|sets|owner", INT)
    signature = k.output("signature|minima|sig", INT, 2)
    g = local(k, "g|set_id|grp", wp.clamp(groups[cells.place], 0, signature.shape(0) - 1))
    with k.for_("s|perm|col", signature.shape(1)) as s:
        code = mix(h ^ (cast(s, UINT) * number(c.pick((40503, 2654435761)), UINT)))
        value = local(k, "code_s|cand|val", cast(code >> number(c.pick((1, 8, 16)), UINT), INT))
        k.atomic("min", signature, (g, s), varied(k, value, 0, 1))


def _buckets(k: Author, cells: Cells, key: Term, h: Term, _: TermOf) -> None:
    c = k.c
    counts = k.output("bucket_counts|loads|sizes", INT)
    place = local(k, "place|bucket|slot", cast(h >> number(1, UINT), INT) % counts.shape(0))
    if c.chance(1, 2):
        weight = cells.input("weights|mass|amounts", FLOAT)[cells.place]
        k.atomic(
            c.pick(("add", "max", "min")), k.output("bucket_mass|best|folded", FLOAT), place, varied(k, weight, 0, 3)
        )
    counts.add_at(place, 1)
    cells.output("bucket_of|slots|labels", INT)[cells.place] = varied(k, place, 0, 1)


def _bloom(k: Author, cells: Cells, key: Term, h: Term, mix: TermOf) -> None:
    c = k.c
    words = k.input("words|filter_bits|bitmap", UINT)
    present = k.var("present|inside|all_set", number(1, INT))
    with k.for_("n|probe|turn", number(c.pick((2, 3, 4, 17, 20)), INT)) as n:
        code = local(k, "code|bit_code|hn", mix(h + cast(n, UINT) * number(c.pick((40503, 2246822519)), UINT)))
        word = words[cast(code >> number(6, UINT), INT) % words.shape(0)]
        with k.if_(((word >> (code & number(31, UINT))) & number(1, UINT)) == number(0, UINT)):
            present.set(number(0, INT))
            if c.chance(1, 2):
                k.leave("break")
    cells.output("maybe|member|flags_out", INT)[cells.place] = varied(k, Term(present.e), 0, 2)
    if c.chance(1, 2):
        k.output("n_maybe|hits|kept_n", INT).add_at(0, Term(present.e))


_HASHES = {
    "lookup": _lookup, "count_min": _count_min, "distinct": _distinct, "min_hash": _min_hash, "buckets": _buckets,
    "bloom": _bloom,
}  # fmt: skip
