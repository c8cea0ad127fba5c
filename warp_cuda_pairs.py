"""The `datasets` builder: configs, splits, tables, registration.

Once installed, ``datasets.load_dataset("warp_cuda_pairs", "paired")`` finds it with no import
(builder/hook.py); ``import warp_cuda_pairs`` registers it too. What the rows are is decided below
``builder/``, not here.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
from datasets import ArrowBasedBuilder, BuilderConfig, DatasetInfo, Features, SplitGenerator, Version
from datasets.exceptions import DatasetGenerationError
from datasets.fingerprint import Hasher
from datasets.load import DatasetModule
from datasets.utils import are_progress_bars_disabled

from builder import __version__
from builder.errors import FolderError, SpecError, WarpCudaPairsError
from builder.record import row_schema
from builder.resources import source_digest
from builder.shipped import config_names, config_summary
from builder.spec import SPLITS, BuildSpec, field_names, load_spec
from builder.versions import versions

try:
    from builder import hook
except ImportError:  # in a wheel that file lies beside this one (design/0002)
    import _warp_cuda_pairs_hook as hook  # type: ignore[no-redef]

if TYPE_CHECKING:
    from builder.scale import Decision

__all__ = ["WarpCudaPairs", "WarpCudaPairsConfig", "dataset_module"]


class WarpCudaPairsConfig(BuilderConfig):  # type: ignore[misc]
    """A validated spec in the shape `datasets` wants.

    Attributes:
        name: the config's name.
        spec: the :class:`builder.spec.BuildSpec`; each of its fields is an attribute too.
    """

    def __init__(self, spec: BuildSpec) -> None:
        super().__init__(name=spec.config, version=Version(__version__), description=config_summary(spec.config))
        self.spec = spec
        for field in field_names():
            setattr(self, field, getattr(spec, field))

    def create_config_id(self, config_kwargs: dict[str, Any], custom_features: Features | None = None) -> str:
        """Return the name of the cache directory: one per dataset whose bytes differ.

        Args:
            config_kwargs: not used: a field given its default value changes nothing.
            custom_features: what the user gave as ``features=``.
        """
        from builder.package import tokens

        identity = self.spec.fingerprint(tokens.digest(self.spec.tokenizer))
        if custom_features is not None:
            identity = Hasher.hash((identity, custom_features))
        return f"{self.name}-{identity[:16]}"


class WarpCudaPairs(ArrowBasedBuilder):  # type: ignore[misc]
    """Builds one config on demand: first the units, in our processes; then the tables, in this one."""

    BUILDER_CONFIG_CLASS = WarpCudaPairsConfig
    BUILDER_CONFIGS: ClassVar = [WarpCudaPairsConfig(load_spec(name)) for name in config_names()]
    DEFAULT_CONFIG_NAME = "paired"

    def __init__(self, cache_dir: str | None = None, **kwargs: Any) -> None:
        for name in ("data_files", "data_dir"):
            _refuse(name, kwargs.get(name))
        # Made directly or by load_dataset: one cache directory.
        kwargs["hash"] = kwargs.get("hash") or _digest()
        self._decision: Decision | None = None
        super().__init__(cache_dir=cache_dir, **kwargs)

    def _create_builder_config(
        self,
        config_name: str | None = None,
        custom_features: Features | None = None,
        config_id: str | None = None,
        **config_kwargs: Any,
    ) -> tuple[WarpCudaPairsConfig, str]:
        # In place of the original, which knows neither the nearest name nor the allowed values.
        config = WarpCudaPairsConfig(load_spec(config_name or self.DEFAULT_CONFIG_NAME, **config_kwargs))
        return config, config_id or config.create_config_id(config_kwargs, custom_features=custom_features)

    def _info(self) -> DatasetInfo:
        return DatasetInfo(
            description=self.config.description,
            license="Apache-2.0",
            features=Features.from_arrow_schema(
                row_schema(self.config.name, self.config.spec.view, ptx=self.config.spec.ptx)
            ),
        )

    def _split_generators(self, dl_manager: Any) -> list[SplitGenerator]:
        streaming = bool(dl_manager.is_streaming)
        generators = [
            SplitGenerator(name=split, gen_kwargs={"split": split, "streaming": streaming}) for split in SPLITS
        ]
        if self._decision is not None:
            for generator in generators:  # so that the progress bar knows its end
                generator.split_info.num_examples = self._decision.rows[generator.name]
        return generators

    def _download_and_prepare(self, dl_manager: Any, verification_mode: Any, **prepare_splits_kwargs: Any) -> None:
        num_proc = prepare_splits_kwargs.pop("num_proc", None)
        self._decide(1 if num_proc is None else num_proc)
        try:
            super()._download_and_prepare(dl_manager, verification_mode, **prepare_splits_kwargs)
        except DatasetGenerationError as error:
            if isinstance(error.__cause__, WarpCudaPairsError):
                raise error.__cause__ from None
            raise
        finally:
            self._decision = None

    def _decide(self, num_proc: int) -> Decision:
        # Imported here: Warp takes seconds to import, and a load from the cache does not need it.
        from builder import scale
        from builder.package.store import default_store
        from builder.scale.progress import Silent, Terminal

        if self._decision is None:
            progress = Silent() if are_progress_bars_disabled() else Terminal()
            self._decision = scale.build(self.config.spec, default_store(), num_proc=num_proc, progress=progress)
        return self._decision

    def _generate_tables(self, split: str, streaming: bool) -> Iterator[tuple[int, pa.Table]]:
        from builder import stages
        from builder.package.store import default_store

        spec, store = self.config.spec, default_store()
        tables = stages.stream(spec, store, split) if streaming else stages.rows(spec, store, self._decide(1), split)
        yield from enumerate(tables)


def dataset_module(
    *, revision: object = None, data_dir: object = None, data_files: object = None, **_: object
) -> DatasetModule | None:
    """Return what ``datasets.load.dataset_module_factory`` returns for our name.

    ``None`` when the folder ``./warp_cuda_pairs`` holds a built dataset: that folder is then what is loaded.

    Raises:
        SpecError: ``revision``, ``data_dir`` or ``data_files`` is given.
        FolderError: ``./warp_cuda_pairs/manifest.json`` cannot be read.
    """
    if _built_folder_here():
        return None
    for name, value in (("revision", revision), ("data_dir", data_dir), ("data_files", data_files)):
        _refuse(name, value)
    return DatasetModule(hook.NAME, _digest(), {"dataset_name": hook.NAME})


def _digest() -> str:
    """Return 16 hex digits over our sources and Warp's version."""
    return hashlib.sha256(f"{source_digest('.')} {versions()['warp']}".encode()).hexdigest()[:16]


def _built_folder_here() -> bool:
    manifest = pathlib.Path(hook.NAME, "manifest.json")
    if not manifest.is_file():
        return False
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FolderError(
            f"cannot tell whether ./{hook.NAME} is a built dataset: {manifest} is not readable ({error}). "
            f"Write ./{hook.NAME} to load the folder all the same, or rename it to generate the rows."
        ) from None
    return isinstance(content, dict) and content.get("format") == hook.NAME


def _refuse(name: str, value: object) -> None:
    if value is not None:
        raise SpecError(
            f"{name}={value!r} means nothing for {hook.NAME!r}, whose rows the installed version "
            f"{__version__} generates. To load a built folder, give its path (./FOLDER). "
            f"Fields: {', '.join(field_names())}."
        )


hook.register()
