"""Writes a config of a built folder as packed token ids, ready to train on; all of it or nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import SpecError
from ..record import VIEWS
from ..shipped import unknown
from ..spec import SPLITS
from .derived import Mark, derived_folder, read_tables, whole_shards
from .encoding import Encoder, load_encoder
from .examples import Batch, Sequences, write_examples
from .manifest import MANIFEST, build_versions, read_manifest
from .packed import Packed, PackedSplit, PackSpec
from .shards import write_file, write_shards

MARK = Mark("pack.json", "warp_cuda_pairs pack", "a packed folder")


def pack_folder(folder: Path, out: Path, spec: PackSpec) -> Packed:
    """Write the rows of a config as packed ``input_ids`` and ``labels`` to ``out``; the same bytes each time.

    Each example is the tokens of the prompt, those of the completion, and an end-of-sequence token. The columns
    are those of :data:`builder.package.examples.PACKED_SCHEMA`. ``out`` is replaced in one step, as by an export.

    Raises:
        SpecError: a wrong value, an unknown tokenizer, a view that cannot be packed, or no row that fits.
        FolderError: ``folder`` is not a whole built folder, or ``out`` is not ours or cannot be written.
    """
    spec.check()
    shards = whole_shards(folder)
    config = _config(folder, spec.config, shards)
    view = _view(folder, config)
    for split in spec.splits:
        if split not in shards[config]:
            raise SpecError(unknown("split", split, shards[config]))
    encoder = load_encoder(spec.tokenizer, spec.eos_token)
    with derived_folder(folder, out, MARK) as scratch:
        splits = {
            split: _pack_split(scratch, config, split, _batches(shards[config][split], config, view), encoder, spec)
            for split in SPLITS
            if split in (spec.splits or shards[config])
        }
        packed = Packed(config, spec, encoder, splits)
        packed.write_page(scratch)
        write_file(scratch, MARK.file, json.dumps(_mark(folder, packed), indent=1) + "\n")
    return packed


def _config(folder: Path, config: str | None, shards: Mapping[str, Any]) -> str:
    if config is None and len(shards) == 1:
        return next(iter(shards))
    if config is None:
        raise SpecError(f"{folder} has several configs; give --config, one of {', '.join(shards)}")
    if config not in shards:
        raise SpecError(unknown("config", config, shards))
    return config


def _view(folder: Path, config: str) -> str:
    view = str(read_manifest(folder)["configs"][config]["spec"]["view"])
    if view in ("prompt_completion", "text"):
        return view
    why = (
        "a chat template makes its tokens, which is the trainer's"
        if view == "messages"
        else "it has no training columns"
    )
    raise SpecError(f"{folder} has the view {view!r}, which cannot be packed: {why}; build it with another --view")


def _batches(paths: Sequence[Path], config: str, view: str) -> Iterator[Batch]:
    """Yield some rows of the shards at a time."""
    for path in paths:
        for rows in read_tables(path):
            ids = rows["id"].to_pylist()
            if view == "prompt_completion":
                yield Batch(ids, rows["prompt"].to_pylist(), rows["completion"].to_pylist())
                continue
            completions = rows[VIEWS[config].completion].to_pylist()
            texts = zip(rows["text"].to_pylist(), completions, strict=True)
            yield Batch(ids, [text.removesuffix(completion) for text, completion in texts], completions)


def _pack_split(
    root: Path, config: str, split: str, batches: Iterable[Batch], encoder: Encoder, spec: PackSpec
) -> PackedSplit:
    """Write the sequences of a split below ``root``."""
    ids = root / "ids.bin"
    examples = write_examples(ids, batches, encoder, spec.max_length, cut=spec.overlong == "cut")
    if not examples.ids:
        raise SpecError(
            f"no row of {config}/{split} fits {spec.max_length:,} tokens (the shortest has {examples.shortest:,}); "
            f"give a larger --max-length"
        )
    sequences = Sequences(examples, spec.max_length, whole_labels=spec.labels == "all")
    files = write_shards(root, config, split, sequences.tables(), format=spec.format)
    ids.unlink()
    return PackedSplit(sequences.packing, examples.left_out, examples.cut, files)


def _mark(folder: Path, packed: Packed) -> dict[str, Any]:
    """Return the content of ``pack.json``: of what and how the folder was made, and what became of every row."""
    spec, encoder, versions = packed.spec, packed.encoder, build_versions()
    return {
        "format": MARK.format,
        "dataset": {"manifest_sha256": hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()},
        "versions": {name: versions[name] for name in ("builder", "pyarrow", "tokenizers")},
        "config": packed.config,
        "tokenizer": encoder.name,
        "tokenizer_sha256": hashlib.sha256(encoder.tokenizer_json).hexdigest(),
        "begins_with": list(encoder.begin),
        "eos_token": encoder.end_token,
        "eos_token_id": encoder.end,
        "max_length": spec.max_length,
        "labels": spec.labels,
        "overlong": spec.overlong,
        "file_format": spec.format,
        "splits": {split: one.to_json() for split, one in packed.splits.items()},
    }
