"""What the Hub or the way to it says when it refuses, as one clear line that says what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from huggingface_hub import get_token
from huggingface_hub.errors import (
    DisabledRepoError,
    GatedRepoError,
    HfHubHTTPError,
    LocalTokenNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from ..errors import PublishError, WarpCudaPairsError
from .destination import Destination

_AGAIN = "run the same command again: what has arrived is not sent twice"
_LONGEST = 300
# Its base is the error of whatever HTTP library the installed huggingface_hub uses. The others: operating
# system and Xet (OSError, RuntimeError), and answers that huggingface_hub cannot read (ValueError).
_RAISED: tuple[type[BaseException], ...] = (HfHubHTTPError.__bases__[0], OSError, RuntimeError, ValueError)


@contextlib.contextmanager
def hub_errors(destination: Destination) -> Iterator[None]:
    """Turn what calls of ``huggingface_hub`` raise into one :class:`PublishError`; no token is ever in it."""
    try:
        yield
    except WarpCudaPairsError:
        raise
    except _RAISED as error:
        text = _explain(error, destination)
        token = get_token()
        # Without its cause: that may hold what the server echoed.
        raise PublishError(text.replace(token, "<token>") if token else text) from None


def _explain(error: BaseException, destination: Destination) -> str:
    repo = destination.repo_id
    if isinstance(error, LocalTokenNotFoundError):
        return "no login for the Hub; run `hf auth login`, or set HF_TOKEN to a token that may write"
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set, and publishing needs the Hub; unset it"
    if isinstance(error, GatedRepoError):
        return f"{repo} is gated and this login has no access to it; ask its owner, or publish under a name of yours"
    if isinstance(error, DisabledRepoError):
        return f"the Hub has disabled {repo}; publish under another name"
    if isinstance(error, RevisionNotFoundError):
        return f"{repo} has no revision {destination.branch!r}; give a branch of it with --revision"
    if isinstance(error, RepositoryNotFoundError):
        return f"the Hub shows this login no dataset {repo}; check the name and what the token may do"
    if isinstance(error, HfHubHTTPError):
        return _explain_status(error, destination)
    # Of an upload, huggingface_hub says which file failed, and its cause why.
    said = _short(" ".join(filter(None, (str(error), str(error.__cause__ or ""))))) or type(error).__name__
    if isinstance(error, ValueError):
        return f"publishing to {repo} failed: {said}"
    return f"the connection failed while publishing to {repo} ({said}); {_AGAIN}"


def _explain_status(error: HfHubHTTPError, destination: Destination) -> str:
    repo, status = destination.repo_id, error.response.status_code
    said = _short(error.server_message or "") or f"HTTP {status}"
    if status == 401:
        return f"the Hub does not accept this login ({said}); run `hf auth login`, or set HF_TOKEN to a valid token"
    if status == 403:
        return (
            f"no permission to write to {repo} ({said}); use a token that may write to {destination.owner!r}, publish "
            f"under a name of yours, or propose the change with --create-pr"
        )
    if status in (409, 412):
        return f"{repo} was changed by somebody else meanwhile ({said}); run the same command again"
    if status == 429 or status >= 500:
        return f"the Hub cannot take {repo} now (HTTP {status}: {said}); later, {_AGAIN}"
    return f"the Hub refused {repo} (HTTP {status}: {said}); {_AGAIN}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."
