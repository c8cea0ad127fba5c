"""The worker: a process that imports a package's modules and proves their kernels. Package code runs here only.

It reads one JSON line for each module and writes JSON lines on a pipe of its own; what the package prints goes
nowhere. It is expected to be killed: whoever started it restarts it behind the module that hung or crashed it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NoReturn

from ..codegen.kernel_source import one_line
from .collect import Collector, Found
from .facts import describe, features
from .prove import prove
from .reasons import KernelReason, MiningRejection, ModuleReason

Send = Callable[[dict[str, Any]], None]

# What a module must not do at import, by the audit events that Python raises for it.
_REFUSED = frozenset(
    {
        *("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"),
        *("webbrowser.open", "os.system", "os.startfile"),
    }
)


def main() -> NoReturn:
    """Serve modules from standard input until it is closed. Started by :mod:`builder.mine.session`."""
    requests, send = _pipes()
    _quiet()
    collector = _start()
    root = Path(requests.get()["root"])
    send({"ready": True})
    while True:
        send({"done": _module(collector, requests.get(), root, send)})


def _pipes() -> tuple[SimpleQueue[dict[str, Any]], Send]:
    """Take standard input and output for the protocol; the package gets an empty input and no output."""
    incoming = os.fdopen(os.dup(0), encoding="utf-8")
    requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)

    def send(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")

    def receive() -> None:
        for line in incoming:
            requests.put(json.loads(line))
        os._exit(0)  # whoever asked is gone: end at once, whatever a module is doing

    threading.Thread(target=receive, name="receive", daemon=True).start()
    return requests, send


def _quiet() -> None:
    """Keep package code from windows, the network, and other programs."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _REFUSED:
            raise PermissionError(f"{event} is not allowed while a package is mined")

    sys.argv[1:] = []
    sys.addaudithook(refuse)


def _start() -> Collector:
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    wp.config.kernel_cache_dir = os.getcwd()  # a scratch folder
    wp.init()
    return Collector()


def _module(collector: Collector, task: dict[str, Any], root: Path, send: Send) -> dict[str, Any]:
    """Import a module and send its kernels but the first ``skip``; return why it was not imported, or nothing."""
    try:
        importlib.import_module(task["name"])
    except SystemExit as error:
        return _failed(ModuleReason.EXIT, f"SystemExit: {error.code}", root)
    except BaseException as error:  # noqa: BLE001 (a package's module may raise anything)
        return _failed(ModuleReason.IMPORT_ERROR, one_line(error), root)
    send({"imported": task["name"]})
    for number, found in enumerate(collector.of(root / task["path"])):
        if number >= task["skip"]:
            send({"kernel": _kernel(found, root)})
    return {}


def _failed(reason: ModuleReason, detail: str, root: Path) -> dict[str, Any]:
    return {"reason": reason.value, "detail": _without(root, detail)}


def _without(root: Path, text: str) -> str:
    """Return a message without the folders of this machine."""
    for folder in (os.path.realpath(root), str(root)):
        text = text.replace(f"{folder}/", "")
    return text


def _kernel(found: Found, root: Path) -> dict[str, Any]:
    inside = os.path.realpath(found.file).startswith(os.path.realpath(root) + os.sep)
    path = os.path.relpath(os.path.realpath(found.file), os.path.realpath(root)) if inside else "elsewhere"
    row: dict[str, Any] = {"path": Path(path).as_posix(), "line": found.line, "key": found.kernel.key}
    try:
        if not inside:
            raise MiningRejection(KernelReason.ELSEWHERE, "its file does not belong to the package")
        if found.kernel.is_generic:
            raise MiningRejection(KernelReason.GENERIC, "nothing instantiates it while the package is imported")
        proved = prove(found.kernel)
    except MiningRejection as refusal:
        return row | {"reason": refusal.reason.value, "detail": _without(root, refusal.detail)}
    code = proved.code
    tags = features(proved.tree, found.kernel, code)
    return row | {
        "text": proved.text,
        "kernel_name": code.kernel_name,
        "description": describe(proved.tree, tags, code),
        "features": list(tags),
        "args": [{"name": name, "type": kind} for name, kind in code.args],
        "launch_dim": code.launch_dim,
        "block_dim": code.block_dim,
        "cpp_forward": code.cpp_forward,
        "cpp_backward": code.cpp_backward,
        "cuda_forward": code.cuda_forward,
        "cuda_backward": code.cuda_backward,
    }
