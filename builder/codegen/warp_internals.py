"""Warp's internals (``warp._src``) by name: all that is not public Warp API, and what a Warp without it is told.

Tested on Warp 1.19.0. Everything of ``warp._src`` that is used anywhere stands in :data:`_NEEDS`; a Warp without one
of these names raises :class:`~builder.errors.AdapterError` on import. What another version changes without renaming is
caught by the golden test, which compares with the files that Warp itself writes.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from ..errors import AdapterError

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
        "get_arg_value",
        "strip_reference",
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
INTERNALS: tuple[Any, Any, Any] = (wcontext, wcodegen, wtypes)
COMPILERS: Any = wbuild

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


def runtime() -> Any:
    config = wp.config.__dict__
    level = config["log_level"]
    config["log_level"] = wp.LOG_WARNING  # no banner
    try:
        wp.init()
    finally:
        config["log_level"] = level
    return wcontext.runtime
