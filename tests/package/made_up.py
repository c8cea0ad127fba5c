"""Made-up rows with the shape of real ones, and a small tokenizer, for the tests of this folder."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tokenizers
from tokenizers import decoders, models, trainers
from tokenizers.pre_tokenizers import ByteLevel

from builder.curate.keys import U32, analyse
from builder.package import tokens
from builder.package.folder import ConfigBuild
from builder.package.measured import Compressed, Measured
from builder.package.similarity import Rows, Similarity, compare, merged
from builder.package.stats import Stats
from builder.record import CODE_COLUMNS, NOT_VERIFIED, VIEWS, row_schema
from builder.spec import load_spec

TOKENIZER = b'{"made": "up"}'
SHA = hashlib.sha256(TOKENIZER).hexdigest()


def measure(sets: Sequence[U32], splits: npt.NDArray[np.int8], index: Sequence[int]) -> Similarity:
    """Compare rows as one group; arguments are those of ``Rows``."""
    rows = Rows(sets, splits, np.asarray(index, dtype=np.int64))
    return merged([compare(rows, [(rows, 0)])], {name: len(rows.of(name)) for name in SPLITS})


def source(index: int) -> str:
    """A kernel source; long-tailed in length, as real ones are."""
    draw = random.Random(index)
    body = [f"    x_{n} = wp.sin(a[i]) * {draw.random():.4f}" for n in range(draw.randrange(1, 12))]
    lines = ["import warp as wp", "", "@wp.kernel", f"def k_{index}(a: wp.array(dtype=wp.float32)):"]
    return "\n".join([*lines, "    i = wp.tid()", *body, ""])


def generated(index: int, column: str) -> str:
    """Text that looks like Warp's generated code."""
    draw = random.Random(f"{index} {column}")
    lines = [f'extern "C" __global__ void k_{index}_{column}(', "    wp::launch_bounds_t dim)", "{"]
    for n in range(draw.randrange(5, 40)):
        lines.append(f"    wp::float32 var_{n} = wp::add(var_{draw.randrange(40)}, {draw.randrange(10_000)});")
        if draw.random() < 0.2:
            lines.append(f"        // y = x[{n}] + größe")
    return "\n".join([*lines, "}", ""])


def rows(config: str, indices: range) -> pa.Table:
    """A table of a config's rows."""
    view = VIEWS[config]
    made = []
    for index in indices:
        code = {name: generated(index, name) for name in CODE_COLUMNS}
        text = {"python_source": source(index), **code}
        row = {
            "id": hashlib.sha256(text["python_source"].encode()).hexdigest()[:16],
            "kernel_name": f"k_{index}",
            "category": ("math", "atomic", "vector")[index % 3],
            "description": "It does a sum.",
            "origin": "synthetic",
            "origin_version": "0.1.0",
            "origin_path": "",
            "license": "Apache-2.0",
            "seed": 0,
            "index": index,
            "skeleton": f"{index // 2:016x}",
            "features": ["builtin:sin", "dtype:float32"][: 1 + index % 2],
            "args": [{"name": "a", "type": "wp.array(dtype=wp.float32)"}],
            "difficulty": 1,
            "calls": ["sin(float32)", "add(float32)"][: 1 + index % 2],
            "launch_dim": 1,
            "block_dim": 256,
            "warp_version": "1.19.0",
            "builder_version": "0.1.0",
            **text,
            "prompt": "Translate.\n" + text[view.prompt],
            "completion": text[view.completion],
            "prompt_tokens": len(text[view.prompt].split()),
            "completion_tokens": len(text[view.completion].split()),
            "verification": NOT_VERIFIED,
            "io_example": None,
        }
        made.append(row)
    return pa.Table.from_pylist(made, schema=row_schema(config))


SPLITS = {"train": range(1200), "validation": range(1200, 1260), "test": range(1260, 1320)}


@cache
def _tables(config: str) -> dict[str, pa.Table]:
    return {name: rows(config, indices) for name, indices in SPLITS.items()}


def table(config: str, split: str) -> pa.Table:
    """The rows of a split of :data:`SPLITS`; made once."""
    return _tables(config)[split]


def measure_rows(tables: Mapping[str, pa.Table]) -> Measured:
    """What is measured of the rows of all splits; the tables are of `cuda`."""
    whole = pa.concat_tables(tables.values())
    splits = np.repeat(np.arange(len(tables), dtype=np.int8), [part.num_rows for part in tables.values()])
    shingles = [analyse(text).shingles for text in whole["python_source"].to_pylist()]
    zstd = {name: Compressed.of(whole[name].to_pylist()[:40]) for name in ("python_source", "cuda_forward")}
    return Measured(measure(shingles, splits, whole["index"].to_pylist()), zstd)


@cache
def measured() -> Measured:
    """What is measured of the rows of :data:`SPLITS`, whatever the config; made once."""
    return measure_rows(_tables("cuda"))


def build(config: str = "paired", *, chunk: int = 128) -> ConfigBuild:
    """A config to write, its rows coming ``chunk`` at a time."""

    def reader(split: str) -> Callable[[], Iterator[pa.Table]]:
        whole = table(config, split)
        return lambda: (whole.slice(at, chunk) for at in range(0, whole.num_rows, chunk))

    counted = {"tokenizer": "default", "tokenizer_sha256": SHA}
    stats = Stats.merged(Stats.of(split, table(config, split), **counted) for split in SPLITS)
    stats.rejections.update(duplicate=3)
    stats.measured.add(measured())
    splits = {split: reader(split) for split in SPLITS}
    return ConfigBuild(load_spec(config), "f" * 32, splits, stats, {"duplicate": 3}, TOKENIZER)


def train_tokenizer(path: Path, *, ours: bool) -> None:
    """Train a small tokenizer, with the default tokenizer's pre-tokenizer or with GPT-2's."""
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = tokens.pre_tokenizer() if ours else ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=600, show_progress=False, initial_alphabet=sorted(ByteLevel.alphabet()))
    texts = [generated(index, name) for index in range(100) for name in CODE_COLUMNS]
    inner.train_from_iterator([*texts, *map(source, range(100))], trainer)
    inner.save(str(path))


def lengths(table: pa.Table) -> np.ndarray:
    """Token lengths of prompt and completion together."""
    return table["prompt_tokens"].to_numpy() + table["completion_tokens"].to_numpy()
