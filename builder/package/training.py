"""The text a model is trained on: a row's prompt and completion."""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa
import pyarrow.compute as pc

from ..record import TRAINING_COLUMNS, VIEWS
from ..resources import source_digest
from ..spec import PLACEHOLDERS, BuildSpec


def training_texts(spec: BuildSpec, pairs: pa.Table) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return the prompts and the completions of a table of pairs, one of each per row.

    A prompt is the instruction, a blank line and the code to start from; it ends with a line break. A
    completion is the code to produce; it starts with a non-space.
    """
    view = VIEWS[spec.config]
    columns = [pairs.column(name).to_pylist() for name in PLACEHOLDERS]
    instructions = [
        spec.instruction.format(**dict(zip(PLACEHOLDERS, values, strict=True))) for values in zip(*columns, strict=True)
    ]
    prompts = pc.binary_join_element_wise(pa.array(instructions, pa.string()), pairs.column(view.prompt), "\n")
    return prompts, pairs.column(view.completion)


def training_columns(spec: BuildSpec, pairs: pa.Table) -> dict[str, pa.Array | pa.ChunkedArray]:
    """Return the columns to train on of a table of pairs, by name: those of the spec's view.

    ``messages`` is one turn of a user, the prompt, and one of an assistant, the completion; ``text`` is the
    prompt with the completion after it.
    """
    prompts, completions = training_texts(spec, pairs)
    if spec.view == "messages":
        return {"messages": _messages(prompts.to_pylist(), completions.to_pylist())}
    if spec.view == "text":
        return {"text": pc.binary_join_element_wise(prompts, completions, "")}
    return {} if spec.view == "raw" else {"prompt": prompts, "completion": completions}


def _messages(prompts: list[str], completions: list[str]) -> pa.Array:
    (field,) = TRAINING_COLUMNS["messages"]
    turns = [
        [{"role": "user", "content": prompt}, {"role": "assistant", "content": completion}]
        for prompt, completion in zip(prompts, completions, strict=True)
    ]
    return pa.array(turns, field.type)


def training_key(spec: BuildSpec, tokenizer_sha256: str) -> str:
    """Return 32 hex digits over all that decides the token counts of a unit's rows."""
    view = VIEWS[spec.config]
    code = source_digest("package/tokens.py", "package/training.py")
    parts = [
        spec.generation_key(),
        *filter(None, [spec.programs_key()]),
        view.prompt,
        view.completion,
        spec.instruction,
        tokenizer_sha256,
        code,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
