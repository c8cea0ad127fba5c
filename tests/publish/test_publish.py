"""Publishing a built folder: what a user of the command line and of the Hub's own clients sees."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

from builder.package.folder import write_folder
from builder.package.publish_plan import _LISTED as LISTED
from builder.package.publish_plan import version_tag
from tests.package import made_up

from .conftest import HF, REPO, SPLITS, small
from .hub_repo import MAIN, is_large

# What huggingface_hub's own client sees of a published folder.
LOOK = f"""
import json
from huggingface_hub import HfApi
api = HfApi()
tree = api.list_repo_tree({REPO!r}, recursive=True, repo_type="dataset")
seen = {{
    "private": api.dataset_info({REPO!r}).private,
    "tags": [tag.name for tag in api.list_repo_refs({REPO!r}, repo_type="dataset").tags],
    "large": {{one.path: one.lfs.sha256 for one in tree if getattr(one, "lfs", None)}},
}}
print(json.dumps(seen))
"""


def content(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def held(repo, ref=MAIN):
    return {path: data for path, data in repo.commits[repo.refs[ref]].items() if path != ".gitattributes"}


def test_published_rows_load_back_equal(hub, clients, built):
    done = clients.publish(built, REPO, "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    repo = hub.repos[REPO]
    assert held(repo) == content(built)
    assert repo.private
    tag = version_tag(built)
    assert repo.refs[f"refs/tags/{tag}"] == repo.refs[MAIN]
    seen = json.loads(clients.python(LOOK))
    assert (seen["private"], seen["tags"]) == (True, [tag])
    assert seen["large"] == {
        path: hashlib.sha256(data).hexdigest() for path, data in content(built).items() if is_large(path)
    }
    local, loaded, tagged = clients.rows(built, REPO, f"{REPO}@{tag}")
    assert {name: len(rows) for name, rows in local.items()} == {n: len(r) for n, r in SPLITS.items()}
    assert local["train"] == made_up.rows("paired", SPLITS["train"]).to_pylist()
    assert local == loaded == tagged


def test_a_dry_run_only_reads(hub, clients, built, folder):
    (folder / ".secret").write_text("what is hidden stays here")
    shutil.copytree(folder / "data", folder / ".git")
    done = clients.publish(folder, REPO)
    assert done.returncode == 0, done.stderr
    assert hub.repos == {}
    assert hub.log
    assert hub.writes() == []
    files = content(built)
    assert f"send        {len(files)} files, {sum(map(len, files.values())):,} bytes" in done.stdout
    for said in (f"dataset     {REPO} (private, will be made; login: user)", "main", version_tag(built)):
        assert said in done.stdout
    listed = [name for name in files if f"  {name}  " in done.stdout]
    assert len(listed) == min(len(files), LISTED)
    assert (f"and {len(files) - LISTED} more" in done.stdout) == (len(files) > LISTED)
    assert "format      parquet, as built" in done.stdout
    assert "Nothing was sent" in done.stdout


def test_unchanged_content_makes_no_commit_and_an_edited_card_no_version(hub, clients, folder):
    assert clients.publish(folder, REPO, "--yes").returncode == 0
    repo = hub.repos[REPO]
    commits, tags = dict(repo.commits), {ref: sha for ref, sha in repo.refs.items() if "tags" in ref}
    hub.log.clear()
    done = clients.publish(folder, f"hf://datasets/{REPO}", "--yes")
    assert done.returncode == 0, done.stderr
    assert "no commit made" in done.stdout
    assert repo.commits == commits
    assert hub.writes() == []
    (folder / "README.md").write_text((folder / "README.md").read_text() + "\nThanks.\n")
    done = clients.publish(folder, REPO, "--yes")
    assert "send        1 file," in done.stdout
    assert held(repo) == content(folder)
    assert {ref: sha for ref, sha in repo.refs.items() if "tags" in ref} == tags


def test_a_smaller_dataset_leaves_no_shard_of_the_larger(hub, clients, built, tmp_path):
    assert clients.publish(built, REPO, "--yes").returncode == 0
    write_folder(tmp_path / "next", [small("paired")], format="parquet")
    hub.repos[REPO].commit(MAIN, {**held(hub.repos[REPO]), "NOTES.md": b"the user's own"})
    done = clients.publish(tmp_path / "next", REPO, "--yes")
    assert done.returncode == 0, done.stderr
    gone = content(built).keys() - content(tmp_path / "next").keys()
    assert gone
    assert f"remove      {len(gone)} files" in done.stdout
    assert held(hub.repos[REPO]) == {**content(tmp_path / "next"), "NOTES.md": b"the user's own"}
    assert {ref for ref in hub.repos[REPO].refs if "tags" in ref} == {
        f"refs/tags/{version_tag(folder)}" for folder in (built, tmp_path / "next")
    }


@pytest.mark.slow
def test_public_only_when_asked(hub, clients, built):
    assert clients.publish(built, REPO, "--yes", "--public").returncode == 0
    assert not hub.repos[REPO].private
    hub.log.clear()
    done = clients.publish(built, REPO, "--yes")
    assert done.returncode == 1
    assert "is public" in done.stderr
    assert hub.writes() == []


@pytest.mark.parametrize(
    "destination",
    [pytest.param([REPO, "--revision", "next"], marks=pytest.mark.slow), [f"hf://datasets/{REPO}@next"]],
)
def test_a_branch_of_its_own(hub, clients, built, destination):
    repo = hub.add(REPO)
    before = repo.refs[MAIN]
    done = clients.publish(built, *destination, "--yes")
    assert done.returncode == 0, done.stderr
    assert "next (will be made)" in done.stdout
    assert held(repo, "refs/heads/next") == content(built)
    assert repo.refs[MAIN] == before
    assert repo.refs[f"refs/tags/{version_tag(built)}"] == repo.refs["refs/heads/next"]


def test_a_pull_request_to_somebody_elses_repository(hub, clients, built):
    repo = hub.add("other/demo", private=False)
    before = repo.refs[MAIN]
    done = clients.publish(built, "other/demo", "--create-pr", "--public", "--yes")
    assert done.returncode == 0, done.stderr
    assert f"{hub.url}/datasets/other/demo/discussions/1" in done.stdout
    assert held(repo, "refs/pr/1") == content(built)
    assert repo.refs[MAIN] == before
    assert [ref for ref in repo.refs if "tags" in ref] == []


@pytest.mark.slow
def test_one_version_is_proposed_once(hub, clients, built):
    repo = hub.add("other/demo", private=False)
    assert clients.publish(built, "other/demo", "--create-pr", "--public", "--yes").returncode == 0
    again = clients.publish(built, "other/demo", "--create-pr", "--public", "--yes")
    assert again.returncode == 0, again.stderr
    assert "no commit made" in again.stdout
    assert len(repo.requests) == 1
    repo.refs[MAIN] = repo.refs["refs/pr/1"]  # merged by its owner
    repo.requests[0]["status"] = "merged"
    merged = clients.publish(built, "other/demo", "--create-pr", "--public", "--yes")
    assert merged.returncode == 0, merged.stderr
    assert "send        0 files" in merged.stdout
    assert [ref for ref in repo.refs if "tags" in ref] == []


def test_plain_hf_upload_gives_the_same_repository(hub, clients, built):
    repo = hub.add(REPO, **{"data/paired/train-00000-of-00009.arrow": b"of an earlier dataset"})
    done = clients.run([*HF, "upload", REPO, str(built), "--repo-type", "dataset", "--private", "--delete", "data/*"])
    assert done.returncode == 0, done.stderr
    assert held(repo) == content(built)
    commits = len(repo.commits)
    assert clients.publish(built, REPO, "--yes").returncode == 0
    assert len(repo.commits) == commits
    assert repo.refs[f"refs/tags/{version_tag(built)}"] == repo.refs[MAIN]
