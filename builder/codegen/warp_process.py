"""Kernel sources run in this process: as in a fresh one, and so that nothing of them stays."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import warp as wp

from ..errors import AdapterError, CodegenRejection
from ..record import Reason
from .kernel_source import FILENAME, MODULE, Program, functions, one_line, parse
from .shortcuts import no_references
from .warp_internals import INTERNALS

wcontext, wcodegen, _ = INTERNALS


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


def define(program: Program, shortcuts: bool = True) -> tuple[Any, dict[types.CodeType, int]]:
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


def options_of(module: Any) -> dict[str, Any]:
    module.options["strip_hash"] = True
    options: dict[str, Any] = module.resolve_options(wp.config)
    return options | {"output_arch": None}


def concrete(kernel: Any) -> Any:
    """Return a kernel, or the one overload of a generic kernel."""
    if not kernel.is_generic:
        return kernel
    if len(kernel.overloads) != 1:
        detail = f"{kernel.key} is generic and has {len(kernel.overloads)} overloads; give it one with wp.overload()"
        raise CodegenRejection(Reason.CODEGEN_ERROR.value, detail)
    return next(iter(kernel.overloads.values()))


def defined(source: str) -> Any:
    """Return the kernel object of a source; only inside :func:`isolated`.

    Raises:
        CodegenRejection: as :func:`emit`.
    """
    return concrete(define(parse(source))[0])
