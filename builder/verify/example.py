"""A small example of what a row does: arguments, and what then lies in its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen.arguments import Kind
from .inputs import ORDINARY
from .layout import Leaf, Values, numbers
from .subject import Subject, arrays

# Numbers of an example, all arguments together: more is no small one.
LARGEST = 1024


def example(subject: Subject) -> dict[str, Any] | None:
    """Return arguments that a row was run with and what it made of them; None where they cannot be written down small.

    Left out are rows that take handles or arrays behind lists of indices: numbers alone do not say what those are.
    """
    if subject.handles or _behind_indices(subject.kinds):
        return None
    for size in sorted(subject.sizes()[:2], reverse=True):
        memory = subject.memory(size, ORDINARY, "example")
        if sum(leaf.values.size for leaf in memory.leaves) <= LARGEST:
            break
    else:
        return None
    before = [numbers(leaf) for leaf in memory.leaves]
    after = subject.run(subject.main, memory, size)
    launch = subject.launch(size, subject.main)
    rows = zip(memory.leaves, before, after, strict=True)
    return {
        "dim": list(launch.shape),
        "tiled": launch.same > 1,
        "arguments": [_argument(leaf, old, new) for leaf, old, new in rows],
    }


def _behind_indices(kinds: Sequence[tuple[str, Kind]]) -> bool:
    return any(array.family != "array" for array in arrays(kinds))


def _argument(leaf: Leaf, before: Values, after: Values) -> Mapping[str, Any]:
    in_array = leaf.buffer >= 0
    shape = before.shape if in_array else before.shape[1:]  # the argument struct is one element long
    changed = in_array and before.tobytes() != after.tobytes()
    return {
        "name": leaf.name,
        "type": leaf.number,
        "shape": list(shape),
        "before": _flat(before),
        "after": _flat(after) if changed else None,
    }


def _flat(values: Values) -> list[float]:
    return np.asarray(values, dtype=np.float64).ravel().tolist()  # type: ignore[no-any-return]
