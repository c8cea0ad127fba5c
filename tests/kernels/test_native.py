"""Native snippets do on a block of threads what they say, and their adjoints are those of what they do."""

import shutil
import subprocess
from collections import Counter
from dataclasses import replace

import pytest

from builder.curate.snippets import _declared, lex
from builder.kernels import draw_program
from builder.kernels.choices import CounterChoices
from builder.kernels.types import INT, Array, Scalar

CATEGORIES = ("warp_shuffle", "block_sync", "shared_memory", "cooperative_groups")
HERE = __file__.rpartition("/")[0]

# What whole numbers a function takes, thread by thread, and how long its arrays are.
INTEGERS = {
    "stencil": ("t", "600"),
    "lookup": ("t % 14",),
    "unpacked": ("t", "1200"),
    "interactions": ("300",),
    "tile_product": ("t / 16", "t % 16", "32", "16"),
}
LENGTHS = {"stencil": 600, "unpacked": 1200, "interactions": 300, "tile_product": 512, "private_sums": 1}


def drawn(category, each, seed=3, limit=800):
    """Return up to ``each`` programs of each family of a category, with their numbers."""
    seen = Counter()
    for index in range(limit):
        program = draw_program(CounterChoices(seed, index), category)
        seen[program.family] += 1
        if seen[program.family] <= each:
            yield index, program


def _params(function, adjoint=False):
    types = {True: "array&", False: "double"}
    plain = [
        f"{'int' if arg.type is INT else types[isinstance(arg.type, Array)]} {arg.name}" for arg in function.params
    ]
    if not adjoint:
        return ", ".join(plain)
    grads = [
        f"{'int' if arg.type is INT else types[isinstance(arg.type, Array)].rstrip('&')}& adj_{arg.name}"
        for arg in function.params
    ]
    return ", ".join([*plain, *grads, "double adj_ret"])


_CHECK = """
    {{
        {declare}
        std::vector<double> results(BLOCK);
        auto loss = [&]() {{
            {reset}
            if (!run([&](int t) {{ results[t] = n{number}::forward({call}); }})) return std::nan("");
            double sum = 0;
            for (int t = 0; t < BLOCK; ++t) sum += std::cos(t * 1.7 + 0.3) * results[t];
            return sum{extra};
        }};
        loss();
        {reset}
        {zero}
        bool ended = run([&](int t) {{ n{number}::adjoint({call}, {grads}, std::cos(t * 1.7 + 0.3)); }});
        {compare}
        if (!ended) std::printf("{number} hangs\\n");
    }}
"""
_COMPARE = """
        for (int at : {{0, 5, 37, 100, 255}}) if (at < int({name}.size())) {{
            const double h = 1e-6, old = {name}[at];
            {name}[at] = old + h; const double more = loss();
            {name}[at] = old - h; const double less = loss();
            {name}[at] = old;
            std::printf("{number} {name} %d %.10g %.10g\\n", at, (more - less) / (2 * h), adj_{name}[at]);
        }}
"""


def _gradient_check(number, program, function):
    """Return C++ that prints numeric and adjoint derivatives of what a function gives to a block."""
    declare, call, grads, compare, zero, reset = [], [], [], [], [], []
    whole = iter(INTEGERS.get(program.family, ()))
    for place, arg in enumerate(function.params):
        if arg.type is INT:
            call.append(next(whole))
            declare.append(f"int adj_{arg.name} = 0;")
            grads.append(f"adj_{arg.name}")
            continue
        array = isinstance(arg.type, Array)
        size = LENGTHS.get(program.family, 300) if array else 256
        declare.append(f"array {arg.name}({size}), adj_{arg.name}({size});")
        declare.append(
            f"for (int n = 0; n < {size}; ++n) {arg.name}[n] = 1.3 * std::sin(n * {7.1 + place} + {place} + 0.37);"
        )
        call.append(arg.name if array else f"{arg.name}[t]")
        grads.append(f"adj_{arg.name}" if array else f"adj_{arg.name}[t]")
        if program.family == "private_sums" and array:
            zero.append(f"adj_{arg.name}[0] = 0.7;")
            reset.append(f"{arg.name}[0] = 0;")
        else:
            compare.append(_COMPARE.format(name=arg.name, number=number))
    extra = f" + 0.7 * {function.params[1].name}[0]" if program.family == "private_sums" else ""
    parts = {"declare": declare, "compare": compare, "zero": zero, "reset": reset}
    texts = {key: "\n        ".join(lines) for key, lines in parts.items()}
    return _CHECK.format(number=number, call=", ".join(call), grads=", ".join(grads), extra=extra, **texts)


@pytest.mark.parametrize("category", CATEGORIES)
def test_adjoints_are_the_derivatives(category, tmp_path):
    """Derivatives of a weighted sum of what 256 threads get: by the adjoint snippet, and by finite differences."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    functions, checks, families = [], [], {}
    for number, program in drawn(category, 2):
        function = next(f for f in program.functions if f.snippet is not None)
        if not function.snippet.adjoint:
            continue
        families[number] = (program.family, function)
        functions.append(
            f"namespace n{number} {{\ndouble forward({_params(function)}) {{\n{function.snippet.forward}\n}}\n"
            f"void adjoint({_params(function, True)}) {{\n{function.snippet.adjoint}\n}}\n}}\n"
        )
        checks.append(_gradient_check(number, program, function))
    source = tmp_path / "block.cpp"
    source.write_text(
        f'#include "{HERE}/block_emulator.h"\n' + "".join(functions) + "int main() {\n" + "".join(checks) + "}\n"
    )
    program = tmp_path / "block"
    subprocess.run(["g++", "-std=c++17", "-O0", "-w", "-o", program, source], check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True, timeout=100).stdout.splitlines()
    assert len(lines) >= 5 * len(families)
    for line in lines:
        number, name, at, numeric, adjoint = line.split()
        assert float(adjoint) == pytest.approx(float(numeric), rel=2e-4, abs=2e-5), (families[int(number)], name, at)


@pytest.mark.parametrize("category", CATEGORIES)
def test_one_thread_alone_has_code_of_its_own(category):
    """What uses threads of a block stands under __CUDA_ARCH__, with something else beside it."""
    for _, program in drawn(category, 4):
        for function in program.functions:
            texts = (function.snippet.forward, function.snippet.adjoint) if function.snippet else ()
            for text in filter(None, texts):
                lines = text.splitlines()
                marks = [line for line in lines if line.startswith("#if") or line in ("#else", "#endif")]
                assert marks in (["#if defined(__CUDA_ARCH__)", "#else", "#endif"], [])
                outside = lines[: lines.index(marks[0])] + lines[lines.index("#else") :] if marks else lines
                assert not any(
                    word in line for line in outside for word in ("__sync", "__shared__", "threadIdx", "_sync(")
                )


def test_locals_are_not_named_as_parameters():
    for category in CATEGORIES:
        for _, program in drawn(category, 25, limit=400):
            for function in program.functions:
                if function.snippet is not None:
                    params = {arg.name for arg in function.params}
                    for text in (function.snippet.forward, function.snippet.adjoint):
                        assert not params & _declared(list(lex(text))), (program.family, text)


def test_whole_numbers_have_no_adjoint():
    for category in CATEGORIES:
        for _, program in drawn(category, 6):
            for function in program.functions:
                if function.snippet and function.snippet.adjoint:
                    assert isinstance(function.result, Scalar)
                    assert function.result.is_float


def test_the_same_program_has_the_same_snippets():
    for category in CATEGORIES:
        for index, program in drawn(category, 1):
            again = draw_program(CounterChoices(3, index), category)
            assert replace(again) == program
