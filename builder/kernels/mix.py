"""Which source each candidate of a unit comes from, in closed form: no unit needs to know another.

Sources have weights. The synthetic one never ends; of the others, whose kernels are finite in number, each unit takes
the next few, so that any number of units holds the weights' share of each source to within one kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..spec import SYNTHETIC
from .choices import CounterChoices

# Where in the random stream of a seed the places of a unit are drawn: candidates have indices below 2**63.
_PLACES = 1 << 63


def take(seed: int, rank: int, unit: int, weights: Mapping[str, float]) -> list[tuple[str, int] | None]:
    """Return for each candidate of unit ``rank`` its source and its number there.

    Args:
        seed: of the dataset.
        rank: number of the unit.
        unit: candidates in a unit.
        weights: relative weight of each source, above 0.

    Returns:
        (source, number) of each candidate; None for a few where nothing is synthetic and there are several sources. A
        synthetic number is the candidate's index. Kernel ``k`` of a finite source
        appears once over all units; ``k`` grows beyond any bound.
    """
    total = sum(Fraction(repr(float(weight))) for weight in weights.values())
    shares = {n: Fraction(repr(float(weight))) / total for n, weight in weights.items() if n != SYNTHETIC}
    # Rounding may ask for one place more than there are for each source but one.
    spare = unit * (1 - sum(shares.values())) >= len(shares)
    room = unit if spare or len(shares) == 1 else unit - len(shares)
    finite = [
        (name, k)
        for name, share in shares.items()
        for k in range(int(rank * room * share), int((rank + 1) * room * share))
    ]
    choices = CounterChoices(seed, _PLACES + rank)
    chosen = dict(zip(sorted(choices.sample(range(unit), len(finite))), finite, strict=True))
    synthetic = SYNTHETIC in weights
    return [chosen.get(k, (SYNTHETIC, rank * unit + k) if synthetic else None) for k in range(unit)]
