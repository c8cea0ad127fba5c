"""Builds in subprocesses, as users run them: a store, a spec, a digest of every row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Prints one JSON line: rows and rejections, and a digest over every row of every split in order.
SCRIPT = """
import hashlib, json, sys
import pyarrow as pa
from pathlib import Path
from builder import scale, stages
from builder.package.store import Store
from builder.scale.progress import Silent
from builder.spec import SPLITS, load_spec

options = json.loads(sys.argv[1])
spec = load_spec(options.get("config", "paired"), **options["spec"])
store = Store(Path(options["store"]))


def digest(tables):
    tables = list(tables)
    if not tables:
        return None
    sink = pa.BufferOutputStream()
    table = pa.concat_tables(tables).combine_chunks()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return hashlib.sha256(sink.getvalue()).hexdigest()


if options.get("stream"):
    print(json.dumps({"digests": {split: digest(stages.stream(spec, store, split)) for split in SPLITS}}))
else:
    decision = scale.build(spec, store, num_proc=options["num_proc"], progress=Silent())
    digests = {split: digest(stages.rows(spec, store, decision, split)) for split in SPLITS}
    print(json.dumps({"rows": decision.rows, "rejections": decision.rejections, "digests": digests}))
"""


def command(store, *, num_proc=1, stream=False, config="paired", **spec):
    options = {"store": str(store), "num_proc": num_proc, "stream": stream, "config": config, "spec": spec}
    return [sys.executable, "-c", SCRIPT, json.dumps(options)]


def environment(**extra):
    return {**os.environ, "PYTHONPATH": str(ROOT), **extra}


def run_build(store, *, env=None, **options):
    done = subprocess.run(
        command(store, **options), env=environment(**(env or {})), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


# Kernels that are quick to make: what is tested here is what happens to their files.
SPEC = {"num_kernels": 420, "seed": 5, "categories": "arithmetic,math,vector,control_flow,struct"}


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """One undisturbed build with one process: its store and what it printed."""
    store = tmp_path_factory.mktemp("reference") / "store"
    return store, run_build(store, **SPEC)
