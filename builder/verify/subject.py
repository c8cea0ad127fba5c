"""A row that is being run: its functions, its arguments, its launch grids."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen.arguments import ArrayOf, Kind, Number, Record
from .harness import CPP, CUDA, works_together
from .handles import fill_handles, handles
from .inputs import fill, generator, widen
from .layout import Memory, Values, numbers
from .machine import Launch, Machine, sizes

# Half the distance from 1 to the next number.
UNIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


@dataclass(frozen=True, slots=True)
class Subject:
    """One row with what runs it.

    Attributes:
        key: the row's id.
        seed: decides all values.
        shapes: how long arrays are, a name in :data:`~builder.verify.layout.SHAPES`.
        machine: its functions.
        kinds: its arguments.
        ndim: the dimensions of its launch grid.
        tiled: whether blocks of threads work together in its C++ too.
        together: whether its CUDA text is for threads of a block that work together, and its C++ for one thread alone.
        unit: the rounding error of the narrowest float in it.
        handles: by argument, what its handle is of.
        calls: the names that its source calls.
    """

    key: str
    seed: int
    shapes: str
    machine: Machine
    kinds: Sequence[tuple[str, Kind]]
    ndim: int
    tiled: bool
    together: bool
    unit: float
    handles: Mapping[str, str]
    calls: frozenset[str]

    def sizes(self) -> tuple[int, ...]:
        """Return the lengths of dimensions to run with."""
        return sizes([self.ndim, *(kind.ndim for kind in arrays(self.kinds))], self.tiled)

    def launch(self, size: int) -> Launch:
        """Return the grid for a length."""
        return Launch((size,) * self.ndim, self.tiled, self.together)

    @property
    def main(self) -> str:
        """The variant that says what the row does."""
        return CUDA if self.together else CPP

    def memory(self, size: int, profile: str, *words: object) -> Memory:
        """Return arguments with values of a profile; other words, other values."""
        memory = Memory(self.kinds, size, self.shapes, wide=False)
        fill(memory, self.rng(profile, size, *words), profile, size)
        fill_handles(memory, self.handles, self.rng("handles"), size)
        return memory

    def wide(self, narrow: Memory, size: int) -> Memory:
        """Return the same arguments with doubles."""
        memory = Memory(self.kinds, size, self.shapes, wide=True)
        widen(narrow, memory)
        return memory

    def rng(self, *words: object) -> np.random.Generator:
        """Return random numbers for a purpose."""
        return generator(self.key, self.seed, *words)

    def run(self, variant: str, memory: Memory, size: int, *, rounding: int = 0) -> list[Values]:
        """Run forward; what then lies in the arrays, which get back what lay in them before."""
        before = memory.save()
        self.machine.run(variant, self.launch(size), memory, rounding=rounding)
        after = contents(memory)
        memory.restore(before)
        return after


def contents(memory: Memory) -> list[Values]:
    """Return copies of the numbers in arrays, leaf by leaf; empty for leaves that lie in no array."""
    return [numbers(leaf) if leaf.buffer >= 0 else np.zeros(0) for leaf in memory.leaves]


def arrays(kinds: Sequence[tuple[str, Kind]]) -> list[ArrayOf]:
    """Return the arrays among arguments, those in structs included."""
    found: list[ArrayOf] = []
    for _, kind in kinds:
        if isinstance(kind, ArrayOf):
            found += [kind, *arrays([("", kind.element)])]
        elif isinstance(kind, Record):
            found += arrays(kind.fields)
    return found


def subject_of(
    machine: Machine, kinds: Sequence[tuple[str, Kind]], row: Mapping[str, Any], seed: int, shapes: str
) -> Subject:
    """Return a row as what is run."""
    tree = ast.parse(row["python_source"])
    calls = frozenset(node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and _attribute(node.func))
    text = row["cpp_forward"]
    names = [name for name in UNIT if f"wp::{name}" in text]
    return Subject(
        key=row["id"],
        seed=seed,
        shapes=shapes,
        machine=machine,
        kinds=kinds,
        ndim=row["launch_dim"],
        tiled=any(name.startswith("tile") or name == "untile" for name in calls),
        together=works_together(row),
        unit=max((UNIT[name] for name in names), default=0.0),
        handles=handles(tree, [name for name, kind in kinds if kind == Number("uint64")]),
        calls=calls,
    )


def _attribute(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute)


