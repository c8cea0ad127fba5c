"""Candidates that make Warp raise, hang or end its process: injected into every process of a build.

Processes cannot be patched from here, so a ``sitecustomize`` module on their path does it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

VARIABLE = "TEST_FAULTS"  # JSON: what each candidate, named by its id, does

SITECUSTOMIZE = """
import ctypes, hashlib, importlib.abc, importlib.util, json, os, resource, signal, sys, time

FAULTS = json.loads(os.environ.get("TEST_FAULTS", "{}"))


def do(kind):
    if kind == "raise":
        raise Exception("Warp says no")
    if kind == "crash":
        ctypes.string_at(0)
    if kind == "abort":
        os.abort()
    if kind == "exit":
        os._exit(7)
    if kind == "hang":  # in native code that never lets Python run again
        ctypes.PyDLL(None).pause()
    if kind == "memory":
        if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
            os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does when memory runs out
        bytearray(1 << 33)


def patch(module):
    if module.__name__ == "builder.package.attempts":
        module.SECONDS = 2.0
        return
    original = module.generate

    def generate(text, **options):
        kind = FAULTS.get(hashlib.sha256(text.encode()).hexdigest()[:16])
        if kind:
            do(kind)
        return original(text, **options)

    module.generate = generate


class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name):
        self.name = name

    def find_spec(self, name, path, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            patch(module)

        spec.loader.exec_module = exec_module
        return spec


if FAULTS:
    sys.meta_path[:0] = [Finder("builder.codegen"), Finder("builder.package.attempts")]
"""


def faulty_environment(folder: Path, faults: dict[str, str]) -> dict[str, str]:
    """Return the variables of a process in which some candidates, named by their ids, do what their value says."""
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
    root = Path(__file__).resolve().parents[2]
    return {"PYTHONPATH": os.pathsep.join((str(folder), str(root))), VARIABLE: json.dumps(faults)}
