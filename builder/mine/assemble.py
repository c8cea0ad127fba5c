"""Definitions -> one kernel source, and the names that the original's objects have in it."""

from __future__ import annotations

import enum
import keyword
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..codegen import objects
from ..codegen.existing import GivenNames
from .closure import Closure
from .items import Item

_ORDER = ("import", "constant", "class", "struct", "function", "kernel")
_DEFAULTS = objects.default_module_options()
# Options of a module that change what Warp generates or what it computes; not those for debugging and speed.
_MODULE_OPTIONS = (
    *("max_unroll", "fast_math", "fuse_fp", "block_dim", "deterministic", "deterministic_max_records"),
    *("enable_mathdx_gemm", "enable_mathdx_solver", "enable_mathdx_fft"),
)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A kernel source and the names under which the original has to be generated to compare."""

    text: str
    names: GivenNames


def assemble(kernel: Any, *, by_value: bool = False) -> Assembled:
    """Return the self-contained source of a kernel.

    Args:
        kernel: a kernel with concrete arguments, or one overload of a generic kernel.
        by_value: write values, types and module options rather than the nearest to what their author wrote.

    Raises:
        Unwritable: something it needs cannot be written down.
    """
    closure = Closure(kernel, by_value=by_value)
    items = closure.items()
    _name(items)
    ordered = _ordered(items)
    blocks = ["import warp as wp\n"]
    previous = ""
    for item in ordered:
        text = "\n\n".join(text.render() for text in item.texts)
        if item.kind == "kernel":
            text = _kernel_decorator(kernel, by_value) + text
        tight = item.kind == previous and item.kind in ("import", "constant")
        tight = tight or (item.kind == "import" and previous == "")
        blocks.append(("" if tight else "\n" if item.kind == "constant" else "\n\n") + text)
        previous = item.kind
    functions = tuple(entry for item in ordered for entry in _natives(item))
    structs = {hashed: item.name for hashed, item in closure.structs().items() if item.name}
    return Assembled("".join(blocks), GivenNames(closure.kernel.name, functions, structs))


def _natives(item: Item) -> list[tuple[Any, str, str]]:
    """Return ``(function, name, native name)`` as Warp numbers the functions of one name."""
    entries: list[tuple[Any, str, str]] = []
    own = replays = 0
    for function, is_replay in item.natives:
        if is_replay:
            entries.append((function, f"replay_{item.name}", f"replay_{item.name}_{replays}"))
            replays += 1
        else:
            entries.append((function, item.name, f"{item.name}_{own}"))
            own += 1
    return entries


def _name(items: list[Item]) -> None:
    """Give every definition its author's name, or that with a number where the name means something else."""
    texts = [text for item in items for text in item.texts]
    labels = [part for text in texts for part in text.items() if part.kind == "label"]
    reserved = {"wp", *keyword.kwlist}.union(*(text.free for text in texts))
    bound: dict[Item, set[str]] = {}
    for text in texts:
        for item in text.items():
            bound.setdefault(item, set()).update(text.bound)
    taken: set[str] = set()
    everywhere = set().union(*(text.bound for text in texts)) if texts else set()
    for item in (*items, *labels):
        name, number = item.wanted, 0
        while name in taken or name in reserved or name in bound.get(item, ()) or (number and name in everywhere):
            number += 1
            name = f"{item.wanted}_{number}"
        item.name = name
        taken.add(name)


def _ordered(items: Iterable[Item]) -> list[Item]:
    """Return the definitions so that each stands below what it uses; among equals constants come first."""
    waiting = sorted(items, key=lambda item: _ORDER.index(item.kind))
    done: set[Item] = set()
    ordered: list[Item] = []
    uses = {item: {u for text in item.texts for u in text.items() if u is not item} for item in waiting}
    known = set(waiting)
    while waiting:
        ready = (item for item in waiting if all(use in done or use not in known for use in uses[item]))
        # Functions may call each other in a circle; which of them is first does not matter to Warp.
        item = next(ready, None) or next(i for i in waiting if i.kind == "function")
        waiting.remove(item)
        done.add(item)
        ordered.append(item)
    return ordered


def _kernel_decorator(kernel: Any, by_value: bool) -> str:
    arguments = {name: value for name, value in kernel.options.items() if value is not None}
    options = kernel.module.options
    if "grid_stride" not in arguments and options["default_grid_stride"] is not None:
        arguments["grid_stride"] = options["default_grid_stride"]
    changed: dict[str, Any] = {}
    if options["enable_backward"] != _DEFAULTS["enable_backward"]:
        # As a kernel's own argument it reads better; a few builtins look at the module's option only.
        if by_value:
            changed["enable_backward"] = options["enable_backward"]
        else:
            arguments.setdefault("enable_backward", options["enable_backward"])
    changed |= {name: options[name] for name in _MODULE_OPTIONS if options[name] != _DEFAULTS[name]}
    if changed:
        arguments |= {"module": "unique", "module_options": changed}
    if not arguments:
        return "@wp.kernel\n"
    return f"@wp.kernel({', '.join(f'{name}={_option(value)}' for name, value in arguments.items())})\n"


def _option(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{name}": {_option(one)}' for name, one in value.items()) + "}"
    if isinstance(value, enum.Enum):
        return f"wp.{type(value).__name__}.{value.name}"
    return f'"{value}"' if isinstance(value, str) else repr(value)
