"""Levels execute and gradient: what is wrong is found, and costs only itself."""

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from builder.verify.running import run_rows

from .made import good, row, swapped


def native(name, statement):
    """Return a row that runs a statement of C++ for each thread."""
    return row(
        f"""
        def {name}(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = do_{name}(x[i])
        """,
        before=f'''
        @wp.func_native("""{statement}""")
        def do_{name}(x: float) -> float:
            ...
        ''',
    )


CASES = {
    "good": good(),
    "crash": native("crash", "volatile int* p = nullptr; *p = 1; return x;"),
    "hang": native("hang", "volatile int n = 0; while (n == 0) {} return x;"),
    "greedy": native(
        "greedy", "float* p = nullptr; for (;;) { p = (float*)malloc(1 << 24); memset(p, 1, 1 << 24); } return x;"
    ),
    "beyond": row("""
        def beyond(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i + 1000000]
        """),
    "trivial": row("""
        def trivial(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i] * 0.0 + 3.0
        """),
    "silent": row("""
        def silent(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            if x[i] > 1000000.0:
                out[i] = x[i]
        """),
    "infinite": row("""
        def infinite(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i] / (x[i] - x[i])
        """),
    "cpp_swapped": swapped(good("cpp_swapped"), "cpp_forward", "wp::add(", "wp::sub("),
    "cuda_swapped": swapped(good("cuda_swapped"), "cuda_forward", "wp::add(", "wp::sub("),
    "cuda_shifted": swapped(good("cuda_shifted"), "cuda_forward", "_idx < dim.size", "_idx + 1 < dim.size"),
    "unguarded_cancellation": row("""
        def unguarded_cancellation(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = (1.0 + 0.00001 * x[i]) - 1.0
        """),
    "adjoint_swapped": swapped(
        swapped(good("adjoint_swapped"), "cpp_backward", "wp::adj_sin(", "wp::adj_cos("),
        "cuda_backward",
        "wp::adj_sin(",
        "wp::adj_cos(",
    ),
    "adjoint_of_cuda_swapped": swapped(
        good("adjoint_of_cuda_swapped"), "cuda_backward", "wp::adj_sin(", "wp::adj_cos("
    ),
    "wrong_grad": row(
        """
        def wrong_grad(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = cube(x[i])
        """,
        before="""
        @wp.func
        def cube(x: float):
            return x * x * x


        @wp.func_grad(cube)
        def adj_cube(x: float, adj_ret: float):
            wp.adjoint[x] += 2.0 * x * x * adj_ret
        """,
    ),
    "kinked": row("""
        def kinked(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.abs(wp.sin(x[i] * 50000.0))
        """),
    "whole": row("""
        def whole(x: wp.array(dtype=int), out: wp.array(dtype=int)):
            i = wp.tid()
            out[i] = x[i] * 3
        """),
    "empty": row(
        """
        def empty(s: Holder, x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i] * s.scale
        """,
        before="""
        @wp.struct
        class Nothing:
            pass


        @wp.struct
        class Holder:
            nothing: Nothing
            scale: float
        """,
    ),
    "halves": row("""
        def halves(x: wp.array2d(dtype=wp.vec3h), m: wp.mat33h, out: wp.array2d(dtype=wp.vec3h)):
            i, j = wp.tid()
            out[i, j] = wp.normalize(m * x[j, i])
        """),
    "structs": row(
        """
        def structs(s: S, x: wp.array(dtype=P), q: wp.array(dtype=wp.quat), out: wp.array(dtype=P)):
            i = wp.tid()
            p = x[i]
            p.at = wp.quat_rotate(q[i], p.at) * s.scale + s.table[i]
            out[i] = p
        """,
        before="""
        @wp.struct
        class P:
            at: wp.vec3
            n: wp.int8


        @wp.struct
        class S:
            scale: wp.float64
            flag: bool
            table: wp.array(dtype=wp.vec3)
        """.replace("scale: wp.float64", "scale: float"),
    ),
    "tiles": row("""
        def tiles(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            t = wp.tile_load(x, shape=16, offset=i * 16)
            wp.tile_store(out, wp.tile_map(wp.sin, t) + t, offset=i * 16)
        """),
    "warps": row(
        """
        def warps(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            v = float(0.0)
            if i < x.shape[0]:
                v = x[i]
            total = warp_sum(v)
            if i < out.shape[0]:
                out[i] = total * v
        """,
        before='''
        @wp.func_native("""
            #if defined(__CUDA_ARCH__)
            for (int step = 16; step > 0; step >>= 1) x += __shfl_xor_sync(0xffffffffu, x, step);
            #endif
            return x;
        """, adj_snippet="""
            #if defined(__CUDA_ARCH__)
            for (int step = 16; step > 0; step >>= 1) adj_ret += __shfl_xor_sync(0xffffffffu, adj_ret, step);
            #endif
            adj_x += adj_ret;
        """)
        def warp_sum(x: float) -> float:
            ...
        ''',
    ),
    # One barrier in each of several blocks: what one block counted may not be counted in the next.
    "votes": row(
        """
        def votes(x: wp.array(dtype=float), out: wp.array(dtype=int)):
            i = wp.tid()
            v = float(0.0)
            if i < x.shape[0]:
                v = x[i]
            n = count_block(v)
            if i < out.shape[0]:
                out[i] = n
        """,
        before='''
        @wp.func_native("""
            #if defined(__CUDA_ARCH__)
            return __syncthreads_count(x > 0.25f);
            #else
            return x > 0.25f ? 1 : 0;
            #endif
        """)
        def count_block(x: float) -> int:
            ...
        ''',
    ),
}


@pytest.fixture(scope="module")
def verdicts():
    found = run_rows(list(CASES.values()), "gradient", 0, seconds=4.0, size=1 << 30)
    return {name: found[made["id"]] for name, made in CASES.items()}


EXECUTE = {
    "crash": "reads or writes memory",
    "hang": "takes more than 4 s",
    "greedy": "reads or writes memory",
    "beyond": "a check in Warp's headers fails",
    "trivial": "trivial",
    "silent": "writes nothing",
    "infinite": "not finite",
    "cpp_swapped": "by the CUDA text is not that by the C++ text",
    "cuda_swapped": "by the CUDA text is not that by the C++ text",
    "cuda_shifted": "by the CUDA text is not that by the C++ text",
}
GRADIENT = {
    "adjoint_swapped": ("failed", "the adjoint says"),
    "adjoint_of_cuda_swapped": ("failed", "of the CUDA text are not those of the C++ text"),
    "wrong_grad": ("failed", "gives the gradient of a function by hand"),
    "kinked": ("nonsmooth", "no smooth direction"),
    "whole": ("not_applicable", "writes no floats"),
    "votes": ("not_applicable", "writes no floats"),
}


@pytest.mark.parametrize("name", EXECUTE)
def test_what_does_not_run_fails_alone(verdicts, name):
    assert verdicts[name]["execute"].state == "failed"
    assert EXECUTE[name] in verdicts[name]["execute"].reason
    assert verdicts[name]["gradient"].state == "not_run"


@pytest.mark.parametrize("name", sorted(set(CASES) - set(EXECUTE)))
def test_what_runs_passes(verdicts, name):
    verdict = verdicts[name]["execute"]
    assert (verdict.state, verdict.reason) == ("passed", "")
    assert verdict.details["twin"] == "within bound"
    assert verdict.details["cuda"] == "equal"


@pytest.mark.parametrize("name", sorted(set(CASES) - set(EXECUTE)))
def test_adjoints(verdicts, name):
    state, reason = GRADIENT.get(name, ("passed", ""))
    assert verdicts[name]["gradient"].state == state, verdicts[name]["gradient"].reason
    assert reason in verdicts[name]["gradient"].reason


def test_verdicts_are_the_same_again(verdicts):
    names = ["good", "structs", "wrong_grad", "tiles", "crash"]
    again = run_rows([CASES[name] for name in reversed(names)], "gradient", 0)
    assert {name: again[CASES[name]["id"]] for name in names} == {name: verdicts[name] for name in names}


def test_a_killed_build_leaves_no_kernel_running():
    script = (
        "import json, sys\n"
        "from builder.verify.running import run_rows\n"
        "run_rows([json.load(sys.stdin)], 'execute', 0, seconds=600)\n"
    )
    build = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, text=True)
    json.dump(CASES["hang"], build.stdin)
    build.stdin.close()
    below = []
    while len(below) < 2 and build.poll() is None:  # the worker, and the process of the row
        time.sleep(0.2)
        below = descendants(build.pid)
    assert len(below) >= 2
    build.kill()
    build.wait()
    deadline = time.monotonic() + 30
    while any(is_running(pid) for pid in below) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(is_running(pid) for pid in below)


def descendants(pid):
    """Return the processes that descend from one, as /proc tells."""
    parents = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal():
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = [child for child, parent in parents.items() if parent == pid]
    return found + [one for child in found for one in descendants(child)]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_example_says_what_a_row_makes_of_its_arguments(verdicts):
    example = verdicts["good"]["execute"].details["example"]
    x, y, out = example["arguments"]
    assert (example["dim"], example["tiled"]) == ([7], False)
    assert [(one["name"], one["type"], one["shape"]) for one in (x, y, out)] == [
        (name, "float32", [7]) for name in ("x", "y", "out")
    ]
    assert x["after"] is None
    assert y["after"] is None
    assert out["before"] != out["after"]
    expected = np.sin(x["before"]) * y["before"] + 2.0 * np.array(x["before"])
    np.testing.assert_allclose(out["after"], expected, rtol=1e-5)


def test_an_example_names_fields_and_holds_scalars(verdicts):
    arguments = {one["name"]: one for one in verdicts["structs"]["execute"].details["example"]["arguments"]}
    assert arguments["s.scale"]["shape"] == []
    assert len(arguments["s.scale"]["before"]) == 1
    assert arguments["x.at"]["shape"][1:] == [3]
    assert len(arguments["x.at"]["before"]) == np.prod(arguments["x.at"]["shape"])
