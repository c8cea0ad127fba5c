"""Publishing a built folder: what a user of the command line and of the Hub's own clients sees."""

from __future__ import annotations

import json
import shutil

import pytest

from builder.package.folder import write_folder
from builder.package.manifest import MANIFEST
from builder.package.publish_plan import version_tag
from tests.package import made_up

from .conftest import HF, REPO, SPLITS, small
from .hub_repo import MAIN


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
    local, loaded, tagged = clients.rows(built, REPO, f"{REPO}@{tag}")
    assert {name: len(rows) for name, rows in local.items()} == {n: len(r) for n, r in SPLITS.items()}
    assert local["train"] == made_up.rows("paired", SPLITS["train"]).to_pylist()
    assert local == loaded == tagged


def test_a_dry_run_only_reads(hub, clients, built):
    done = clients.publish(built, REPO)
    assert done.returncode == 0, done.stderr
    assert hub.repos == {}
    assert hub.log
    assert hub.writes() == []
    files = content(built)
    assert f"send        {len(files)} files, {sum(map(len, files.values())):,} bytes" in done.stdout
    for said in (f"dataset     {REPO} (private, will be made; login: user)", "main", version_tag(built), *files):
        assert said in done.stdout
    assert "viewer wants Parquet" in done.stdout
    assert "Nothing was sent" in done.stdout


def test_unchanged_content_makes_no_commit(hub, clients, built):
    assert clients.publish(built, REPO, "--yes").returncode == 0
    commits = dict(hub.repos[REPO].commits)
    hub.log.clear()
    done = clients.publish(built, f"hf://datasets/{REPO}", "--yes")
    assert done.returncode == 0, done.stderr
    assert "no commit made" in done.stdout
    assert hub.repos[REPO].commits == commits
    assert hub.writes() == []


def test_a_smaller_dataset_leaves_no_shard_of_the_larger(hub, clients, built, tmp_path):
    assert clients.publish(built, REPO, "--yes").returncode == 0
    write_folder(tmp_path / "next", [small("paired")])
    done = clients.publish(tmp_path / "next", REPO, "--yes")
    assert done.returncode == 0, done.stderr
    gone = content(built).keys() - content(tmp_path / "next").keys()
    assert gone
    assert f"remove      {len(gone)} files" in done.stdout
    assert held(hub.repos[REPO]) == content(tmp_path / "next")
    assert {ref for ref in hub.repos[REPO].refs if "tags" in ref} == {
        f"refs/tags/{version_tag(folder)}" for folder in (built, tmp_path / "next")
    }
    loaded, local = clients.rows(REPO, tmp_path / "next")
    assert loaded == local


def test_an_edited_card_is_sent_alone_and_is_no_new_version(hub, clients, folder):
    assert clients.publish(folder, REPO, "--yes").returncode == 0
    tags = {ref: sha for ref, sha in hub.repos[REPO].refs.items() if "tags" in ref}
    (folder / "README.md").write_text((folder / "README.md").read_text() + "\nThanks.\n")
    done = clients.publish(folder, REPO, "--yes")
    assert "send        1 files" in done.stdout
    assert held(hub.repos[REPO])["README.md"].endswith(b"Thanks.\n")
    assert {ref: sha for ref, sha in hub.repos[REPO].refs.items() if "tags" in ref} == tags


def test_public_only_when_asked(hub, clients, built):
    assert clients.publish(built, REPO, "--yes", "--public").returncode == 0
    assert not hub.repos[REPO].private
    hub.log.clear()
    done = clients.publish(built, REPO, "--yes")
    assert done.returncode == 1
    assert "is public" in done.stderr
    assert hub.writes() == []


@pytest.mark.parametrize("destination", [[REPO, "--revision", "next"], [f"hf://datasets/{REPO}@next"]])
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
    repo.refs[MAIN] = repo.refs["refs/pr/1"]  # merged by its owner
    hub.log.clear()
    done = clients.publish(built, "other/demo", "--create-pr", "--public")
    assert "send        0 files" in done.stdout


def test_plain_hf_upload_gives_the_same_repository(hub, clients, built):
    done = clients.run([*HF, "upload", REPO, str(built), "--repo-type", "dataset", "--private"])
    assert done.returncode == 0, done.stderr
    repo = hub.repos[REPO]
    assert repo.private
    assert held(repo) == content(built)
    loaded, local = clients.rows(REPO, built)
    assert loaded == local
    commits = len(repo.commits)
    assert clients.publish(built, REPO, "--yes").returncode == 0
    assert len(repo.commits) == commits
    assert repo.refs[f"refs/tags/{version_tag(built)}"] == repo.refs[MAIN]


def test_the_python_client_sees_what_was_published(clients, built):
    assert clients.publish(built, REPO, "--yes").returncode == 0
    text = (
        "import json; from huggingface_hub import HfApi; a = HfApi(); i = a.dataset_info('user/demo')\n"
        "f = {e.path: e.lfs.sha256 for e in a.list_repo_tree('user/demo', recursive=True, repo_type='dataset')"
        " if getattr(e, 'lfs', None)}\n"
        "t = [t.name for t in a.list_repo_refs('user/demo', repo_type='dataset').tags]\n"
        "print(json.dumps([i.private, t, f]))"
    )
    private, tags, large = json.loads(clients.python(text))
    assert private
    assert tags == [version_tag(built)]
    manifest = json.loads((built / MANIFEST).read_text())
    splits = [split for config in manifest["configs"].values() for split in config["splits"].values()]
    assert large == {file["path"]: file["sha256"] for split in splits for file in split["files"]}


def test_hidden_files_stay_here(hub, clients, folder):
    (folder / ".secret").write_text("mine")
    shutil.copytree(folder / "data", folder / ".git")
    assert clients.publish(folder, REPO, "--yes").returncode == 0
    assert not [path for path in held(hub.repos[REPO]) if path.startswith(".")]
