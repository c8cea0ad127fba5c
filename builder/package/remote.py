"""A built folder on object storage: sent file by file through fsspec, the manifest last.

Object stores have no rename, and an object appears whole when it is closed. So an earlier dataset's manifest is removed
first and the new one is written last: whoever reads meanwhile finds no manifest, and so no dataset.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec

from ..errors import FolderError, SpecError, WarpCudaPairsError
from .manifest import FORMAT, MANIFEST

_MARK = ".warp_cuda_pairs"
# Here the first name of a path is a bucket, which writing below it would make.
_HAVE_BUCKETS = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "az", "oss", "oci"})


def is_url(out: str) -> bool:
    """Say whether ``out`` is a URL (``s3://bucket/name``) and not a path."""
    return "://" in out


def check_remote(url: str) -> None:
    """Say, before any work, whether a dataset may be sent to ``url``.

    Raises:
        FolderError: something that is not ours is there, its bucket is not, or it cannot be reached.
        SpecError: a URL that holds a password, or of a kind that nothing installed can write.
    """
    with _errors(url):
        files, root = _open(url)
        names = files.find(root) if files.exists(root) else []
        bucket = root.strip("/").partition("/")[0]
        if not names and url.partition("://")[0] in _HAVE_BUCKETS and not files.exists(bucket):
            raise FolderError(f"{url}: there is no bucket {bucket}, or you may not see it; make it first")
        if names and not _is_ours(files, root):
            raise FolderError(f"{url} is not empty and not ours; give a new or empty place")


def send_folder(folder: Path, url: str) -> None:
    """Make what lies at ``url`` equal to a built folder. Sent again after a failure, it is completed.

    Raises:
        FolderError, SpecError: as :func:`check_remote`.
    """
    check_remote(url)
    with _errors(url):
        files, root = _open(url)
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        # A mark that this place is ours, while it has no manifest: what was broken off can be sent again.
        files.makedirs(root, exist_ok=True)
        files.pipe_file(f"{root}/{_MARK}", b"")
        if files.exists(f"{root}/{MANIFEST}"):
            files.rm(f"{root}/{MANIFEST}")
        for name in (name for name in names if name != MANIFEST):
            _put(files, folder / name, f"{root}/{name}")
        for path in files.find(root):
            if path.removeprefix(root).lstrip("/") not in (*names, _MARK):
                files.rm(path)
        _put(files, folder / MANIFEST, f"{root}/{MANIFEST}")
        files.rm(f"{root}/{_MARK}")


def _put(files: Any, source: Path, target: str) -> None:
    files.makedirs(target.rpartition("/")[0], exist_ok=True)
    files.put_file(str(source), target)


def _is_ours(files: Any, root: str) -> bool:
    if files.exists(f"{root}/{_MARK}"):
        return True
    if not files.exists(f"{root}/{MANIFEST}"):
        return False
    try:
        data = json.loads(files.cat_file(f"{root}/{MANIFEST}"))
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("format") == FORMAT


def _open(url: str) -> tuple[Any, str]:
    scheme, _, rest = url.partition("://")
    if "@" in rest.partition("/")[0]:
        raise SpecError("--out: a URL may not hold a password; give it in the environment of the storage's own library")
    try:
        files, root = fsspec.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise SpecError(f"--out: nothing installed writes {scheme!r} URLs ({error})") from None
    root = str(root).rstrip("/")
    if not root:
        raise SpecError(f"--out: {url} names no place; give one below it")
    return files, root


@contextlib.contextmanager
def _errors(url: str) -> Iterator[None]:
    try:
        yield
    except WarpCudaPairsError:
        raise
    except OSError as error:
        said = error.strerror or " ".join(str(error).split())[:300] or type(error).__name__
        raise FolderError(f"cannot write {url}: {said}; run the same command again") from None
    except Exception as error:
        # The client of each kind of storage has errors of its own: no credentials, an address where nobody answers.
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise FolderError(f"cannot write {url}: {said}; mend that and run the same command again") from error
