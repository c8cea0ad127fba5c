"""What an installation holds: the wheel's names, and the start-up files beside them."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builder.resources import data_names

Python = Callable[[str], Path]


def test_the_wheel_holds_our_names_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert top == {
        "builder",
        "warp_cuda_pairs.py",
        "_warp_cuda_pairs_hook.py",
        "warp_cuda_pairs.pth",
        "warp_cuda_pairs.start",
    }
    shipped = [
        Path(name).stem for name in names if name.startswith("builder/_data/configs/") and name.endswith(".yaml")
    ]
    assert sorted(shipped) == data_names("configs", ".yaml")
    assert {"builder/py.typed", "builder/spec.py"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.endswith((".pth", ".start")) and "/" in name]


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_both_installations_have_the_startup_files_and_the_command(installed: Python, kind: str) -> None:
    environment = installed(kind).parents[1]
    (hook,) = environment.rglob("_warp_cuda_pairs_hook.py")
    assert (hook.parent / "warp_cuda_pairs.pth").read_text().startswith("import ")
    assert (environment / "bin" / "warp-cuda-pairs").is_file()
    # What Python 3.15 does with each line of a .start file (PEP 829): resolve the name, then call it.
    (line,) = (hook.parent / "warp_cuda_pairs.start").read_text().splitlines()
    code = f"import pkgutil, sys; pkgutil.resolve_name({line!r})(); print(type(sys.meta_path[0]).__name__)"
    done = subprocess.run(
        [str(installed(kind)), "-c", "import sys; del sys.meta_path[0]; " + code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "_WarpCudaPairsFinder\n"


def test_the_editable_installation_is_live(installed: Python) -> None:
    root = Path(__file__).resolve().parents[2]
    code = "import builder.spec as s, warp_cuda_pairs as w; print(s.__file__, w.__file__)"
    done = subprocess.run([str(installed("editable")), "-c", code], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.split() == [str(root / "builder" / "spec.py"), str(root / "warp_cuda_pairs.py")]


SMALL = """
from datasets import load_dataset
data = load_dataset("warp_cuda_pairs", "paired", num_kernels=60, splits=[0.6, 0.2, 0.2], num_proc={num_proc})
print(sum(data.num_rows.values()), len({{s for split in data.values() for s in split["skeleton"]}}))
import sys; print("warp" in sys.modules)
"""


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_a_plain_script_builds_then_loads_from_the_cache(user: Any, installed: Python, kind: str) -> None:
    # With num_proc=2 and without an `if __name__ == "__main__":` line.
    code = SMALL.format(num_proc=2 if kind == "wheel" else None)
    assert user.output(code, installed(kind), HF_HUB_OFFLINE="1").splitlines()[-2] == "60 60"
    assert list((user.home / "hf" / "warp_cuda_pairs" / "units").rglob("*.arrow"))
    assert list((user.home / "hf" / "datasets" / "warp_cuda_pairs").rglob("*.arrow"))
    # From another folder; loading without Warp is loading without generating.
    assert user.output(code, installed(kind), cwd=user.home).splitlines() == ["60 60", "False"]


@pytest.mark.slow
def test_the_literal_two_lines(user: Any, installed: Python) -> None:
    code = (
        "from datasets import load_dataset\n"
        'd = load_dataset("warp_cuda_pairs", "paired")\n'
        "skeletons = {name: set(split['skeleton']) for name, split in d.items()}\n"
        "print(list(d), sum(d.num_rows.values()), len(set().union(*skeletons.values())),"
        " sum(map(len, skeletons.values())))"
    )
    expected = "['train', 'validation', 'test'] 10000 10000 10000"
    assert user.output(code, installed("wheel")).splitlines()[-1] == expected
