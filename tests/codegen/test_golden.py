"""The adapter's text is Warp's: function by function what Warp itself writes to disk. And ours compiles."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest
import warp as wp

from builder.codegen import compile_cpp, compile_cuda, entry_point, generate, native, preamble
from builder.codegen.kernel_source import parse
from builder.codegen.warp_adapter import emit
from builder.codegen.warp_process import isolated
from builder.errors import CodegenRejection, WorkerError
from builder.kernels import candidate
from builder.served import served
from builder.shipped import category_names

from ..kernels.drawing import RANDOM_CATEGORIES
from .cpp_scan import definitions
from .kernels import KERNELS

# Of these each kernel has a module of its own, as Warp numbers the overloads of all kernels of a module together; and
# the lines that Warp counts from the start of an overload's function are not compared: no row holds them.
_ALONE = ("generic", "device_function")
_TOGETHER = tuple(name for name in category_names() if name not in _ALONE)


def _grammar(per_category: int, categories: Iterable[str] = RANDOM_CATEGORIES) -> dict[str, str]:
    """Return kernel sources of some categories, with distinct kernel names."""
    sources: dict[str, str] = {}
    for category in categories:
        for index in range(per_category):
            kernel = candidate(20, index, {category: 1.0})
            name = f"{kernel.kernel_name}_{category}_{index}"
            sources[name] = re.sub(rf"\b{kernel.kernel_name}\b", name, kernel.text)
    return sources


def _batches(sources: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield groups in which no two device functions or structs share a name: Warp numbers those."""
    left = dict(sources)
    while left:
        taken: set[str] = set()
        batch = {}
        for name, source in list(left.items()):
            names = {node.name for node in parse(source).tree.body if hasattr(node, "name")}
            if taken.isdisjoint(names):
                taken |= names
                batch[name] = left.pop(name)
        yield batch


def _written_by_warp(sources: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return by device what Warp writes for kernels that live in one Warp module but in a file each."""
    name = f"golden_{folder.name}"
    alive: list[ModuleType] = []
    for kernel, source in sources.items():
        path = folder / f"{kernel}.py"
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        alive.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(alive[-1])
    module = wp.get_module(name)
    # Of the native compilers; the text does not depend on them.
    options = {"optimization_level": 1, "cpu_compiler_flags": ""}
    # For one known architecture Warp would name objects of its matrix library; our text is for any of them.
    options |= dict.fromkeys(("enable_mathdx_gemm", "enable_mathdx_solver", "enable_mathdx_fft"), False)
    wp.set_module_options(options, module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Warp warns of each kernel that calls wp.grad() and has an adjoint itself
        wp.compile_aot_module(module, device="cpu", module_dir=folder, strip_hash=True)
        wp.compile_aot_module(module, arch=[80], module_dir=folder, strip_hash=True)
    return {"cpu": (folder / f"wp_{name}.cpp").read_text(), "cuda": (folder / f"wp_{name}.cu").read_text()}


def _parts(text: str, marks: bool) -> Counter[str]:
    found = definitions(text)
    return Counter(found if marks else (re.sub(r" *<L \d+>$", "", part, flags=re.MULTILINE) for part in found))


def _same_as_warp(sources: Mapping[str, str], folder: Path, *, marks: bool = True) -> None:
    raw = [emit(parse(source)) for source in sources.values()]
    ours = {
        "cpu": [code.cpu.forward + code.cpu.backward + code.entry_point for code in raw],
        "cuda": [code.cuda.forward + code.cuda.backward for code in raw],
    }
    with isolated():  # Warp numbers device functions by name over the whole process
        theirs = _written_by_warp(sources, folder)
    for device in ours:
        text = theirs[device].removeprefix("#define WP_NO_BFLOAT16\n").strip()
        header = preamble(device).strip()
        assert text.startswith(header)
        expected = _parts(text[len(header) :], marks)
        found = sum((_parts(code, marks) for code in ours[device]), Counter())
        assert found == expected
        assert len(found) >= len(sources)


@pytest.fixture(scope="module", autouse=True)
def _quiet_warp() -> Iterator[None]:
    level = wp.config.log_level
    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    yield
    wp.config.log_level = level


def test_text_is_what_warp_writes_to_disk(tmp_path: Path) -> None:
    for number, batch in enumerate(_batches({**KERNELS, **_grammar(1)})):
        folder = tmp_path / f"some_{number}"
        folder.mkdir()
        _same_as_warp(batch, folder)


@pytest.mark.slow
def test_text_of_more_kernels_is_what_warp_writes_to_disk(tmp_path: Path) -> None:
    for number, batch in enumerate(_batches(_grammar(3, _TOGETHER))):
        folder = tmp_path / f"more_{number}"
        folder.mkdir()
        _same_as_warp(batch, folder)


@pytest.mark.slow
def test_text_of_generic_functions_is_what_warp_writes_to_disk(tmp_path: Path) -> None:
    for name, source in _grammar(6, _ALONE).items():
        (tmp_path / name).mkdir()
        _same_as_warp({name: source}, tmp_path / name, marks=False)


def _compiles(sources: Mapping[str, str], source_comments: bool) -> None:
    code = [generate(source, source_comments=source_comments) for source in sources.values()]
    ptx = compile_cuda("".join(one.cuda_forward + one.cuda_backward for one in code), 80, optimization_level=1)
    for one in code:
        assert f".entry {one.kernel_name}_cuda_kernel_forward".encode() in ptx
    entries = "".join(entry_point(source) for source in sources.values())
    compiled = compile_cpp("".join(one.cpp_forward + one.cpp_backward for one in code) + entries, optimization_level=0)
    for one in code:
        assert f"{one.kernel_name}_cpu_forward".encode() in compiled


@pytest.mark.parametrize("source_comments", [True, False])
def test_canonical_text_compiles(source_comments: bool) -> None:
    for batch in _batches({**KERNELS, **_grammar(1)}):
        _compiles(batch, source_comments)


@pytest.mark.slow
def test_canonical_text_of_more_kernels_compiles() -> None:
    for batch in _batches(_grammar(12)):
        _compiles(batch, True)


def test_forward_text_compiles_without_the_backward_one() -> None:
    code = [generate(source) for source in KERNELS.values()]
    assert b"_cuda_kernel_forward" in compile_cuda("".join(one.cuda_forward for one in code), optimization_level=1)
    assert compile_cpp("".join(one.cpp_forward for one in code), optimization_level=0)[1:4] == b"ELF"


def test_code_that_does_not_compile_is_rejected() -> None:
    code = generate(KERNELS["axpy"])
    for compile_, text in ((compile_cuda, code.cuda_forward), (compile_cpp, code.cpp_forward)):
        with pytest.raises(CodegenRejection, match="does not compile"):
            compile_(text.replace("var_y", "var_missing", 1).replace("wp_args_axpy {", "wp_args_lost {"))


def test_code_that_ends_the_compiler_is_rejected() -> None:
    text = "int one() { return 1; }"
    with pytest.raises(CodegenRejection, match="does not compile: ends the compiler"):
        compile_cpp(f"#pragma clang __debug crash\n{text}", optimization_level=0)
    assert compile_cpp(text, optimization_level=0)[1:4] == b"ELF"


def test_a_compiler_that_something_else_ends_is_started_again() -> None:
    text = "int one() { return 1; }"
    first = compile_cpp(text, optimization_level=0)
    compiling = served("builder.codegen.compiler")._process
    assert compiling is not None
    compiling.kill()
    assert compile_cpp(text, optimization_level=0) == first


@pytest.mark.parametrize("killed", [False, True])
def test_compilers_leave_nothing_behind(tmp_path: Path, killed: bool) -> None:
    code = "import os, signal\nfrom builder.codegen import compile_cuda\ncompile_cuda('__global__ void one() {}')\n"
    code += "os.kill(os.getpid(), signal.SIGKILL)" * killed
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode
    assert ended == -signal.SIGKILL * killed
    while list(tmp_path.iterdir()):  # the process that compiles sees the end of the other
        time.sleep(0.1)


def test_what_this_machine_lacks_is_no_rejection(tmp_path: Path) -> None:
    files = {"source": str(tmp_path / "gone.cu"), "target": str(tmp_path / "out.ptx")}
    with pytest.raises(WorkerError, match=r"nothing can be compiled here: FileNotFoundError"):
        native._refusal({**files, "arch": 80, "optimization_level": 0})


def test_the_scanner_finds_definitions() -> None:
    text = (
        "#define F(x) \\\n  {x\n// a {\nstruct A { int b; };\n\n"
        'extern "C" {\nvoid f() { g("}\\"", \'{\'); /* } */ }\n}\nvoid h();\n'
    )
    assert definitions(text) == [
        "struct A { int b; };",
        'void f() { g("}\\"", \'{\'); /* } */ }',
        "void h();",
    ]
    with pytest.raises(ValueError, match="unbalanced"):
        definitions("void f() {")
