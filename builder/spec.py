"""BuildSpec: everything that decides the bytes of a dataset, validated and frozen.

A spec comes from ``configs/<config>.yaml`` (which extends ``configs/default.yaml``) and from the
fields a user overrides. What does not change bytes (process count, paths) is not in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from . import fields
from .errors import SpecError
from .fields import PLACEHOLDERS, SPLITS, SYNTHETIC
from .record import LEVELS
from .resources import source_digest
from .shipped import config_defaults, config_names, unknown
from .versions import installed, versions

__all__ = [
    "PLACEHOLDERS",
    "SPLITS",
    "SYNTHETIC",
    "UNIT",
    "VIEWS",
    "BuildSpec",
    "field_names",
    "load_spec",
]

UNIT = 128  # candidates in a unit
# The sources that decide a unit's bytes.
_GENERATION_CODE = (
    *("kernels", "codegen", "curate", "mine"),
    *("package/unit.py", "package/attempts.py", "package/trial.py", "record.py"),
)
VIEWS = ("prompt_completion", "messages", "text", "raw")  # one at a time: trainers give column names a meaning


Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
Whole = Annotated[int, BeforeValidator(fields.whole)]
_Sources = Annotated[dict[str, Weight], BeforeValidator(fields.sources)]
_Categories = Annotated[dict[str, Weight], BeforeValidator(fields.categories)]
_Splits = Annotated[dict[str, Fraction], BeforeValidator(fields.splits), AfterValidator(fields.sum_to_one)]
_Instruction = Annotated[str, AfterValidator(fields.instruction)]


class BuildSpec(BaseModel):
    """What to build. Frozen; equal specs give equal bytes on equal versions.

    Attributes:
        config: one of :func:`config_names`; which columns, prompt and completion.
        num_kernels: kept rows over all splits, at least 3.
        seed: 0 to 2**63 - 1; candidate ``i`` is a pure function of ``(seed, i)``.
        sources: relative weight (> 0) of each source of kernels: ``synthetic``, or an installed distribution whose
            kernels are mined. A mined source that has no more kernels gives way to the synthetic one.
        categories: relative weight (> 0) of each kernel category of the synthetic source; one left out is not used.
        splits: fraction of train, validation and test; each above 0, summing to 1.
        max_per_skeleton: how many rows may share a skeleton, at least 1.
        source_comments: whether generated code keeps the Python lines Warp echoes as comments.
        instruction: first part of every prompt; may hold ``{kernel_name}``, ``{category}``, ``{description}``.
        tokenizer: ``default``, the path of a ``tokenizer.json``, or a Hub id.
        view: one of :data:`VIEWS`; which columns hold the text to train on.
        verify: one of :data:`~builder.record.LEVELS`: which checks every kept row has gone through.
        ptx: whether rows have a column ``ptx``: what NVRTC makes of the row's CUDA text, forward and backward.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    config: str
    num_kernels: Whole = Field(ge=3)
    seed: Whole = Field(ge=0, lt=2**63)
    sources: _Sources = Field(min_length=1)
    categories: _Categories = Field(min_length=1)
    splits: _Splits
    max_per_skeleton: Whole = Field(ge=1)
    source_comments: bool
    instruction: _Instruction = Field(min_length=1)
    tokenizer: str = Field(min_length=1)
    view: str
    verify: str
    ptx: bool

    @field_validator("config", "view", "verify")
    @classmethod
    def _known_name(cls, value: str, info: ValidationInfo) -> str:
        kind = str(info.field_name)
        allowed = {"config": config_names(), "view": VIEWS, "verify": LEVELS}[kind]
        if value not in allowed:
            raise ValueError(unknown(kind, value, allowed))
        return value

    @model_validator(mode="after")
    def _no_split_expected_empty(self) -> BuildSpec:
        for name, fraction in self.splits.items():
            if self.num_kernels * fraction < 1:
                least = int(-(-1 // fraction))
                raise ValueError(
                    f"split {name!r} would be empty: {fraction:g} of {self.num_kernels} kernels is less than one row; "
                    f"give num_kernels >= {least} or a larger fraction"
                )
        return self

    def generation_key(self) -> str:
        """Return 32 hex digits over all that decides a unit's bytes, shared by every config."""
        return _digest(
            {
                "seed": self.seed,
                "sources": [(name, weight, installed(name)) for name, weight in self.sources.items()],
                "categories": list(self.categories.items()),
                "source_comments": self.source_comments,
                "code": source_digest(*_GENERATION_CODE),
                "versions": versions(),
            }
        )

    def edges_key(self) -> str:
        """Return 32 hex digits over all that decides the keys by which candidates are compared."""
        return _digest({"generation": self.generation_key(), "code": source_digest("curate")})

    def verification_key(self, level: str) -> str:
        """Return 32 hex digits over all that decides what the checks of a level say of a unit."""
        return _digest(
            {"generation": self.generation_key(), "level": level, "code": source_digest("verify", "served.py")}
        )

    def ptx_key(self) -> str:
        """Return 32 hex digits over all that decides the PTX of a unit."""
        return _digest({"generation": self.generation_key(), "code": source_digest("package/ptx.py")})

    def programs_key(self) -> str:
        """Return 32 hex digits over all that decides the standalone programs of a unit; empty for other configs."""
        if self.config != "standalone":
            return ""
        return _digest({"generation": self.generation_key(), "code": source_digest("standalone", "resources.py")})

    def decision_key(self) -> str:
        """Return 32 hex digits over all that decides which candidates are kept, and in which split."""
        # Rows without a program are left out where programs are what is shown.
        programs = {"programs": self.programs_key()} if self.programs_key() else {}
        return _digest(
            {
                **programs,
                "generation": self.generation_key(),
                "num_kernels": self.num_kernels,
                "splits": list(self.splits.items()),
                "max_per_skeleton": self.max_per_skeleton,
                "verification": "" if self.verify == "none" else self.verification_key(self.verify),
                "code": source_digest("curate"),
            }
        )

    def fingerprint(self, tokenizer_sha256: str) -> str:
        """Return 32 hex digits over all that decides the dataset's bytes, and nothing else.

        Args:
            tokenizer_sha256: digest of the tokenizer's content, so that its path does not count.
        """
        return _digest(
            {
                "decision": self.decision_key(),
                "config": self.config,
                "instruction": self.instruction,
                "tokenizer": tokenizer_sha256,
                "view": self.view,
                "ptx": self.ptx,
                "code": source_digest("package", "stages"),
            }
        )


def _digest(parts: Mapping[str, object]) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def field_names() -> tuple[str, ...]:
    """Return the names of the fields a user may set, in order."""
    return tuple(name for name in BuildSpec.model_fields if name != "config")


def load_spec(config: str, **overrides: object) -> BuildSpec:
    """Return the spec of a shipped config with some fields overridden.

    Args:
        config: one of :func:`config_names`.
        overrides: fields of :class:`BuildSpec`; ``None`` means the config's own value.

    Raises:
        SpecError: unknown config or field, or a value that is not allowed; says what is.
    """
    given = dict(config_defaults(config))
    for name in given:
        if name not in field_names():
            raise SpecError(f"configs/{config}.yaml: {unknown('field', name, field_names())}")
    for name, value in overrides.items():
        if name not in field_names():
            raise SpecError(unknown("field", name, field_names()))
        if value is not None:
            given[name] = value
    try:
        return BuildSpec(config=config, **given)
    except ValidationError as error:
        raise SpecError(_explain(config, error)) from None


def _explain(config: str, error: ValidationError) -> str:
    lines = []
    for item in error.errors(include_url=False, include_context=False):
        where = ".".join(str(part) for part in item["loc"])
        message = item["msg"].removeprefix("Value error, ")
        given = "" if not where or isinstance(item["input"], Mapping) else f" (got {item['input']!r})"
        lines.append(f"{where}: {message}{given}" if where else message)
    return f"config {config!r} is not valid: " + "; ".join(lines)
