"""A whole program: the kernel with a host function that makes its inputs, launches it, looks at what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template

from ..codegen.arguments import ArrayOf
from .host import device, host_of, local
from .inputs import FLAGS, FLOATS, PLACES, RISING, ROTATIONS
from .launch import BLOCK, BLOCKS, Grid
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
        fillers=_fillers(host.fills, {leaf.number.name for leaf in host.filled} & t.narrow, host.plain),
        fills=host.fills, plain=host.plain,
        draws=bool(host.fills - {"fill_places", "fill_rising"}), outputs=host.outputs,
        setup=host.setup, results=host.results, frees=host.frees, launch=_launch(t.grid), call=_call(t),
    )  # fmt: skip


def _launch(grid: Grid) -> list[str]:
    if grid.blocks:
        return [f"const dim3 block({BLOCK});", f"const dim3 grid({', '.join(['n'] * grid.blocks)});"]
    if grid.linear:
        total = " * ".join(["n"] * grid.ndim)
        cast = total if grid.ndim == 1 else f"({total})"
        blocks = f"({cast} + {BLOCK - 1}) / {BLOCK}"
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


def _conversions(narrow: Iterable[str]) -> str:
    lines = ["template <typename T>", "static double to_double(T value) {", "  return (double)value;", "}"]
    for name in sorted(narrow):
        _, type_, from_, _ = _NARROW[name]
        lines += ["", f"static double to_double({type_} value) {{", f"  return (double){from_}(value);", "}"]
    return "\n".join(lines) + "\n"


_HEADS = {
    True: "static void NAME(T *values, size_t count, unsigned int streamMORE) {\n",
    False: "static void NAME(T *first, size_t stride, int parts, size_t count, unsigned int streamMORE) {\n",
}
_UNUSED = "  (void)stream;\n"
# The further parameters of a fill, and what it does with VALUES[i].
_FILLS = {
    FLOATS: (", double low, double high", ["SET(low + (high - low) * uniform(stream, i));"]),
    FLAGS: ("", ["VALUE = uniform(stream, i) < 0.5;"]),
    "whole": (", int most", ["VALUE = (T)(uniform(stream, i) * most);"]),
    PLACES: (", int most", ["VALUE = (T)(most - 1 - (int)(i % most));"]),
    RISING: (
        ", int length, int most",
        ["const int place = (int)(i % length);", "VALUE = (T)(place < most ? place : most);"],
    ),
}
_ROTATIONS = """  for (size_t i = 0; i < count; ++i) {
    double drawn[7], turn[4], sum = 0.0;
    for (int k = 0; k < parts; ++k) {
      drawn[k] = uniform(stream, i * parts + k);
    }
    for (int k = 0; k < 4; ++k) {
      turn[k] = -1.0 + 2.0 * drawn[parts - 4 + k];
      sum += turn[k] * turn[k];
    }
    const double length = std::sqrt(sum);
    for (int k = 0; k < parts; ++k) {
      const double value = k < parts - 4 ? -2.0 + 4.0 * drawn[k] : turn[k - parts + 4] / (length > 0.0 ? length : 1.0);
      set(number_at(first, stride, parts, i * parts + k), value);
    }
  }
"""


def _fillers(fills: set[str], narrow: Iterable[str], plain: bool) -> str:
    texts = []
    if not plain and fills & {"fill_floats", "fill_rotations"}:
        texts.append("template <typename T>\nstatic void set(T &place, double value) {\n  place = (T)value;\n}\n")
        for name in sorted(narrow):
            _, type_, _, to = _NARROW[name]
            texts.append(f"static void set({type_} &place, double value) {{\n  place = {to};\n}}\n")
    for fill, (more, lines) in _FILLS.items():
        if f"fill_{fill}" in fills:
            texts.append(_filler(fill, more, lines, plain))
    if f"fill_{ROTATIONS}" in fills:
        texts.append(_head(ROTATIONS, "", plain=False) + _ROTATIONS + "}\n")
    return "\n".join(texts)


def _head(fill: str, more: str, plain: bool) -> str:
    head = _HEADS[plain].replace("NAME", f"fill_{fill}").replace("MORE", more)
    return "template <typename T>\n" + head


def _filler(fill: str, more: str, lines: Sequence[str], plain: bool) -> str:
    head, tail = _head(fill, more, plain), ""
    if fill in (PLACES, RISING):
        head, tail = (head.replace(", unsigned int stream", ""), "") if plain else (head, _UNUSED)
    value = "values[i]" if plain else "number_at(first, stride, parts, i)"
    body = "".join(f"    {line}\n" for line in lines)
    for before, after in (("SET(", "values[i] = (T)(" if plain else f"set({value}, "), ("VALUE", value)):
        body = body.replace(before, after)
    return f"{head}  for (size_t i = 0; i < count{'' if plain else ' * parts'}; ++i) {{\n{body}  }}\n{tail}}}\n"


@cache
def _template() -> Template:
    environment = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined, autoescape=False
    )
    return environment.from_string(Path(__file__).with_name("program.cu.jinja").read_text(encoding="utf-8"))
