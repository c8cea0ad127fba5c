"""A whole program: the kernel with a host function that makes its inputs, launches it, looks at what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from ..codegen.arguments import ArrayOf
from .host import host_of
from .host_names import device, local
from .launch import BLOCK, BLOCKS, WAITING, Grid
from .shapes import shapes_of
from .translate import Translation

# Sizes of the grid's dimensions for which expected values are held.
_EXAMPLES = {1: 33, 2: 9, 3: 5, 4: 3}
_BLOCKS = (65535, 65535, 65535)


@dataclass(frozen=True, slots=True)
class Expected:
    """What an output is after a run.

    Attributes:
        symbol: a C++ name for it.
        numbers: all its numbers, in order.
        absolute, relative: how far off a number may be: absolute + relative * its size.
    """

    symbol: str
    numbers: Sequence[float]
    absolute: float
    relative: float

    @property
    def lines(self) -> list[str]:
        """The numbers in C++, eight a line."""
        texts = [_number(value) for value in self.numbers]
        return [", ".join(texts[at : at + 8]) for at in range(0, len(texts), 8)]


def _number(value: float) -> str:
    if value != value:
        return "NAN"
    if value in (float("inf"), -float("inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(int(value)) + ".0" if value == int(value) and abs(value) < 2**53 else repr(float(value))


def example_size(t: Translation) -> int:
    """Return the size of the grid's dimensions that a program is checked with."""
    if t.grid.blocks:
        return 3 if t.grid.blocks == 1 else 2
    return BLOCK if t.together else _EXAMPLES[t.grid.ndim]


def size_step(t: Translation) -> int:
    """Return what sizes of the grid's dimensions are multiples of: where threads wait for each other, whole blocks."""
    if t.grid.blocks:
        return 1
    return BLOCK if any(word in text for text in (*t.functions, t.kernel) for word in WAITING) else 1


def default_shapes(t: Translation) -> str:
    """Return how long arrays are, by what the kernel looks up."""
    return "tiles" if t.grid.blocks else shapes_of(t.nodes, t.args, t.names)


def program(
    t: Translation, *, seed: int = 0, summary: str = "", shapes: str = "", expected: Sequence[Expected] = ()
) -> str:
    """Return the text of a program.

    Args:
        t: the translated kernel.
        seed: decides the inputs.
        summary: one sentence for the head; the kernel's docstring if empty.
        shapes: how long arrays are, a name in :data:`~builder.standalone.shapes.LENGTHS`; found out if empty.
        expected: what the outputs are for a size of :func:`example_size`, to be compared.

    Raises:
        StandaloneRejection: an argument is of a kind that the host side does not make.
    """
    shapes = shapes or default_shapes(t)
    host = host_of(t, seed, shapes, example_size(t), bool(expected))
    headers = ["cmath", "cstddef", "cstdint", "cstdio", "cstdlib", "cuda_runtime.h"]
    headers = sorted([*headers, *(_NARROW[name][0] for name in t.narrow)])
    about = " ".join(t.summary.split())
    return _template().render(
        t=t, headers=headers, seed=seed & 0xFFFFFFFF, summary=" ".join((summary or about or t.name).split()),
        about=about if about != summary else "", example=example_size(t), expected=list(expected),
        conversions=_conversions({leaf.number.name for leaf in host.outputs} & t.narrow),
        narrow=_settings({leaf.number.name for leaf in host.filled} & t.narrow), fills=host.fills, strided=host.strided,
        draws=bool(host.fills - {"fill_places", "fill_rising"}), outputs=host.outputs,
        setup=host.setup, results=host.results, frees=host.frees, launch=_launch(t.grid), call=_call(t),
        step=size_step(t),
    )  # fmt: skip


def _launch(grid: Grid) -> list[str]:
    if grid.blocks:
        return [f"const dim3 block({BLOCK});", f"const dim3 grid({', '.join(['n'] * grid.blocks)});"]
    if grid.linear:
        total = " * ".join(["n"] * grid.ndim)
        blocks = f"({total} + {BLOCK - 1}) / {BLOCK}"
        return [f"const dim3 block({BLOCK});", f"const dim3 grid({blocks});"]
    sizes = BLOCKS[grid.ndim]
    return [
        f"const dim3 block({', '.join(map(str, sizes[: grid.ndim]))});",
        f"const dim3 grid({', '.join(f'(n + {size - 1}) / {size}' for size in sizes[: grid.ndim])});",
    ]


def _call(t: Translation) -> str:
    kinds = dict(t.args)
    given = []
    for name, axis in t.values:
        own = local(name)
        if axis >= 0:
            given.append(f"{own}_dim{axis}")
        else:
            given.append(device(t, name) if isinstance(kinds[name], ArrayOf) else own)
    given += ["n"] * len(t.grid.limits)
    return f"{t.name}<<<grid, block>>>({', '.join(given)});"


_NARROW = {
    "float16": ("cuda_fp16.h", "__half", "__half2float", "__float2half((float)value)"),
    "bfloat16": ("cuda_bf16.h", "__nv_bfloat16", "__bfloat162float", "__float2bfloat16((float)value)"),
}


def _conversions(narrow: Iterable[str]) -> list[tuple[str, str]]:
    """Return the types of halves, and what makes floats of them."""
    return [(_NARROW[name][1], _NARROW[name][2]) for name in sorted(narrow)]


def _settings(narrow: Iterable[str]) -> list[tuple[str, str]]:
    """Return the types of halves, and what makes them of a double ``value``."""
    return [(_NARROW[name][1], _NARROW[name][3]) for name in sorted(narrow)]


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=StrictUndefined, autoescape=False,
    )  # fmt: skip
    return environment.get_template("program.cu.jinja")
