"""A Hub of the test's own, a folder to publish, and clients that can reach nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from builder.package import shards
from builder.package.folder import ConfigBuild, write_folder
from builder.package.stats import Stats
from builder.spec import load_spec
from tests.package import made_up

from .hub import Hub

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "hf_PLANTEDplantedPLANTEDplanted0123456789"
OTHER = "hf_somebodyElse0123456789somebodyElse01234"
REPO = "user/demo"
SPLITS = {"train": range(48), "validation": range(48, 54), "test": range(54, 60)}
# The command of huggingface_hub, without trusting what is on the path.
HF = [sys.executable, "-c", "from huggingface_hub.cli.hf import main; main()"]
COMMAND = [sys.executable, "-c", "from builder.cli import main; main()"]


@pytest.fixture
def hub():
    with Hub() as server:
        server.users = {TOKEN: "user", OTHER: "other"}
        yield server
        assert server.bugs == []


def small(config):
    """A config of 60 made-up rows, to write."""
    tables = {name: made_up.rows(config, rows) for name, rows in SPLITS.items()}
    counted = {"tokenizer": "default", "tokenizer_sha256": made_up.SHA}
    stats = Stats.merged(Stats.of(name, table, **counted) for name, table in tables.items())
    readers = {name: partial(iter, [table]) for name, table in tables.items()}
    return ConfigBuild(load_spec(config), "f" * 32, readers, stats, {"duplicate": 3}, made_up.TOKENIZER)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A folder of two configs; train of each lies in three shards."""
    out = tmp_path_factory.mktemp("built") / "demo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "BATCH_ROWS", 16)
        write_folder(out, [small("paired"), small("cuda")], format="parquet", max_shard_bytes=1)
    assert len(list(out.glob("data/paired/train-*-of-00003.parquet"))) == 3
    return out


@pytest.fixture(scope="session")
def pair(tmp_path_factory):
    """Two folders of one config, alike but for their format: Arrow, Parquet."""
    root = tmp_path_factory.mktemp("pair")
    for format in ("arrow", "parquet"):
        write_folder(root / format, [small("paired")], format=format)
    return root / "arrow", root / "parquet"


@pytest.fixture
def folder(built, tmp_path):
    """A copy of the built folder, to spoil."""
    return Path(shutil.copytree(built, tmp_path / "demo"))


class Clients:
    """Runs real clients in processes of their own, whose only network is the loopback Hub."""

    def __init__(self, hub, place):
        self.hub, self.place, self.said = hub, place, ""

    def run(self, command, **variables):
        own = {
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.place),
            "HF_HOME": str(self.place / "hf"),
            "WARP_CUDA_PAIRS_CACHE": str(self.place / "store"),
            "HF_ENDPOINT": self.hub.url,
            "HF_TOKEN": TOKEN,
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            # All that is not the Hub goes to a port where nobody listens.
            "http_proxy": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
            "no_proxy": "127.0.0.1",
            "COLUMNS": "80",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HTTP", "NO_PROXY"))}
        environment = {name: value for name, value in {**kept, **own, **variables}.items() if value is not None}
        done = subprocess.run(command, env=environment, cwd=self.place, capture_output=True, text=True, check=False)
        self.said += done.stdout + done.stderr
        return done

    def publish(self, *arguments, **variables):
        return self.run([*COMMAND, "publish", *map(str, arguments)], **variables)

    def python(self, text, **variables):
        done = self.run([sys.executable, "-c", text], **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, *places, config="paired"):
        """The rows that load_dataset gives, by split, for each folder or repository; ``@REVISION`` may follow."""
        text = (
            "import datasets, json\n"
            f"for place in {[str(place) for place in places]!r}:\n"
            "    path, _, revision = place.partition('@')\n"
            f"    d = datasets.load_dataset(path, {config!r}, revision=revision or None)\n"
            "    print(json.dumps({name: split.to_list() for name, split in d.items()}))\n"
        )
        return [json.loads(line) for line in self.python(text).splitlines()]


@pytest.fixture
def clients(hub, tmp_path):
    """Clients whose output and whose files never hold the token."""
    place = tmp_path / "clients"
    place.mkdir()
    yield (one := Clients(hub, place))
    assert TOKEN not in one.said
    for path in place.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
