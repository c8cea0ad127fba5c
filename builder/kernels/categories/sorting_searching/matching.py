"""Patterns in texts of codes, and runs of equal neighbours."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import gate, varied
from ...fusion.cells import local, settled
from ...fusion.sweeps import TermOf, sweep
from ...terms import Like, Term, both, either, no, number, where, wp
from ...types import FLOAT, INT, UINT, Scalar
from .sorting import figure, key_of


def pattern(k: Author) -> None:
    """A pattern sought at each place of a text of codes: exact, with wildcards, few mismatches, by rolling hash."""
    c = k.c
    kind = c.pick(("exact", "wildcard", "hamming", "rolling_hash", "classes", "anagram"))
    k.name(f"match_{kind}|{kind}_match|find_pattern|{kind}_search|grep_codes")
    rows = c.chance(1, 3)
    tid = k.tid("doc|row|b", "i|start|pos") if rows else k.tid("i|start|pos|tid")
    i = tid[1] if rows else tid
    text, pat = k.input("text|codes|seq", INT, 2 if rows else 1), k.input("pattern|needle|motif", INT)
    n, m = local(k, "n|length|n_text", text.shape(1 if rows else 0)), k.scalar("m|m_len|width", INT)
    m = local(k, "m1|used|span", wp.clamp(m, 1, pat.shape(0)))
    with k.if_(i + m > n if c.chance(1, 2) else i > n - m):
        k.leave()
    fold = key_of(k, INT)

    def char(j: Term) -> Term:
        raw = text[tid[0], i + j] if rows else text[i + j]
        return fold(raw)

    score = _compared(k, kind, char, pat, m)
    limit = k.scalar("max_miss|tolerance|limit", INT) if kind in ("hamming", "anagram") else number(0, INT)
    hit = local(k, "hit|ok|found", score <= limit)
    place = (tid[0], i) if rows else (i,)
    if c.chance(2, 3):
        out = k.output("hits|match_out|flags", INT, 2 if rows else 1)
        out[place] = where(hit, number(1, INT), number(0, INT)) if c.chance(1, 2) else varied(k, score, 0, 2)
    figure(k, place, score, 2 if rows else 1)
    with k.if_(hit):
        k.output("n_hits|count_out|total_hits", INT).add_at(tid[0] if rows else number(0, INT), 1)
        if c.chance(1, 2):
            k.atomic("min", k.output("first_hit|earliest|first_at", INT), tid[0] if rows else 0, i)
    words = {"rolling_hash": "by a rolling hash", "exact": "exactly", "anagram": "up to order, by sums"}
    how = words.get(kind, f"by {kind} comparison")
    k.summary(f"Compares a pattern with the text of {fold.words}codes at each place {how} and counts the hits.")


def _compared(k: Author, kind: str, char: TermOf, pat: Arr, m: Term) -> Term:
    """Return a number of mismatches, or 0 where the hash or the sums agree."""
    c = k.c
    if kind == "rolling_hash":
        base = c.pick((31, 257, 131))
        a, b = k.var("h_text|ha|hash_a", number(0, INT)), k.var("h_pat|hb|hash_b", number(0, INT))
        prime = number(c.pick((1009, 8191, 65521)), INT)
        with sweep(k, m, "j|p|q", ordered=True) as j:
            a.set((a * base + char(j)) % prime)
            b.set((b * base + pat[j]) % prime)
        return wp.abs(a - b)
    if kind == "anagram":
        a, b = k.var("sum_text|sa|acc_a", number(0, INT)), k.var("sum_pat|sb|acc_b", number(0, INT))
        with sweep(k, m, "j|p|q") as j:
            a += char(j) if c.chance(1, 2) else (char(j) & 31)
            b += pat[j]
        return wp.abs(a - b)
    miss = k.var("miss|wrong_n|bad", number(0, INT))
    mask = c.pick((7, 15, 31))
    early = kind != "hamming" and c.chance(1, 2)
    with k.for_("j|p|q", m) as j:
        want = local(k, "want|pc|code_p", pat[j])
        differ = (char(j) & mask) != (want & mask) if kind == "classes" else char(j) != want
        if kind == "wildcard":
            differ = both(want >= 0, differ) if c.chance(1, 2) else both(want != 0, differ)
        with k.if_(differ):
            miss += 1
            if early:
                k.leave("break")
    return Term(miss.e)


_RUNS = {
    "heads": "Marks where runs begin",
    "lengths": "Measures the run that begins at each head",
    "compact": "Packs the kept elements to given places",
    "decode": "Expands run lengths to elements",
}


def runs(k: Author) -> None:
    """Runs of equal (or similar) neighbours: heads, lengths, compaction by given positions, decoding."""
    c = k.c
    T = c.pick((INT, FLOAT, UINT))
    kind = c.pick(("heads", "lengths", "compact", "decode", "row_encode"))
    k.name(f"run_{kind}|rle_{kind}|{kind}_of_runs|run_length_{kind}")
    if kind == "row_encode":
        _row_encode(k, T)
        return
    i = k.tid("i|tid|pos|item")
    x = k.input("x|values|codes", T)
    i = gate(k, i, x.shape(0))
    order = key_of(k, T)

    def key(p: Like) -> Term:
        return order(x[p])

    mine = local(k, "mine|v|cur", key(i))
    if kind == "decode":
        _decode(k, i, x, T)
    elif kind == "compact":
        keep = mine > number(c.between(0, 5), T) if c.chance(1, 2) else mine != key(wp.max(i - 1, 0))
        places = k.input("places|scanned|slots", INT)
        with k.if_(either(keep, i == 0) if c.chance(1, 2) else keep):
            out = k.output("packed|kept_out|dense", T)
            slot = local(k, "slot|to|dst", wp.clamp(places[i], 0, out.shape(0) - 1))
            out[slot] = varied(k, x[i], 0, 2)
            k.output("sources|from_idx|origin", INT)[slot] = i
            figure(k, slot, slot - i)
    else:
        head = either(i == 0, mine != key(wp.max(i - 1, 0)))
        head = local(k, "head|begins|is_start", head)
        if kind == "heads":
            k.output("heads|flags|starts", INT)[i] = where(head, number(1, INT), number(0, INT))
            with k.if_(head):
                k.output("n_runs|run_count|total_runs", INT).add_at(0, 1)
                figure(k, i, i)
        else:
            _length(k, i, x.shape(0), key, mine, head)
    k.summary(f"{_RUNS[kind]} in an array of {T.name} values.")


def _length(k: Author, i: Term, n: Term, key: TermOf, mine: Term, head: Term) -> None:
    with k.if_(no(head)):
        k.leave()
    end = k.var("end|stop|j", i + 1)
    if k.c.chance(1, 2):
        with k.while_(end < n):
            with k.if_(key(Term(end.e)) != mine):
                k.leave("break")
            end += 1
    else:
        with k.while_(both(end < n, key(wp.min(end, n - 1)) == mine)):
            end += 1
    value = settled(k, end - i, 0, 2)
    k.output("lengths|run_len|sizes", INT)[i] = value
    k.atomic("max", k.output("longest|max_run|peak_len", INT), 0, end - i)


def _decode(k: Author, i: Term, x: Arr, T: Scalar) -> None:
    ends = k.input("ends|cum_lengths|offsets", INT)
    low, high = k.var("lo|low|first", number(0, INT)), k.var("hi|high|last", wp.min(ends.shape(0), x.shape(0)) - 1)
    with k.while_(low < high):
        mid = local(k, "mid|m|probe", (low + high) // 2)
        with k.if_(ends[mid] <= i):
            low.set(mid + 1)
        with k.else_():
            high.set(mid)
    k.output("decoded|out|expanded", T)[i] = varied(k, x[low], 0, 2)
    k.output("run_of|owner|source", INT)[i] = low
    figure(k, i, Term(low.e))


def _row_encode(k: Author, T: Scalar) -> None:
    c = k.c
    r = k.tid("r|row|line|b0")
    x = k.input("x|rows_in|codes", T, 2)
    values, lengths = k.output("values_out|symbols|run_vals", T, 2), k.output("lengths|counts_out|run_lens", INT, 2)
    n = local(k, "n|cols|width", x.shape(1))
    w, size = k.var("w|n_runs|fill", number(0, INT)), k.var("size|len_run|current", number(0, INT))
    limit = number(c.pick((255, 127, 15)), INT) if c.chance(1, 2) else None
    with sweep(k, n, "j|col|p", ordered=True) as j:
        size += 1
        last = either(j == n - 1, x[r, wp.min(j + 1, n - 1)] != x[r, j])
        last = last if limit is None else either(last, size >= limit)
        with k.if_(last):
            values[r, w] = varied(k, x[r, j], 0, 2)
            lengths[r, w] = varied(k, Term(size.e), 0, 1)
            w += 1
            size.set(number(0, INT))
    k.output("run_counts|n_out|row_runs", INT)[r] = w
    figure(k, r, Term(w.e))
    k.summary(f"Run-length encodes each row of {T.name} values.")
