"""Trains the default tokenizer on our own pairs and writes configs/tokenizer.json.

    python tools/train_tokenizer.py [--units 40] [--out configs/tokenizer.json]

The text is all five code columns and the instructions of generated pairs, of a seed that no shipped config
uses. The same versions of this project, Warp and tokenizers give the same file again. Bytes per token are printed for
pairs that were not trained on, beside those of the shipped tokenizer as it was.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import tokenizers
from tokenizers import decoders, models, trainers
from tokenizers.pre_tokenizers import ByteLevel

from builder.package import tokens
from builder.package.training import training_texts
from builder.package.unit import make_unit
from builder.record import CODE_COLUMNS
from builder.shipped import config_names
from builder.spec import UNIT, load_spec

SEED = 16_384
VOCABULARY = 16_384
COLUMNS = ("python_source", *CODE_COLUMNS)
OUT = Path(__file__).resolve().parent.parent / "configs" / "tokenizer.json"


def pairs(first: int, units: int) -> Iterator[pa.Table]:
    """Yield units of generated pairs, one table each."""
    spec = load_spec("paired", seed=SEED)
    for rank in range(first, first + units):
        yield make_unit(spec, rank, {})[0]


def texts(tables: list[pa.Table]) -> list[str]:
    """Return every text of the pairs: code columns, and for each config the instruction of one row a unit."""
    made = [text for table in tables for name in COLUMNS for text in table.column(name).to_pylist()]
    for config in config_names():
        spec = load_spec(config)
        made.extend(training_texts(spec, table.slice(0, 1))[0][0].as_py().split("\n\n")[0] for table in tables)
    return made


def train(corpus: list[str]) -> tokenizers.Tokenizer:
    """Return a byte-level BPE trained on the corpus."""
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = tokens.pre_tokenizer()
    inner.decoder = decoders.ByteLevel()
    # All 256 bytes are in the vocabulary, in one order: any text can be encoded, and two runs agree.
    alphabet = sorted(ByteLevel.alphabet())
    inner.train_from_iterator(
        corpus, trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, show_progress=False)
    )
    return inner


def report(path: Path, corpus: list[str]) -> None:
    """Print what was trained on what."""
    tokenizer = tokens.load(str(path))
    size = sum(len(text.encode()) for text in corpus)
    print(f"wrote {path}, sha256 {tokenizer.sha256}, by_line {tokenizer.by_line}")
    print(f"trained on {len(corpus):,} texts, {size:,} bytes, sha256 {digest(corpus)}")
    print("tokenizers", version("tokenizers"), "warp-lang", version("warp-lang"), "seed", SEED)


def bytes_per_token(tokenizer: tokens.Tokenizer, tables: list[pa.Table]) -> dict[str, float]:
    """Return UTF-8 bytes per token of each code column, and of all of them under ``all``."""
    bytes_of, tokens_of = Counter[str](), Counter[str]()
    for name in COLUMNS:
        column = [text for table in tables for text in table.column(name).to_pylist()]
        for key in (name, "all"):
            bytes_of[key] += sum(len(text.encode()) for text in column)
            tokens_of[key] += int(tokenizer.count(column).sum())
    return {name: bytes_of[name] / tokens_of[name] for name in bytes_of}


def digest(corpus: list[str]) -> str:
    """Return 64 hex digits over the corpus."""
    whole = hashlib.sha256()
    for text in corpus:
        whole.update(text.encode() + b"\0")
    return whole.hexdigest()


def main() -> None:
    """Train, write, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--units", type=int, default=40, help=f"units of {UNIT} candidates to train on")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    shipped = tokens.load("default")
    started = time.perf_counter()
    corpus = texts(list(pairs(0, options.units)))
    generated = time.perf_counter()
    inner = train(corpus)
    print(f"generated in {generated - started:.1f} s, trained in {time.perf_counter() - generated:.1f} s")
    print(f"vocabulary {inner.get_vocab_size():,}")
    held_out = list(pairs(options.units, 2))
    before = bytes_per_token(shipped, held_out)
    inner.save(str(options.out), pretty=False)
    report(options.out, corpus)
    for name, after in bytes_per_token(tokens.load(str(options.out)), held_out).items():
        gain = after / before[name] - 1
        print(f"{name}: {after:.3f} bytes per token, held out; shipped before {before[name]:.3f} ({gain:+.1%})")


if __name__ == "__main__":
    main()
