"""What stands in the way of publishing: one clear line, exit code 1, and a rerun that completes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from builder.errors import FolderError, PublishError
from builder.package.destination import parse_destination
from builder.package.publish_plan import files_to_send, version_tag

from .conftest import REPO, TOKEN
from .hub import Fault
from .hub_repo import MAIN, is_large
from .test_publish import content, held


def refused(done, *said):
    """Check that a run ended with one line that says so."""
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("warp-cuda-pairs: error: ")
    for text in said:
        assert text in done.stderr


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        pytest.param(Fault("POST", "/commit/", "drop after"), "connection failed", id="commit unanswered"),
        pytest.param(Fault("POST", "/tag/", "drop"), "connection failed", id="tag dropped", marks=SLOW),
        pytest.param(Fault("POST", "/commit/", "drop"), "connection failed", id="commit dropped", marks=SLOW),
        pytest.param(Fault("POST", "/commit/", 500, "broken"), "HTTP 500: broken", id="commit failed", marks=SLOW),
        pytest.param(
            Fault("POST", "/repos/create", "drop after"), "connection failed", id="create unanswered", marks=SLOW
        ),
    ],
)
def test_a_rerun_completes_what_was_broken_off(hub, clients, built, fault, said):
    fault = replace(fault)
    hub.faults.append(fault)
    refused(clients.publish(built, REPO, "--yes"), said)
    assert fault.times == 0
    completes(hub, clients, built)


def completes(hub, clients, built):
    """Publish again and check that all is there, in one commit, and nothing was sent twice."""
    kept = set(hub.large)
    assert held(hub.repos[REPO]) in ({}, content(built))  # never half a dataset
    hub.log.clear()
    done = clients.publish(built, REPO, "--yes")
    assert done.returncode == 0, done.stderr
    assert kept.isdisjoint(path.removeprefix("/lfs/") for method, path in hub.log if method == "PUT")
    assert held(hub.repos[REPO]) == content(built)
    assert len(hub.repos[REPO].commits) == 2  # the first one is of the repository's making
    assert hub.repos[REPO].refs[f"refs/tags/{version_tag(built)}"] == hub.repos[REPO].refs[MAIN]


def test_rows_are_equal_after_a_broken_upload(hub, clients, built):
    hub.faults.append(Fault("PUT", "/lfs/", 403, "Request has expired"))
    refused(clients.publish(built, REPO, "--yes"), "Error while uploading 'data/", "expired")
    assert 0 < len(hub.large) < sum(map(is_large, content(built)))
    completes(hub, clients, built)
    loaded, local = clients.rows(REPO, built)
    assert loaded == local


@pytest.mark.slow
def test_a_short_interruption_is_not_even_seen(hub, clients, built):
    hub.faults.append(Fault("PUT", "/lfs/", "drop"))
    done = clients.publish(built, REPO, "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert hub.faults[0].times == 0
    assert held(hub.repos[REPO]) == content(built)


@pytest.mark.slow
def test_a_connection_that_stays_down_is_one_line(hub, clients, built):
    hub.faults.append(Fault("PUT", "/lfs/", "drop", times=1000))
    refused(clients.publish(built, REPO, "--yes"), "connection failed", "run the same command again")
    hub.faults.clear()
    assert clients.publish(built, REPO, "--yes").returncode == 0
    assert held(hub.repos[REPO]) == content(built)


def test_no_hub_at_all(clients, built):
    refused(clients.publish(built, REPO, HF_ENDPOINT="http://127.0.0.1:9"), "connection failed")


@pytest.mark.slow
def test_offline(clients, built):
    refused(clients.publish(built, REPO, HF_HUB_OFFLINE="1"), "HF_HUB_OFFLINE")


def test_no_login_and_a_wrong_one(hub, clients, built):
    refused(clients.publish(built, REPO, "--yes", HF_TOKEN=None), "no login", "hf auth login")
    refused(clients.publish(built, REPO, "--yes", HF_TOKEN="hf_wrong"), "does not accept this login")
    assert "hf_wrong" not in clients.said
    assert hub.repos == {}


def test_a_token_that_the_server_echoes_is_not_shown(hub, clients, built):
    hub.faults.append(Fault("POST", "/repos/create", 403, f"no rights for Bearer {TOKEN}"))
    refused(clients.publish(built, REPO, "--yes"), "no permission", "<token>")


@pytest.mark.slow
def test_a_token_that_may_only_read(hub, clients, built):
    hub.readers.add("user")
    hub.add(REPO)
    refused(clients.publish(built, REPO, "--yes"), f"no permission to write to {REPO}")
    assert held(hub.repos[REPO]) == {}


@pytest.mark.parametrize("private", [pytest.param(True, marks=SLOW), False])
def test_a_repository_of_somebody_else(hub, clients, built, private):
    repo = hub.add("other/demo", private=private)
    refused(clients.publish(built, "other/demo", "--public", "--yes"), "no permission to write to other/demo")
    assert list(hub.repos) == ["other/demo"]
    assert held(repo) == {}


def test_a_gated_repository(hub, clients, built):
    hub.add("other/demo", private=False, gated=True)
    refused(clients.publish(built, "other/demo", "--public", "--create-pr", "--yes"), "gated")
    assert hub.writes() == []


def test_a_repository_that_holds_something_else(hub, clients, built):
    hub.add(REPO, **{"thesis.tex": b"dear"})
    refused(clients.publish(built, REPO, "--yes"), "thesis.tex", "something else")
    assert hub.writes() == []


@pytest.mark.slow
def test_a_change_by_somebody_else_meanwhile(hub, clients, built):
    hub.faults.append(Fault("POST", "/commit/", 412, "A commit has happened since."))
    hub.add(REPO)
    refused(clients.publish(built, REPO, "--yes"), "changed by somebody else", "again")


def test_a_revision_that_is_not_there(hub, clients, built):
    hub.add(REPO)
    refused(clients.publish(built, REPO, "--revision", "refs/pr/7"), "no revision 'refs/pr/7'")


def test_a_damaged_folder_is_refused_before_the_hub_is_asked(hub, clients, folder):
    shards = sorted((folder / "data" / "paired").iterdir())
    shards[0].write_bytes(shards[0].read_bytes()[:-1])
    shards[1].unlink()
    (folder / "stray.txt").write_text("?")
    refused(clients.publish(folder, REPO, "--yes"), shards[0].name, shards[1].name, "stray.txt")
    assert hub.log == []


@pytest.mark.parametrize("listed", [True, False])
def test_a_script_named_like_the_repository(folder, listed):
    path = folder / "demo.py"
    path.write_text("print()\n")
    if listed:
        manifest = json.loads((folder / "manifest.json").read_text())
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest["other_files"].append({"path": path.name, "bytes": 8, "rows": 0, "sha256": digest})
        (folder / "manifest.json").write_text(json.dumps(manifest))
        assert path.name in files_to_send(folder, parse_destination("user/other"))
    with pytest.raises(FolderError, match=r"demo\.py is named like the repository"):
        files_to_send(folder, parse_destination(REPO))


@pytest.mark.parametrize(
    ("text", "revision", "said"),
    [
        ("demo", None, "whose"),
        ("a/b/c", None, "'a/b/c'"),
        ("us er/demo", None, "'us er/demo'"),
        ("user/demo.git", None, "demo.git"),
        ("", None, "OWNER/NAME"),
        ("hf://user/demo", None, "no dataset repository"),
        ("hf://models/user/demo", None, "no dataset repository"),
        ("hf://datasets/user/demo/data", None, "user/demo/data"),
        ("hf://datasets/user/demo@main/data", None, "path inside"),
        ("hf://datasets/user/demo@one", "two", "two revisions"),
    ],
)
def test_destinations_that_are_none(text, revision, said):
    with pytest.raises(PublishError, match=r"OWNER/NAME|two revisions") as refusal:
        parse_destination(text, revision)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "revision"),
    [
        ("user/demo", None),
        ("hf://datasets/user/demo", None),
        ("hf://datasets/user/demo/", None),
        ("hf://datasets/user/demo@v1", "v1"),
        ("hf://datasets/user/demo@refs/pr/3", "refs/pr/3"),
        ("hf://datasets/user/demo@refs%2Fpr%2F3", "refs/pr/3"),
    ],
)
def test_destinations(text, revision):
    destination = parse_destination(text)
    assert (destination.repo_id, destination.revision) == ("user/demo", revision)
    assert (destination.owner, destination.name) == ("user", "demo")
