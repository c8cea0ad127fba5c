"""One candidate again, from its seed and index: what each stage makes of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from .. import codegen
from ..curate.keys import analyse
from ..curate.split import split_of
from ..errors import CodegenRejection, SpecError
from ..record import CODE_COLUMNS
from ..spec import UNIT, BuildSpec, load_spec
from ..verify import row_of
from .derived import read_tables, whole_shards
from .manifest import read_manifest
from .unit import candidates
from .verified import verified_table

_END = 2**48  # of the candidates of a seed; so many are never looked at


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate: the spec it is of, and its index."""

    spec: BuildSpec
    index: int


def find(what: str, folder: Path | None, overrides: Mapping[str, object]) -> Place:
    """Return the candidate that ``SEED:INDEX``, or the id of a row of a built folder, names.

    Args:
        what: ``SEED:INDEX``, or 16 hex digits.
        folder: a built folder: its spec is taken, and its rows are looked through for an id.
        overrides: fields of the spec.

    Raises:
        SpecError: neither form, an id without a folder, or an id that no row has.
        FolderError: ``folder`` is not a whole built folder.
    """
    seed, colon, index = what.partition(":")
    given = {name: value for name, value in overrides.items() if value is not None}
    spec = dict(next(iter(read_manifest(folder)["configs"].values()))["spec"]) if folder is not None else {}
    config = str(spec.pop("config", "forward_backward"))
    if colon and seed.isdecimal() and index.isdecimal():
        if int(index) >= _END:
            raise SpecError(f"there is no candidate {index}; an index is below {_END}")
        return Place(load_spec(config, **{**spec, **given, "seed": int(seed)}), int(index))
    if folder is None:
        raise SpecError(f"{what!r} is not SEED:INDEX; for the id of a row, name the built folder with --folder DIR")
    for path in (path for splits in whole_shards(folder).values() for paths in splits.values() for path in paths):
        for table in read_tables(path):
            ids = table["id"].to_pylist()
            if what in ids:
                row = table.slice(ids.index(what), 1).select(["seed", "index"]).to_pylist()[0]
                return Place(load_spec(config, **{**spec, **given, "seed": row["seed"]}), row["index"])
    raise SpecError(f"no row of {folder} has the id {what!r}; give 16 hex digits of its column id, or SEED:INDEX")


def reproduce(place: Place, level: str, mined: Mapping[str, pa.Table]) -> Iterator[tuple[str, str]]:
    """Yield ``(stage, what it makes)`` of a candidate, up to the stage that rejects it.

    Args:
        level: which checks to run, one of :data:`~builder.record.LEVELS`.
        mined: the kernel sources of each mined source of the spec.
    """
    spec, index = place.spec, place.index
    found = [one for one in candidates(spec, index // UNIT, mined) if one[0] == index]
    if not found:
        raise SpecError(f"candidate {index} is of no source: the mined ones have no more kernels")
    ((_, source, origin),) = found
    yield "candidate", f"{index} of seed {spec.seed}: {source.category}, {origin.name} {origin.path}, {origin.license}"
    yield "description", source.description
    yield "python_source", source.text
    try:
        code = codegen.generate(source.text, source_comments=spec.source_comments)
        keys = analyse(source.text)
    except CodegenRejection as refusal:
        yield "rejected", str(refusal)
        return
    for name in CODE_COLUMNS:
        yield name, getattr(code, name)
    id_ = hashlib.sha256(source.text.encode()).hexdigest()[:16]
    split = split_of(keys.skeleton, spec.splits)
    yield "keys", f"id {id_}, skeleton {keys.skeleton}, exact {keys.exact}, split {split} if it is kept"
    if level != "none":
        yield from _verdicts(row_of(source.text, code), level, spec.seed)


def _verdicts(row: Mapping[str, Any], level: str, seed: int) -> Iterator[tuple[str, str]]:
    (one,) = verified_table(pa.Table.from_pylist([dict(row)]), level, seed).to_pylist()
    details = json.loads(one["details"])
    for check, state in one["verification"].items():
        if check != "reason":
            yield check, f"{state} {json.dumps(details[check], sort_keys=True)}" if details[check] else state
    if one["verification"]["reason"]:
        yield "reason", one["verification"]["reason"]
