"""Folders on object storage: whole or no dataset, nobody else's objects touched."""

from __future__ import annotations

import shutil

import fsspec
import pytest

from builder.errors import FolderError, SpecError
from builder.package import remote
from builder.package.remote import check_remote, is_url, send_folder

URL = "memory://bucket/demo"


@pytest.fixture
def files():
    store = fsspec.filesystem("memory")
    yield store
    if store.exists("/bucket"):
        store.rm("/bucket", recursive=True)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "built"
    (root / "data" / "cuda").mkdir(parents=True)
    (root / "data" / "cuda" / "train.arrow").write_bytes(b"rows")
    (root / "README.md").write_text("card")
    (root / "manifest.json").write_text('{"format": "warp_cuda_pairs"}')
    return root


def held(files):
    return {path.removeprefix("/bucket/demo/"): files.cat_file(path) for path in files.find("/bucket/demo")}


def content(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_sent_is_the_folder_and_replaces_an_earlier_one(files, folder):
    check_remote(URL)
    send_folder(folder, URL)
    assert held(files) == content(folder)
    shutil.rmtree(folder / "data")
    (folder / "stats.json").write_text("{}")
    send_folder(folder, URL)
    assert held(files) == content(folder)


@pytest.mark.parametrize("broken", range(1, 5))
def test_broken_off_it_is_no_dataset_and_is_completed(files, folder, monkeypatch, broken):
    send_folder(folder, URL)
    before = held(files)
    (folder / "README.md").write_text("another card")
    calls = []

    def fails(name, original):
        def write(*arguments, **options):
            calls.append(name)
            if len(calls) == broken:
                raise OSError("the network is gone")
            return original(*arguments, **options)

        return write

    with monkeypatch.context() as patch:
        for name in ("put_file", "pipe_file"):
            patch.setattr(files, name, fails(name, getattr(files, name)))
        with pytest.raises(FolderError, match=r"memory://bucket/demo: the network is gone; run the same command again"):
            send_folder(folder, URL)
    assert "manifest.json" not in held(files) or held(files) == before
    send_folder(folder, URL)
    assert held(files) == content(folder)


def test_what_is_not_ours_is_left_alone(files, folder):
    files.pipe_file("/bucket/demo/thesis.tex", b"dear")
    for call in (lambda: check_remote(URL), lambda: send_folder(folder, URL)):
        with pytest.raises(FolderError, match="not ours"):
            call()
    assert held(files) == {"thesis.tex": b"dear"}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s4://bucket/x", "nothing installed writes 's4'"),
        ("s3://key:secret@bucket/x", "password"),
        ("memory://", "names no place"),
    ],
)
def test_urls_that_cannot_be_used(url, said):
    assert is_url(url)
    with pytest.raises(SpecError, match=said) as refused:
        check_remote(url)
    assert "secret" not in str(refused.value)
    assert not is_url("folder/x")


def test_a_bucket_that_is_not_there_is_not_made(files, monkeypatch):
    monkeypatch.setattr(remote, "_open", lambda url: (files, "bucket/demo"))
    with pytest.raises(FolderError, match="there is no bucket bucket"):
        check_remote("s3://bucket/demo")
    assert not files.exists("/bucket")


def test_an_error_of_the_client_is_one_of_ours(files, monkeypatch):
    class NoCredentialsError(Exception):
        """As botocore's: of no class that fsspec or Python knows."""

    def refuse(*arguments, **options):
        raise NoCredentialsError("Unable to locate\ncredentials")

    with monkeypatch.context() as patch:
        patch.setattr(files, "exists", refuse)
        with pytest.raises(FolderError, match="NoCredentialsError: Unable to locate credentials"):
            check_remote(URL)
