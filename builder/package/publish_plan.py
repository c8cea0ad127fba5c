"""What publishing a folder would do, said before it is done. No network here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from huggingface_hub.hf_api import RepoFile

from .. import __version__
from ..errors import FolderError
from .destination import Destination
from .manifest import MANIFEST, check_folder, read_manifest

_NAMED = 5  # problems named in one line
_LISTED = 20  # files listed one by one
_READ = 1 << 20


@dataclass(frozen=True)
class Plan:
    """What :func:`send` would do.

    Attributes:
        folder: what is sent, checked.
        built: the built folder; another one where that is of another format.
        destination: the repository and the branch.
        user: whose login is used.
        private: its visibility, or the one it will get.
        create_pr: propose the change instead of making it.
        base: the commit compared with; ``None`` where there is no repository.
        new_branch: whether the branch is to be made, from the main one.
        files: path and bytes of each file of the dataset.
        send: those of them that are new or changed there.
        remove: files there that an earlier dataset left and this one does not hold.
        tag: name of the dataset's version.
        tagged: whether the repository has that tag.
        request: address of this login's open pull request that proposes this version.
    """

    folder: Path
    built: Path
    destination: Destination
    user: str
    private: bool
    create_pr: bool
    base: str | None
    new_branch: bool
    files: Mapping[str, int]
    send: Mapping[str, int]
    remove: tuple[str, ...]
    tag: str
    tagged: bool
    request: str | None

    @property
    def exists(self) -> bool:
        """Whether the repository is there."""
        return self.base is not None

    @property
    def formats(self) -> list[str]:
        """Formats of the shards: ``arrow``, ``parquet``."""
        return sorted({path.rpartition(".")[2] for path in self.files if path.startswith("data/")})

    @property
    def changes(self) -> bool:
        """Whether there is anything to commit."""
        return self.request is None and bool(self.send or self.remove)

    @property
    def proposes(self) -> bool:
        """Whether the commit waits in a pull request; it is no version yet, and not tagged."""
        return self.create_pr or self.destination.branch.startswith("refs/pr/")

    def lines(self) -> Iterator[str]:
        """Yield what to show a user before anything is sent."""
        repo, branch = self.destination.repo_id, self.destination.branch
        visibility = "private" if self.private else "public"
        yield f"dataset     {repo} ({visibility}, {'exists' if self.exists else 'will be made'}; login: {self.user})"
        kind = "pull request against " if self.create_pr else ""
        yield f"revision    {kind}{branch}{' (will be made)' if self.new_branch else ''}"
        yield f"version     {self.tag}{' (tagged already)' if self.tagged else ''}"
        made = "as built" if self.folder == self.built else f"converted; {self.built} stays as it is"
        yield f"format      {', '.join(self.formats)}, {made}"
        same = len(self.files) - len(self.send)
        kept = f"; {same} there already" if same else ""
        yield f"send        {_files(len(self.send))}, {sum(self.send.values()):,} bytes{kept}"
        yield from _listed([f"  {path}  {size:,}" for path, size in self.send.items()])
        if self.remove:
            yield f"remove      {_files(len(self.remove))} that this dataset does not hold"
            yield from _listed([f"  {path}" for path in self.remove])
        if self.request:
            yield f"nothing to do: {self.request} proposes this version (write to it with --revision refs/pr/NUMBER)"
        if "arrow" in self.formats:
            yield "warning: the Hub's viewer wants Parquet; leave out --format arrow for a dataset that people browse"


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _listed(lines: list[str]) -> Iterator[str]:
    yield from lines[:_LISTED]
    if len(lines) > _LISTED:
        yield f"  and {len(lines) - _LISTED} more"


def title(tag: str) -> str:
    """Return the commit's first line, which the Hub makes the title of a pull request."""
    return f"warp_cuda_pairs {tag}"


def version_tag(folder: Path) -> str:
    """Return ``v<builder version>-<8 hex digits>``, the digits over the folder's manifest.

    The manifest holds the digest of every file but README.md, so one tag is one dataset, byte for byte, and
    an edited card is no new version.
    """
    digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    builder = read_manifest(folder).get("versions", {}).get("builder", __version__)
    return f"v{builder}-{digest[:8]}"


def files_to_send(folder: Path, destination: Destination) -> dict[str, int]:
    """Return path and bytes of what is sent, in order of path: all that the manifest knows, and the card.

    Raises:
        FolderError: something is damaged, missing or extra, or a script is named like the repository.
    """
    problems = check_folder(folder)
    paths = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    visible = [path.as_posix() for path in paths if not path.parts[0].startswith(".")]
    script = f"{destination.name}.py".casefold()
    for path in visible:
        if path.split("/")[-1].casefold() == script:
            raise FolderError(
                f"{folder / path} is named like the repository: `datasets` would take it for a loading script and "
                f"refuse the dataset; remove the file or give the repository another name"
            )
    if problems:
        more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        raise FolderError(
            f"{folder} is not what its manifest says: {'; '.join(problems[:_NAMED])}{more}; build the folder again"
        )
    return {path: (folder / path).stat().st_size for path in visible}


def same_content(path: Path, size: int, there: RepoFile | None) -> bool:
    """Say whether the file is on the Hub as it is here."""
    if there is None or there.size != size:
        return False
    if there.lfs is not None:
        with path.open("rb") as file:
            return _digest("sha256", file, b"") == there.lfs.sha256
    with path.open("rb") as file:
        return _digest("sha1", file, b"blob %d\0" % size) == there.blob_id


def _digest(name: str, file: IO[bytes], start: bytes) -> str:
    digest = hashlib.new(name, start)
    while chunk := file.read(_READ):
        digest.update(chunk)
    return digest.hexdigest()
