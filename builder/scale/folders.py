"""A whole folder: each config built by an engine, measured, and written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from .. import stages
from ..package import tokens
from ..package.folder import ConfigBuild, check_target, write_folder
from ..package.remote import check_remote, is_url, send_folder
from ..package.scratch import remove, scratch_name
from ..package.shards import MAX_SHARD_BYTES
from ..package.store import Store
from ..spec import SPLITS, BuildSpec
from .local import decide, engine_for, measure
from .progress import Reporter, Silent, reporting


def config_build(
    spec: BuildSpec,
    store: Store,
    *,
    num_proc: int = 1,
    progress: Reporter | None = None,
    engine: str = "local",
    address: str = "auto",
) -> ConfigBuild:
    """Return what the folder writer takes for one config: everything made, nothing copied yet.

    Arguments and errors are those of :func:`builder.scale.build`; without ``progress`` nothing is told.
    """
    told = progress or Silent()
    with engine_for(spec, store, told, num_proc=num_proc, engine=engine, address=address) as makers:
        decision = decide(spec, store, makers, told)
        stats = measure(spec, store, makers, told, decision)
    tokenizer = tokens.load(spec.tokenizer)
    return ConfigBuild(
        spec=spec,
        fingerprint=spec.fingerprint(tokenizer.sha256),
        splits={split: partial(stages.rows, spec, store, decision, split) for split in SPLITS},
        stats=stats,
        rejections=decision.rejections,
        tokenizer_json=tokenizer.data,
    )


def build_folder(
    specs: Sequence[BuildSpec],
    out: str | Path,
    store: Store,
    *,
    progress: Reporter,
    format: str = "arrow",
    max_shard_bytes: int = MAX_SHARD_BYTES,
    num_proc: int = 1,
    engine: str = "local",
    address: str = "auto",
) -> list[ConfigBuild]:
    """Build some configs to a folder, or through fsspec to a URL; return them.

    Raises:
        FolderError: ``out`` is not ours, or cannot be written.
        SpecError, SplitError, StoreError, WorkerError: as :func:`builder.scale.build`.
    """
    builds = [
        config_build(spec, store, num_proc=num_proc, progress=progress, engine=engine, address=address)
        for spec in specs
    ]
    with reporting(progress, "write"):
        if not is_url(str(out)):
            write_folder(Path(out), builds, format=format, max_shard_bytes=max_shard_bytes)
            return builds
        local = store.root / scratch_name("folder")
        try:
            write_folder(local, builds, format=format, max_shard_bytes=max_shard_bytes)
            send_folder(local, str(out))
        finally:
            remove(local)
    return builds


def check_out(out: str | Path) -> None:
    """Say, before any work, whether a dataset may be written to a folder or URL.

    Raises:
        FolderError: it is not ours, or cannot be written.
        SpecError: a URL that nothing installed can write, or with a password.
    """
    if is_url(str(out)):
        check_remote(str(out))
    else:
        check_target(Path(out))
