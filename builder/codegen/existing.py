"""Kernels that a running process has defined already: seen as they are registered, generated where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..errors import CodegenRejection
from ..record import Reason
from .kernel_source import one_line
from .raw import RawCode
from .warp_adapter import emit_defined
from .warp_internals import INTERNALS, REFUSALS
from .warp_process import isolated


@dataclass(frozen=True, slots=True)
class GivenNames:
    """The names under which a kernel that was defined elsewhere is generated.

    Attributes:
        kernel: the kernel's name.
        functions: ``(function, name, native name)`` of every function it may call, each overload on its own.
        structs: name with Warp's content hash -> plain name.
    """

    kernel: str
    functions: tuple[tuple[Any, str, str], ...]
    structs: Mapping[str, str]


def emit_kernel(kernel: Any, names: GivenNames | None = None) -> RawCode:
    """Return what Warp generates for a kernel object of a running process, for both devices.

    Nothing that was generated before shows in it: functions lose the instances and marks that other kernels
    left on them. The objects have their own names again afterwards.

    Args:
        kernel: a kernel with concrete arguments, or one overload of a generic kernel.
        names: what to call it and what it needs; its own names if not given.

    Raises:
        CodegenRejection: Warp refuses the kernel (``codegen_error``).
    """
    names = names or GivenNames(kernel.key, (), {})
    with isolated(), _renamed(kernel, names):
        options = dict(kernel.module.options)
        # With these Warp writes a line directive, which names a file, above each line.
        kernel.module.options |= {"mode": None, "lineinfo": False}
        try:
            raw = emit_defined(kernel, {})
        except REFUSALS as error:
            raise CodegenRejection(Reason.CODEGEN_ERROR.value, one_line(error)) from None
        finally:
            kernel.module.options = options
    plain = tuple((hashed, names.structs.get(hashed, name)) for hashed, name in raw.structs)
    return replace(raw, structs=plain)


@contextmanager
def _renamed(kernel: Any, names: GivenNames) -> Iterator[None]:
    saved: list[tuple[Any, dict[str, Any]]] = []

    def give(target: Any, **values: Any) -> None:
        saved.append((target, {name: getattr(target, name) for name in values}))
        for name, value in values.items():
            setattr(target, name, value)

    for function, name, native in names.functions:
        _forget_instances(function)
        give(function, key=name, native_func=native)
        if function.custom_grad_func is not None:
            give(function.custom_grad_func, key=name, native_func=native)
    give(kernel, key=names.kernel, _mangled_name=None)
    try:
        yield
    finally:
        for target, values in reversed(saved):
            for name, value in values.items():
                setattr(target, name, value)
        kernel._mangled_name = None
        _forget_code(kernel.adj)
        for function, _, _ in names.functions:
            _forget_instances(function)
            _forget_code(function.adj)


def _forget_code(adj: Any) -> None:
    """Drop the code and variables of the last build, which hold on to all that it built; the next build resets them."""
    adj.builder, adj.symbols, adj.variables, adj.blocks, adj.called_user_functions = None, {}, [], [], {}


def _forget_instances(function: Any) -> None:
    """Drop what generating other kernels left on a function: instances of generics, marks, code."""
    for signature, overload in list(function.user_overloads.items()):
        if overload.generic_parent is not None:
            del function.user_overloads[signature]
    function.__dict__.pop("_callable_specializations", None)
    for one in (function, function.custom_grad_func):
        if one is not None:
            one.adj.used_by_backward_kernel = one.adj.force_adjoint_codegen = one.adj.uses_grad_call = False


def watch_kernels(on_kernel: Callable[[Any], None]) -> None:
    """Call ``on_kernel`` with every kernel that Warp registers from now on.

    For a process of its own: it hooks Warp's module class for good.
    """
    module_class = INTERNALS[0].Module
    register = module_class.register_kernel

    def register_kernel(module: Any, kernel: Any) -> None:
        register(module, kernel)
        on_kernel(kernel)

    module_class.register_kernel = register_kernel
