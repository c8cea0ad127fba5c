"""Sample directories: what stands in them, and that a damaged one is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from builder.errors import FolderError
from builder.package.samples import check_samples, export_samples

ROOT = Path(__file__).resolve().parents[2]
CATEGORIES = ("arithmetic", "struct", "atomic")


@pytest.mark.slow
def test_samples_run_and_a_damaged_one_is_found(tmp_path: Path) -> None:
    built = tmp_path / "built"
    command = ["build", "standalone", "-n", "40", "--categories", ",".join(CATEGORIES), "--out", str(built)]
    environment = os.environ | {"WARP_CUDA_PAIRS_CACHE": str(tmp_path / "store"), "PYTHONPATH": str(ROOT)}
    script = "from builder.cli import main; main()"
    subprocess.run([sys.executable, "-c", script, *command], env=environment, capture_output=True, check=True)
    counts = export_samples(built, tmp_path / "samples", per_category=2, ptx=False)
    assert counts == dict.fromkeys(CATEGORIES, 2)
    folders = sorted((tmp_path / "samples").glob("sample_*"))
    assert folders[0].name == "sample_0000_arithmetic"
    metadata = [json.loads((folder / "metadata.json").read_text()) for folder in folders]
    for folder, one in zip(folders, metadata, strict=True):
        assert one["sample_id"] == folder.name
        assert {path.name for path in folder.iterdir()} == {
            one["python_file"], one["cuda_file"], "Makefile", "metadata.json",
        }  # fmt: skip
        assert one["ptx_generated"] is False
    assert sorted(one["split"] for one in metadata) == ["test", "train", "train", "train", "train", "validation"]
    outcomes = {(name, check): outcome for name, check, outcome in check_samples(tmp_path / "samples")}
    assert all(outcome.passed for outcome in outcomes.values()), outcomes
    assert {check for _, check in outcomes} >= {"files", "run"}
    (folders[1] / metadata[1]["cuda_file"]).unlink()
    damaged = {(name, check): outcome.passed for name, check, outcome in check_samples(tmp_path / "samples")}
    assert [key for key, passed in damaged.items() if not passed] == [(folders[1].name, "files")]


def test_a_folder_without_samples_is_told(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="holds no samples"):
        list(check_samples(tmp_path))
