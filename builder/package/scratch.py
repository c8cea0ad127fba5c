"""Temporary names that say who made them, so that what a killed process left can be told and removed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import socket
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

_NAME = re.compile(r"\.tmp-(?P<host>[0-9a-f]{8})-(?P<pid>[0-9]+)-[0-9a-f]{8}$")
_HOUR = 3600.0
_DAY = 24 * _HOUR


def _host() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def scratch_name(stem: str) -> str:
    """Return ``.<stem>.tmp-<host>-<pid>-<random>``: hidden, and unique to this process."""
    return f".{stem}.tmp-{_host()}-{os.getpid()}-{secrets.token_hex(4)}"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def is_stale(path: Path) -> bool:
    """Say whether ``path`` is a scratch file or folder that nobody will finish.

    Its maker must be gone and it must be an hour old (a process may sit in another container, where its
    number means nothing here). What another host made must be a day old.
    """
    match = _NAME.search(path.name)
    if match is None:
        return False
    try:
        age = time.time() - path.stat().st_mtime
    except OSError:
        return False
    if match["host"] != _host():
        return age > _DAY
    return age > _HOUR and not _alive(int(match["pid"]))


def remove(path: Path) -> None:
    """Remove a file or a folder; one that is gone, or that may not be removed, is left as it is."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def remove_stale(paths: Iterable[Path]) -> int:
    """Remove the stale ones among ``paths`` and return how many there were."""
    stale = [path for path in paths if is_stale(path)]
    for path in stale:
        remove(path)
    return len(stale)


def move_into_place(scratch: Path, target: Path) -> None:
    """Put the folder ``scratch`` where ``target`` is or will be; on failure ``target`` is what it was."""
    if not target.exists():
        scratch.rename(target)
        return
    old = target.with_name(scratch_name(target.name))
    target.rename(old)
    try:
        scratch.rename(target)
    except BaseException:
        old.rename(target)
        raise
    remove(old)


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield an empty scratch folder beside ``target`` that takes its place at the end of the block.

    Where the block raises, the scratch folder is removed and ``target`` is what it was. What killed processes
    left beside it is removed first.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_stale(target.parent.glob(f".{target.name}.tmp-*"))
    scratch = target.with_name(scratch_name(target.name))
    try:
        scratch.mkdir()
        yield scratch
        move_into_place(scratch, target)
    finally:
        remove(scratch)
