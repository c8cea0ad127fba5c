"""Makes ``datasets.load_dataset("warp_cuda_pairs")`` find this project's builder.

Installed as ``_warp_cuda_pairs_hook`` at the root of site-packages, where the start-up files (``hook.pth``,
``hook.start``) call :func:`install` in every interpreter. That name keeps the generic name ``builder`` out
of ``sys.modules`` of programs that never ask for our dataset. So nothing here may import the rest of the
package, nor anything that start-up has not loaded already: ``__future__`` alone would cost as much as the
hook. In a checkout this file is ``builder.hook``. See ``design/0002-plain-load-dataset.md``.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

NAME = "warp_cuda_pairs"
OPT_OUT = "WARP_CUDA_PAIRS_NO_HOOK"
_TARGET = "datasets.load"
_FACTORY = "dataset_module_factory"
# On the wrapped function, so that an installed copy of this file and a checkout's see each other's work.
_MARK = "_knows_warp_cuda_pairs"


def install() -> None:
    """Wait for ``datasets.load`` to be imported, then register; do nothing if the opt-out variable is set.

    Called by the start-up files. ``WARP_CUDA_PAIRS_NO_HOOK`` set to anything but an empty text or 0 opts out.
    """
    if os.environ.get(OPT_OUT, "") not in ("", "0"):
        return
    # In a virtual environment `site` runs start-up files twice.
    if not any(type(finder).__name__ == _WarpCudaPairsFinder.__name__ for finder in sys.meta_path):
        sys.meta_path.insert(0, _WarpCudaPairsFinder())


def register() -> None:
    """Teach the imported ``datasets`` our name; a second call does nothing.

    Raises:
        RuntimeError: this version of datasets has no ``dataset_module_factory`` to wrap.
    """
    import datasets

    load = sys.modules[_TARGET]
    original = getattr(load, _FACTORY, None)
    if original is None:
        raise RuntimeError(_not_registered(datasets.__version__))
    if hasattr(original, _MARK):
        return
    wrapped = _wrap(original)
    # datasets.inspect holds its own reference, taken when it was imported.
    for module in (load, sys.modules.get("datasets.inspect")):
        if getattr(module, _FACTORY, None) is original:
            setattr(module, _FACTORY, wrapped)


class _WarpCudaPairsFinder:
    """Meta-path finder that only wraps the loader of ``datasets.load``; it finds nothing itself."""

    def find_spec(
        self, fullname: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if fullname != _TARGET:
            return None
        # Those before us have been asked already; asking them again could call us back for ever.
        first = sys.meta_path.index(self) + 1 if self in sys.meta_path else 0
        for finder in sys.meta_path[first:]:
            # Until Python 3.12 a finder may be of the old kind, without find_spec.
            spec = finder.find_spec(fullname, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
                return spec
        return None


class _Loader:
    """Runs the module with its own loader, then wraps its factory; leaves no other trace."""

    def __init__(self, loader: "Any") -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> "Any":
        if name == "_loader":  # absent only while being copied or unpickled
            raise AttributeError(name)
        return getattr(self._loader, name)

    def create_module(self, spec: "ModuleSpec") -> "ModuleType | None":
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: "ModuleType") -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        original = getattr(module, _FACTORY, None)
        if original is None:
            _warn()
        elif not hasattr(original, _MARK):
            # datasets.inspect imports the factory from here, later, so it gets the wrapped one.
            setattr(module, _FACTORY, _wrap(original))


def _wrap(original: "Any") -> "Any":
    from functools import wraps

    @wraps(original)
    def dataset_module_factory(path: "Any", *args: "Any", **kwargs: "Any") -> "Any":
        ours = _ours().dataset_module(**kwargs) if path == NAME else None
        return original(path, *args, **kwargs) if ours is None else ours

    setattr(dataset_module_factory, _MARK, True)
    return dataset_module_factory


def _ours() -> "Any":
    from importlib import import_module

    try:
        module = import_module(NAME)
    except ImportError as error:
        other = _hidden_by()
        if other is None:
            raise
        raise ImportError(_shadowed(other)) from error
    if not hasattr(module, "dataset_module"):
        raise ImportError(_shadowed(module))
    return module


def _hidden_by() -> "ModuleType | None":
    """Return the module that has taken the name of our package, if one has."""
    module = sys.modules.get("builder")
    folders = getattr(module, "__path__", ())
    ours = any(os.path.isfile(os.path.join(folder, "codegen", "warp_adapter.py")) for folder in folders)
    return None if ours else module


def _shadowed(other: "ModuleType") -> str:
    where = getattr(other, "__file__", None) or list(getattr(other, "__path__", ()))
    return (
        f"load_dataset({NAME!r}) needs the installed module {other.__name__!r}, but {where} comes first "
        f"on sys.path. Rename that file or folder, or start Python from another folder."
    )


def _not_registered(version: str) -> str:
    return (
        f"datasets {version} has no {_TARGET}.{_FACTORY}, so load_dataset({NAME!r}) cannot find its builder. "
        f"Install a version of datasets that this version of warp-cuda-pairs was tested with (4.0.0 and 5.2.0)."
    )


def _warn() -> None:
    # Through logging, because warnings can be turned into errors, and this must not break `import datasets`.
    import logging

    version = getattr(sys.modules.get("datasets"), "__version__", "of an unknown version")
    logging.getLogger(NAME).warning("%s %s=1 silences this.", _not_registered(version), OPT_OUT)
