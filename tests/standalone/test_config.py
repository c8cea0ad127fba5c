"""The config ``standalone``: its rows are programs, and what has none is counted and kept by the other configs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from builder import stages
from builder.curate.decision import Deciding
from builder.errors import StandaloneRejection
from builder.kernels import candidate
from builder.package.store import Store
from builder.shipped import category_names
from builder.spec import load_spec
from builder.standalone import standalone
from builder.standalone.makefile import CLANG_FORMAT, makefile
from builder.standalone.making import program_seed

FIELDS = {"num_kernels": 40, "categories": ["arithmetic", "spatial_query"], "seed": 2}


def decided(config, store):
    spec = load_spec(config, **FIELDS)
    deciding = Deciding(spec)
    while not deciding.full:
        stages.offer(deciding, spec, store, deciding.units)
    return spec, deciding.result()


def test_rows_are_programs_and_what_has_none_is_counted(tmp_path):
    store = Store(tmp_path)
    spec, decision = decided("standalone", store)
    rows = [row for table in stages.rows(spec, store, decision, "train") for row in table.to_pylist()]
    assert decision.rejections["not_standalone"] > 0
    assert {row["category"] for row in rows} == {"arithmetic"}
    for row in rows:
        assert row["completion"] == row["cuda_standalone"]
        assert row["prompt"].endswith(row["python_source"])
        own = standalone(row["python_source"], seed=program_seed(row), summary=row["description"])
        assert row["cuda_standalone"] == own
        assert f"__global__ void {row['kernel_name']}(" in own
    _, other = decided("cuda", store)
    assert "not_standalone" not in other.rejections


def _clang_format():
    beside = Path(sys.executable).with_name("clang-format")
    return str(beside) if beside.is_file() else shutil.which("clang-format")


@pytest.mark.skipif(not _clang_format(), reason="there is no clang-format")
def test_programs_are_laid_out_as_clang_format_does(tmp_path):
    (tmp_path / ".clang-format").write_text(CLANG_FORMAT)
    for category in category_names():
        source = candidate(23, 0, {category: 1.0})
        try:
            (tmp_path / f"{category}.cu").write_text(standalone(source.text, summary=source.description))
        except StandaloneRejection:
            continue
    files = sorted(map(str, tmp_path.glob("*.cu")))
    assert len(files) > 30
    done = subprocess.run(
        [_clang_format(), "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
def test_the_makefile_has_its_targets(tmp_path):
    (tmp_path / "Makefile").write_text(makefile("k"))
    (tmp_path / "k.cu").write_text("")
    for target, words in (
        ("all", ["-arch=sm_70", "-o k k.cu"]),
        ("ptx", ["-arch=compute_80", "-ptx -o k.sm_90.ptx k.cu"]),
        ("cubin", ["-arch=sm_90", "-cubin -o k.sm_80.cubin k.cu"]),
        ("clean", ["rm -f k k.sm_*.ptx"]),
    ):
        command = ["make", "-n", target, "ARCH=70"]
        said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        assert all(word in said for word in words), said
