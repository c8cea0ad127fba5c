"""Folders on a real object store's interface: a server of S3 on this machine, s3fs as the client, runs killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.processes import hear_ctrl_c

from .conftest import environment
from .faults import COMMAND

pytestmark = [pytest.mark.s3, pytest.mark.filterwarnings("default")]

pytest.importorskip("s3fs", reason="the extra `s3` is not installed")
if "S3_SERVER" not in os.environ:
    pytest.skip("S3_SERVER does not say where moto_server is", allow_module_level=True)

import fsspec  # noqa: E402

SECRET = "a-secret-that-no-output-shows"
BUCKET = "datasets"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def endpoint():
    port = free_port()
    server = subprocess.Popen(
        [os.environ["S3_SERVER"], "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/moto-api/", timeout=1).close()
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.1)
        yield url
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def objects(endpoint):
    """A client, and an empty bucket."""
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/moto-api/reset", method="POST"), timeout=10).close()
    files = fsspec.filesystem(
        "s3", key="anyone", secret=SECRET, endpoint_url=endpoint, use_listings_cache=False, skip_instance_cache=True
    )
    files.mkdir(BUCKET)
    return files


@pytest.fixture
def shell(endpoint, tmp_path):
    """Environment of a command: a store of its own, and the server's address and keys as S3's clients read them."""
    return environment(
        WARP_CUDA_PAIRS_CACHE=str(tmp_path / "store"),
        AWS_ENDPOINT_URL=endpoint,
        AWS_ACCESS_KEY_ID="anyone",
        AWS_SECRET_ACCESS_KEY=SECRET,
        AWS_DEFAULT_REGION="us-east-1",
        AWS_EC2_METADATA_DISABLED="true",
    )


def build(out):
    return [*COMMAND, "build", "cuda", "-n", "60", "--num-proc", "1", "--out", str(out)]


def run(command, shell):
    done = subprocess.run(command, env=shell, capture_output=True, text=True, check=False, timeout=300)
    assert SECRET not in done.stdout + done.stderr
    return done


def held(objects, place="demo"):
    root = f"{BUCKET}/{place}/"
    return {path.removeprefix(root): objects.cat_file(path) for path in objects.find(root)}


def content(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_objects_are_the_folder_and_load_from_there(objects, shell, endpoint, tmp_path):
    assert run(build(tmp_path / "local"), shell).returncode == 0
    done = run(build(f"s3://{BUCKET}/demo"), shell)
    assert done.returncode == 0, done.stderr
    assert held(objects) == content(tmp_path / "local")
    read = (
        "from datasets import load_dataset\n"
        f"rows = load_dataset('arrow', data_files={{'train': 's3://{BUCKET}/demo/data/cuda/train-*.arrow'}}, "
        f"storage_options={{'endpoint_url': '{endpoint}'}}, split='train', streaming=True)\n"
        "print(sum(1 for _ in rows))"
    )
    done = run([sys.executable, "-c", read], shell | {"HF_HOME": str(tmp_path / "hf")})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


def test_killed_while_sending_there_is_no_dataset_and_the_same_command_completes_it(objects, shell, tmp_path):
    assert run(build(tmp_path / "local"), shell).returncode == 0
    for wanted in (1, 3, 6):  # objects that are there when the process is killed
        running = subprocess.Popen(
            build(f"s3://{BUCKET}/demo"), env=shell, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while len(objects.find(f"{BUCKET}/demo")) < wanted:
            assert running.poll() is None, "it ended before it was killed"
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        assert "manifest.json" not in held(objects)
        done = run(build(f"s3://{BUCKET}/demo"), shell)
        assert done.returncode == 0, done.stderr
        assert held(objects) == content(tmp_path / "local")
        objects.rm(f"{BUCKET}/demo", recursive=True)


def test_ctrl_c_while_sending_ends_without_a_traceback(objects, shell, tmp_path):
    assert run(build(tmp_path / "local"), shell).returncode == 0
    running = subprocess.Popen(
        build(f"s3://{BUCKET}/demo"),
        env=shell,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    )
    while not objects.find(f"{BUCKET}/demo"):
        assert running.poll() is None, "it ended before it was interrupted"
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "Traceback" not in said


def test_what_is_not_ours_stays(objects, shell):
    objects.pipe_file(f"{BUCKET}/demo/thesis.tex", b"dear")
    done = run(build(f"s3://{BUCKET}/demo"), shell)
    assert done.returncode in (1, 2)
    assert "not ours" in done.stderr
    assert held(objects) == {"thesis.tex": b"dear"}


@pytest.mark.parametrize(
    ("place", "changed", "said"),
    [
        ("no-such-bucket/demo", {}, "no-such-bucket"),
        (f"{BUCKET}/demo", {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "127.0.0.1:1"),
        (f"{BUCKET}/demo", {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "redentials"),
    ],
)
def test_a_store_that_cannot_be_used_is_one_clear_error_before_any_work(objects, shell, place, changed, said):
    env = {name: value for name, value in (shell | changed).items() if value}
    env["AWS_SHARED_CREDENTIALS_FILE"] = env["AWS_CONFIG_FILE"] = os.devnull
    done = run(build(f"s3://{place}"), env)
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert said in done.stderr.replace("\n", " ")
    assert held(objects) == {}
