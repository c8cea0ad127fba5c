"""What a repository of the loopback Hub holds, and the calls below ``/api/datasets/OWNER/NAME``."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs

DATE = "2026-01-01T00:00:00.000Z"
MAIN = "refs/heads/main"


@dataclass
class Repo:
    """A dataset repository: files of each commit (path to bytes), and what refs point to."""

    owner: str
    private: bool
    gated: bool = False
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    requests: list[dict[str, object]] = field(default_factory=list)

    def commit(self, ref: str, files: dict[str, bytes]) -> str:
        seen = json.dumps([len(self.commits), sorted(files)]).encode()
        sha = hashlib.sha1(seen).hexdigest()
        self.commits[sha] = files
        self.refs[ref] = sha
        return sha

    def resolve(self, revision: str) -> str | None:
        if revision in self.commits:
            return revision
        names = (f"refs/heads/{revision}", f"refs/tags/{revision}", revision)
        return next((self.refs[name] for name in names if name in self.refs), None)

    def at(self, revision: str) -> str:
        sha = self.resolve(revision)
        if sha is None:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return sha


class Refused(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, message: str, code: str = "", body: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.body = body or {}
        self.status, self.message, self.code = status, message, code


def git_sha(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def is_large(path: str) -> bool:
    return path.endswith((".arrow", ".parquet"))


def digest(path: str, data: bytes) -> str:
    """What tells whether a file has changed: of a large one its sha256, else git's."""
    return hashlib.sha256(data).hexdigest() if is_large(path) else git_sha(data)


def entry(path: str, data: bytes) -> dict[str, object]:
    """A file as a tree lists it."""
    listed: dict[str, object] = {"type": "file", "path": path, "size": len(data), "oid": git_sha(data)}
    if is_large(path):
        listed["lfs"] = {"oid": digest(path, data), "size": len(data), "pointerSize": 130}
    return listed


def directory(path: str) -> dict[str, object]:
    """A folder as a tree lists it."""
    return {"type": "directory", "path": path, "oid": git_sha(path.encode()), "size": 0}


@dataclass
class Call:
    """One call: the repository, the revision or name and the path in the address, its query and its body.

    A method is named as the call is in the address, and returns what JSON answers.
    """

    page: str
    repo_id: str
    repo: Repo
    large: dict[str, bytes]
    revision: str
    below: str
    query: dict[str, list[str]]
    body: bytes
    user: str | None

    def files(self) -> dict[str, bytes]:
        return self.repo.commits[self.repo.at(self.revision)]

    def info(self) -> dict[str, object]:
        repo, files = self.repo, [{"rfilename": path} for path in sorted(self.files())]
        about = {"id": self.repo_id, "author": repo.owner, "private": repo.private, "gated": repo.gated and "manual"}
        counts = {"downloads": 0, "likes": 0, "tags": []}
        return {**about, **counts, "sha": repo.at(self.revision), "lastModified": DATE, "siblings": files}

    def tree(self) -> list[dict[str, object]]:
        files, folder = self.files(), f"{self.below}/" if self.below else ""
        inside = {path: path[len(folder) :] for path in sorted(files) if path.startswith(folder)}
        if not inside:
            raise Refused(404, "Entry not found", "EntryNotFound")
        deep = self.query.get("recursive", ["false"])[0].lower() == "true"
        slashes = [(path, rest, [match.start() for match in re.finditer("/", rest)]) for path, rest in inside.items()]
        folders = {folder + rest[:at] for _, rest, places in slashes for at in (places if deep else places[:1])}
        listed = [entry(path, files[path]) for path, _, places in slashes if deep or not places]
        return [*map(directory, sorted(folders)), *listed]

    def paths_info(self) -> list[dict[str, object]]:
        files, found = self.files(), []
        for path in parse_qs(self.body.decode())["paths"]:
            if path in files:
                found.append(entry(path, files[path]))
            elif any(name.startswith(f"{path}/") for name in files):
                found.append(directory(path))
        return found

    def refs(self) -> dict[str, object]:
        listed: dict[str, list[object]] = {"heads": [], "tags": [], "pr": []}
        for ref, sha in self.repo.refs.items():
            kind, name = ref.split("/", 2)[1:]
            listed[kind].append({"name": name, "ref": ref, "targetCommit": sha})
        return {"branches": listed["heads"], "converts": [], "tags": listed["tags"], "pullRequests": listed["pr"]}

    def preupload(self) -> dict[str, object]:
        files, answer = self.files(), []
        for path in (file["path"] for file in json.loads(self.body)["files"]):
            oid = digest(path, files[path]) if path in files else None
            mode = "lfs" if is_large(path) else "regular"
            answer.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        return {"files": answer}

    def commit(self) -> dict[str, object]:
        header, *lines = (json.loads(line) for line in self.body.splitlines())
        base = self.repo.at(self.revision)
        if header["value"].get("parentCommit", base) != base:
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        files = dict(self.files())
        for line in lines:
            value, path = line["value"], line["value"]["path"]
            if line["key"] == "file":
                files[path] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[path] = self.large[value["oid"]]
            else:
                assert line["key"] == "deletedFile", line["key"]
                del files[path]
        number = 1 + len(self.repo.requests)
        proposed = self.query.get("create_pr") == ["1"]
        branch = self.revision if self.revision.startswith("refs/") else f"refs/heads/{self.revision}"
        sha = self.repo.commit(f"refs/pr/{number}" if proposed else branch, files)
        if proposed:
            about = {"title": header["value"]["summary"], "author": {"name": self.user}, "status": "open"}
            about |= {"num": number, "isPullRequest": True, "createdAt": DATE}
            self.repo.requests.append({**about, "repo": {"name": self.repo_id, "type": "dataset"}})
        request = {"pullRequestUrl": f"{self.page}/discussions/{number}"} if proposed else {}
        return {"success": True, "commitOid": sha, "commitUrl": f"{self.page}/commit/{sha}", **request}

    def discussions(self) -> dict[str, object]:
        (author,), (status,) = self.query["author"], self.query["status"]
        found = [one for one in self.repo.requests if (one["author"], one["status"]) == ({"name": author}, status)]
        return {"discussions": found, "count": len(found), "start": 0}

    def branch(self) -> dict[str, object]:
        return self._make(f"refs/heads/{self.revision}", json.loads(self.body).get("startingPoint", "main"))

    def tag(self) -> dict[str, object]:
        return self._make(f"refs/tags/{json.loads(self.body)['tag']}", self.revision)

    def _make(self, ref: str, revision: str) -> dict[str, object]:
        if ref in self.repo.refs:
            raise Refused(409, f"Reference already exists: {ref}")
        self.repo.refs[ref] = self.repo.at(revision)
        return {}
