"""The C++ file that makes rows callable on the CPU: their C++ text, their CUDA text, and a text with doubles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .rows import Row

CPP, CUDA, TWIN = "cpp", "cuda", "twin"
# Of rows whose threads work together: the C++ text as a device reads it, the CUDA text as a CPU does.
DEVICE, SINGLE = "device", "single"
VARIANTS = (CPP, CUDA, TWIN)
FORWARD, BACKWARD = "forward", "backward"

_WIDE = {
    **{f"{prefix}{name}": f"{prefix}float64" for name in ("float32", "float16", "bfloat16") for prefix in ("", "adj_")},
    **{name: f"{name}d" for name in ("vec2", "vec3", "vec4", "mat22", "mat33", "mat44")},
    # What snippets write: a type that double is called by, since `wp::float(x)` must stay a call.
    "float": "host_wide",
    "adj_float": "adj_float64",
    **{f"{name}f": f"wp::{name}" for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "pow", "tanh")},
    "fabsf": "wp::abs",
    "fmaxf": "wp::max",
    "fminf": "wp::min",
    "floorf": "wp::floor",
}
_CASTS = "#define float(x) cast_float(x)\n#define adj_float(x, adj_x, adj_ret) adj_cast_float(x, adj_x, adj_ret)\n"
_ARCH = "#define __CUDA_ARCH__ 800\n"
_ROUNDED = ("const wp::float32 var_", "const wp::float16 var_", "const wp::bfloat16 var_")


def symbol(number: int, variant: str, direction: str) -> str:
    """Return the name of the function that runs a row of a file, by its number."""
    return f"verify_{number}_{variant}_{direction}"


def harness(rows: Sequence[Row], parts: Mapping[str, Sequence[str]]) -> str:
    """Return C++ to be compiled below the CPU preamble.

    Args:
        rows: rows with different kernel names.
        parts: for each variant wanted, the directions wanted: forward, or both.

    Each function is ``int (void* bounds, size_t size, void* args, void* adj_args, int rounding, int fibers)``
    (``fibers`` as ``how`` of ``host_run``); beside
    them stands ``size_t verify_<number>_<variant>_size()``, the size of the argument struct.
    """
    texts = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("host.h", "lanes.h")]
    for number, row in enumerate(rows):
        texts.append(f"namespace row_{number} {{")
        if CPP in parts or CUDA in parts:
            texts.append(_cpp(number, row, CPP, parts.get(CPP, ())))
        if CUDA in parts:
            texts.append(_cuda(number, row, CUDA, parts[CUDA]))
            if works_together(row):
                texts.append(f"{_ARCH}{_cpp(number, row, DEVICE, parts[CUDA])}#undef __CUDA_ARCH__")
                texts.append(_cuda(number, row, SINGLE, parts[CUDA]))
        if TWIN in parts:
            texts.append(_twin(number, row, parts[TWIN]))
        texts.append("}")
    return "\n".join(texts)


def _directions(row: Row, directions: Sequence[str]) -> list[str]:
    return [direction for direction in directions if direction == FORWARD or row["cpp_backward"]]


def _cpp(number: int, row: Row, variant: str, directions: Sequence[str]) -> str:
    name, forward = row["kernel_name"], str(row["cpp_forward"])
    wanted = _directions(row, directions)
    backward = str(row["cpp_backward"]) if BACKWARD in wanted else ""
    backward = _shapes_kept(backward)
    if variant == TWIN:
        forward, backward = _constants_rounded(forward), _constants_rounded(backward)
    entries = [f'extern "C" size_t verify_{number}_{variant}_size() {{ return sizeof(wp_args_{name}); }}']
    for direction in wanted:
        adj = f", (wp_args_{name}*)adj" if direction == BACKWARD else ""
        call = (
            f"{name}_cpu_kernel_{direction}<false>"
            f"(*(wp::launch_bounds_t<{row['launch_dim']}>*)dim, index, (wp_args_{name}*)args{adj});"
        )
        entries.append(_entry(symbol(number, variant, direction), call))
    body = "\n".join(entries)
    return f"namespace {variant} {{\n{forward}\n{backward}\n{body}\n}}\n"


def works_together(row: Row) -> bool:
    """Say whether a row's CUDA text is for threads of a block that work together, and its C++ for one that is alone."""
    return "__CUDA_ARCH__" in row["cpp_forward"]


def _cuda(number: int, row: Row, variant: str, directions: Sequence[str]) -> str:
    name, owner = row["kernel_name"], TWIN if variant == TWIN else CPP
    wanted = _directions(row, directions)
    lines = [
        "#undef builtin_tid1d\n#undef builtin_tid2d\n#undef builtin_tid3d\n#undef builtin_tid4d",
        "#define builtin_tid1d() wp::tid(_idx, dim)",
        "#define builtin_tid2d(x, y) wp::tid(x, y, _idx, dim)",
        "#define builtin_tid3d(x, y, z) wp::tid(x, y, z, _idx, dim)",
        "#define builtin_tid4d(x, y, z, w) wp::tid(x, y, z, w, _idx, dim)",
        "#define tile_shared_storage_t host_storage",
        f"namespace {variant}_block {{",
        "" if variant == SINGLE else _ARCH,
    ]
    # Functions of C linkage would be one in all namespaces.
    renames = {f"{name}_cuda_kernel_{way}": f"row_{number}_{variant}_kernel_{way}" for way in (FORWARD, BACKWARD)}
    lines += [f"#define {old} {new}" for old, new in renames.items()]
    lines.append(str(row["cuda_forward"]))
    if BACKWARD in wanted:
        lines.append(_shapes_kept(str(row["cuda_backward"])))
    lines += [f"#undef {old}" for old in renames]
    lines.append("#undef tile_shared_storage_t\n" + ("" if variant == SINGLE else "#undef __CUDA_ARCH__"))
    for direction in wanted:
        structs = ("args", "adj") if direction == BACKWARD else ("args",)
        places = [f"&(({owner}::wp_args_{name}*){struct})->{arg['name']}" for struct in structs for arg in row["args"]]
        call = (
            f"void* at[] = {{ {', '.join(places)} }}; host_cuda(&row_{number}_{variant}_kernel_{direction}, dim, at);"
        )
        lines.append(_entry(symbol(number, variant, direction), call, single=False))
    lines += [
        "}",
        "#undef builtin_tid1d\n#undef builtin_tid2d\n#undef builtin_tid3d\n#undef builtin_tid4d",
        "#define builtin_tid1d() wp::linear_tid<wp_linear_tid>(task_index, dim)",
        "#define builtin_tid2d(x, y) wp::tid(x, y, task_index, dim)",
        "#define builtin_tid3d(x, y, z) wp::tid(x, y, z, task_index, dim)",
        "#define builtin_tid4d(x, y, z, w) wp::tid(x, y, z, w, task_index, dim)",
    ]
    return "\n".join(lines) + "\n"


def _twin(number: int, row: Row, directions: Sequence[str]) -> str:
    defines = "".join(f"#undef {old}\n#define {old} {new}\n" for old, new in _WIDE.items())
    undefines = "".join(f"#undef {old}\n" for old in _WIDE)
    if works_together(row):
        text = _cpp(number, row, TWIN, ()) + _cuda(number, row, TWIN, directions)
    else:
        text = _cpp(number, row, TWIN, directions)
    return defines + text + undefines + _CASTS


def _constants_rounded(text: str) -> str:
    """Let a constant of single precision stay the number that it is in single precision."""
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if line.lstrip().startswith(_ROUNDED) and line.endswith(";"):
            name, _, value = line.partition(" = ")
            lines[place] = f"{name} = wp::host_rounded({value[:-1]});"
    return "\n".join(lines)


def _shapes_kept(text: str) -> str:
    """Drop the lines by which Warp's adjoint of ``x.shape`` empties the shape of ``x``'s gradient.

    Nothing but the check of indices reads that shape, and would then refuse all.
    """
    return "\n".join(line for line in text.split("\n") if not _empties_shape(line.strip()))


def _empties_shape(line: str) -> bool:
    target, _, value = line.partition(" = ")
    return target.startswith("adj_") and target.endswith(".shape") and value.startswith("adj_") and value.endswith(";")


def _entry(name: str, call: str, *, single: bool = True) -> str:
    return (
        f"static void {name}_one(void* dim, size_t index, void* args, void* adj) {{ {call} }}\n"
        f'extern "C" int {name}(void* dim, size_t size, void* args, void* adj, int rounding, int fibers)\n'
        f"{{ return host_run({{ &{name}_one, dim, args, adj, rounding, 0, nullptr }}, size, fibers, {int(single)}); }}"
    )
