"""Compiles and runs programs: with nvcc where there is one, and for this machine's CPU without."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ..surroundings import surroundings
from ..verify import harness
from .launch import WAITING

SHIM = Path(__file__).with_name("shim")
# Where the shim takes from what threads of a block do together.
LANES = Path(harness.__file__).parent
SANITIZERS = "-fsanitize=address,undefined"
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a program: ``passed``, or what went wrong."""

    passed: bool
    said: str


def host_text(program: str) -> str:
    """Return a program with each launch ``k<<<grid, block>>>(args);`` in a form that any C++ compiler takes."""
    done, rest = "", program
    while "<<<" in rest:
        before, _, rest = rest.partition("<<<")
        configuration, _, rest = rest.partition(">>>(")
        arguments, _, rest = rest.partition(");")
        space = before.rfind(" ") + 1
        kernel = before[space:]
        done += f"{before[:space]}host_launch({configuration}, [=] {{ {kernel}({arguments}); }});"
    return done + rest


def run_on_host(program: str, *, sanitize: bool = False, sizes: Sequence[int] = (), cxx: str = "g++") -> Outcome:
    """Compile a program for this machine's CPU and run it; one whose threads wait for each other in two orders of them.

    Args:
        sanitize: under AddressSanitizer and UndefinedBehaviorSanitizer.
        sizes: of the grid's dimensions, one run for each, without a comparison; none: the program's own.
    """
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        source, binary = Path(folder, "program.cpp"), Path(folder, "program")
        source.write_text(host_text(program), encoding="utf-8")
        fibers = any(word in program for word in WAITING)
        built = _run([cxx, *_flags(cxx, sanitize, fibers), str(source), "-o", str(binary)])
        if built.returncode:
            return Outcome(False, f"does not compile: {_first(built.stderr)}")
        wanted = "PASS" if "EXPECTED_SIZE" in program and not sizes else "DONE"
        for size in sizes or [0]:
            command = [str(binary), *([str(size), "1"] if size else [])]
            outcome = _ran(command, wanted)
            if outcome.passed and fibers and not takes_turns(program):
                outcome = _ran(command, wanted, HOST_ORDER="reversed")
            if not outcome.passed:
                return Outcome(False, f"size {size}: {outcome.said}" if size else outcome.said)
        return outcome


def takes_turns(program: str) -> bool:
    """Say whether a program uses what an atomic operation returns: on a GPU too the order of threads decides that."""
    lines = [line.strip() for line in program.splitlines()]
    return any("atomic" in line and not line.startswith(("atomic", "//")) for line in lines)


def _ran(command: Sequence[str], wanted: str, **more: str) -> Outcome:
    ran = _run(command, **more)
    said = ran.stdout.strip().splitlines()
    if ran.returncode or not said or not said[-1].startswith(wanted):
        failed = [line for line in said if line.startswith("FAIL ")]
        return Outcome(False, failed[0] if failed else f"exit code {ran.returncode}: {_first(ran.stderr)}")
    return Outcome(True, said[-1])


@cache
def _flags(cxx: str, sanitize: bool, fibers: bool) -> list[str]:
    """Return how programs are compiled for the CPU; what they include is read once for all programs of a process."""
    # Without optimisation no access is left out that a sanitizer would object to.
    flags = ["-std=c++17", "-O0" if sanitize else "-O1", "-w", "-fwrapv", "-ffp-contract=off"]
    flags += ["-D__CUDA_ARCH__=800", f"-I{SHIM}", f"-I{LANES}", *["-DHOST_FIBERS"] * fibers]
    # Shifts by what C++ does not define and whole numbers that wrap mean on a GPU what they mean to Warp.
    flags += [SANITIZERS, "-fno-sanitize=shift,alignment", "-fno-sanitize-recover=all"] * sanitize
    read = Path(_kept_headers().name, f"read{sanitize:d}{fibers:d}.h")
    read.write_text('#include "host_all.h"\n', encoding="utf-8")
    _run([cxx, *flags, "-x", "c++-header", str(read), "-o", f"{read}.gch"])
    return [*flags, "-include", str(read)]


@cache
def _kept_headers() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="warp_cuda_pairs_")


def _run(command: Sequence[str], **more: str) -> subprocess.CompletedProcess[str]:
    environment = surroundings(ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=0", **more)
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=environment, errors="replace"
        )
    except FileNotFoundError:
        return subprocess.CompletedProcess(command, -1, "", f"there is no {command[0]}")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"takes more than {_SECONDS} s")


def _first(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "rror" in line] or text.strip().splitlines() or [""]
    return lines[0][:300]


@cache
def nvcc() -> str:
    """Return the path of nvcc: the one on PATH, the one of the package nvidia-cuda-nvcc, or nothing."""
    found = shutil.which("nvcc")
    if found:
        return found
    for below in ("nvidia/cu13/bin/nvcc", "nvidia/cuda_nvcc/bin/nvcc"):
        path = Path(sysconfig.get_paths()["purelib"], below)
        if path.is_file():
            return str(path)
    return ""


def compile_to_ptx(program: str, architecture: int = 80) -> str:
    """Return the PTX that nvcc makes of a program; empty if it does not compile."""
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        source, target = Path(folder, "program.cu"), Path(folder, "program.ptx")
        source.write_text(program, encoding="utf-8")
        chosen = f"-arch=compute_{architecture}"
        _run([nvcc(), "-std=c++17", chosen, "-ptx", "-o", str(target), str(source)])
        return target.read_text(encoding="utf-8") if target.is_file() else ""


def compile_with_nvcc(program: str, architectures: Sequence[int] = (80, 90)) -> Outcome:
    """Compile a program with nvcc to machine code, all warnings errors; no GPU is needed.

    Raises:
        FileNotFoundError: there is no nvcc.
    """
    compiler = nvcc()
    if not compiler:
        raise FileNotFoundError("no nvcc: put it on PATH, or install the extra 'nvcc'")
    with TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        source = Path(folder, "program.cu")
        source.write_text(program, encoding="utf-8")
        chosen = [f"-gencode=arch=compute_{one},code=sm_{one}" for one in architectures]
        target = str(Path(folder, "program.o"))
        built = _run([compiler, "-std=c++17", "-Werror", "all-warnings", *chosen, "-c", "-o", target, str(source)])
        return Outcome(built.returncode == 0, _first(built.stderr + built.stdout) if built.returncode else "compiles")
