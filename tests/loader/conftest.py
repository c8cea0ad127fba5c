"""Python processes as a user starts them: an own environment, an empty folder, nothing inherited."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class User:
    """Somebody's account: a home, caches of their own, an empty folder to work in, and no network."""

    home: Path

    @property
    def folder(self) -> Path:
        return self.home / "work"

    def environment(self, **extra: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "HF_HOME": str(self.home / "hf"),
            "WARP_CACHE_PATH": str(self.home / "warp"),
            # Whoever tries the network meets a closed port at once.
            "HF_ENDPOINT": "http://127.0.0.1:9",
            "HTTP_PROXY": "http://127.0.0.1:9",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            **extra,
        }

    def run(
        self, code: str, python: Path | str = sys.executable, cwd: Path | None = None, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        script = self.home / "script.py"
        script.write_text(code)
        return subprocess.run(
            [str(python), str(script)],
            cwd=cwd or self.folder,
            env=self.environment(**extra),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def output(self, code: str, python: Path | str = sys.executable, cwd: Path | None = None, **extra: str) -> str:
        done = self.run(code, python, cwd, **extra)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def user(tmp_path: Path) -> User:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    return User(home)


def fresh_environment(folder: Path, *install: str) -> Path:
    """Return the python of a new virtual environment: ours installed, this one's libraries behind it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    # A plain path: the .pth files that lie there (an installation of ours, maybe) are not processed. The name
    # sorts before the editable finder's, which imports `editables` from there.
    (packages / "_behind.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    options = ["install", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*pip, *options, *install], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return python


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Callable[[str], Path]:
    """Return the python of a fresh environment with the ``wheel``, or the ``editable`` installation."""
    made: dict[str, Path] = {}

    def python(kind: str) -> Path:
        if kind not in made:
            install = [str(wheel)] if kind == "wheel" else ["--editable", str(ROOT)]
            made[kind] = fresh_environment(tmp_path_factory.mktemp(kind) / "venv", *install)
        return made[kind]

    return python
