"""What a manifest must look like to be read: a typed description, against which an edited one is told."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ..spec import SPLITS


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or path.startswith("/") or PurePosixPath(path).as_posix() != path:
        raise ValueError("is no path below the folder")
    return path


def _plain(name: str) -> str:
    if _inside(name).count("/"):
        raise ValueError("is a path")
    return name


def _three(splits: dict[str, _Split]) -> dict[str, _Split]:
    if set(splits) != set(SPLITS):
        raise ValueError(f"must be {', '.join(SPLITS)}")
    return splits


_Count = Annotated[int, Field(ge=0)]
_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True)


class _File(_Form):
    model_config = ConfigDict(strict=True, extra="forbid")

    path: Annotated[str, AfterValidator(_inside)]
    sha256: _Digest
    bytes: _Count
    rows: _Count
    arrow_bytes: _Count = 0


class _Split(_Form):
    rows: _Count
    bytes: _Count
    files: list[_File] = Field(min_length=1)


class _Config(_Form):
    fingerprint: str
    sha256: _Digest
    spec: dict[str, Any]
    tokenizer_sha256: _Digest
    rejections: dict[str, _Count]
    splits: Annotated[dict[str, _Split], AfterValidator(_three)]


class _Manifest(_Form):
    file_format: Literal["arrow", "parquet"]
    max_shard_bytes: Annotated[int, Field(ge=1)]
    versions: dict[str, str]
    configs: dict[Annotated[str, AfterValidator(_plain)], _Config] = Field(min_length=1)
    other_files: list[_File]


def problem(data: object) -> str | None:
    """Return what is wrong with a manifest's JSON, on one line; ``None`` where nothing is."""
    try:
        _Manifest.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg'].removeprefix('Value error, ')}"
    return None
