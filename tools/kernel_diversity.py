"""How different the kernels of a category are: what a build would reject, and the clusters of near-duplicates.

    python tools/kernel_diversity.py CATEGORY... [-n 600] [--seed 0] [--no-codegen]

Prints for each category (and algorithm family) the share of candidates that Warp refuses, whose skeleton repeats,
or that lie near a row of another split, and the largest cluster of rows that chains of pairs of Jaccard >= 0.8 connect.
"""

from __future__ import annotations

import argparse
import ast
import time
from collections import Counter, defaultdict
from itertools import combinations

from builder import codegen
from builder.curate.decide import Decider
from builder.curate.keys import Keys, analyse
from builder.errors import CodegenRejection
from builder.kernels import candidate
from builder.record import Rejection
from builder.shipped import category_names

SPLITS = {"train": 0.9, "validation": 0.05, "test": 0.05}


def _family(features: tuple[str, ...]) -> str:
    return next((tag.removeprefix("family:") for tag in features if tag.startswith("family:")), "-")


def _clusters(keys: list[Keys]) -> list[int]:
    """Return for each row the number of its cluster at Jaccard >= 0.8, found through shared LSH bands."""
    parent = list(range(len(keys)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    bands: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        for place, band in enumerate(key.bands.tolist()):
            bands[place, band].append(number)
    sets = [set(key.shingles.tolist()) for key in keys]
    for pair in sorted({pair for rows in bands.values() for pair in combinations(rows[:200], 2)}):
        a, b = pair
        if root(a) != root(b) and 5 * len(sets[a] & sets[b]) >= 4 * len(sets[a] | sets[b]):
            parent[root(b)] = root(a)
    return [root(k) for k in range(len(keys))]


def report(category: str, count: int, seed: int, with_codegen: bool) -> None:
    """Print the figures of one category."""
    decider = Decider(count, SPLITS, 1)
    kept: list[Keys] = []
    families: list[str] = []
    reasons: Counter[str] = Counter()
    by_family: defaultdict[str, Counter[str]] = defaultdict(Counter)
    start = time.perf_counter()
    for index in range(count):
        source = candidate(seed, index, {category: 1.0})
        family = _family(source.features)
        by_family[family]["candidates"] += 1
        tree = ast.parse(source.text)
        try:
            if with_codegen:
                codegen.generate(source.text, tree=tree)
            keys = analyse(source.text, tree)
        except CodegenRejection as refusal:
            reasons[refusal.reason] += 1
            by_family[family][refusal.reason] += 1
            if reasons[refusal.reason] <= 5:
                print(f"  candidate {index} ({family}): {refusal.reason}: {refusal.detail}")
            continue
        decided = decider.offer(index, keys)
        if isinstance(decided, Rejection):
            reasons[decided.reason.value] += 1
            by_family[family][decided.reason.value] += 1
        else:
            kept.append(keys)
            families.append(family)
    sizes = Counter(_clusters(kept))
    largest = max(sizes.values(), default=0)
    seconds = time.perf_counter() - start
    rejected = 100 * sum(reasons.values()) / count
    print(f"{category}: rejected {rejected:.1f} % {dict(reasons)}, largest cluster {largest} of {len(kept)}")
    print(f"  {1000 * seconds / count:.1f} ms a candidate")
    clusters = _clusters(kept)
    for family in sorted(by_family):
        own = Counter(cluster for cluster, name in zip(clusters, families, strict=True) if name == family)
        print(f"  {family}: {dict(by_family[family])}, largest cluster {max(own.values(), default=0)}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("categories", nargs="*", default=[], help="all of them by default")
    parser.add_argument("-n", type=int, default=600, help="candidates of each category")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-codegen", action="store_true", help="do not generate code")
    args = parser.parse_args()
    for category in args.categories or category_names():
        report(category, args.n, args.seed, not args.no_codegen)


if __name__ == "__main__":
    main()
