"""The keys by which kernel sources are compared: skeleton, exact digest, shingles, LSH bands.

Near-duplicates are found by MinHash (Broder 1997) with banding (Leskovec, Rajaraman and Ullman, *Mining of
Massive Datasets*, section 3.4); signatures come from ``rensa``. Why so: ``design/0003-near-duplicates.md``.
"""

from __future__ import annotations

import ast
import hashlib
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rensa import RMinHash

from ..errors import CodegenRejection
from ..record import Reason
from .syntax import LAYOUT, Walk

U32 = npt.NDArray[np.uint32]

GRAM = 5
# A pair with Jaccard J shares no band with probability (1 - J**ROWS)**BANDS: 8e-5 at 0.75, 5e-7 at 0.8.
BANDS, ROWS = 48, 6
_SEED = 1
_PRIME = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd: Fibonacci hashing
_MIX = np.uint64(0xBF58476D1CE4E5B9)  # splitmix64's first multiplier
_HALF = np.uint64(32)
_BAND_SALTS = np.arange(1, BANDS + 1, dtype=np.uint64) * _PRIME


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """What of a kernel source decides whether it is kept.

    Attributes:
        skeleton: 16 hex digits; own names replaced by their order of appearance, numeric literals (and their
            signs) blanked.
        exact: 16 hex digits; own names replaced, literals kept.
        shingles: sorted distinct hashes of 5 consecutive code tokens, shape (n,), n >= 1, uint32.
        bands: one hash per LSH band, shape (:data:`BANDS`,), uint32; equal in a place means equal band.
    """

    skeleton: str
    exact: str
    shingles: U32
    bands: U32


class _TokenHashes(dict[str, int]):
    """CRC-32 of each token; remembers a bounded number of them."""

    def __missing__(self, token: str) -> int:
        value = zlib.crc32(token.encode())
        if len(self) < 1 << 16:
            self[token] = value
        return value


_hashes = _TokenHashes()


def analyse(source: str, tree: ast.Module | None = None) -> Keys:
    """Return the keys of a kernel source.

    Args:
        source: Python text of the kernel source.
        tree: ``ast.parse(source)`` where the caller has it already; not changed.

    Raises:
        CodegenRejection: the source does not parse, or nests too deeply.
    """
    try:
        walk = Walk(ast.parse(source) if tree is None else tree)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CodegenRejection(Reason.SOURCE_ERROR.value, f"{type(error).__name__}: {error}") from error
    skeleton = _blank(walk)
    shingles = shingle_hashes(code_tokens(skeleton))
    return Keys(_digest(skeleton), _digest(walk.tokens), shingles, band_hashes(shingles))


def _blank(walk: Walk) -> list[str]:
    tokens = list(walk.tokens)
    for place in walk.numbers:
        tokens[place] = "#"
    for place in walk.signs:
        tokens[place] = ""
    return [token for token in tokens if token]


def code_tokens(skeleton: list[str]) -> list[str]:
    """Return the tokens that near-duplicates are judged by: a skeleton's, all own names alike, no layout."""
    return ["$" if token[0] == "$" else token for token in skeleton if token not in LAYOUT]


def _digest(tokens: list[str]) -> str:
    # No token holds a NUL: Python refuses it in names, and literals are written escaped.
    return hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shingle_hashes(tokens: list[str]) -> U32:
    """Return the sorted distinct hashes of all runs of :data:`GRAM` tokens; a shorter list is one run."""
    hashes = np.array([_hashes[token] for token in tokens], dtype=np.uint64)
    if len(hashes) < GRAM:
        hashes = np.pad(hashes, (0, GRAM - len(hashes)))
    count = len(hashes) - GRAM + 1
    grams = hashes[:count].copy()
    for offset in range(1, GRAM):
        grams *= _PRIME
        grams += hashes[offset : offset + count]
    grams ^= grams >> _HALF
    grams *= _MIX
    found: U32 = (grams >> _HALF).astype(np.uint32)
    found.sort()  # and not np.unique, which takes three times as long for so few
    distinct: U32 = found[np.append(found[1:] != found[:-1], True)]
    return distinct


def band_hashes(shingles: U32) -> U32:
    """Return one hash per band of the MinHash signature of a set of shingles, shape (:data:`BANDS`,)."""
    matrix = RMinHash.digest_matrix_from_flat_token_hashes(
        shingles.astype(np.uint64), np.array([0, len(shingles)], dtype=np.uint64), BANDS * ROWS, _SEED
    )
    digest = np.array(matrix.to_rows()[0], dtype=np.uint64).reshape(BANDS, ROWS)
    bands = _BAND_SALTS
    for row in range(ROWS):
        bands = (bands ^ digest[:, row]) * _MIX
        bands ^= bands >> _HALF
    result: U32 = bands.astype(np.uint32)
    return result
