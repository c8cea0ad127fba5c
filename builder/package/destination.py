"""Where a dataset is published: a repository and a revision, as the user writes them. No network here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id

from ..errors import PublishError

_SCHEME = "hf://"
_DATASETS = "hf://datasets/"
_ALLOWED = "give OWNER/NAME or hf://datasets/OWNER/NAME[@REVISION]"
# Revisions that hold a slash; of any other, what follows a slash is a path.
_SLASHED = re.compile(r"refs/(?:pr|convert)/[^/]+")


@dataclass(frozen=True, slots=True)
class Destination:
    """A dataset repository and a revision of it.

    Attributes:
        repo_id: ``OWNER/NAME``.
        revision: a branch or ``refs/pr/N``; ``None`` is the main branch.
    """

    repo_id: str
    revision: str | None

    @property
    def owner(self) -> str:
        """The user or organisation."""
        return self.repo_id.split("/")[0]

    @property
    def name(self) -> str:
        """The repository's own name."""
        return self.repo_id.split("/")[1]

    @property
    def branch(self) -> str:
        """The revision by name."""
        return self.revision or "main"


def parse_destination(text: str, revision: str | None = None) -> Destination:
    """Return the destination that ``text`` names.

    Args:
        text: ``OWNER/NAME``, or ``hf://datasets/OWNER/NAME`` with ``@REVISION`` after it or not.
        revision: what ``--revision`` gave.

    Raises:
        PublishError: neither form; a path, a model or a Space; a name the Hub does not allow; two revisions.
    """
    repo_id, inside = text, None
    if text.startswith(_SCHEME):
        if not text.startswith(_DATASETS):
            raise PublishError(f"{text!r} is no dataset repository; {_ALLOWED}")
        repo_id, _, inside = text.removeprefix(_DATASETS).rstrip("/").partition("@")
        inside = unquote(inside)
        if "/" in inside and not _SLASHED.fullmatch(inside):
            raise PublishError(f"{text!r} names a path inside a repository; the whole folder is published: {_ALLOWED}")
    if inside and revision:
        raise PublishError(f"two revisions: {text!r} and --revision {revision!r}; give one")
    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise PublishError(f"{text!r} is not a repository's name ({_line(error)}); {_ALLOWED}") from None
    if repo_id.count("/") != 1:
        raise PublishError(f"{text!r} does not say whose repository; {_ALLOWED}")
    return Destination(repo_id, inside or revision or None)


def _line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")
