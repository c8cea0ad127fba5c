"""What arguments are called in the host function of a program."""

from __future__ import annotations

from dataclasses import dataclass

from .names import WORDS, free
from .scalars import CUDA_NAMES
from .translate import Translation
from .types import type_names

# Names of the host function's own.
_OWN = frozenset(
    "n repeats start stop passed grid block milliseconds repeat threads argc argv status_".split()  # noqa: SIM905
)


def local(name: str) -> str:
    """Return what an argument is called in the host function: not as a type of ours, nor as what the function uses."""
    own = f"{name}_arg" if name in _OWN else name
    return free(own, _OWN | WORDS | CUDA_NAMES | type_names())


def device(t: Translation, path: str) -> str:
    """Return what the pointer to an array on the device is called in the host function."""
    return f"{'device_' if any(name.startswith('d_') for name, _ in t.args) else 'd_'}{local(path.replace('.', '_'))}"


@dataclass(frozen=True, slots=True)
class Names:
    """Of an array: the path, the host pointer and the device pointer."""

    path: str
    host: str
    device: str


def names_of(t: Translation, path: str) -> Names:
    """Return the names of an array."""
    return Names(path, local(path.replace(".", "_")), device(t, path))
