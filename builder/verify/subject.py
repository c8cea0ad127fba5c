"""A row that is being run: its functions, its arguments, its launch grids."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen.arguments import ArrayOf, Kind, Number, Record
from ..codegen.warp_internals import BLOCK_DIM
from .handles import fill_handles, handles
from .harness import CPP, CUDA, DEVICE, FORWARD, SINGLE, works_together
from .inputs import fill, generator, widen
from .layout import ORDINARY_SHAPES, TILED_SHAPES, TOGETHER_SHAPES, Memory, Values, numbers
from .machine import Launch, Machine, sizes

# Half the distance from 1 to the next number.
UNIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


@dataclass(frozen=True, slots=True)
class Subject:
    """One row with what runs it.

    Attributes:
        key: the row's id, up to a dash, if it has one.
        seed: decides all values.
        shapes: how long arrays are, a name in :data:`~builder.verify.layout.SHAPES`.
        machine: its functions.
        kinds: its arguments.
        ndim: the dimensions of its launch grid.
        tiled: whether blocks of threads work together in its C++ too.
        lanes: of a tiled launch, whether the last index is the thread's place in its block.
        together: whether its CUDA text is for threads of a block that work together, and its C++ for one thread alone.
        deep: whether it has a loop in a loop.
        loops: whether its CUDA text goes over the grid in a loop.
        native: whether it has snippets of C++ that take arrays, whose indices nobody checks.
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
    lanes: bool
    together: bool
    deep: bool
    loops: bool
    native: bool
    unit: float
    handles: Mapping[str, str]
    calls: frozenset[str]

    def sizes(self) -> tuple[int, ...]:
        """Return the lengths of dimensions to run with."""
        return sizes([self.ndim, *(kind.ndim for kind in arrays(self.kinds))], self.tiled, self.together, self.deep)

    def launch(self, size: int, variant: str) -> Launch:
        """Return the grid for a length."""
        shape = (size,) * self.ndim
        if self.together:
            # Whole blocks: a thread that is not there cannot be waited for.
            return Launch((*shape[:-1], -(-size // BLOCK_DIM) * BLOCK_DIM), 1, variant not in (CPP, SINGLE))
        if self.lanes:
            return Launch((*shape[:-1], BLOCK_DIM), 1, True)
        return Launch(shape, BLOCK_DIM if self.tiled else 1, self.tiled)

    @property
    def main(self) -> str:
        """The variant that says what the row does."""
        return CUDA if self.together else CPP

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Variants that do the same, bit for bit: the texts of the two devices."""
        if not self.machine.has(CUDA, FORWARD):
            return ()
        return ((DEVICE, CUDA), (CPP, SINGLE)) if self.together else ((CPP, CUDA),)

    def memory(self, size: int, profile: str, *words: object, uneven: bool = False) -> Memory:
        """Return arguments with values of a profile; other words, other values."""
        memory = Memory(self.kinds, size, self.shapes, wide=False, uneven=uneven)
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
        self.machine.run(variant, self.launch(size, variant), memory, rounding=rounding)
        after = contents(memory)
        memory.restore(before)
        return after


def fewer(memory: Memory) -> None:
    """Let single whole numbers be 1 to 3: with larger ones many a row of cooperating threads does little."""
    for leaf in memory.leaves:
        if leaf.buffer < 0 and leaf.family == "number" and not leaf.is_float and leaf.number not in ("bool", "uint64"):
            leaf.values[...] = 1 + leaf.values % 3


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
    text = row["cpp_forward"]
    names = [name for name in UNIT if f"wp::{name}" in text]
    return Subject(
        key=row["id"].partition("-")[0],
        seed=seed,
        shapes=shapes,
        machine=machine,
        kinds=kinds,
        ndim=row["launch_dim"],
        tiled=in_tiles(tree),
        lanes=in_tiles(tree) and in_lanes(tree),
        together=works_together(row),
        deep=_depth(tree) > 1,
        loops=_loops(tree),
        native=_native(tree),
        unit=max((UNIT[name] for name in names), default=0.0),
        handles=handles(tree, [name for name, kind in kinds if kind == Number("uint64")]),
        calls=_calls(tree),
    )


def shapes_to_try(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the shapes of arrays that a row may be for, the likeliest first."""
    if in_tiles(ast.parse(row["python_source"])):
        return TILED_SHAPES
    return TOGETHER_SHAPES if works_together(row) else ORDINARY_SHAPES


def _calls(tree: ast.AST) -> frozenset[str]:
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return frozenset(function.attr for function in functions if isinstance(function, ast.Attribute))


def in_tiles(tree: ast.AST) -> bool:
    """Say whether a kernel works on tiles, a block of threads for each place of its launch grid."""
    return any(name.startswith("tile") or name == "untile" for name in _calls(tree))


def _depth(node: ast.AST) -> int:
    """Return how many loops lie in each other."""
    own = int(isinstance(node, ast.For | ast.While))
    return own + max((_depth(child) for child in ast.iter_child_nodes(node)), default=0)


def _native(tree: ast.Module) -> bool:
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    snippets = (one for one in functions if any("func_native" in ast.unparse(by) for by in one.decorator_list))
    return any("array" in ast.unparse(snippet.args) for snippet in snippets)


def _loops(tree: ast.Module) -> bool:
    """Say whether a kernel is one for Warp's loop over the grid, which is so unless it says otherwise."""
    keywords = [word for node in ast.walk(tree) if isinstance(node, ast.Call) for word in node.keywords]
    return not any(word.arg == "grid_stride" and ast.unparse(word.value) == "False" for word in keywords)


def in_lanes(tree: ast.AST) -> bool:
    """Say whether a kernel names the last of its indices as a thread's place in its block is named."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and "wp.tid()" in ast.unparse(node):
            last = node.targets[0].elts[-1]
            return isinstance(last, ast.Name) and last.id in ("lane", "t", "tid")
    return False
