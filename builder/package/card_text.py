"""The parts of the dataset card that hold figures, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ..record import STANDALONE, STATES, VERDICTS, VIEWS
from ..shipped import config_summary
from ..spec import PLACEHOLDERS, SPLITS
from .density import pack
from .lengths import LIMITS, PERCENTILES
from .manifest import ConfigEntry
from .stats import COLUMNS, Stats
from .tokens import DEFAULT
from .totals import column_of, merged, percent

_SHOWN_LINES = 22  # at the head of a code, and at its tail
TO_TRAIN = {
    "prompt_completion": "`prompt` and `completion` are strings, which TRL's `SFTTrainer` takes as they are.",
    "messages": "`messages` is a chat of two turns, which TRL's `SFTTrainer` takes as it is.",
    "text": "`text` is a string, which TRL's `SFTTrainer` takes as it is.",
    "raw": "this dataset has no training columns; make them of the code columns.",
}
TRAINING_COLUMNS = {
    "prompt_completion": (
        "- `prompt`, `completion`: an instruction with the input code, and the code to learn. A prompt ends with a "
        "line break."
    ),
    "messages": (
        "- `messages`: two turns of a chat. The user's is the prompt, an instruction with the input code; the "
        "assistant's is the completion, the code to learn. The token counts leave out what a chat template adds."
    ),
    "text": "- `text`: the prompt (an instruction with the input code) and right after it the completion.",
    "raw": "- There are no training columns; the token counts are of the prompt and completion that other views show.",
}
_LANGUAGES = {"python_source": "python", "cpp_forward": "cpp", "cpp_backward": "cpp"}


def table(headers: Iterable[str], rows: Iterable[Iterable[object]], *, words: int = 1) -> str:
    """Return a Markdown table whose first ``words`` columns are text and whose others are figures."""
    heads = list(headers)
    rule = ["---"] * words + ["---:"] * (len(heads) - words)
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [heads, rule, *rows])


def of_stats(stats: Mapping[str, Stats]) -> dict[str, str]:
    """Return the parts of the card that follow from the stats alone, by their names in the template."""
    return {
        "configs_table": _configs_table(stats),
        "code_columns": ", ".join(f"`{column}`" for column in sorted(_code_columns(stats) - {STANDALONE})),
        "programs": "yes" if STANDALONE in _code_columns(stats) else "",
        "verification": _verification(stats),
        "verdicts_table": _verdicts_table(stats),
        "skeletons_table": _skeletons_table(stats),
        "leakage": _leakage(stats),
        "tokenizer": _tokenizer(stats),
        "tokenizer_bias": _tokenizer_bias(stats),
        "lengths_table": _lengths_table(stats),
        "fits_table": _fits_table(stats),
        "packing_table": _packing_table(stats),
        "rejections": _rejections(stats),
        "origins_table": _origins_table(stats),
    }


def _code_columns(stats: Mapping[str, Stats]) -> set[str]:
    return {column for name in stats for column in VIEWS[name].code}


def _configs_table(stats: Mapping[str, Stats]) -> str:
    rows = []
    for name, one in stats.items():
        view = VIEWS[name]
        counts = [f"{one.splits[split].rows:,}" if split in one.splits else "0" for split in SPLITS]
        rows.append([f"`{name}`", config_summary(name), f"`{view.prompt}`", f"`{view.completion}`", *counts])
    return table(["config", "what", "prompt from", "completion from", *SPLITS], rows, words=4)


def sample(config: str, row: Mapping[str, Any], instruction: str) -> str:
    """Return one row of a config as Markdown: what it is, its prompt's code and its completion, cut where long."""
    view = VIEWS[config]
    said = " ".join(instruction.format(**{name: row[name] for name in PLACEHOLDERS}).split())
    parts = [
        f"### {config}",
        f"`{row['kernel_name']}`, category `{row['category']}`, id `{row['id']}`. {row['description']}",
        f"Prompt ({row['prompt_tokens']:,} tokens): “{said}”, then `{view.prompt}`:",
        _fenced(row[view.prompt], _LANGUAGES.get(view.prompt, "cuda")),
        f"Completion ({row['completion_tokens']:,} tokens):",
        _fenced(row[view.completion], _LANGUAGES.get(view.completion, "cuda")),
    ]
    return "\n\n".join(parts)


def _fenced(text: str, language: str) -> str:
    """Return a code block; of a long text its head and its tail, and how many lines lie between."""
    lines = text.rstrip("\n").split("\n")
    left = len(lines) - 2 * _SHOWN_LINES
    if left > 1:
        comment = "#" if language == "python" else "//"
        lines = [*lines[:_SHOWN_LINES], f"{comment} ... {left:,} lines left out ...", *lines[-_SHOWN_LINES:]]
    fence = "~~~~" if "```" in text else "```"
    return "\n".join([f"{fence}{language}", *lines, fence])


def made_table(entries: Mapping[str, ConfigEntry]) -> str:
    """Return what each config was built from."""
    rows = [
        [f"`{name}`", e.spec["seed"], f"{e.spec['num_kernels']:,}", e.spec["max_per_skeleton"], f"`{e.fingerprint}`"]
        for name, e in entries.items()
    ]
    return table(["config", "seed", "rows asked for", "rows per skeleton, at most", "fingerprint"], rows)


def _verification(stats: Mapping[str, Stats]) -> str:
    counts = [counts for one in stats.values() for counts in merged(one, "verdicts").values()]
    if all(set(each) <= {"not_run"} for each in counts):
        return (
            "**No check was run on any row of this dataset.** The text is what Warp's own generator writes, but no row "
            "was compiled, executed or compared with numerical gradients, and none says that it was."
        )
    return (
        "What the checks said, in rows. A kernel of which a check failed is no row: it is counted among the "
        "rejections. `not_applicable` says that a check has nothing to look at (no adjoint, integers only) or cannot "
        "make up what the kernel needs; `nonsmooth`, that the kernel has a kink at every point tried; `not_run` says "
        "nothing of a row. Each row's `verification.reason` says why."
    )


def _verdicts_table(stats: Mapping[str, Stats]) -> str:
    verdicts = {name: merged(one, "verdicts") for name, one in stats.items()}
    heads = [state for state in STATES if state != "failed"]  # a row of which a check failed is not kept
    rows = [
        [f"`{name}`", check, *(f"{found.get(check, Counter())[verdict]:,}" for verdict in heads)]
        for name, found in verdicts.items()
        for check in VERDICTS
    ]
    return table(["config", "check", *heads], rows, words=2)


def _skeletons_table(stats: Mapping[str, Stats]) -> str:
    rows = []
    for name, one in stats.items():
        for split, part in one.splits.items():
            most = max(part.skeletons.values(), default=0)
            rows.append([f"`{name}`", split, f"{part.rows:,}", f"{len(part.skeletons):,}", f"{most:,}"])
    return table(["config", "split", "rows", "distinct skeletons", "rows of the largest"], rows, words=2)


def _leakage(stats: Mapping[str, Stats]) -> str:
    lines = []
    for name, one in stats.items():
        in_splits = sum(len(part.skeletons) for part in one.splits.values())
        shared = in_splits - one.skeletons
        lines.append(
            f"- `{name}`: {one.skeletons:,} distinct skeletons over all splits; the splits' own counts sum to "
            f"{in_splits:,}, so skeletons in more than one split: {shared:,}."
        )
    return "\n".join(lines)


def _tokenizer(stats: Mapping[str, Stats]) -> str:
    one = next(iter(stats.values()))
    return f"Counted with the tokenizer `{one.tokenizer}` (`tokenizer.json`, sha256 `{one.tokenizer_sha256}`)."


def _tokenizer_bias(stats: Mapping[str, Stats]) -> str:
    if next(iter(stats.values())).tokenizer != DEFAULT:
        return "Another one gives other lengths."
    return "It was trained on such code, so the tokenizer of a model most often gives longer lengths."


def _lengths_table(stats: Mapping[str, Stats]) -> str:
    rows = []
    for name, one in stats.items():
        for part in COLUMNS:
            column = column_of(one, part)
            figures = [f"{column.percentile(p):,}" for p in PERCENTILES]
            rows.append([f"`{name}`", part, f"{column.tokens:,}", f"{column.bytes_per_token:.2f}", *figures])
    heads = ["max" if p == 100 else f"p{p}" for p in PERCENTILES]
    return table(["config", "column", "tokens", "bytes per token", *heads], rows, words=2)


def _fits_table(stats: Mapping[str, Stats]) -> str:
    totals = {name: column_of(one, "total") for name, one in stats.items()}
    rows = [[f"`{name}`", *(percent(column.fits(limit)) for limit in LIMITS)] for name, column in totals.items()]
    return table(["config", *(f"{limit:,}" for limit in LIMITS)], rows)


def _packing_table(stats: Mapping[str, Stats]) -> str:
    rows = []
    for name, one in stats.items():
        lengths = one.splits["train"].columns["total"].lengths
        packed = [pack(lengths, limit, ends=1) for limit in LIMITS]
        rows.append([f"`{name}`", *(percent(each.density) if each.sequences else "none fits" for each in packed)])
    return table(["config", *(f"{limit:,}" for limit in LIMITS)], rows)


def _rejections(stats: Mapping[str, Stats]) -> str:
    reasons = sorted({reason for one in stats.values() for reason in one.rejections})
    if not reasons:
        return "No candidate was rejected: each one became a row."
    rows = [[f"`{reason}`", *(f"{one.rejections[reason]:,}" for one in stats.values())] for reason in reasons]
    rows.append(["of candidates in all", *(f"{one.rows + one.rejections.total():,}" for one in stats.values())])
    return "Candidates that were not kept, by reason:\n\n" + table(["reason", *(f"`{name}`" for name in stats)], rows)


def _origins_table(stats: Mapping[str, Stats]) -> str:
    rows = []
    for name, one in stats.items():
        rows += [[f"`{name}`", *origin, f"{count:,}"] for origin, count in sorted(one.origins().items())]
    return table(["config", "origin", "its version", "licence", "rows"], rows, words=4)
