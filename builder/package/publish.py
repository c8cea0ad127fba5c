"""Publishes a built folder to the Hub; the only module of ours that opens a network connection.

:func:`planning` reads and compares, :func:`send` writes: all files in one commit, so that nobody ever loads half
a dataset, then a tag. Files travel before the commit and the Hub keeps them, so a rerun goes on where a
broken connection stopped.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError
from huggingface_hub.hf_api import DatasetInfo, RepoFile

from .. import __version__
from ..errors import PublishError
from .convert import in_format
from .destination import Destination, parse_destination
from .folder import check_format
from .hub_errors import hub_errors
from .hub_quiet import quiet
from .manifest import MANIFEST, README
from .publish_plan import Plan, files_to_send, same_content, title, version_tag
from .store import default_store

_TYPE = "dataset"
_GIT = ".gitattributes"


@dataclass(frozen=True)
class Published:
    """What :func:`send` did.

    Attributes:
        commit: what holds the dataset now.
        committed: whether that commit is new.
        tag: the tag that was made; ``None`` where it was there, or waits for the pull request.
        pull_request: the address of the one that proposes it.
    """

    commit: str
    committed: bool
    tag: str | None
    pull_request: str | None

    def lines(self) -> Iterator[str]:
        """Yield what to tell the user."""
        yield f"commit      {self.commit}" if self.committed else f"unchanged   {self.commit}; no commit made"
        if self.tag:
            yield f"tag         {self.tag}"
        if self.pull_request:
            yield f"proposed    {self.pull_request}; once it is merged, publish again without --create-pr to tag it"


@contextlib.contextmanager
def planning(
    folder: Path,
    repo_id: str,
    *,
    format: str = "parquet",
    public: bool = False,
    revision: str | None = None,
    create_pr: bool = False,
) -> Iterator[Plan]:
    """Check the folder, look at the Hub and yield what would be sent, to be sent within the block.

    A folder of another format is converted first, to a copy in the store that is gone after the block. Equal
    folders give equal copies, so a rerun sends nothing twice. Nothing is written to the Hub here.

    Args:
        repo_id: ``OWNER/NAME`` or ``hf://datasets/OWNER/NAME[@REVISION]``.
        format: of the shards to send, ``arrow`` or ``parquet``.
        public: let everybody read it.
        revision: the branch; to be made where it is not there.
        create_pr: open a pull request against it.

    Raises:
        SpecError: there is no such format.
        FolderError: the folder is not a whole dataset of ours, or holds a script named like the repository; or there
            is no room for the converted copy.
        PublishError: a wrong destination, no login, no access, or a repository that is not to be overwritten.
    """
    destination = parse_destination(repo_id, revision)
    check_format(format)
    files_to_send(folder, destination)
    there = _survey(destination, create_pr)
    _refuse(destination, there, public)
    with in_format(folder, format, default_store().root) as ready:
        local, tag = files_to_send(ready, destination), version_tag(ready)
        tagged, request = _known(destination, there, tag, create_pr)
        yield Plan(
            folder=ready,
            built=folder,
            destination=destination,
            user=there.user,
            private=bool(there.info.private) if there.info else not public,
            create_pr=create_pr,
            base=there.info.sha if there.info else None,
            new_branch=there.new_branch,
            files=local,
            send={
                path: size for path, size in local.items() if not same_content(ready / path, size, there.tree.get(path))
            },
            remove=_left_over(there.tree, local),
            tag=tag,
            tagged=tagged,
            request=request,
        )


def send(plan: Plan) -> Published:
    """Do what ``plan`` says; where a rerun finds everything done, do nothing.

    Raises:
        PublishError: the Hub refuses or cannot be reached. A rerun completes what is missing.
    """
    api = _api()
    repo, branch = plan.destination.repo_id, plan.destination.branch
    commit, request = plan.base, plan.request
    with hub_errors(plan.destination), quiet():
        if not plan.exists:
            api.create_repo(repo, repo_type=_TYPE, private=plan.private)
        if plan.new_branch:
            api.create_branch(repo, branch=branch, repo_type=_TYPE, exist_ok=True)
        if plan.changes:
            made = api.create_commit(
                repo,
                _operations(plan),
                commit_message=title(plan.tag),
                repo_type=_TYPE,
                revision=plan.destination.revision,
                create_pr=plan.create_pr,
                parent_commit=plan.base,
            )
            commit, request = made.oid, made.pr_url
        if commit is None:
            raise PublishError(f"the Hub did not say which commit {repo} is at; run the same command again")
        tag = None if plan.tagged or plan.proposes else plan.tag
        if tag:
            api.create_tag(repo, tag=tag, revision=commit, repo_type=_TYPE, exist_ok=True)
    return Published(commit, plan.changes, tag, request)


def _api() -> HfApi:
    return HfApi(library_name="warp-cuda-pairs", library_version=__version__)


@dataclass(frozen=True)
class _There:
    """What the Hub holds: the repository (``None``: there is none), whether the branch is to be made, its files."""

    user: str
    info: DatasetInfo | None
    new_branch: bool
    tree: Mapping[str, RepoFile]


def _survey(destination: Destination, create_pr: bool) -> _There:
    api = _api()
    with hub_errors(destination), quiet():
        user = api.whoami()["name"]
        info, new_branch = _look(api, destination, create_pr)
        return _There(user, info, new_branch, _tree(api, destination.repo_id, info))


def _look(api: HfApi, destination: Destination, create_pr: bool) -> tuple[DatasetInfo | None, bool]:
    """Return the repository at the branch (``None``: there is none), and whether the branch is to be made."""
    repo = destination.repo_id
    try:
        return api.dataset_info(repo, revision=destination.revision), False
    except GatedRepoError:
        raise
    except RepositoryNotFoundError:
        return None, destination.revision not in (None, "main")
    except RevisionNotFoundError:
        if create_pr or destination.branch.startswith("refs/"):
            raise
        return api.dataset_info(repo), True


def _tree(api: HfApi, repo: str, info: DatasetInfo | None) -> dict[str, RepoFile]:
    if info is None or info.sha is None:
        return {}
    entries = api.list_repo_tree(repo, recursive=True, revision=info.sha, repo_type=_TYPE)
    return {entry.path: entry for entry in entries if isinstance(entry, RepoFile)}


def _left_over(tree: Mapping[str, RepoFile], local: Mapping[str, int]) -> tuple[str, ...]:
    """Return what an earlier dataset left below ``data/`` and below the folders this one has."""
    ours = {"data", *(path.split("/")[0] for path in local if "/" in path)}
    return tuple(sorted(path for path in tree if path not in local and path.split("/")[0] in ours))


def _known(destination: Destination, there: _There, tag: str, create_pr: bool) -> tuple[bool, str | None]:
    """Say whether the version is tagged, and where an open pull request of this login proposes it."""
    api, repo = _api(), destination.repo_id
    if there.info is None:
        return False, None
    with hub_errors(destination), quiet():
        tagged = tag in {one.name for one in api.list_repo_refs(repo, repo_type=_TYPE).tags}
        if not create_pr:
            return tagged, None
        opened = api.get_repo_discussions(
            repo, repo_type=_TYPE, author=there.user, discussion_type="pull_request", discussion_status="open"
        )
        return tagged, next((one.url for one in opened if one.title == title(tag)), None)


def _refuse(destination: Destination, there: _There, public: bool) -> None:
    """Raise :class:`PublishError` where the repository is not to be written to."""
    if there.info is None:
        return
    repo = destination.repo_id
    if not there.info.private and not public:
        raise PublishError(f"{repo} is public: everybody could read what is sent; give --public if you mean that")
    strange = sorted(path for path in there.tree if path not in (_GIT, README))
    if strange and MANIFEST not in there.tree:
        raise PublishError(
            f"{repo} holds something else ({strange[0]}, and no {MANIFEST}), which this would mix with the dataset; "
            f"give another name or a --revision of its own"
        )


def _operations(plan: Plan) -> list[CommitOperationAdd | CommitOperationDelete]:
    adds = [CommitOperationAdd(path, plan.folder / path) for path in plan.send]
    return [*(CommitOperationDelete(path, is_folder=False) for path in plan.remove), *adds]
