"""Loads a small built folder, in both formats, with old and new versions of `datasets`; `make test-compat`.

For each version it makes an environment of its own, which is thrown away, and compares every row with what
the folder's files hold. Needs a package index and about 500 MB for each environment; so it is no part of the suite.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.compat.rows import SPLITS, digest

ROOT = Path(__file__).resolve().parents[2]
# The oldest that trainers pin, the first without loading scripts, the last of 4, and the newest.
VERSIONS = ("datasets==3.6.0", "datasets==4.0.0", "datasets==4.8.*", "datasets")
FORMATS = ("arrow", "parquet")
CONFIGS = ("paired", "cuda", "forward_backward")


def build(folder: Path, file_format: str, place: Path) -> None:
    own = {"PYTHONPATH": str(ROOT), "HF_HOME": str(place / "hf"), "WARP_CUDA_PAIRS_CACHE": str(place / "store")}
    code = "from builder.cli import main; main()"
    options = ["-n", "300", "--format", file_format, "--shard-size", "2MB", "--out", str(folder)]
    command = [sys.executable, "-c", code, "build", *CONFIGS, *options]
    subprocess.run(command, env={**os.environ, **own}, check=True, stdout=subprocess.DEVNULL)


def expected(folder: Path) -> dict[str, object]:
    """Return what `rows.py` must print, read from the files without `datasets`."""
    found: dict[str, object] = {}
    for config in CONFIGS:
        for split in SPLITS:
            paths = sorted((folder / "data" / config).glob(f"{split}-*"))
            tables = [read(path) for path in paths]
            found[f"{config}/{split}"] = digest(pa.concat_tables(tables).to_pylist())
            if config == "paired" and split == "train":
                found["default"] = tables[0].column_names
        found[f"{config}/test, streamed"] = found[f"{config}/test"]
    return found


def read(path: Path) -> pa.Table:
    return pq.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_stream(path.read_bytes()).read_all()


def load_with(requirement: str, folders: dict[str, Path], place: Path) -> list[str]:
    """Return one line for each format: what was loaded, or in what it differs."""
    venv.create(place / "venv", with_pip=True)
    python = str(place / "venv" / "bin" / "python")
    pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", requirement]
    subprocess.run(pip, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"HF_HOME": str(place / "hf"), "HF_HUB_OFFLINE": "1"}
    lines = []
    for file_format, folder in folders.items():
        command = [python, str(ROOT / "tests" / "compat" / "rows.py"), str(folder), str(place / file_format)]
        done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            lines.append(f"FAILED {requirement} {file_format}: {done.stderr.strip().splitlines()[-1]}")
            continue
        said = json.loads(done.stdout.splitlines()[-1])
        wanted = expected(folder)
        differing = sorted(name for name in wanted | said["rows"] if wanted.get(name) != said["rows"].get(name))
        verdict = f"FAILED, these differ: {', '.join(differing)}" if differing else f"{len(wanted)} parts equal"
        lines.append(f"datasets {said['datasets']}, {file_format}: {verdict}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", default=VERSIONS, help="requirements, such as 'datasets==4.8.*'")
    failed = False
    with tempfile.TemporaryDirectory(prefix="compat-") as top:
        folders = {file_format: Path(top) / f"folder-{file_format}" for file_format in FORMATS}
        for file_format, folder in folders.items():
            build(folder, file_format, Path(top))
        for requirement in parser.parse_args().versions:
            with tempfile.TemporaryDirectory(dir=top) as place:
                for line in load_with(requirement, folders, Path(place)):
                    print(line, flush=True)
                    failed |= "FAILED" in line
    sys.exit(failed)


if __name__ == "__main__":
    main()
