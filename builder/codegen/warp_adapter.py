"""Kernel source -> raw generated code, by Warp's own code generator.

What another version of Warp changes without renaming is caught by the golden test: the order of passes in
``ModuleBuilder.codegen`` (:func:`_device_code` follows it) and the templates' names for the backward kernel
(:func:`_split_kernel`).
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import warp as wp

from ..errors import CodegenRejection
from ..record import Reason
from .kernel_source import MODULE, Program, annotation_texts, one_line
from .known_types import Types
from .raw import DeviceCode, RawCode
from .shortcuts import (
    asking_quickly,
    formatting,
    name_types_once,
    native_value,
    no_line_directive,
    pairing,
    recording,
    remembering,
)
from .type_text import type_text
from .warp_internals import INTERNALS, REFUSALS, runtime
from .warp_process import concrete, define, isolated, options_of

wcontext, wcodegen, wtypes = INTERNALS
_warps_resolve_func = wcodegen.Adjoint.resolve_func
_KNOWN = Types(
    plain=frozenset({*wtypes.scalar_types, wp.bool, bool, int, float, wtypes.range_t, wtypes.shape_t}),
    arrays=frozenset({wp.array, wp.indexedarray, wtypes._ArrayAnnotation, wtypes._IndexedArrayAnnotation}),
    tile=wtypes.tile,
    variable=wcodegen.Var,
    reference=wtypes.Reference,
    of_argument=wcodegen.get_arg_type,
    value_of=wcodegen.get_arg_value,
    plainly=wcodegen.strip_reference,
)
_resolve_func = remembering(_warps_resolve_func, _KNOWN)
_contains_native_value = native_value(wtypes._native_value_types, wcodegen.Adjoint.type_contains_native_value)


_ModuleBuilder: Any = wcontext.ModuleBuilder


class Builder(_ModuleBuilder):  # type: ignore[misc]
    """Warp's builder without two walks over every kernel whose outcome is known before."""

    @staticmethod
    def _kernel_has_value_return(kernel: Any) -> bool:
        adj = kernel.adj
        may_return = adj.transformers or "return" in adj.source
        return bool(may_return and wcontext.ModuleBuilder._kernel_has_value_return(kernel))

    def _collect_native_types(self, var_type: Any) -> None:
        if wtypes._native_value_types:  # what registers one is experimental
            super()._collect_native_types(var_type)


def _build(kernel: Any, calls: set[tuple[str, str]], make: type[Builder] | None = None) -> Any:
    """Return Warp's builder for one kernel, built once for both devices; note the builtins called in ``calls``."""
    module, options = kernel.module, options_of(kernel.module)
    overloads = (one for f in module.functions.values() for one in f.user_overloads.values())
    resolve = recording(_resolve_func, calls)
    for adj in (kernel.adj, *(overload.adj for overload in overloads)):
        adj.resolve_func, adj.resolve_call = resolve, pairing(adj, _KNOWN)
        adj.format_args = formatting(adj, wcodegen.Var)
        adj.type_contains_native_value = _contains_native_value
        if not options["lineinfo"] and options["mode"] != "debug":
            adj.get_line_directive = no_line_directive
    with asking_quickly(wcodegen, _KNOWN):
        hasher = wcontext.ModuleHasher([kernel], options)
        builder = (make or Builder)(module, options, hasher)
    if builder.native_types or builder.ltoirs_decl or builder.ltoirs or builder.fatbins:
        raise CodegenRejection(
            Reason.CODEGEN_ERROR.value, f"{kernel.key} needs native types or link inputs beside its text"
        )
    return builder


def _split_kernel(text: str, backward_name: str) -> tuple[str, str]:
    """Split ``codegen_kernel``'s text into the forward function and the backward one (or nothing)."""
    at = text.rfind(f" {backward_name}(\n")
    if at < 0:
        return text, ""
    end = text.rindex("\n}\n", 0, at) + 3
    return text[:end], text[end:]


def _device_code(builder: Any, kernel: Any, device: str, structs: str) -> DeviceCode:
    # The order of ModuleBuilder.codegen: functions, adjoints (custom ones first), functions that call
    # wp.grad() and so need adjoints above them, the kernel, which may call it too.
    plain = [f for f in builder.functions if not f.adj.uses_grad_call]
    calling_grad = [f for f in builder.functions if f.adj.uses_grad_call]
    custom = {f.custom_grad_func for f in plain if f.custom_grad_func is not None}
    adjoints = sorted(plain, key=lambda f: f not in custom)
    forward = builder._codegen_functions(plain, device, forward_only=True)
    backward = builder._codegen_functions(adjoints, device, reverse_only=True)
    if calling_grad or kernel.adj.uses_grad_call:
        forward += backward + builder._codegen_functions(calling_grad, device, forward_only=True)
        backward = ""
    text = wcodegen.codegen_kernel(kernel, device=device, options=builder.options)
    if device == "cpu":
        name = f"{kernel.get_mangled_name()}_cpu_kernel_backward"
    else:
        name = wcodegen.cuda_kernel_backward_name(kernel)
    forward_kernel, backward_kernel = _split_kernel(text, name)
    if not backward_kernel:
        backward = ""
    return DeviceCode(structs + forward + forward_kernel, backward + backward_kernel)


def _structs(builder: Any) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the text of the structs, and the plain name for each name with a hash."""
    if not builder.structs:
        return "", ()
    helpers = builder._get_tile_helper_struct_hashes()
    # Two Struct objects with equal content are one struct to Warp.
    by_hash: dict[bytes, Any] = {}
    for struct in builder.structs:
        by_hash.setdefault(struct.hash, struct)
    ordered = list(by_hash.values())
    text = "".join(wcodegen.codegen_struct(s, include_tile_helpers=s.hash in helpers) for s in ordered)
    plain: dict[str, str] = {}
    for struct in ordered:
        name, number = struct.key, 1
        while name in plain.values():
            name, number = f"{struct.key}_{number}", number + 1
        plain[struct.native_name] = name
    return text, tuple(plain.items())


def emit(program: Program) -> RawCode:
    """Return what Warp generates for the kernel of a program.

    Raises:
        CodegenRejection: ``source_error`` if running the source fails or defines no single kernel,
            ``codegen_error`` if Warp refuses the kernel.
    """
    try:
        return _emit(program)
    except CodegenRejection:
        if wcontext.runtime is not None:
            raise
    runtime()  # vectors of half precision need Warp's library, which is slow to load and otherwise not needed
    return _emit(program)


def _emit(program: Program) -> RawCode:
    with isolated():
        kernel, first_lines = define(program)
        try:
            return emit_defined(concrete(kernel), first_lines)
        except REFUSALS as error:
            raise CodegenRejection(Reason.CODEGEN_ERROR.value, one_line(error)) from None
        finally:
            _release(kernel)


@contextmanager
def built(program: Program, make: type[Builder]) -> Iterator[tuple[Any, Any]]:
    """Yield the kernel of a program and its builder, made by a class of the caller's; both are gone afterwards.

    Raises:
        CodegenRejection: as :func:`emit`; what Warp raises inside counts as its refusal.
    """
    with isolated():
        kernel, _ = define(program)
        try:
            one = concrete(kernel)
            yield one, _build(one, set(), make)
        except REFUSALS as error:
            raise CodegenRejection(Reason.CODEGEN_ERROR.value, one_line(error)) from None
        finally:
            _release(kernel)


def _release(kernel: Any) -> None:
    """Break the cycles of a kernel that is done with, whose hundreds of objects would wait for the collector."""
    module = kernel.module
    functions = [overload for f in module.functions.values() for overload in f.user_overloads.values()]
    for owner in (kernel, *kernel.overloads.values(), *functions):
        if owner.func.__module__ == MODULE:  # and not imported by the source
            owner.adj.__dict__.clear()
            owner.func.__globals__.clear()
    if module.name == MODULE:
        module.kernels.clear()
        module.functions.clear()


def _arguments(kernel: Any) -> tuple[tuple[str, str], ...]:
    """Return ``(name, type)`` of each argument, as written; a generic one as its overload says it."""
    written = annotation_texts(kernel.adj.source_lines, kernel.adj.tree.body[0])
    parent = getattr(kernel, "generic_parent", None)
    if parent is None:
        return written
    given = {
        name: type_text(type_)
        for name, type_ in kernel.adj.arg_types.items()
        if wtypes.type_is_generic(parent.adj.arg_types[name])
    }
    return tuple((name, given.get(name, text)) for name, text in written)


def emit_defined(kernel: Any, first_lines: dict[types.CodeType, int]) -> RawCode:
    """Return what Warp generates for a kernel object; only inside :func:`isolated`.

    Args:
        kernel: a kernel with concrete arguments.
        first_lines: for a function whose line numbers count from another line: its first line, from 1.

    Raises:
        one of :data:`REFUSALS`, or CodegenRejection: Warp refuses the kernel.
    """
    calls: set[tuple[str, str]] = set()
    builder = _build(kernel, calls)
    adjoints = [kernel.adj, *(function.adj for function in builder.functions)]
    for adj in adjoints:
        adj.fun_lineno = first_lines.get(adj.func.__code__, adj.fun_lineno)
    name_types_once(adjoints)
    structs, renames = _structs(builder)
    return RawCode(
        name=kernel.key,
        args=_arguments(kernel),
        launch_dim=kernel.adj.kernel_dim,
        cpu=_device_code(builder, kernel, "cpu", structs),
        cuda=_device_code(builder, kernel, "cuda", structs),
        structs=renames,
        origins=frozenset(f"// {adj.filename}:{adj.fun_lineno}" for adj in adjoints[1:]),
        echoes=frozenset(
            f"{start}{line.strip()}" for adj in adjoints for line in adj.source_lines for start in ("// ", "// adj: ")
        ),
        calls=frozenset(calls),
        entry_point=wcodegen.codegen_module(kernel, "cpu", builder.options),
    )
