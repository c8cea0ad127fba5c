"""The start-up hook: what it does to processes that want our dataset, and to those that do not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest

import warp_cuda_pairs
from builder.errors import FolderError, SpecError

Python = Callable[[str], Path]

NAMES = 'from datasets import get_dataset_config_names as names; print(names("warp_cuda_pairs"))'
OURS = "['cpu', 'cuda', 'forward_backward', 'paired', 'standalone']"
KINDS = pytest.mark.parametrize("kind", ["wheel", "editable"])


@KINDS
def test_a_plain_script_finds_our_configs_offline(user: Any, installed: Python, kind: str) -> None:
    offline = {"HF_HUB_OFFLINE": "1"} if kind == "wheel" else {}  # without it, the network is only out of reach
    assert user.output(NAMES, installed(kind), **offline) == OURS


@KINDS
def test_startup_loads_one_small_module_and_nothing_generic(user: Any, installed: Python, kind: str) -> None:
    code = (
        "import sys\n"
        "generic = ('builder', 'typing', 'warp_cuda_pairs', 'datasets', 'importlib.metadata')\n"
        "print([name for name in generic if name in sys.modules], '_warp_cuda_pairs_hook' in sys.modules,"
        " sum(type(finder).__name__ == '_WarpCudaPairsFinder' for finder in sys.meta_path))"
    )
    if kind == "editable":  # the editable finder imports more
        code = code.replace("'typing', ", "")
    assert user.output(code, installed(kind)) == "[] True 1"


def test_importing_datasets_does_not_import_our_package(user: Any, installed: Python) -> None:
    code = (
        "import datasets, sys\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('builder', 'warp_cuda_pairs')])"
    )
    assert user.output(code, installed("wheel")) == "[]"


def test_a_package_of_the_user_named_builder_is_theirs(user: Any, installed: Python) -> None:
    (user.home / "builder.py").write_text("mine = True")  # beside the script
    assert user.output("import datasets, builder; print(builder.mine)", installed("wheel")) == "True"
    done = user.run("import builder\n" + NAMES, installed("wheel"))
    assert done.returncode == 1
    assert "needs the installed module 'builder', but" in done.stderr
    assert str(user.home / "builder.py") in done.stderr


def test_the_variable_opts_out(user: Any, installed: Python) -> None:
    code = "import sys; print([type(f).__name__ for f in sys.meta_path if 'Warp' in type(f).__name__])"
    for value, found in {"1": [], "yes": [], "": ["_WarpCudaPairsFinder"], "0": ["_WarpCudaPairsFinder"]}.items():
        assert user.output(code, installed("wheel"), WARP_CUDA_PAIRS_NO_HOOK=value) == str(found)
    assert user.run(NAMES, installed("wheel"), WARP_CUDA_PAIRS_NO_HOOK="1", HF_HUB_OFFLINE="1").returncode == 1


def test_an_explicit_import_registers_too(user: Any, installed: Python) -> None:
    code = "import datasets, warp_cuda_pairs\n" + NAMES
    assert user.output(code, installed("wheel"), WARP_CUDA_PAIRS_NO_HOOK="1") == OURS


def test_the_factory_is_wrapped_once_however_often_registered(user: Any, installed: Python) -> None:
    code = (
        "import datasets.load as load, datasets.inspect as inspect, warp_cuda_pairs, importlib\n"
        "factory = load.dataset_module_factory\n"
        "warp_cuda_pairs.hook.register()\n"
        "print(load.dataset_module_factory is factory is inspect.dataset_module_factory,"
        " hasattr(factory.__wrapped__, '__wrapped__'), factory.__wrapped__.__name__)\n"
        "print(type(load.__spec__.loader).__name__, type(load.__loader__).__name__)\n"
        "importlib.reload(load); print(load.dataset_module_factory('warp_cuda_pairs').module_path)"
    )
    expected = "True False dataset_module_factory\nSourceFileLoader SourceFileLoader\nwarp_cuda_pairs"
    # The editable installation has two copies of the hook: the installed one and the checkout's.
    assert user.output(code, installed("editable")) == expected


def test_every_kind_of_child_process_finds_us(user: Any, installed: Python) -> None:
    code = (
        "import multiprocessing as m\n"
        "def names(name):\n"
        "    from datasets import get_dataset_config_names\n"
        "    return get_dataset_config_names(name)\n"
        "if __name__ == '__main__':\n"
        "    for method in ('fork', 'spawn', 'forkserver'):\n"
        "        with m.get_context(method).Pool(1) as pool:\n"
        "            print(pool.map(names, ['warp_cuda_pairs'])[0])\n"
    )
    assert user.output(code, installed("wheel")) == "\n".join([OURS] * 3)


def test_with_warnings_as_errors_and_isolated(user: Any, installed: Python) -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', sys.argv[1]], check=True)"
    assert user.output(code.replace("sys.argv[1]", repr(NAMES)), installed("wheel")) == OURS
    done = user.output(
        "import sys, datasets; print(sys.warnoptions)",
        installed("wheel"),
        PYTHONWARNINGS="error::UserWarning",
    )
    assert done == "['error::UserWarning']"


def fake_datasets(folder: Path, load: str) -> str:
    package = folder / "fake" / "datasets"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("__version__ = '99.0'\nfrom . import load\n")
    (package / "load.py").write_text(load)
    return str(package.parent)


def test_a_changed_datasets_still_imports_and_is_warned_about_once(user: Any, installed: Python) -> None:
    path = fake_datasets(user.home, "def load_dataset(path): return path\n")
    code = "import datasets.load, datasets; print(datasets.load.load_dataset('other'))"
    done = user.run(code, installed("wheel"), PYTHONPATH=path, PYTHONWARNINGS="error")
    assert (done.returncode, done.stdout) == (0, "other\n")
    assert done.stderr.count("datasets 99.0 has no datasets.load.dataset_module_factory") == 1
    assert "WARP_CUDA_PAIRS_NO_HOOK=1" in done.stderr
    quiet = user.run(code, installed("wheel"), PYTHONPATH=path, WARP_CUDA_PAIRS_NO_HOOK="1")
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_an_error_inside_datasets_is_left_as_it_is(user: Any, installed: Python) -> None:
    path = fake_datasets(user.home, "raise RuntimeError('their own trouble')\n")
    done = user.run("import datasets", installed("wheel"), PYTHONPATH=path)
    assert "their own trouble" in done.stderr
    assert "Traceback" in done.stderr


def test_two_hooks_that_ask_each_other_end(user: Any, installed: Python) -> None:
    code = (
        "import sys\n"
        "class Other:\n"
        "    busy = False\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name != 'datasets.load' or self.busy: return None\n"
        "        self.busy = True\n"
        "        try:\n"
        "            for finder in sys.meta_path:\n"
        "                if finder is not self:\n"
        "                    spec = finder.find_spec(name, path, target)\n"
        "                    if spec: return spec\n"
        "        finally: self.busy = False\n"
        "sys.meta_path.insert({place}, Other())\n" + NAMES
    )
    for place in ("0", "1"):
        assert user.output(code.replace("{place}", place), installed("wheel")) == OURS


def test_a_built_folder_of_that_name_is_loaded_instead(user: Any, installed: Python) -> None:
    folder = user.folder / "warp_cuda_pairs"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "train-00000.jsonl").write_text('{"a": 1}\n')
    code = 'from datasets import load_dataset; print(load_dataset("warp_cuda_pairs")["train"][0])'
    (folder / "manifest.json").write_text(json.dumps({"format": "warp_cuda_pairs"}))
    assert user.output(code, installed("wheel"), HF_HUB_OFFLINE="1").splitlines()[-1] == "{'a': 1}"


def test_another_folder_of_that_name_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert warp_cuda_pairs.dataset_module() is not None
    manifest = tmp_path / "warp_cuda_pairs" / "manifest.json"
    manifest.parent.mkdir()
    assert warp_cuda_pairs.dataset_module() is not None
    for other in ('{"format": "theirs"}', "[1]", '"warp_cuda_pairs"'):
        manifest.write_text(other)
        assert warp_cuda_pairs.dataset_module() is not None
    manifest.write_text("{damaged")
    with pytest.raises(FolderError, match="is a built dataset"):
        warp_cuda_pairs.dataset_module()
    manifest.write_text('{"format": "warp_cuda_pairs"}')
    assert warp_cuda_pairs.dataset_module() is None


@pytest.mark.parametrize("argument", [{"revision": "v1"}, {"data_dir": "somewhere"}, {"data_files": "a.csv"}], ids=str)
def test_arguments_that_mean_nothing_are_refused(argument: dict[str, str]) -> None:
    ((name, value),) = argument.items()
    with pytest.raises(SpecError, match=f"{name}='{value}' means nothing for 'warp_cuda_pairs'"):
        datasets.load_dataset("warp_cuda_pairs", **argument)
