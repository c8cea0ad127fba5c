"""What an installation holds: the wheel's names, and the start-up files beside them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

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
        Path(name).stem
        for name in names
        if name.startswith("builder/_data/configs/") and name.endswith(".yaml")
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
    done = subprocess.run(
        [str(installed("editable")), "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    assert done.stdout.split() == [str(root / "builder" / "spec.py"), str(root / "warp_cuda_pairs.py")]
