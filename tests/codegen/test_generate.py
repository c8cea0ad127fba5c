"""``generate``: a function of the source, with rejections for what cannot be generated, and no traces."""

from __future__ import annotations

import ast
import gc
import linecache
import pickle
import subprocess
import sys
from dataclasses import astuple, replace
from functools import partial
from pathlib import Path

import pytest
import warp as wp

from builder.codegen import (
    Generated,
    entry_point,
    fewer_collections,
    generate,
    measure_bound,
    preamble,
    warp_adapter,
    warp_internals,
    warp_process,
)
from builder.codegen.shortcuts import remembering
from builder.errors import AdapterError, CodegenRejection
from builder.record import Reason

from .kernels import KERNELS

HEAD = "import warp as wp\n\n@wp.kernel\n"


@pytest.mark.parametrize(
    ("source", "reason", "detail"),
    [
        ("def (", Reason.SOURCE_ERROR, "SyntaxError"),
        ("x = 1\0", Reason.SOURCE_ERROR, "null byte"),
        ("import warp as wp\n1 / 0\n", Reason.SOURCE_ERROR, "ZeroDivisionError"),
        ("import warp as wp\n", Reason.SOURCE_ERROR, "defines 0 kernels"),
        (KERNELS["axpy"] + KERNELS["lean"], Reason.SOURCE_ERROR, "defines 2 kernels"),
        (HEAD + "def k(a):\n    pass\n", Reason.CODEGEN_ERROR, "Incomplete argument annotations"),
        (HEAD + "def k(a: wp.float32):\n    return a\n", Reason.CODEGEN_ERROR, "return"),
        (HEAD + "def k(a: wp.float32):\n    b = missing\n", Reason.CODEGEN_ERROR, "undefined symbol: missing"),
        (HEAD + "def k(a: wp.float32):\n    b = [x for x in range(3)]\n", Reason.CODEGEN_ERROR, "ListComp"),
        (HEAD + "def k(a: wp.float32):\n    b = a + wp.vec3(a)\n", Reason.CODEGEN_ERROR, "Couldn't find function"),
        (HEAD + "def k(a: wp.float32, b: float = undefined):\n    pass\n", Reason.SOURCE_ERROR, "NameError"),
        (
            "import warp as wp\nfrom typing import Any\n@wp.kernel\ndef k(a: wp.array(dtype=Any)):\n    i = wp.tid()\n",
            Reason.CODEGEN_ERROR,
            "generic",
        ),
    ],
)
def test_rejections_say_why_on_one_line(source: str, reason: Reason, detail: str) -> None:
    with pytest.raises(CodegenRejection, match=detail) as caught:
        generate(source)
    assert caught.value.reason == reason
    assert "\n" not in caught.value.detail
    assert 0 < len(caught.value.detail) <= 300
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.reason, copy.detail) == (caught.value.reason, caught.value.detail)


def test_details_hold_no_addresses() -> None:
    with pytest.raises(CodegenRejection) as caught:
        generate("raise ValueError(object())\n")
    assert caught.value.detail == "ValueError: <object object at 0x>"


def test_interrupts_and_lack_of_memory_pass_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        generate("raise KeyboardInterrupt\n")
    with pytest.raises(MemoryError):
        generate("raise MemoryError\n")


def test_what_a_kernel_is() -> None:
    code = generate(KERNELS["stencil"])
    assert code.kernel_name == "stencil"
    assert code.args == (("x", "wp.array2d(dtype=wp.float32)"), ("out", "wp.array2d(dtype=wp.float32)"))
    assert (code.launch_dim, code.block_dim) == (2, 256)
    assert [generate(KERNELS[name]).launch_dim for name in ("axpy", "volume", "fill")] == [1, 3, 4]


def test_grid_stride_follows_the_decorator() -> None:
    assert "_idx += " in generate(KERNELS["axpy"]).cuda_forward
    assert "if (_idx >= dim.size) return;" in generate(KERNELS["lean"]).cuda_forward


def test_backward_is_empty_only_without_a_backward_kernel() -> None:
    for name, source in KERNELS.items():
        code = generate(source)
        assert bool(code.cpp_backward) == bool(code.cuda_backward) == (name != "forward_only")


def test_functions_that_call_grad_bring_their_adjoints_forward() -> None:
    source = """import warp as wp

@wp.func
def f(x: wp.float32):
    return x * x

@wp.func
def slope(x: wp.float32):
    return wp.grad(f)(x)

@wp.kernel
def k(x: wp.array(dtype=wp.float32), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    out[i] = slope(x[i])
"""
    code = generate(source)
    assert code.cuda_forward.index("adj_f_0(") < code.cuda_forward.index(" slope_0(")
    assert "void adj_f_0(" not in code.cuda_backward


def test_order_and_repetition_do_not_matter() -> None:
    once = {name: generate(source) for name, source in KERNELS.items()}
    for name in reversed(KERNELS):
        assert generate(KERNELS[name]) == once[name]
        assert generate(KERNELS[name], tree=ast.parse(KERNELS[name])) == once[name]


def test_names_of_an_earlier_kernel_leave_no_trace() -> None:
    expected = generate(KERNELS["settle"])
    generate(KERNELS["settle"].replace("colour: wp.vec3", "colour: wp.vec4"))
    generate(
        KERNELS["settle"]
        .replace("def energy(b: Body, t: wp.float32)", "def energy(b: Body, t: wp.float64)")
        .replace("extra.density)", "wp.float64(1.0))")
        .replace("+ t", "+ float(t)")
    )
    with pytest.raises(CodegenRejection):
        generate(KERNELS["settle"].replace("h * b", "nothing * b"))
    assert generate(KERNELS["settle"]) == expected
    assert "energy_0(" in expected.cuda_forward


def test_the_tree_is_only_read() -> None:
    for source in KERNELS.values():
        tree = ast.parse(source)
        before = ast.dump(tree, include_attributes=True)
        generate(source, tree=tree)
        assert ast.dump(tree, include_attributes=True) == before


def test_the_users_configuration_neither_counts_nor_changes(capfd: pytest.CaptureFixture[str]) -> None:
    expected = [generate(source) for source in KERNELS.values()]
    changed = {
        "default_grid_stride": False,
        "max_unroll": 2,
        "enable_backward": False,
        "mode": "debug",
        "verify_fp": True,
        "log_level": wp.LOG_DEBUG,
    }
    saved = {name: getattr(wp.config, name) for name in changed}
    try:
        for name, value in changed.items():
            setattr(wp.config, name, value)
        assert [generate(source) for source in KERNELS.values()] == expected
        assert {name: getattr(wp.config, name) for name in changed} == changed
    finally:
        for name, value in saved.items():
            setattr(wp.config, name, value)
    assert capfd.readouterr() == ("", "")


def test_nothing_stays_behind() -> None:
    cached = set(linecache.cache)
    loaded = set(sys.modules)
    for source in KERNELS.values():
        generate(source)
    with pytest.raises(CodegenRejection):
        generate(KERNELS["axpy"].replace("a * x", "b * x"))
    gc.collect()
    assert [one for one in gc.get_objects() if isinstance(one, wp.Kernel) and one.key in KERNELS] == []
    assert set(linecache.cache) <= cached
    assert set(sys.modules) == loaded


_FLAT = """
import os, sys
from builder.codegen import generate
from tests.codegen.kernels import KERNELS

def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def run(first, last):
    for i in range(first, last):
        name, source = list(KERNELS.items())[i % len(KERNELS)]
        generate(source.replace(f"def {name}(", f"def {name}_{i}(").replace("2.0", f"{i}.5"))

run(0, 400)
early = rss()
run(400, 1600)
print(rss() / early)
"""


def test_fewer_collections_leaves_the_collector_as_it_was() -> None:
    before = (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count())
    with fewer_collections():
        inside = gc.get_threshold()
        assert inside != before[1]
        with fewer_collections():
            assert gc.get_threshold() == inside
        assert gc.get_threshold() == inside
    assert (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()) == before
    with pytest.raises(CodegenRejection), fewer_collections():
        generate("")
    assert (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()) == before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_is_flat() -> None:
    done = subprocess.run([sys.executable, "-c", _FLAT], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.03, done.stdout
    assert done.stderr == ""


_STRUCT = """import warp as wp


@wp.struct
class Ball:
    centre: wp.vec3
    radius: wp.float32


@wp.kernel
def k(out: wp.array(dtype=Ball)):
    i = wp.tid()
    out[i] = Ball(wp.vec3(wp.float32(i)), 2.0)
    empty = Ball()
    out[i].radius = empty.radius
"""


def test_structs_do_not_stay() -> None:
    generate(_STRUCT)
    gc.collect()
    stayed = [one for one in gc.get_objects() if isinstance(one, warp_adapter.wcodegen.Struct) and one.key == "Ball"]
    assert not stayed


def test_the_entry_point_is_not_in_the_columns() -> None:
    code = generate(KERNELS["axpy"])
    entry = entry_point(KERNELS["axpy"])
    assert "WP_API void axpy_cpu_forward(" in entry
    assert "WP_API void axpy_cpu_backward(" in entry
    assert "WP_API" not in code.cpp_forward + code.cpp_backward
    assert "_cpu_backward(" not in entry_point(KERNELS["forward_only"])


def test_preamble_is_fixed_and_per_device() -> None:
    assert '#include "builtin.h"' in preamble("cpu")
    assert "linear_tid" in preamble("cpu")
    assert "WP_CLUSTER_DIMS" in preamble("cuda")
    with pytest.raises(ValueError, match=r"unknown device 'gpu'; allowed: cpu, cuda"):
        preamble("gpu")


def test_a_warp_without_an_internal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(warp_internals._NEEDS, wp.Kernel, ("launch_code",))
    with pytest.raises(AdapterError, match=r"has no Kernel\.launch_code.*pip install 'warp-lang==1\.19\.0'"):
        warp_internals._check_warp()


def test_the_overload_memo_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    remembered: list[Generated] = [generate(source) for source in KERNELS.values()]
    calls: list[object] = []

    def counting(*args: object) -> object:
        calls.append(args)
        return warp_adapter._warps_resolve_func(*args)

    knows_no_type = replace(warp_adapter._KNOWN, plain=frozenset(), arrays=frozenset())
    memo = remembering(counting, knows_no_type)  # asks Warp each time
    monkeypatch.setattr(warp_adapter, "_resolve_func", memo)
    assert [astuple(generate(source)) for source in KERNELS.values()] == [astuple(one) for one in remembered]
    assert len(calls) > 100


def test_the_other_shortcuts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = [astuple(generate(source)) for source in KERNELS.values()]
    warps = wp.Module._find_references
    found: list[object] = []

    def finding(adj: object) -> None:
        found.append(adj)
        warps(wp.get_module("warp_cuda_pairs_kernel"), adj)

    monkeypatch.setattr(warp_adapter, "pairing", lambda adj, known: partial(type(adj).resolve_call, adj))
    monkeypatch.setattr(warp_adapter, "formatting", lambda adj, variable: partial(type(adj).format_args, adj))
    whole = warp_adapter.wcodegen.Adjoint.type_contains_native_value
    monkeypatch.setattr(warp_adapter, "_contains_native_value", whole)
    monkeypatch.setattr(warp_adapter, "Builder", warp_adapter.wcontext.ModuleBuilder)
    monkeypatch.setattr(warp_process, "no_references", finding)
    assert [astuple(generate(source)) for source in KERNELS.values()] == shorter
    assert len(found) >= len(KERNELS)


def test_kernels_do_not_wait_for_the_collector() -> None:
    for source in KERNELS.values():
        generate(source)
    gc.collect()
    gc.disable()
    try:
        before = _adjoints()
        for source in KERNELS.values():
            generate(source)
        assert _adjoints() - before < len(KERNELS) / 2
    finally:
        gc.enable()


def _adjoints() -> int:
    return sum(len(getattr(one, "__dict__", ())) > 2 for one in gc.get_objects() if type(one).__name__ == "Adjoint")


def test_an_imported_kernel_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "holds_a_kernel.py").write_text(KERNELS["axpy"])
    monkeypatch.syspath_prepend(tmp_path)
    source = "from holds_a_kernel import axpy\n"
    assert generate(source).cuda_forward == generate(source).cuda_forward
    assert sys.modules["holds_a_kernel"].axpy.adj.source.startswith("@wp.kernel")


def test_the_bound_is_a_time() -> None:
    one = measure_bound([KERNELS["axpy"]])
    assert 0.0 < one < measure_bound([KERNELS["axpy"]] * 20)


def test_calls_are_what_warp_resolved():
    source = """import warp as wp


@wp.func
def twice(v: wp.vec3):
    return v + v


@wp.kernel
def k(a: wp.array(dtype=wp.vec3), s: float, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.where(s > 0.0, wp.length(twice(a[i])), wp.sin(s))
"""
    calls = generate(source).calls
    assert {"tid()", "add(vec3)", "length(vec3)", "sin(float32)", "where(float32)"} <= set(calls)
    assert list(calls) == sorted(set(calls))
    assert not any(call.startswith("twice") for call in calls)


def test_half_precision_constants_need_no_initialised_warp():
    source = HEAD.replace("@wp", "H = wp.constant(wp.vec3h(0.5, 1.0, 2.0))\n\n@wp")
    source += "def k(x: wp.array(dtype=wp.vec3h)):\n    x[wp.tid()] = H\n"
    script = f"from builder.codegen import generate; print(generate({source!r}).cuda_forward)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "initializer_array<3,wp::float16>{0.5, 1.0, 2.0}" in done.stdout, done.stderr
