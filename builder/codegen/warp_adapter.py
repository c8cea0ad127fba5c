"""The one file that touches Warp's internals (``warp._src``): kernel source -> raw generated code.

Tested on Warp 1.19.0. Everything here that is not public Warp API stands in :data:`_NEEDS`; a Warp without
one of these names raises :class:`~builder.errors.AdapterError` on import. What another version changes
without renaming is caught by the golden test, which compares with the files that Warp itself writes:
the order of passes in ``ModuleBuilder.codegen`` (:func:`_device_code` follows it) and the templates' names
for the backward kernel (:func:`_split_kernel`).
"""

from __future__ import annotations

import ast
import importlib.util
import linecache
import time
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import warp as wp

from ..errors import AdapterError, CodegenRejection
from ..record import Reason
from .kernel_source import FILENAME, MODULE, Program, annotation_texts, functions, one_line, parse
from .raw import Builtin, DeviceCode, RawCode
from .shortcuts import (
    Types,
    formatting,
    name_types_once,
    native_value,
    no_line_directive,
    no_references,
    pairing,
    recording,
    remembering,
)
from .type_text import type_text

TESTED_VERSIONS = ("1.19.0",)
_INSTALL = f"install a tested version: pip install 'warp-lang=={TESTED_VERSIONS[-1]}'"
BLOCK_DIM = 256  # Warp's default; a module option, which no kernel source sets

try:
    import warp._src.build as wbuild
    import warp._src.codegen as wcodegen
    import warp._src.context as wcontext
    import warp._src.types as wtypes
except ImportError as error:
    raise AdapterError(f"warp-lang {wp.config.version} has no module {error.name}; {_INSTALL}") from error

_NEEDS = {
    wcontext: (
        "Kernel",
        "Module",
        "ModuleHasher",
        "ModuleBuilder",
        "user_modules",
        "function_key_counts",
        "builtin_functions",
    ),
    wcontext.Module: ("resolve_options", "_detach_references", "_find_references", "register_kernel"),
    wcontext.ModuleBuilder: (
        "_codegen_functions",
        "_collect_native_types",
        "_get_tile_helper_struct_hashes",
        "_kernel_has_value_return",
    ),
    wcodegen: (
        "codegen_kernel",
        "codegen_module",
        "codegen_struct",
        "codegen_cast_macros",
        "cpu_module_header",
        "cuda_module_header",
        "cuda_kernel_backward_name",
        "_codegen_lock",
        "Var",
        "get_arg_type",
        "_SharedFunctionSource",
        "_store_shared_source",
    ),
    wcodegen.Adjoint: (
        "format_args",
        "get_line_directive",
        "resolve_call",
        "resolve_func",
        "type_contains_native_value",
    ),
    wtypes: (
        "scalar_types",
        "type_is_generic",
        "range_t",
        "shape_t",
        "Reference",
        "tile",
        "_native_value_types",
        "_ArrayAnnotation",
        "_ArrayAnnotationBase",
        "_IndexedArrayAnnotation",
    ),
    wbuild: ("build_cpu", "build_cuda"),
    wtypes.array_t: ("numpy_dtype",),
}


def _check_warp() -> None:
    for owner, names in _NEEDS.items():
        for name in names:
            if not hasattr(owner, name):
                raise AdapterError(
                    f"warp-lang {wp.config.version} has no {owner.__name__}.{name}, "
                    f"which the code generator needs; {_INSTALL}"
                )


_check_warp()
# For ``objects`` and ``existing``, which deal with kernels that a running process has defined.
INTERNALS: tuple[Any, Any, Any] = (wcontext, wcodegen, wtypes)

# What Warp's code generator raises for a kernel that it cannot translate: its own Warp*Error classes derive
# from these, and it lets the same ones escape from bad operands.
REFUSALS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


# The configuration decides what Warp generates, so a process that changed it must not change our bytes.
def _default_config() -> dict[str, Any]:
    spec = importlib.util.find_spec("warp.config")
    if spec is None or spec.loader is None:
        raise AdapterError("warp.config cannot be found; reinstall warp-lang")
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    names = [name for name in fresh.__annotations__ if hasattr(wp.config, name) and name not in _NOT_CODE]
    values = {name: getattr(fresh, name) for name in names}
    values["deterministic"] = wp.config.DeterministicMode(fresh.deterministic.value)
    values["log_level"] = wp.LOG_ERROR
    return values


_NOT_CODE = ("version", "kernel_cache_dir", "launch_array_access_mode", "_git_commit_hash", "track_memory")
_CONFIG = _default_config()
_warps_resolve_func = wcodegen.Adjoint.resolve_func
_KNOWN = Types(
    plain=frozenset({*wtypes.scalar_types, wp.bool, bool, int, float, wtypes.range_t, wtypes.shape_t}),
    arrays=frozenset({wp.array, wp.indexedarray, wtypes._ArrayAnnotation, wtypes._IndexedArrayAnnotation}),
    tile=wtypes.tile,
    variable=wcodegen.Var,
    reference=wtypes.Reference,
    of_argument=wcodegen.get_arg_type,
)
_resolve_func = remembering(_warps_resolve_func, _KNOWN)
_contains_native_value = native_value(wtypes._native_value_types, wcodegen.Adjoint.type_contains_native_value)


@contextmanager
def isolated() -> Iterator[None]:
    """Run as in a fresh process with Warp's own defaults, and leave Warp as it was."""
    config = wp.config.__dict__
    with wcodegen._codegen_lock:
        saved = {name: config[name] for name in _CONFIG}
        counts, modules = wcontext.function_key_counts, len(wcontext.user_modules)
        config.update(_CONFIG)
        # Device functions are numbered by name over the whole process: each kernel starts at 0.
        wcontext.function_key_counts = {}
        try:
            yield
        finally:
            wcontext.function_key_counts = counts
            config.update(saved)
            linecache.cache.pop(FILENAME, None)
            for name in list(wcontext.user_modules)[modules:]:
                module = wcontext.user_modules.pop(name)
                module._detach_references()


def _define(program: Program, shortcuts: bool = True) -> tuple[Any, dict[types.CodeType, int]]:
    """Run a kernel source in an empty namespace; return its kernel and the first line of each function."""
    linecache.cache[FILENAME] = (len(program.text), None, program.lines, FILENAME)
    first_lines = {}
    if shortcuts:
        wp.get_module(MODULE)._find_references = no_references
    for function in functions(program) if shortcuts else ():
        # Warp parses each function again unless it finds it here. Its line numbers count from the
        # function's first line, ours from the first line of the source.
        entry = wcodegen._SharedFunctionSource(function.padded, 1, ast.Module([function.node], []))
        wcodegen._store_shared_source(function.code, entry)
        first_lines[function.code] = function.first_line
    namespace: dict[str, Any] = {"__name__": MODULE}
    try:
        exec(program.code, namespace)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 (it runs a user's text: anything can come out)
        by_warp = type(error).__module__.startswith("warp.")
        reason = Reason.CODEGEN_ERROR.value if by_warp else Reason.SOURCE_ERROR.value
        raise CodegenRejection(reason, one_line(error)) from None
    kernels = {id(value): value for value in namespace.values() if isinstance(value, wcontext.Kernel)}
    if len(kernels) != 1:
        raise CodegenRejection(Reason.SOURCE_ERROR.value, f"defines {len(kernels)} kernels; allowed is exactly one")
    return next(iter(kernels.values())), first_lines


def _options(module: Any) -> dict[str, Any]:
    module.options["strip_hash"] = True
    options: dict[str, Any] = module.resolve_options(wp.config)
    return options | {"output_arch": None}


def _concrete(kernel: Any) -> Any:
    """Return a kernel, or the one overload of a generic kernel."""
    if not kernel.is_generic:
        return kernel
    if len(kernel.overloads) != 1:
        detail = f"{kernel.key} is generic and has {len(kernel.overloads)} overloads; give it one with wp.overload()"
        raise CodegenRejection(Reason.CODEGEN_ERROR.value, detail)
    return next(iter(kernel.overloads.values()))


class Builder(wcontext.ModuleBuilder):  # type: ignore[misc]
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
    module, options = kernel.module, _options(kernel.module)
    overloads = (one for f in module.functions.values() for one in f.user_overloads.values())
    resolve = recording(_resolve_func, calls)
    for adj in (kernel.adj, *(overload.adj for overload in overloads)):
        adj.resolve_func, adj.resolve_call = resolve, pairing(adj, _KNOWN)
        adj.format_args = formatting(adj, wcodegen.Var)
        adj.type_contains_native_value = _contains_native_value
        if not options["lineinfo"] and options["mode"] != "debug":
            adj.get_line_directive = no_line_directive
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
    _runtime()  # vectors of half precision need Warp's library, which is slow to load and otherwise not needed
    return _emit(program)


def _emit(program: Program) -> RawCode:
    with isolated():
        kernel, first_lines = _define(program)
        try:
            return emit_defined(_concrete(kernel), first_lines)
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
        kernel, _ = _define(program)
        try:
            concrete = _concrete(kernel)
            yield concrete, _build(concrete, set(), make)
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


def measure_bound(sources: Iterable[str]) -> float:
    """Return the seconds Warp itself takes to build kernels and generate their code for both devices.

    Timed is what Warp does to compile a kernel, up to the text: ModuleHasher, ModuleBuilder, codegen("cpu")
    and codegen("cuda"), as Warp ships them. Importing the sources is not timed.

    Raises:
        CodegenRejection: a source defines no single kernel.
    """
    total = 0.0
    for source in sources:
        with isolated():
            kernel, _ = _define(parse(source), shortcuts=False)
            options = _options(kernel.module)
            start = time.perf_counter()
            hasher = wcontext.ModuleHasher([kernel], options)
            builder = wcontext.ModuleBuilder(kernel.module, options, hasher)
            builder.codegen("cpu")
            builder.codegen("cuda")
            total += time.perf_counter() - start
    return total


def builtins() -> tuple[Builtin, ...]:
    """Return Warp's table of builtins, those of no documentation (which it calls by itself) included, by name."""
    found = []
    for name, function in sorted(wcontext.builtin_functions.items()):
        overloads = getattr(function, "overloads", None) or [function]
        first = sorted({_type_text(next(iter(o.input_types.values()), None)) for o in overloads if o.input_types})
        documented = any(not o.hidden for o in overloads)
        found.append(Builtin(name, function.group, documented, tuple(first), function.is_differentiable))
    return tuple(found)


def _type_text(type_: Any) -> str:
    dtype = getattr(type_, "dtype", None)
    if isinstance(type_, wtypes.array):
        return f"array of {_type_text(dtype)}"
    return str(getattr(type_, "__name__", type_))


def module_headers() -> dict[str, str]:
    """Return by device (``cpu``, ``cuda``) the text that Warp puts above the code of every module."""
    headers = {"cpu": wcodegen.cpu_module_header, "cuda": wcodegen.cuda_module_header}
    return {
        device: header.format(block_dim=BLOCK_DIM) + wcodegen.codegen_cast_macros for device, header in headers.items()
    }


def build_ptx(source: Path, target: Path, arch: int, optimization_level: int) -> None:
    """Compile a CUDA file to a PTX file with the NVRTC inside Warp; Exception if it does not compile."""
    wbuild.build_cuda(
        str(source),
        arch,
        str(target),
        optimization_level=optimization_level,
        pch_dir=_runtime().get_nvrtc_pch_dir(),
    )


def build_object(source: Path, target: Path, optimization_level: int, checked: bool = False) -> None:
    """Compile a C++ file to an object file with the clang inside Warp; Exception if it does not compile.

    ``checked`` is Warp's debug mode: not optimised, and every index into an array is checked.
    """
    wbuild.build_cpu(
        str(target),
        str(source),
        mode="debug" if checked else "release",
        optimization_level=optimization_level,
        extra_flags="-w",  # no warnings; and not for this machine's own CPU: the same object everywhere
        use_precompiled_headers=True,
        pch_dir=_runtime().get_clang_pch_dir(),
        block_dim=BLOCK_DIM,
    )


def start_runtime() -> None:
    """Load Warp's native libraries."""
    _runtime()


def load_object(path: Path, handle: str) -> None:
    """Load an object file of :func:`build_object` into this process; OSError if it cannot be.

    Args:
        handle: a name for :func:`address`, which no other object in this process has.
    """
    if _runtime().llvm.wp_load_obj(str(path).encode(), handle.encode(), wp.config.legacy_cpu_linker) != 0:
        raise OSError(f"{path} cannot be loaded")


def address(handle: str, symbol: str) -> int:
    """Return where a function of a loaded object lies; OSError if it is not there or needs what is not there."""
    found = int(_runtime().llvm.wp_lookup(handle.encode(), symbol.encode()))
    if not found:
        raise OSError(f"{handle} has no {symbol}")
    return found


def defined(source: str) -> Any:
    """Return the kernel object of a source; only inside :func:`isolated`.

    Raises:
        CodegenRejection: as :func:`emit`.
    """
    return _concrete(_define(parse(source))[0])


def _runtime() -> Any:
    config = wp.config.__dict__
    level = config["log_level"]
    config["log_level"] = wp.LOG_WARNING  # no banner
    try:
        wp.init()
    finally:
        config["log_level"] = level
    return wcontext.runtime
