"""The row: one Arrow schema, and the view of it that each config shows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pyarrow as pa


class Reason(str, Enum):
    """Why a candidate was not kept. The list is closed: every rejection has one of these."""

    SOURCE_ERROR = "source_error"  # the kernel source does not parse or run, or defines no single kernel
    CODEGEN_ERROR = "codegen_error"  # Warp refuses to generate code for it
    DUPLICATE = "duplicate"  # equal to an earlier kept row after renaming
    SKELETON_CAP = "skeleton_cap"  # its skeleton already has max_per_skeleton rows
    NEAR_DUPLICATE = "near_duplicate"  # close to an earlier kept row of another split
    COMPILE_FAILED = "compile_failed"  # its text does not compile
    EXECUTE_FAILED = "execute_failed"  # it crashes, hangs, computes nothing, or its texts give different results
    GRADIENT_FAILED = "gradient_failed"  # its adjoint is not the derivative
    GPU_FAILED = "gpu_failed"  # a device gives other results
    NOT_STANDALONE = "not_standalone"  # it has no translation to a CUDA program of its own


@dataclass(frozen=True, slots=True)
class Rejection:
    """A candidate that was not kept."""

    index: int
    reason: Reason
    detail: str


# What a unit's programs are; made for the config that shows them only.
STANDALONE = "cuda_standalone"
CODE_COLUMNS = ("cpp_forward", "cpp_backward", "cuda_forward", "cuda_backward")
VERDICTS = ("compile", "execute", "gradient", "gpu")
LEVELS = ("none", *VERDICTS)  # of verification; each includes those before it
# What a check says of a row. `nonsmooth`: the gradient met a kink at every point that was tried.
STATES = ("passed", "failed", "nonsmooth", "not_applicable", "not_run")

# One verdict for each check, and why those that did not pass did not, on one line.
VERIFICATION = pa.struct([pa.field(name, pa.string()) for name in (*VERDICTS, "reason")])
# What a kernel makes of some arguments. `dim` and `tiled` say how it was launched. Each argument (of a
# struct, each field, `s.x`) has its numbers in row-major order, as they were before and, where changed, after.
IO_EXAMPLE = pa.struct(
    [
        pa.field("dim", pa.list_(pa.int32())),
        pa.field("tiled", pa.bool_()),
        pa.field(
            "arguments",
            pa.list_(
                pa.struct(
                    [
                        pa.field("name", pa.string()),
                        pa.field("type", pa.string()),
                        pa.field("shape", pa.list_(pa.int32())),
                        pa.field("before", pa.list_(pa.float64())),
                        pa.field("after", pa.list_(pa.float64())),
                    ]
                )
            ),
        ),
    ]
)
NOT_VERIFIED = {**dict.fromkeys(VERDICTS, "not_run"), "reason": ""}

# What generation knows of a pair, whatever config shows it. Units are written with this schema.
PAIR_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("kernel_name", pa.string()),
        ("category", pa.string()),
        ("description", pa.string()),
        ("origin", pa.string()),
        ("origin_version", pa.string()),
        ("origin_path", pa.string()),
        ("license", pa.string()),
        ("seed", pa.int64()),
        ("index", pa.int64()),
        ("skeleton", pa.string()),
        ("features", pa.list_(pa.string())),
        ("difficulty", pa.int8()),
        ("calls", pa.list_(pa.string())),
        ("args", pa.list_(pa.struct([pa.field("name", pa.string()), pa.field("type", pa.string())]))),
        ("launch_dim", pa.int32()),
        ("block_dim", pa.int32()),
        ("warp_version", pa.string()),
        ("builder_version", pa.string()),
        ("python_source", pa.string()),
        *((name, pa.string()) for name in CODE_COLUMNS),
        ("verification", VERIFICATION),
    ]
)


@dataclass(frozen=True, slots=True)
class View:
    """What one config shows: its code columns, and the columns its prompt and completion come from."""

    code: tuple[str, ...]
    prompt: str
    completion: str


VIEWS = {
    "cpu": View(("cpp_forward",), "python_source", "cpp_forward"),
    "cuda": View(("cuda_forward",), "python_source", "cuda_forward"),
    "paired": View(("cpp_forward", "cuda_forward"), "cpp_forward", "cuda_forward"),
    "forward_backward": View(CODE_COLUMNS, "cuda_forward", "cuda_backward"),
    "standalone": View((STANDALONE,), "python_source", STANDALONE),
}


_message = pa.struct([pa.field("role", pa.string()), pa.field("content", pa.string())])

# The columns to train on in each `view` of a spec: one format at a time, because trainers guess it from the names.
TRAINING_COLUMNS = {
    "prompt_completion": (pa.field("prompt", pa.string()), pa.field("completion", pa.string())),
    "messages": (pa.field("messages", pa.list_(_message)),),
    "text": (pa.field("text", pa.string()),),
    "raw": (),
}


def row_schema(config: str, view: str = "prompt_completion", *, ptx: bool = False) -> pa.Schema:
    """Return the Arrow schema of a config's rows in one of the :data:`TRAINING_COLUMNS`, in column order.

    Args:
        ptx: with the column ``ptx`` at the end.
    """
    code_columns = VIEWS[config].code
    pair = [f for f in PAIR_SCHEMA if f.name not in CODE_COLUMNS and f.name != "verification"]
    code = [pa.field(name, pa.string()) for name in (*CODE_COLUMNS, STANDALONE) if name in code_columns]
    training = [
        *TRAINING_COLUMNS[view],
        pa.field("prompt_tokens", pa.int32()),
        pa.field("completion_tokens", pa.int32()),
    ]
    checked = [PAIR_SCHEMA.field("verification"), pa.field("io_example", IO_EXAMPLE)]
    last = [pa.field("ptx", pa.string())] if ptx else []
    return pa.schema([*pair, *code, *training, *checked, *last])
