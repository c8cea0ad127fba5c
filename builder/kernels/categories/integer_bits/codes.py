"""Packing, saturating arithmetic, counting of bits, checksums, mixed widths."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...terms import Term, cast, number, where, wp
from ...types import INT, INT8, INT16, INT64, INTS, UINT, UINT8, UINT16, UINT64, Scalar
from .hashes import UNSIGNED, odd, width


def packing(k: Author) -> None:
    """Fields packed into words, and words taken apart."""
    c = k.c
    W = c.pick((UINT, UINT64, INT, INT64))
    count = c.between(2, 4)
    step = W.bits // count
    unpack = c.chance(1, 2)
    if unpack:
        k.name("unpack_words|split_fields|extract_bits|decode_words")
        words = k.input("words|packed|codes", W)
        outs = [
            k.output(f"{a}|{b}", INT if c.chance(1, 2) else W)
            for a, b in list(zip("rgbw", "uvst", strict=True))[:count]
        ]
        i = gate(k, k.tid("i|tid|idx"), words.shape(0))
        w = k.let("w|word|code", varied(k, words[i], 0, 2))
        mask = number((1 << c.between(4, step - 1)) - 1, W)
        for n, out in enumerate(outs):
            field = (w >> number(n * step, W)) & mask if n else w & mask
            held = out.type.dtype  # type: ignore[union-attr]
            value = k.let("f|part|chan", varied(k, field, 0, 1))
            out[i] = cast(value, held) if isinstance(held, Scalar) else value
        k.summary(f"Takes {count} fields out of {W.name} words by shifts and masks.")
        return
    k.name("pack_fields|pack_words|combine_bits|encode_fields")
    fields = [k.input(f"{a}|{b}", c.pick((INT, W, UINT8))) for a, b in list(zip("rgbw", "uvst", strict=True))[:count]]
    out = k.output("packed|words|codes", W)
    i = gate(k, k.tid("i|tid|idx"), fields[0].shape(0))
    one = number((1 << c.between(4, step - 1)) - 1, W)
    clip = k.helper("low_bits|clipped|trimmed", {"v|x": W}, lambda s, x: varied(s, x, 0, 1) & one)
    word = k.var("word|code|acc", clip(cast(fields[0][i], W)))
    for n, array in enumerate(fields[1:], 1):
        part = clip(cast(varied(k, array[i], 0, 1), W))
        if c.chance(1, 2):
            word._assign("|", part << number(n * step, W))
        else:
            word.set((Term(word.e) << number(step, W)) + part)
    out[i] = varied(k, Term(word.e), 0, 1)
    k.summary(f"Packs {count} fields into {W.name} words.")


def saturating(k: Author) -> None:
    """Saturating and averaging arithmetic on narrow integers, in the wide type or by comparison."""
    c = k.c
    T = c.pick((UINT8, INT8, INT16, UINT16))
    wide = c.pick((INT, INT64))
    k.name("saturated|sat_arith|clip_bytes|saturate|narrow_result")
    ndim = c.pick((1, 2))
    a, b = k.input("a|left|x", T, ndim), k.input("b|right|y", T, ndim)
    out = k.output("out|dst|result", T, ndim)
    index = k.tid(*("row|i|y0", "col|j|x0")[:ndim])
    low, high = (-(1 << (T.bits - 1)), (1 << (T.bits - 1)) - 1) if T.signed else (0, (1 << T.bits) - 1)

    def clip(s: Scope, x: Term) -> Term:
        if s.c.chance(1, 2):
            return wp.clamp(x, low, high)
        v = s.var("v|r|kept", x)
        with s.if_(Term(v.e) > high):
            v.set(number(high, wide))
        if s.c.chance(2, 3):
            with s.elif_(Term(v.e) < low) if s.c.chance(1, 2) else s.if_(Term(v.e) < low):
                v.set(number(low, wide))
            return Term(v.e)
        return wp.max(Term(v.e), low)

    narrow = k.helper("clip|saturate|to_range", {"x|v|wide": wide}, clip)
    p, q = (k.let(word, cast(arr[index], wide)) for word, arr in (("p|wa|left0", a), ("q|wb|right0", b)))
    way = c.below(5)
    value = (p + q, p - q, wp.abs(p - q), (p + q + 1) >> number(1, wide), (p * q + 127) // number(255, wide))[way]
    result = k.let("r|total|s", narrow(varied(k, value, 1, 3)))
    if c.chance(1, 3):
        limit = k.scalar("limit|floor_|threshold", wide)
        result = where(result > limit, result, narrow(varied(k, p, 1, 2)))
    out[index] = cast(result, T)
    what = ("sum", "difference", "absolute difference", "rounded mean", "scaled product")[way]
    k.summary(f"Takes the {what} of {T.name} elements in {wide.name} and saturates it.")


def _bits_of(k: Author, v: Term, T: Scalar, way: int) -> Term:
    """Return a count of bits made by a loop."""
    c = k.c
    one, zero = number(1, T), number(0, T)
    n = k.var("n|count|c0", number(0, INT))
    rest = k.var("rest|m|left", v & number((1 << (T.bits - 1)) - 1, T))
    test = Term(rest.e) != zero
    if way >= 3:
        test = (Term(rest.e) != zero) if c.chance(1, 2) else Term(rest.e) > zero
    with k.while_(test):
        if way == 2:
            n.set(Term(n.e) + cast(Term(rest.e) & one, INT))
            rest.set(Term(rest.e) >> one)
        elif way == 3:
            rest.set(Term(rest.e) >> number(c.between(1, 2), T))
            n += 1
        else:
            rest.set(Term(rest.e) & (Term(rest.e) - one))
            n += 1 if c.chance(1, 2) else c.between(1, 3)
    return Term(n.e)


def counting(k: Author) -> None:
    """Counts of bits: set, leading, trailing, differing; parity; sets as masks."""
    c = k.c
    T = width(k, *UNSIGNED, INT, INT64)
    way = c.below(5)
    k.name(
        (
            "parity_check|bit_parity",
            "hamming|bits_differing",
            "count_bits|popcount",
            "bit_length|digits",
            "count_set|kernighan",
        )[way]
    )
    a = k.input("a|masks|words", T)
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    x = varied(k, a[i], 0, 2)
    if way == 1:
        b = k.input("b|others|codes", T)
        x = x ^ varied(k, b[i], 0, 1)
    v = k.let("v|x0|w", x)
    count = wp.bit_count(v) if way < 2 and c.chance(1, 2) else _bits_of(k, v, T, way)
    total = k.let("total|bits|found", varied(k, count, 0, 2))
    if c.chance(1, 3):
        hist = k.output("hist|bins|counts", INT)
        k.atomic("add", hist, wp.abs(total) % hist.shape(0), 1 if c.chance(1, 2) else total)
    else:
        k.output("out|counts|result", INT)[i] = total & 1 if way == 0 and c.chance(1, 2) else varied(k, total, 0, 2)
    what = ("the set bits", "the differing bits", "the set bits", "the digits", "the set bits")[way]
    k.summary(f"Counts {what} of {T.name} words.")


def _eat(s: Scope, crc: Term, byte: Term, T: Scalar, way: int) -> Term:
    """Return a checksum after one more byte."""
    poly = {32: 0xEDB88320, 16: 0xA001, 64: 0xC96C5795D7870F42}[T.bits]
    h = s.var("h|r|acc", crc ^ byte if way == 0 else crc + byte)
    if way == 0:
        with s.for_("b|bit|n", 8):
            low = Term(h.e) & number(1, T)
            moved = Term(h.e) >> number(1, T)
            if s.c.chance(1, 2):
                h.set(where(low == number(1, T), moved ^ number(poly, T), moved))
            else:
                h.set(moved ^ (number(poly, T) * low))
    elif way == 1:
        h.set(Term(h.e) % number(255 if T is UINT16 else 65521, T))
    else:
        h.set(Term(h.e) * odd(s, T) + number(s.c.between(1, 99), T))
    return varied(s, Term(h.e), 0, 1)  # type: ignore[no-any-return]


def checksum(k: Author) -> None:
    """Checksums of rows of bytes: CRC, Fletcher, Adler, parity, linear congruences."""
    c = k.c
    T = c.pick((UINT, UINT16, UINT64))
    data = k.input("data|bytes_in|rows", c.pick((UINT8, UINT8, T)), 2)
    out = k.output("out|sums|crc", T)
    i = gate(k, k.tid("i|tid|row"), data.shape(0))
    way = c.below(3)
    k.name(("crc_rows|row_crc|crc_update", "fletcher|adler|two_sums", "row_digest|checksum|lcg_rows")[way])

    def eat(s: Scope, crc: Term, byte: Term) -> Term:
        return _eat(s, crc, byte, T, way)

    update = k.helper("eat|feed|update_one", {"crc|state|a": T, "byte|x|v": T}, eat)
    crc = k.var("crc|sum1|state0", number(c.pick((1, 0xFFFF, 7)), T))
    second = k.var("sum2|hi_sum|chk", number(0, T)) if way == 1 else None
    with k.for_("j|col|n", data.shape(1)) as j:
        v = k.let("v|byte0|x0", cast(varied(k, data[i, j], 0, 1), T))
        if c.chance(1, 4):
            with k.if_(v == number(c.between(0, 10), T)):
                k.leave("continue")
        crc.set(update(Term(crc.e), v))
        if second is not None:
            second.set((Term(second.e) + Term(crc.e)) % number(255 if T is UINT16 else 65521, T))
    final = Term(crc.e) if second is None else (Term(second.e) << number(T.bits // 2, T)) | Term(crc.e)
    out[i] = ~final if c.chance(1, 3) else varied(k, final, 0, 2)
    k.summary(f"Computes a {('CRC', 'Fletcher', 'congruential')[way]} checksum of {T.name} for each row.")


def widths(k: Author) -> None:
    """Values that go through integers of several widths: wrap-around, sign extension, products in the wide type."""
    c = k.c
    first = c.pick(INTS)
    path = [first, *(c.pick([t for t in INTS if t is not first]) for _ in range(c.between(1, 3)))]
    k.name("convert_width|widen_narrow|wrap_around|sign_extend|mixed_width")
    x = k.input("x|src|codes", first)
    out = k.output("out|dst|result", path[-1])
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    value = x[i]
    for T in path:
        value = k.let("v|w|t|u|s", varied(k, cast(value, T), 1, 2))
        if c.chance(1, 3):
            value = k.let("m|p|q|g", value * odd(k, T) if not T.signed else (value & number(63, T)) * value)
        if c.chance(1, 4):
            other = k.scalar("n|k0|key", T)
            value = where(value < other, value + other, value - other)
    if c.chance(1, 3):
        value = where(value == number(c.below(9), path[-1]), number(c.between(1, 100), path[-1]), value)
    out[i] = value
    if path[-1].bits >= 32:
        statistic(k, value)
    names = " to ".join(dict.fromkeys(T.name for T in path))
    k.summary(f"Takes integers through the types {names} with arithmetic in each.")
