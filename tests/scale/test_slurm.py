"""A build through Slurm on this machine: the bytes of one process. `make test-slurm`."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from builder.errors import SpecError
from builder.scale.slurm import Jobs, planned_units, units_of
from builder.spec import load_spec

from .faults import COMMAND, SPEC, build, contents, environment

CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/d.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SchedulerParameters=sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=16000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def slurm(tmp_path):
    """Yield the variables of a Slurm cluster of this machine alone; its daemons are ended by their numbers."""
    if not all(map(shutil.which, ("slurmctld", "slurmd", "sbatch"))) or os.geteuid() != 0:
        pytest.skip("Slurm's daemons are not here, or this is not root")
    folder = tmp_path / "slurm"
    (folder / "state").mkdir(parents=True)
    (folder / "spool").mkdir()
    config = folder / "slurm.conf"
    config.write_text(CONFIG.format(host=socket.gethostname(), folder=folder, ports=[free_port(), free_port()]))
    env = {"SLURM_CONF": str(config)}
    daemons = [
        subprocess.Popen([name, "-D"], env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in ("slurmctld", "slurmd")
    ]
    wait_for(lambda: "idle" in said(env, "sinfo", "-h", "-o", "%T"), 60)
    yield env
    for daemon in daemons:
        daemon.send_signal(signal.SIGTERM)
    for daemon in daemons:
        daemon.wait(30)


def said(env, *words):
    return subprocess.run(words, env={**os.environ, **env}, capture_output=True, text=True, check=False).stdout


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.3)


def jobs_of(env):
    return said(env, "squeue", "-h", "-o", "%j").split()


def submit(env, place):
    words = [
        "--out",
        str(place / "out"),
        "--engine",
        "slurm",
        "--slurm",
        "partition=main,time=00:20:00,units=1,memory=1",
    ]
    done = subprocess.run(
        [*COMMAND, "build", *SPEC, *words],
        env={**environment(place / "store"), **env, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("submitted: array ")


def logs(place):
    return "".join(path.read_text(errors="replace") for path in (place / "store" / "slurm").rglob("*.out"))


@pytest.mark.slurm
def test_the_same_bytes_as_one_process_and_a_killed_task(slurm, tmp_path):
    done = build(tmp_path / "undisturbed" / "store", tmp_path / "undisturbed" / "out")
    assert done.returncode == 0, done.stderr
    place = tmp_path / "place"
    submit(slurm, place)
    wait_for(lambda: not jobs_of(slurm), 400)
    assert contents(place / "out") == contents(tmp_path / "undisturbed" / "out"), logs(place)
    again = tmp_path / "again"
    submit(slurm, again)
    wait_for(lambda: list((again / "store" / "units").rglob("*.arrow")), 200)
    subprocess.run(["scancel", "-u", "root"], env={**os.environ, **slurm}, check=True)  # of this test's cluster
    wait_for(lambda: not jobs_of(slurm), 60)
    assert not (again / "out").exists()
    submit(slurm, again)
    wait_for(lambda: not jobs_of(slurm), 400)
    assert contents(again / "out") == contents(tmp_path / "undisturbed" / "out"), logs(again)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "needs a partition"),
        ("partition=main,hours=3", "unknown option of slurm 'hours'"),
        ("partition=main,units=0", "units must be a whole number"),
        ("partition=main,workers=many", "workers must be a whole number"),
        ("partition=$(id)", "partition may hold letters"),
        ("partition=main,time=1\n#SBATCH --x", "time may hold letters"),
    ],
)
def test_options_of_jobs(text, said):
    with pytest.raises(SpecError, match="slurm") as refused:
        Jobs.parse(text)
    assert said in str(refused.value)


def test_every_unit_is_of_one_task():
    spec = load_spec("paired", num_kernels=1_000_000)
    units = planned_units(spec)
    assert units * 128 >= 1_000_000
    shares = [list(units_of(rank, 7, units)) for rank in range(7)]
    assert sorted(unit for share in shares for unit in share) == list(range(units))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
