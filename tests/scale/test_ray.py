"""A Ray cluster of two nodes on this machine: the bytes of one process, whoever is killed. `make test-ray`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .faults import COMMAND, SPEC, arguments, build, contents, environment

pytest.importorskip("ray")
pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]

STORE = 80_000_000  # bytes of a node's object store: almost nothing is put into it


@pytest.fixture
def cluster():
    """A head and another node, of one CPU each; what they started ends with them."""
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE})
    started.add_node(num_cpus=1, object_store_memory=STORE)
    started.wait_for_nodes()
    yield started
    started.shutdown()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    done = build(folder / "store", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "store", folder / "out"


def on_ray(cluster, place, **popen):
    words = [*arguments(place / "out", 1), "--engine", "ray", "--address", cluster.address]
    return subprocess.Popen(
        words, env=environment(place / "store"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **popen
    )


def units(place):
    return list((place / "store" / "units").rglob("*.arrow"))


def wait_for_units(place, number, process):
    while len(units(place)) < number:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def workers():
    """Return the processes of this machine that run a task of ours."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::run_rank"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def test_the_same_bytes_as_one_process(cluster, undisturbed, tmp_path):
    process = on_ray(cluster, tmp_path)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert contents(tmp_path / "out") == contents(undisturbed[1])
    kinds = [
        {p.relative_to(s): p.read_bytes() for p in s.rglob("*.arrow")} for s in (tmp_path / "store", undisturbed[0])
    ]
    assert kinds[0] == kinds[1]


def test_a_killed_worker_costs_only_its_task(cluster, undisturbed, tmp_path):
    process = on_ray(cluster, tmp_path)
    wait_for_units(tmp_path, 1, process)
    while not (busy := workers()) and process.poll() is None:
        time.sleep(0.01)
    os.kill(busy[0], signal.SIGKILL)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert contents(tmp_path / "out") == contents(undisturbed[1])


def test_a_killed_node_costs_only_its_tasks(cluster, undisturbed, tmp_path):
    process = on_ray(cluster, tmp_path)
    wait_for_units(tmp_path, 1, process)
    (other,) = cluster.worker_nodes
    cluster.remove_node(other, allow_graceful=False)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert contents(tmp_path / "out") == contents(undisturbed[1])


def test_a_killed_driver_and_a_rerun(cluster, undisturbed, tmp_path):
    process = on_ray(cluster, tmp_path)
    wait_for_units(tmp_path, 1, process)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out").exists()
    process = on_ray(cluster, tmp_path)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert contents(tmp_path / "out") == contents(undisturbed[1])


EFFICIENCY = """
import sys, time
from pathlib import Path
from builder.package.store import Store
from builder.scale.ray_cluster import RayCluster
from builder.spec import load_spec

engine = RayCluster(load_spec("paired", num_kernels=3000), Store(Path(sys.argv[1])), sys.argv[2])
list(engine.run("prepare", range(2)))  # workers have imported Warp
engine.task_seconds, began = 0.0, time.perf_counter()
list(engine.run("prepare", range(2, int(sys.argv[3]))))
print(engine.task_seconds / (engine.cpus * (time.perf_counter() - began)))
engine.close()
"""


def test_efficiency(cluster, tmp_path):
    words = [sys.executable, "-c", EFFICIENCY, str(tmp_path / "store"), cluster.address, "34"]
    done = subprocess.run(words, env=environment(tmp_path / "store"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    print(f"\nefficiency (task time over wall time x workers): {float(done.stdout):.3f}", file=sys.stderr)
    assert float(done.stdout) >= 0.9


def test_a_node_with_other_versions_is_named(cluster, tmp_path, monkeypatch):
    from builder.errors import WorkerError
    from builder.package.store import Store
    from builder.scale import ray_cluster
    from builder.spec import load_spec

    ours = ray_cluster.environment() | {"pyarrow": "1.0"}
    monkeypatch.setattr(ray_cluster, "environment", lambda: ours)
    with pytest.raises(WorkerError, match=r"node [0-9.]+ has pyarrow .* \(here 1.0\)"):
        ray_cluster.RayCluster(load_spec("paired"), Store(tmp_path), cluster.address)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--engine", "ray", "--address", "127.0.0.1:1", "--out"], "no Ray cluster at '127.0.0.1:1'"),
        (["--engine", "ray", "--address", "nowhere", "--out"], "'auto' or HOST:PORT"),
        (["--engine", "rya", "--out"], "Did you mean 'ray'"),
    ],
)
def test_what_cannot_be_used_is_one_line(tmp_path, words, said):
    call = [*COMMAND, "build", *SPEC, *words, str(tmp_path / "out")]
    done = subprocess.run(call, env=environment(tmp_path / "store"), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert said in next(line for line in done.stderr.splitlines() if "error" in line)
    assert "Traceback" not in done.stderr


def test_a_cluster_without_a_gpu_is_told_before_any_work(cluster, tmp_path):
    from builder.errors import SpecError
    from builder.package.store import Store
    from builder.scale.ray_cluster import RayCluster
    from builder.spec import load_spec

    with pytest.raises(SpecError, match="the Ray cluster has none"):
        RayCluster(load_spec("paired", verify="gpu"), Store(tmp_path), cluster.address)
    assert not list(tmp_path.iterdir())
