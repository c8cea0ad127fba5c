"""Hashes, Morton codes, Gray codes and bit reversal."""

from __future__ import annotations

from ...author import Author, Scope, Var
from ...fusion import gate, varied
from ...terms import Term, cast, number, wp
from ...types import INT, INTS, UINT, UINT8, UINT16, UINT64, Scalar

UNSIGNED = (UINT, UINT64, UINT16, UINT8)


def width(k: Author, *types: Scalar) -> Scalar:
    return k.c.pick(types or INTS)


def odd(k: Scope, T: Scalar) -> Term:
    """Return an odd multiplier that fits the type."""
    c = k.c
    known = {
        32: (0x85EBCA6B, 0xC2B2AE35, 0x9E3779B1, 0x01000193, 0x27D4EB2F, 0x165667B1, 747796405),
        64: (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 0x100000001B3, 6364136223846793005),
    }.get(T.bits, (29, 37, 101, 73, 51))
    value = c.pick(known)
    return k.constant("PRIME|MULT|MAGIC|FACTOR", value, T) if c.chance(1, 3) else number(value, T)


def _xorshift(k: Scope, h: Var, T: Scalar) -> None:
    """Emit ``h ^= h >> n`` (or to the left)."""
    n = number(k.c.between(1, max(2, T.bits // 2)), T)
    moved = Term(h.e) >> n if k.c.chance(2, 3) else Term(h.e) << n
    if k.c.chance(1, 2):
        h._assign("^", moved)
    else:
        h.set(Term(h.e) ^ moved)


def _rounds(k: Scope, h: Var, T: Scalar, count: int) -> None:
    """Emit steps of an integer hash: shifts, odd factors, additions, rotations."""
    c = k.c
    for _ in range(count):
        way = c.below(5)
        if way == 0:
            _xorshift(k, h, T)
        elif way == 1:
            h *= odd(k, T)
        elif way == 2:
            h += odd(k, T)
        elif way == 3:
            n = c.between(1, T.bits - 1)
            h.set((Term(h.e) << n) | (Term(h.e) >> (T.bits - n)))
        else:
            h.set((Term(h.e) ^ c.between(1, 61)) + (Term(h.e) << c.between(1, T.bits // 2)))


def hashes(k: Author) -> None:
    """Mixes of keys: Murmur, FNV, PCG and xorshift in their many variants."""
    c = k.c
    T = width(k, UINT, UINT64, UINT, UINT16)
    k.name("hash_keys|mix_bits|scramble|finalize|fingerprint|hash_cells")
    ndim = c.pick((1, 1, 2))
    keys = k.input("keys|ids|cells|words", T, ndim)
    stored = c.pick((T, INT))
    out = k.output("out|hashes|digest", stored)
    i = gate(k, k.tid("i|tid|idx"), keys.shape(0))
    length = c.between(1, 4)

    def mix(s: Scope, x: Term) -> Term:
        h = s.var("h|x1|state", x)
        _rounds(s, h, T, length)
        return Term(h.e)

    mixed = k.helper("mix|fmix|avalanche|scrambled", {"x|key|v": T}, mix)
    if ndim == 2:
        h = k.var("h|acc|hash_", number(c.pick((2166136261, 5381, 17)) % (1 << T.bits), T))
        with k.for_("j|n|b", keys.shape(1)) as j:
            if c.chance(1, 2):
                h._assign("^", varied(k, keys[i, j], 0, 1))
                h *= odd(k, T)
            else:
                h.set((Term(h.e) * number(c.pick((31, 33, 131)), T)) + varied(k, keys[i, j], 0, 1))
            if c.chance(1, 3):
                _xorshift(k, h, T)
        value = mixed(Term(h.e))
    else:
        seeded = keys[i] ^ k.scalar("seed|salt|key0", T) if c.chance(1, 2) else keys[i] + cast(i, T)
        value = mixed(varied(k, seeded, 0, 1))
    found = k.let("value|r|hv", varied(k, value, 0, 1))
    buckets = stored is INT
    out[i] = cast(found % number(c.pick((64, 101, 128, 97)), T), INT) if buckets else found
    k.summary(f"Hashes {T.name} keys{' to buckets' if buckets else ''} by shifts, factors and rotations.")


def _spread(k: Scope, x: Term, T: Scalar, ways: int) -> Term:
    """Return the bits of ``x`` with gaps between them, by shifts and masks."""
    steps2 = ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))
    steps3 = ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249))
    v = k.var("v|b|spread", x & number(0xFFFF if ways == 2 else 0x3FF, T))
    swapped = k.c.chance(1, 2)
    for shift, mask in steps2 if ways == 2 else steps3:
        moved = (Term(v.e) << number(shift, T)) if swapped else Term(v.e) * number((1 << shift), T)
        both = Term(v.e) | moved if k.c.chance(1, 2) else Term(v.e) ^ moved
        v.set(both & number(mask, T))
    return Term(v.e)


def morton(k: Author) -> None:
    """Morton codes of cells or points: interleaved bits, forwards."""
    c = k.c
    T, ways = c.pick((UINT, UINT64)), c.pick((3, 2))
    k.name("morton_codes|z_order|interleave|encode_cells|space_filling")
    looped = c.chance(1, 2)
    coords = [k.input(word, T) for word in ("xs|cx|ix", "ys|cy|iy", "zs|cz|iz")[:ways]]
    codes = k.output("codes|keys|order", T)
    i = gate(k, k.tid("i|tid|idx"), coords[0].shape(0))
    if looped:
        words = ("x0|px", "y0|py", "z0|pz")
        values = [k.let(word, varied(k, a[i], 0, 1)) for word, a in zip(words, coords, strict=False)]
        code = k.var("code|key|z_code", number(0, T))
        with k.for_("bit|b|n", k.scalar("bits|levels|depth", INT) if c.chance(1, 2) else c.between(8, 10)) as bit:
            shift = k.let("at|sh|pos", cast(bit, T))
            for n, value in enumerate(values):
                one = (value >> shift) & number(1, T)
                code._assign("|", one << (shift * number(ways, T) + number(n, T)))
        result = Term(code.e)
    else:
        spread = k.helper("spread|part_bits|expand", {"x|n|u": T}, lambda s, x: _spread(s, x, T, ways))
        words = ("sx|mx", "sy|my", "sz|mz")
        parts = [k.let(word, spread(varied(k, a[i], 0, 1))) for word, a in zip(words, coords, strict=False)]
        result = parts[0]
        for n, part in enumerate(parts[1:], 1):
            result = result | (part << number(n, T)) if c.chance(2, 3) else result + (part << number(n, T))
    codes[i] = varied(k, result, 0, 2)
    k.summary(f"Interleaves the bits of {ways} coordinates into Morton codes of {T.name}.")


def _recoded(s: Scope, x: Term, T: Scalar, way: int) -> Term:
    """Return a word with its bits reversed, Gray-coded, decoded or rotated."""
    c = s.c
    if way == 1:
        n = number(1, T)
        return x ^ (x >> n)
    if way == 2:
        g = s.var("g|v|acc", x)
        bits = T.bits
        if c.chance(1, 2):
            with s.for_("b|n|it", bits - 1 if c.chance(1, 2) else wp.bit_count(x)):
                g.set(x ^ (Term(g.e) >> number(1, T)))
        else:
            shift = bits // 2
            while shift:
                g._assign("^", Term(g.e) >> number(shift, T))
                shift //= 2
        return Term(g.e)
    if way == 3:
        n = s.let("n|amount|turn", x % number(T.bits - 2, T) + number(1, T))
        return Term(((x << n) | (x >> (number(T.bits, T) - n))).e)
    return _reversed(s, x, T)


def reverse(k: Author) -> None:
    """Bit reversal, Gray codes, byte swaps, rotations."""
    c = k.c
    T = width(k, *UNSIGNED)
    way = c.below(4)
    word = ("bit_reverse|reverse_bits|flip_bits", "gray_code|to_gray|encode_gray", "from_gray|decode_gray|gray_decode",
            "rotate_bits|rotl|rotr_words")[way]  # fmt: skip
    k.name(word)
    words = k.input("words|x|codes|src", T)
    out = k.output("out|dst|result", T)
    i = gate(k, k.tid("i|tid|idx"), words.shape(0))

    f = k.helper("convert|coded|turned|swapped", {"x|v|w": T}, lambda s, x: _recoded(s, x, T, way))
    result = k.let("r|value|y", f(varied(k, words[i], 0, 2)))
    if c.chance(1, 3):
        with k.if_((result & number(1, T)) == number(0, T)):
            out[i] = varied(k, result, 1, 2)
        with k.else_():
            out[i] = f(result) if c.chance(1, 2) else ~result
    else:
        out[i] = varied(k, result, 0, 2)
    what = ("Reverses the bits", "Takes the Gray codes", "Decodes Gray codes", "Rotates the bits")[way]
    k.summary(f"{what} of {T.name} words.")


def _reversed(s: Scope, x: Term, T: Scalar) -> Term:
    if s.c.chance(1, 2):
        r, v = s.var("r|rev|acc", number(0, T)), s.var("v|rest|left", x)
        with s.for_("b|n|bit", T.bits):
            r.set((Term(r.e) << number(1, T)) | (Term(v.e) & number(1, T)))
            v.set(Term(v.e) >> number(1, T))
        return Term(r.e)
    v = s.var("v|w|rev", x)
    full = (1 << T.bits) - 1
    for shift, byte in ((1, 0x55), (2, 0x33), (4, 0x0F))[: s.c.between(2, 3)]:
        mask = number(int.from_bytes(bytes([byte]) * (T.bits // 8), "little") & full, T)
        n = number(shift, T)
        v.set(((Term(v.e) >> n) & mask) | ((Term(v.e) & mask) << n))
    return Term(v.e)
