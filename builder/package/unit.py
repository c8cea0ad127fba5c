"""A unit: 128 consecutive candidates, generated; the quantum of work, of resume and of distribution."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from .. import __version__, codegen
from ..curate.difficulty import difficulty
from ..curate.edges import edges_table
from ..curate.keys import Keys, analyse
from ..errors import CodegenRejection, WarpCudaPairsError
from ..kernels import candidate
from ..kernels.mix import take
from ..kernels.source import KernelSource, Origin
from ..record import NOT_VERIFIED, PAIR_SCHEMA, Reason, Rejection
from ..spec import SYNTHETIC, UNIT, BuildSpec
from ..versions import versions
from .attempts import Attempt


def candidates(spec: BuildSpec, rank: int, mined: Mapping[str, pa.Table]) -> Iterator[tuple[int, KernelSource, Origin]]:
    """Yield index, kernel source and origin of each candidate of a unit.

    Args:
        spec: what is built.
        rank: number of the unit.
        mined: the kernel sources of each mined source, in the order in which they are taken.
    """
    for place, chosen in enumerate(take(spec.seed, rank, UNIT, spec.sources)):
        index = rank * UNIT + place
        name, number = chosen or (SYNTHETIC, index)
        if name in mined and number < mined[name].num_rows:
            yield index, *_mined(mined[name].slice(number, 1).to_pylist()[0])
        elif SYNTHETIC in spec.sources:
            source = candidate(spec.seed, index, spec.categories)
            yield index, source, Origin(SYNTHETIC, __version__, f"{source.category}/{index}", "Apache-2.0")


def _mined(row: Mapping[str, Any]) -> tuple[KernelSource, Origin]:
    texts = (row["text"], row["kernel_name"], row["category"], row["description"])
    origin = Origin(row["origin"], row["origin_version"], row["origin_path"], row["license"])
    return KernelSource(*texts, tuple(row["features"])), origin


def _pair(spec: BuildSpec, index: int, source: KernelSource, origin: Origin) -> tuple[dict[str, Any], Keys]:
    """Return one candidate's pair and keys.

    Raises:
        CodegenRejection: Warp cannot generate code for it.
    """
    tree = ast.parse(source.text)
    code = _code(source.text, spec.source_comments, tree)
    keys = analyse(source.text, tree)
    pair: dict[str, Any] = {
        "id": hashlib.sha256(source.text.encode()).hexdigest()[:16],
        "kernel_name": code.kernel_name,
        "category": source.category,
        "description": source.description,
        "origin": origin.name,
        "origin_version": origin.version,
        "origin_path": origin.path,
        "license": origin.license,
        "seed": spec.seed,
        "index": index,
        "skeleton": keys.skeleton,
        "features": source.features,
        "calls": code.calls,
        "difficulty": difficulty(len(keys.shingles), source.features),
        "args": [{"name": name, "type": type_} for name, type_ in code.args],
        "launch_dim": code.launch_dim,
        "block_dim": code.block_dim,
        "warp_version": versions()["warp"],
        "builder_version": __version__,
        "python_source": source.text,
        "cpp_forward": code.cpp_forward,
        "cpp_backward": code.cpp_backward,
        "cuda_forward": code.cuda_forward,
        "cuda_backward": code.cuda_backward,
        "verification": NOT_VERIFIED,
    }
    return pair, keys


def _code(text: str, comments: bool, tree: ast.Module) -> codegen.Generated:
    try:
        return codegen.generate(text, source_comments=comments, tree=tree)
    except (WarpCudaPairsError, MemoryError):
        raise
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise CodegenRejection(Reason.CODEGEN_ERROR.value, said) from error


def make_unit(
    spec: BuildSpec, rank: int, mined: Mapping[str, pa.Table], attempt: Attempt | None = None
) -> tuple[pa.Table, pa.Table]:
    """Return a unit's pairs and their edges; both tables name the unit's rejections in their metadata.

    Args:
        spec, rank, mined: as for :func:`candidates`.
        attempt: told of each candidate; knows those that ended a process which tried to make this unit.
    """
    attempt = attempt or Attempt()
    pairs: list[dict[str, Any]] = []
    keys: list[Keys] = []
    rejections: list[Rejection] = []
    for index, source, origin in candidates(spec, rank, mined):
        place = index - rank * UNIT
        try:
            if (why := attempt.refusal(place, source.text, spec.source_comments)) is not None:
                raise CodegenRejection(Reason.CODEGEN_ERROR.value, why)
            with attempt.at(place):
                pair, key = _pair(spec, index, source, origin)
        except CodegenRejection as refusal:
            rejections.append(Rejection(index, Reason(refusal.reason), refusal.detail))
        else:
            pairs.append(pair)
            keys.append(key)
    noted = {"rejections": json.dumps([[r.index, r.reason.value, r.detail] for r in rejections])}
    edges = edges_table([pair["index"] for pair in pairs], keys).replace_schema_metadata(noted)
    return pa.Table.from_pylist(pairs, PAIR_SCHEMA).replace_schema_metadata(noted), edges


def rejections_of(table: pa.Table) -> list[Rejection]:
    """Return the rejections that generation noted in a unit's or an edges file's metadata."""
    noted = json.loads(table.schema.metadata[b"rejections"])
    return [Rejection(index, Reason(reason), detail) for index, reason, detail in noted]
