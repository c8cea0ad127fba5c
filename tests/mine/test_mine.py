"""Mining a made-up distribution: what becomes self-contained, what is left out, and that nothing else is lost."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from builder.codegen import generate
from builder.curate.keys import analyse
from builder.errors import MiningError, SpecError
from builder.mine.distribution import find
from builder.mine.licence import check_allowed
from builder.mine.session import Stopped, look_at
from builder.mine.table import findings_table, joined
from builder.package.mined import SOURCE_COLUMNS, mine, mined, permuted
from builder.package.store import Store
from builder.record import PAIR_SCHEMA
from tests.mine.made_up import BAD, GOOD, install
from tests.processes import hear_ctrl_c

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 10.0


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    install(folder, GOOD | BAD)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def result(installed, store):
    return mine(find("made-up"), store, timeout=TIMEOUT)


@pytest.fixture(scope="module")
def rows(result):
    table, _ = result
    return {(row["origin_path"].split(":")[0], row["kernel_name"]): row for row in table.to_pylist()}


def source(rows, module, kernel):
    return rows[f"made_up/{module}.py", kernel]["text"]


def test_every_kernel_that_warp_generates_is_proved(result):
    _, report = result
    assert {(kernel, reason) for _, kernel, reason, _ in report.kernels} == {
        ("apply", "duplicate"),
        ("never_instantiated", "generic"),
        ("wrong", "codegen_error"),
        ("kernel 1 of the module", "worker_died"),
    }
    assert report.share() == (report.mined + 1) / (report.mined + 2)  # a duplicate; one that died
    assert report.registered == report.mined + len(report.kernels)


def test_a_bad_module_costs_itself_only(result):
    _, report = result
    assert {(Path(path).stem, reason) for path, reason, _ in report.modules} == {
        ("bad_crash", "crash"),
        ("bad_exit", "exit"),
        ("bad_hard_exit", "crash"),
        ("bad_import", "import_error"),
        ("bad_loop", "timeout"),
        ("bad_network", "import_error"),
    }
    details = {Path(path).stem: detail for path, _, detail in report.modules}
    assert "SIGSEGV" in details["bad_crash"]
    assert "exit code 7" in details["bad_hard_exit"]
    assert "not allowed" in details["bad_network"]


def test_a_deadly_kernel_costs_itself_only(result, rows):
    _, report = result
    assert "exit code 5" in next(detail for _, _, reason, detail in report.kernels if reason == "worker_died")
    assert "= 4.0" in source(rows, "bad_kernel", "survivor")
    assert "= 2\n" in source(rows, "scripts/tool", "tool")


def test_no_folder_of_this_machine_is_in_the_results(result, installed):
    table, report = result
    everything = json.dumps([report.kernels, report.modules]) + "".join(
        str(value) for row in table.to_pylist() for value in row.values()
    )
    assert str(installed) not in everything
    assert str(installed.resolve()) not in everything


def test_sources_generate_the_stored_code_and_have_keys(result):
    for row in result[0].to_pylist():
        code = generate(row["text"])
        for column in ("kernel_name", "cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward", "launch_dim"):
            assert getattr(code, column) == row[column], row["origin_path"]
        assert analyse(row["text"], ast.parse(row["text"])).skeleton


def test_constants_of_every_kind(rows):
    text = source(rows, "constants", "use_constants")
    for line in (
        "EPS = wp.constant(1e-06)",
        "scalar = wp.float32",
        "vec7 = wp.types.vector(length=7, dtype=wp.float32)",
        "mat25 = wp.types.matrix(shape=(2, 5), dtype=wp.float64)",
        "HALF = wp.constant(wp.float16(0.5))",
        "TINY = wp.constant(wp.float32(1.1920929e-07))",
        "AXIS = wp.constant(wp.vec3f(0.0, 1.0, 0.0))",
        'FAR = wp.constant(float("inf"))',
        "    # a comment of the author",
        "    BOX = 4",
    ):
        assert f"{line}\n" in text
    assert "3.141592653589793" in text
    assert "math" not in text
    assert rows["made_up/constants.py", "use_constants"]["description"] == "Uses a constant of every kind."


def test_names_that_mean_two_things_are_told_apart(rows):
    text = source(rows, "clashes", "clash")
    assert "EPS = wp.constant(0.125)" in text
    assert "EPS_1 = wp.constant(5.0)" in text
    assert text.count("def damp") == 2
    assert "scale_1(scale)" in text  # the function is not hidden by the kernel's own variable
    assert "wp.max(x[i], EPS)" in text


def test_statics_keep_what_can_be_kept_and_hold_the_value_of_the_rest(rows):
    text = source(rows, "statics", "statics")
    assert 'wp.static(CONFIG["size"])' in text
    assert "wp.static(TABLE[k])" in text
    assert "wp.static(square)(y) + wp.static(7.5)" in text


def test_closures_become_definitions(result):
    texts = [row["text"] for row in result[0].to_pylist() if row["origin_path"].startswith("made_up/closures.py")]
    assert len(texts) == 2
    assert any("power = wp.constant(2)" in text and "def twice" in text for text in texts)
    assert any("dtype=wp.float64" in text and "def negate" in text for text in texts)


def test_generic_kernels_become_one_source_for_each_instance(result):
    texts = [row["text"] for row in result[0].to_pylist() if row["kernel_name"] == "generic"]
    assert sorted("wp.int64" in text for text in texts) == [False, True]
    loops = [row["text"] for row in result[0].to_pylist() if row["kernel_name"] == "only_its_annotation"]
    assert len(loops) == 1
    assert "Any" not in loops[0]  # nothing is defined that the source does not use


def test_structs_operators_snippets_gradients_and_options(rows):
    assert "    # where it is\n    position: wp.vec3" in source(rows, "structs", "settle")
    assert "def add(" in source(rows, "operators", "total")  # called by `a + b`, never by name
    natives = source(rows, "natives", "natives")
    assert "adj_a += x[tid] * adj_out[tid];" in natives
    assert "@wp.func_grad(root)" in natives
    assert "@wp.func_replay(count)" in natives
    lean = source(rows, "options", "lean")
    assert "launch_bounds=128" in lean
    assert "grid_stride=False" in lean
    assert "enable_backward=False" in lean
    assert '"max_unroll": 4' in lean
    assert rows["made_up/options.py", "lean"]["cuda_backward"] == ""


def test_rows_say_where_they_come_from_and_what_they_use(rows):
    row = rows["made_up/scripts/tool.py", "tool"]
    assert (row["origin"], row["origin_version"], row["license"]) == ("made-up", "1.2.3", "MIT")
    assert row["origin_path"] == "made_up/scripts/tool.py:4"
    assert row["category"] == "mined_scripts"
    assert rows["made_up/clashes.py", "clash"]["category"] == "mined_core"
    statics = set(rows["made_up/statics.py", "statics"]["features"])
    assert {"control:for", "control:if", "array:1d", "dtype:float32", "launch:1d", "builtin:tid"} <= statics
    assert not {"builtin:array", "builtin:static"} & statics
    assert "dtype:mat25_float64" in rows["made_up/constants.py", "use_constants"]["features"]


def test_mined_gives_candidates_in_an_order_of_the_seed(result, store):
    first = mined("made-up", seed=1, store=store, timeout=TIMEOUT)
    assert first.column_names == list(SOURCE_COLUMNS)
    assert sorted(first.column("text").to_pylist()) == sorted(result[0].column("text").to_pylist())
    files = {path: path.stat().st_mtime_ns for path in store.root.rglob("*.arrow")}
    assert files
    again = mined("made_up", seed=1, store=store, timeout=TIMEOUT)  # by the package's name, from the store
    other = mined("made-up", seed=2, store=store, timeout=TIMEOUT)
    assert files == {path: path.stat().st_mtime_ns for path in store.root.rglob("*.arrow")}
    assert again.equals(first)
    assert not other.equals(first)
    half = permuted(result[0].slice(0, 5), 1).column("text").to_pylist()
    assert half == [text for text in first.column("text").to_pylist() if text in half]


def test_licences(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, {"__init__": "raise SystemExit"}, name="no-licence", licence=None)
    install(tmp_path, {"__init__": "raise SystemExit"}, name="copyleft", licence="GPL-3.0-only")
    assert find("warp-lang").licence == "Apache-2.0"
    with pytest.raises(MiningError, match="--allow-licence 'unknown'"):
        mined("no-licence", store=Store(tmp_path / "store"))
    with pytest.raises(MiningError, match=r"its licence is GPL-3\.0-only"):
        mined("copyleft", store=Store(tmp_path / "store"))
    check_allowed("copyleft", find("copyleft").licence, ["GPL-3.0-only"])
    check_allowed("two", "MIT OR Apache-2.0")
    with pytest.raises(MiningError, match="not installed"):
        find("a-distribution-that-nobody-has")


def test_the_command_writes_pairs_and_counts(installed, result, store, tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(installed)]),
        "WARP_CUDA_PAIRS_CACHE": str(store.root),
        "COLUMNS": "160",
    }
    command = [
        sys.executable,
        "-c",
        "from builder.cli import main; main()",
        "mine",
        "made-up",
        "--timeout",
        str(TIMEOUT),
    ]
    out = tmp_path / "out"
    done = subprocess.run([*command, "--out", str(out)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "LOUD" not in done.stdout + done.stderr
    assert "worker_died" in done.stdout
    table = pq.read_table(out / "kernels.parquet")
    assert table.schema.remove_metadata() == PAIR_SCHEMA
    summary = json.loads((out / "mined.json").read_text())
    assert summary["packages"][0]["mined"] == table.num_rows
    assert summary["packages"][0]["reasons"]["duplicate"] == 1
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    again = subprocess.run([*command, "--out", str(out)], env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert before == {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "mine.txt").write_text("somebody's")
    refused = subprocess.run(
        [*command, "--out", str(out)], env=environment, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "not a folder of mined kernels" in refused.stderr


def test_an_editable_installation_is_found_where_python_finds_it(tmp_path, monkeypatch):
    for folder in (tmp_path / "site", tmp_path / "work"):
        monkeypatch.syspath_prepend(str(folder))
    install(tmp_path / "work", {"__init__": "", "deep/kernels": BAD["scripts/tool"]}, name="in-work")
    info = next((tmp_path / "work").glob("*.dist-info"))
    info.joinpath("RECORD").write_text("__editable__in_work.pth,,\n")
    info.joinpath("direct_url.json").write_text('{"url": "file:///somewhere", "dir_info": {"editable": true}}')
    (tmp_path / "site").mkdir()
    info.rename(tmp_path / "site" / info.name)
    assert [module.path for module in find("in-work").modules] == ["in_work/__init__.py", "in_work/deep/kernels.py"]
    table, _ = joined([findings_table(find("in-work"), look_at(find("in-work").modules, TIMEOUT))])
    assert table.column("origin_path").to_pylist() == ["in_work/deep/kernels.py:4"]


def sleeping(pid):
    """A module that says which process it runs in, and then does nothing for long."""
    return f"import os, pathlib, time\npathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"


def test_a_stopped_search_ends_its_worker(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    pid = tmp_path / "pid"
    install(tmp_path, {"__init__": sleeping(pid)}, name="sleeper")
    stop = threading.Event()

    def stop_when_it_runs():
        while not pid.exists() or not pid.read_text():
            time.sleep(0.05)
        stop.set()

    threading.Thread(target=stop_when_it_runs).start()
    with pytest.raises(Stopped):
        look_at(find("sleeper").modules, 600.0, stop)
    assert not Path("/proc", pid.read_text()).exists()


def test_a_search_refuses_what_cannot_work(tmp_path):
    for wrong in ({"num_proc": 0}, {"timeout": 0.0}, {"timeout": float("nan")}):
        with pytest.raises(SpecError, match="num_proc >= 1"):
            mine(find("warp-lang"), Store(tmp_path), **wrong)


def test_ctrl_c_ends_the_command_and_its_worker(tmp_path):
    pid = tmp_path / "pid"
    install(tmp_path, {"__init__": sleeping(pid)}, name="sleeper")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
        "WARP_CUDA_PAIRS_CACHE": str(tmp_path / "store"),
    }
    command = [sys.executable, "-c", "from builder.cli import main; main()", "mine", "sleeper", "--timeout", "600"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c)
    while process.poll() is None and not (pid.exists() and pid.read_text()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130, said
    assert "interrupted" in said
    assert not Path("/proc", pid.read_text()).exists()
