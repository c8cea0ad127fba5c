"""Turns a row's prompt and completion into the token ids of one training example."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tokenizers

from ..errors import SpecError
from ..shipped import nearest
from . import tokens

SETTINGS = "tokenizer_config.json"
_NAMED = 20  # special tokens named in an error


@dataclass(frozen=True)
class Encoder:
    """A tokenizer and the special tokens around an example.

    Attributes:
        name: the tokenizer's, as :attr:`builder.package.tokens.Tokenizer.name`.
        begin: ids of the special tokens that the tokenizer itself puts before a text; often one, or none.
        end_token: the end-of-sequence token.
        end: its id.
        tokenizer_json: content of a ``tokenizer.json`` that knows all these ids.
    """

    name: str
    begin: tuple[int, ...]
    end_token: str
    end: int
    tokenizer_json: bytes
    inner: Any

    def encode(self, prompts: Sequence[str], completions: Sequence[str]) -> list[tuple[list[int], int]]:
        """Return the ids of each example and how many of them come before the completion.

        Prompt and completion are tokenized apart: a model that is asked sees the prompt alone, so no token may
        hold text of both.
        """
        starts = [[*self.begin, *ids] for ids in self._ids(prompts)]
        rests = [[*ids, self.end] for ids in self._ids(completions)]
        return [(start + rest, len(start)) for start, rest in zip(starts, rests, strict=True)]

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [one.ids for one in self.inner.encode_batch_fast(list(texts), add_special_tokens=False)]


def load_encoder(name: str, eos_token: str | None = None) -> Encoder:
    """Return the encoder of a tokenizer.

    A tokenizer without any special token (as the default one) gets ``eos_token`` as its next id.

    Args:
        name: as :func:`builder.package.tokens.load` takes it.
        eos_token: the end-of-sequence token; ``None`` takes what ``tokenizer_config.json``, which lies beside the
            tokenizer, says.

    Raises:
        SpecError: there is no such tokenizer, no such token, or nothing says which token ends a sequence.
    """
    loaded = tokens.load(name)
    inner = tokenizers.Tokenizer.from_str(loaded.data.decode("utf-8"))
    inner.no_truncation()
    inner.no_padding()
    data, end_token = loaded.data, _named(_settings(name)) if eos_token is None else eos_token
    special = [token.content for token in inner.get_added_tokens_decoder().values()]
    if not end_token:
        known = f"one of {_listed(special)}" if special else "any text: it has no special token, so one is added"
        raise SpecError(f"tokenizer {name!r} does not say which token ends a sequence; give --eos-token ({known})")
    end = inner.token_to_id(end_token)
    if end is None and special:
        hint = nearest(end_token, special)
        raise SpecError(f"tokenizer {name!r} has no token {end_token!r}.{hint} Allowed: {_listed(special)}.")
    if end is None:
        end = inner.get_vocab_size()
        inner.add_special_tokens([tokenizers.AddedToken(end_token, special=True, normalized=False)])
        data = inner.to_str().encode()
    return Encoder(loaded.name, _begin(inner), end_token, end, data, inner)


def _begin(inner: Any) -> tuple[int, ...]:
    encoding = inner.encode("a", add_special_tokens=True)
    return tuple(encoding.ids[: encoding.special_tokens_mask.index(0)])


def _listed(special: Sequence[str]) -> str:
    more = f" and {len(special) - _NAMED} more" if len(special) > _NAMED else ""
    return ", ".join(special[:_NAMED]) + more


def _settings(name: str) -> dict[str, Any]:
    """Return what lies beside a tokenizer as ``tokenizer_config.json``; empty where nothing is to be had."""
    if name == tokens.DEFAULT:
        return {}
    try:
        path = tokens.locate(name, SETTINGS)
    except SpecError:  # a repository may do without it
        return {}
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise SpecError(f"tokenizer {name!r}: {path} is not a JSON object")
    return data


def _named(settings: dict[str, Any]) -> str | None:
    # A string, or an added token as JSON.
    token = settings.get("eos_token")
    content = token.get("content") if isinstance(token, dict) else token
    return content if isinstance(content, str) else None
