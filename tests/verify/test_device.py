"""Level gpu: rows launched by Warp itself, here on its CPU device, against the harness's own runs of their text."""

from __future__ import annotations

import os
import stat

from builder.verify import devices, facade, verify
from builder.verify.running import run_rows

from .made import good, row, swapped


def launched(*rows):
    verdicts = run_rows(rows, "gradient", 0, device="cpu")
    return [verdicts[made["id"]]["gpu"] for made in rows]


def summed():
    return row("""
        def summed(x: wp.array(dtype=wp.vec3), n: int, out: wp.array(dtype=float), count: wp.array(dtype=int)):
            i = wp.tid()
            if i < n:
                wp.atomic_add(out, 0, wp.length_sq(x[i]))
                wp.atomic_add(count, 0, 1)
        """)


def structs():
    return row(
        """
        def structs(p: Pair, out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = p.a * p.v[1]
        """,
        before="""
        @wp.struct
        class Pair:
            a: float
            v: wp.vec2
        """,
    )


def test_what_a_device_gives_is_compared_forward_and_backward():
    right = good("right")
    forward = swapped(good("forward"), "cpp_forward", "wp::mul(", "wp::add(")
    backward = swapped(good("backward"), "cpp_backward", "wp::adj_sin(", "wp::adj_cos(")
    passed, one, other = launched(right, forward, backward)
    assert (passed.state, passed.reason) == ("passed", "")
    assert passed.details["numbers"] > 100
    assert passed.details["gradients"] == "within bound"
    assert one.state == "not_run"  # the CUDA text, which was not changed, differs from it already
    assert other.state == "passed"
    assert other.details["gradients"] == ""  # its adjoint is known to be wrong, and not launched


def test_a_device_that_gives_something_else_fails():
    made = good("other", 2.0)
    source = made["python_source"].replace("2.0 * x[i]", "2.5 * x[i]")
    (verdict,) = launched({**made, "python_source": source})
    assert verdict.state == "failed"
    assert verdict.reason.startswith("on the device out[0] is ")
    assert "times the bound with ordinary values and length 1" in verdict.reason


def test_atomics_vectors_and_structs():
    states = [(verdict.state, verdict.reason) for verdict in launched(summed(), structs())]
    assert states == [("passed", ""), ("passed", "")]


def test_a_row_that_ends_the_process_costs_itself_only():
    # The row's source runs when the kernel is imported to be launched; before that only its kernel is defined.
    ending = "if __name__ == 'kernel_source':\n    import os\n\n    os._exit(3)\n"
    made = good("ended")
    source = made["python_source"] + ending
    verdicts = launched(good("before"), {**made, "python_source": source}, good("after"))
    assert [verdict.state for verdict in verdicts] == ["passed", "failed", "passed"]
    assert verdicts[1].reason == "ends or hangs the process on the device"


def test_the_checker_is_used_where_it_is(tmp_path, monkeypatch):
    tool = tmp_path / devices.SANITIZER
    tool.write_text('#!/bin/sh\nshift 2\njob=$(cat)\nprintf %s "$job" | "$@"\ncase "$job" in *guilty*) exit 9;; esac\n')
    tool.chmod(tool.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    verdicts = launched(good("innocent"), good("guilty"))
    assert [verdict.state for verdict in verdicts] == ["passed", "failed"]
    assert verdicts[1].reason == "compute-sanitizer finds an error"


def test_without_a_device_nothing_has_passed(monkeypatch):
    monkeypatch.setattr(facade, "find_device", lambda: "")
    (found,) = verify([good()], level="gpu")
    assert (found.gradient.state, found.gpu.state, found.gpu.reason) == ("passed", "not_run", "no device was used")
