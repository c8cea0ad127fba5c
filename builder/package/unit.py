"""A unit: 128 consecutive candidates, generated; the quantum of work, of resume and of distribution."""

from __future__ import annotations

import ast
import hashlib
import json

import pyarrow as pa

from .. import __version__, codegen
from ..curate.difficulty import difficulty
from ..curate.edges import edges_table
from ..curate.keys import Keys, analyse
from ..errors import CodegenRejection
from ..kernels import candidate
from ..record import PAIR_SCHEMA, VERDICTS, Reason, Rejection
from ..spec import UNIT, BuildSpec, versions

_NOT_RUN = dict.fromkeys(VERDICTS, "not_run")


def _pair(spec: BuildSpec, index: int) -> tuple[dict[str, object], Keys]:
    """Return one candidate's pair and keys.

    Raises:
        CodegenRejection: Warp cannot generate code for it.
    """
    source = candidate(spec.seed, index, spec.categories)
    tree = ast.parse(source.text)
    code = codegen.generate(source.text, source_comments=spec.source_comments, tree=tree)
    keys = analyse(source.text, tree)
    pair: dict[str, object] = {
        "id": hashlib.sha256(source.text.encode()).hexdigest()[:16],
        "kernel_name": code.kernel_name,
        "category": source.category,
        "description": source.description,
        "origin": "synthetic",
        "origin_version": __version__,
        "origin_path": f"{source.category}/{index}",
        "license": "Apache-2.0",
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
        "verification": _NOT_RUN,
    }
    return pair, keys


def make_unit(spec: BuildSpec, rank: int) -> tuple[pa.Table, pa.Table]:
    """Return a unit's pairs and their edges; both tables name the unit's rejections in their metadata."""
    pairs: list[dict[str, object]] = []
    keys: list[Keys] = []
    rejections: list[Rejection] = []
    for index in range(rank * UNIT, (rank + 1) * UNIT):
        try:
            pair, key = _pair(spec, index)
        except CodegenRejection as refusal:
            rejections.append(Rejection(index, Reason(refusal.reason), refusal.detail))
        else:
            pairs.append(pair)
            keys.append(key)
    noted = {"rejections": json.dumps([[r.index, r.reason.value, r.detail] for r in rejections])}
    indices = [rank * UNIT + k for k in range(UNIT) if k not in {r.index - rank * UNIT for r in rejections}]
    edges = edges_table(indices, keys).replace_schema_metadata(noted)
    return pa.Table.from_pylist(pairs, PAIR_SCHEMA).replace_schema_metadata(noted), edges


def rejections_of(table: pa.Table) -> list[Rejection]:
    """Return the rejections that generation noted in a unit's or an edges file's metadata."""
    noted = json.loads(table.schema.metadata[b"rejections"])
    return [Rejection(index, Reason(reason), detail) for index, reason, detail in noted]
