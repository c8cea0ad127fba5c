"""Publishing an Arrow folder: what arrives is the Parquet folder of the same rows, and a rerun finds it there."""

from __future__ import annotations

import shutil

import pytest
import yaml

from builder.package.manifest import MANIFEST, README
from builder.package.publish_plan import version_tag

from .conftest import REPO
from .hub import Fault
from .hub_repo import MAIN, is_large
from .test_publish import content, held
from .test_refusals import refused


def copies(clients):
    """What conversions left in the store."""
    return [path.name for path in (clients.place / "store").glob("*") if "converted" in path.name]


def test_an_arrow_folder_arrives_as_the_parquet_folder_of_its_rows(hub, clients, pair):
    arrow, parquet = pair
    before = content(arrow)
    said = clients.publish(arrow, REPO)
    assert said.returncode == 0, said.stderr
    assert f"format      parquet, converted; {arrow} stays as it is" in said.stdout
    files = content(parquet)
    assert f"send        {len(files)} files, {sum(map(len, files.values())):,} bytes" in said.stdout
    for name in filter(is_large, files):
        assert f"  {name}  {len(files[name]):,}\n" in said.stdout
    assert hub.writes() == []
    done = clients.publish(arrow, REPO, "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    repo = hub.repos[REPO]
    assert held(repo) == files
    assert repo.refs[f"refs/tags/{version_tag(parquet)}"] == repo.refs[MAIN]
    commits = dict(repo.commits)
    hub.log.clear()
    for again in (arrow, parquet):
        done = clients.publish(again, REPO, "--yes")
        assert done.returncode == 0, done.stderr
        assert "no commit made" in done.stdout
    assert repo.commits == commits
    assert hub.writes() == []
    assert copies(clients) == []
    assert content(arrow) == before
    loaded, local = clients.rows(REPO, arrow)
    assert loaded == local


def test_arrow_where_arrow_is_asked_for(hub, clients, pair):
    arrow, _ = pair
    done = clients.publish(arrow, REPO, "--yes", "--format", "arrow")
    assert done.returncode == 0, done.stderr
    assert "format      arrow, as built" in done.stdout
    assert "viewer wants Parquet" in done.stdout
    assert held(hub.repos[REPO]) == content(arrow)


def test_a_broken_upload_of_a_converted_folder_goes_on(hub, clients, pair):
    arrow, parquet = pair
    hub.faults.append(Fault("PUT", "/lfs/", 403, "Request has expired"))
    refused(clients.publish(arrow, REPO, "--yes"), "Error while uploading 'data/")
    assert copies(clients) == []
    sent = set(hub.large)
    hub.log.clear()
    done = clients.publish(arrow, REPO, "--yes")
    assert done.returncode == 0, done.stderr
    assert sent.isdisjoint(path.removeprefix("/lfs/") for method, path in hub.log if method == "PUT")
    assert held(hub.repos[REPO]) == content(parquet)
    assert len(hub.repos[REPO].commits) == 2  # the first one is of the repository's making


def test_an_edited_card_keeps_its_edits(hub, clients, pair, tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(pair[0], mine)
    text = (mine / README).read_text().replace("license: apache-2.0", "license: mit").replace("## Citation", "## Cite")
    (mine / README).write_text(text + "\nThanks.\n")
    done = clients.publish(mine, REPO, "--yes")
    assert done.returncode == 0, done.stderr
    files, expected = held(hub.repos[REPO]), content(pair[1])
    assert {name: data for name, data in files.items() if name != README} == {
        name: data for name, data in expected.items() if name != README
    }
    card, made = files[README].decode(), expected[README].decode()
    front, plain = (yaml.safe_load(one.split("---\n")[1]) for one in (card, made))
    assert front == {**plain, "license": "mit"}
    body = made.split("---\n", 2)[2].replace("## Citation", "## Cite") + "\nThanks.\n"
    assert card.split("---\n", 2)[2] == body


@pytest.mark.parametrize("content_", [b"---\n- a list\n---\n", b"---\na: b: c\n---\n", b"\xff"])
def test_a_card_without_front_matter_is_not_converted(hub, clients, pair, tmp_path, content_):
    mine = tmp_path / "mine"
    shutil.copytree(pair[0], mine)
    (mine / README).write_bytes(content_)
    refused(clients.publish(mine, REPO, "--yes"), README, f"warp-cuda-pairs card {mine}")
    assert hub.repos == {}
    assert copies(clients) == []


def test_no_room_for_the_converted_copy(hub, clients, pair):
    refused(clients.publish(pair[0], REPO, "--yes", WARP_CUDA_PAIRS_CACHE="/proc/store"), "/proc/store", "--format")
    assert hub.repos == {}


def test_what_is_refused_is_not_converted(hub, clients, pair, tmp_path):
    refused(clients.publish(pair[0], REPO, "--format", "csv"), "arrow, parquet")
    refused(clients.publish(pair[0], "demo"), "OWNER/NAME")
    hub.add(REPO, private=False)
    refused(clients.publish(pair[0], REPO, WARP_CUDA_PAIRS_CACHE="/proc/store"), "is public")
    mine = tmp_path / "mine"
    shutil.copytree(pair[0], mine)
    (mine / MANIFEST).write_bytes((mine / MANIFEST).read_bytes().replace(b'"path": "data/', b'"path": "../data/'))
    refused(clients.publish(mine, REPO), "damaged")
    assert hub.writes() == []
