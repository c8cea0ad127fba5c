"""A Hub on the loopback address, in memory: the part of its API that publishing and loading a dataset use.

Answers are shaped as huggingface_hub and datasets expect them: who may see what, git and LFS digests, commits
with a parent, branches, tags, pull requests. Every request is logged, and faults can be put in its way.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import traceback
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from .hub_repo import MAIN, Call, Refused, Repo, digest

WRITES = ("POST", "PUT", "DELETE")


@dataclass
class Fault:
    """What happens to the next request that matches: ``drop``, ``drop after`` (done, then dropped) or a status."""

    method: str
    path: str
    action: str | int
    message: str = ""
    times: int = 1


class Hub(ThreadingHTTPServer):
    """The server; use as a context manager. ``users`` maps tokens to names, ``readers`` may only read."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.users: dict[str, str] = {}
        self.readers: set[str] = set()
        self.repos: dict[str, Repo] = {}
        self.large: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.log: list[tuple[str, str]] = []
        self.bugs: list[str] = []

    def __enter__(self) -> Hub:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, address: object) -> None:
        """Clients that go away are no bug of the tests."""

    def add(self, repo_id: str, *, private: bool = True, gated: bool = False, **files: bytes) -> Repo:
        repo = self.repos[repo_id] = Repo(repo_id.split("/")[0], private, gated)
        repo.commit(MAIN, {".gitattributes": b"*.arrow filter=lfs\n", **files})
        return repo

    def writes(self) -> list[str]:
        """Requests that change something. Asking for a list of paths is reading."""
        return [f"{m} {p}" for m, p in self.log if m in WRITES and "/paths-info/" not in p]

    def fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and fault.method == method and re.search(fault.path, path):
                fault.times -= 1
                return fault
        return None


class Handler(BaseHTTPRequestHandler):
    """One request: find the route, answer."""

    protocol_version = "HTTP/1.1"
    server: Hub

    def log_message(self, *_: object) -> None:
        """The hub keeps its own log."""

    def do_any(self) -> None:
        hub, parts = self.server, urlsplit(self.path)
        self.query, path = parse_qs(parts.query), parts.path
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            self.body = self.chunks()
        hub.log.append((self.command, self.path))
        fault = hub.fault(self.command, path)
        if fault and fault.action == "drop":
            self.close_connection = True
            return
        try:
            if fault and isinstance(fault.action, int):
                raise Refused(fault.action, fault.message or self.headers.get("Authorization", ""))
            status, headers, data = self.route(path)
        except Refused as error:
            status, data = error.status, json.dumps({"error": error.message, **error.body}).encode()
            headers = {"X-Error-Message": error.message, **({"X-Error-Code": error.code} if error.code else {})}
        except Exception:  # noqa: BLE001 (told by the fixture, when the test has ended)
            hub.bugs.append(traceback.format_exc())
            status, headers, data = 400, {}, b"{}"
        if fault and fault.action == "drop after":
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_HEAD = do_POST = do_PUT = do_any

    def chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def route(self, path: str) -> tuple[int, dict[str, str], bytes]:
        simple = {"/api/whoami-v2": self.whoami, "/api/repos/create": self.create, "/api/validate-yaml": dict}
        if path in simple:
            return self.json(simple[path]())
        if match := re.fullmatch(r"/lfs/([0-9a-f]{64})", path):
            if hashlib.sha256(self.body).hexdigest() != match[1]:
                raise Refused(400, "the digest is another")
            self.server.large[match[1]] = self.body
            return 200, {}, b""
        if match := re.fullmatch(r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", path):
            # Without a ref it is for a pull request, which who may read may open.
            self.repo(match[1], write="ref" in json.loads(self.body))
            return self.json(self.batch())
        if match := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            return self.file(self.repo(match[1]), unquote(match[2]), unquote(match[3]))
        if match := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/([a-z-]+)(?:/([^/]+)(?:/(.+))?)?)?", path):
            name = (match[2] or "info").replace("-", "_").replace("revision", "info")
            proposed = self.query.get("create_pr") == ["1"]
            write = name in ("commit", "preupload", "branch", "tag") and not proposed
            repo, page = self.repo(match[1], write=write), f"{self.server.url}/datasets/{match[1]}"
            place = (unquote(match[3] or "main"), unquote(match[4] or ""))
            call = Call(page, match[1], repo, self.server.large, *place, self.query, self.body, self.user())
            return self.json(getattr(call, name)())
        raise Refused(404, "no such page")

    def json(self, data: object) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, json.dumps(data).encode()

    def user(self) -> str | None:
        sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if sent and sent not in self.server.users:
            raise Refused(401, "Invalid credentials in Authorization header")
        return self.server.users.get(sent)

    def repo(self, repo_id: str, *, write: bool = False) -> Repo:
        user, repo = self.user(), self.server.repos.get(repo_id)
        if repo is None or (repo.private and repo.owner != user):
            raise Refused(404 if user else 401, "Repository not found", "RepoNotFound")
        if write and (repo.owner != user or user in self.server.readers):
            raise Refused(403, "You don't have the required permissions to write to this repository")
        if repo.gated and repo.owner != user and re.search("/(tree|resolve)/", self.path):
            raise Refused(403, "Access to this dataset is restricted", "GatedRepo")
        return repo

    def whoami(self) -> dict[str, object]:
        return {"type": "user", "name": self.user(), "orgs": [], "auth": {"type": "access_token"}}

    def create(self) -> dict[str, object]:
        asked, user = json.loads(self.body), self.user()
        owner = asked["organization"] or user
        if owner != user or user in self.server.readers:
            raise Refused(403, f'You don\'t have the rights to create a dataset under the namespace "{owner}"')
        repo_id = f"{owner}/{asked['name']}"
        url = f"{self.server.url}/datasets/{repo_id}"
        if repo_id in self.server.repos:
            raise Refused(409, "You already created this dataset repo", body={"url": url})
        private = asked.get("private") is True or asked.get("visibility") == "private"
        self.server.add(repo_id, private=private)
        return {"url": url}

    def batch(self) -> dict[str, object]:
        hub, objects = self.server, json.loads(self.body)["objects"]
        for one in objects:
            if one["oid"] not in hub.large:
                one["actions"] = {"upload": {"href": f"{hub.url}/lfs/{one['oid']}"}}
        return {"transfer": "basic", "objects": objects}

    def file(self, repo: Repo, revision: str, path: str) -> tuple[int, dict[str, str], bytes]:
        sha = repo.at(revision)
        if path not in repo.commits[sha]:
            raise Refused(404, "Entry not found", "EntryNotFound")
        data = repo.commits[sha][path]
        headers = {"ETag": f'"{digest(path, data)}"', "X-Repo-Commit": sha, "Content-Type": "application/octet-stream"}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            return 200, headers, data
        first, last = int(wanted[1]), min(int(wanted[2] or len(data)), len(data) - 1)
        return 206, {**headers, "Content-Range": f"bytes {first}-{last}/{len(data)}"}, data[first : last + 1]
