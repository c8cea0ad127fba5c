"""The report page: one HTML file with the stats of a built folder and a browser of sample rows.

The page asks the network for nothing, and its content security policy forbids it to. Its bytes follow from
the folder, the number of rows and the installed Pygments alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ..errors import FolderError, SpecError
from ..record import Reason
from ..resources import data_path
from ..shipped import config_names, config_summary
from .folder import load_stats
from .lengths import LIMITS, PERCENTILES, Column
from .manifest import read_manifest
from .measured_lines import IN_TEMPLATES
from .report_charts import Histogram, histograms, percent
from .report_code import LineTable, language_of
from .report_mix import Mix, mixes
from .report_sample import CODE_TITLES, Sample, read_samples
from .scratch import remove, remove_stale, scratch_name
from .stats import COLUMNS, Stats

ROWS = 200
REASONS = {
    Reason.SOURCE_ERROR: "does not run, or defines no single kernel",
    Reason.CODEGEN_ERROR: "Warp refuses to generate code for it",
    Reason.DUPLICATE: "equal to an earlier row after renaming",
    Reason.SKELETON_CAP: "its skeleton already has all the rows it may have",
    Reason.NEAR_DUPLICATE: "too close to an earlier row of another split",
    Reason.COMPILE_FAILED: "does not compile",
    Reason.EXECUTE_FAILED: "crashes, hangs, computes nothing, or its texts disagree",
    Reason.GRADIENT_FAILED: "its adjoint is not the derivative",
    Reason.GPU_FAILED: "a device gives other results",
    Reason.NOT_STANDALONE: "it has no translation to a CUDA program of its own",
}


@dataclass(frozen=True)
class ConfigReport:
    """What the page says of one config, beside its stats: the manifest's entry and its charts."""

    name: str
    summary: str
    entry: Mapping[str, Any]
    stats: Stats
    charts: Sequence[Histogram]

    @property
    def total(self) -> Column:
        """Prompt and completion together, over all splits."""
        return whole(self.stats)["total"]

    @property
    def rejected(self) -> int:
        """Number of candidates not kept."""
        return self.stats.rejections.total()


def whole(stats: Stats) -> dict[str, Column]:
    """Return each column over all splits."""
    columns = {name: Column() for name in COLUMNS}
    for split in stats.splits.values():
        for name, column in columns.items():
            column.add(split.columns[name])
    return columns


def default_page(folder: Path) -> Path:
    """Return where the page of a folder goes if nobody says: beside it, because a folder is what its manifest says."""
    place = folder.resolve()
    return place.with_name(f"{place.name}-report.html")


def write_report(folder: Path, out: Path | None = None, *, rows: int = ROWS) -> Path:
    """Write the report page of a built folder and return its path.

    Args:
        folder: what ``build --out`` made.
        out: the page's path, outside ``folder``; :func:`default_page` if not given. A file there is replaced.
        rows: how many sample rows the page holds, at least 1.

    Raises:
        FolderError: ``folder`` is not a built folder or is damaged, or ``out`` is in it or cannot be written.
        SpecError: ``rows`` is below 1.
    """
    page = default_page(folder) if out is None else out
    manifest = read_manifest(folder)
    if page.is_dir():
        raise FolderError(f"{page} is a folder; give the path of a file")
    if page.resolve().is_relative_to(folder.resolve()):
        raise FolderError(f"{page} is in {folder}, which holds only what its manifest names; give a path outside it")
    if rows < 1:
        raise SpecError(f"rows={rows} is not allowed: a report page shows at least 1 row")
    stats = load_stats(folder)
    samples, kernels = read_samples(folder, manifest, rows)
    text = render_report(manifest, stats, samples, kernels, title=folder.resolve().name)
    _replace(page, text)
    return page


def _replace(page: Path, text: str) -> None:
    scratch = page.with_name(scratch_name(page.name))
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        remove_stale(page.parent.glob(f".{page.name}.tmp-*"))
        scratch.write_bytes(text.encode())
        os.replace(scratch, page)
    except OSError as error:
        raise FolderError(f"cannot write {page}: {error.strerror}; free some space or give another --out") from None
    finally:
        remove(scratch)


def render_report(
    manifest: Mapping[str, Any], stats: Mapping[str, Stats], samples: Sequence[Sample], kernels: int, *, title: str
) -> str:
    """Return the page.

    Args:
        manifest: of the folder.
        stats: by config, of the same folder.
        samples: the rows to show.
        kernels: how many different kernels the samples were taken from.
        title: the folder's name.
    """
    template = _environment().from_string(_card("report.html.jinja"))
    names = sorted(manifest["configs"], key=lambda name: (name != "paired", name))
    configs = [_config(name, manifest["configs"][name], stats[name]) for name in names]
    common, facts = _built(configs)
    style, script = _card("report.css"), _card("report.js")
    return template.render(
        title=title,
        versions=manifest["versions"],
        configs=configs,
        first=configs[0],
        common=common,
        facts=facts,
        mixes=_mixes(configs),
        reasons={reason.value: text for reason, text in REASONS.items()},
        limits=LIMITS,
        percentiles=PERCENTILES,
        shown=len(samples),
        kernels=kernels,
        choices={what: _choices(samples, what) for what in ("category", "split", "origin")},
        style=Markup(style),
        script=Markup(script),
        style_digest=_csp_digest(style),
        script_digest=_csp_digest(script),
        data=Markup(_data(samples, [config.name for config in configs])),
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["limit"] = lambda tokens: str(tokens) if tokens < 1024 else f"{tokens // 1024}k"
    environment.filters["share"] = percent
    environment.filters["zip"] = zip
    environment.globals.update(IN_TEMPLATES)
    return environment


def _card(name: str) -> str:
    return data_path("cards", name).read_text(encoding="utf-8")


def _config(name: str, entry: Mapping[str, Any], stats: Stats) -> ConfigReport:
    summary = config_summary(name) if name in config_names() else ""
    return ConfigReport(name, summary, entry, stats, histograms(whole(stats)))


def _built(configs: Sequence[ConfigReport]) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return what several configs were all built from, and for each config what is its own."""
    facts = {config.name: _facts(config.entry) for config in configs}
    first, *others = facts.values()
    common = {name: value for name, value in first.items() if others and all(o.get(name) == value for o in others)}
    own = {config: {name: value for name, value in one.items() if name not in common} for config, one in facts.items()}
    return common, own


def _facts(entry: Mapping[str, Any]) -> dict[str, str]:
    digests = {
        "fingerprint": entry["fingerprint"],
        "sha256 of its files": entry["sha256"],
        "tokenizer sha256": entry["tokenizer_sha256"],
    }
    fields = {name: _told(value) for name, value in sorted(entry["spec"].items()) if name != "config"}
    return {**fields, **digests}


def _told(value: object) -> str:
    """Return a field of a spec as a reader would write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(part)}" for name, part in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def _mixes(configs: Sequence[ConfigReport]) -> list[Mix]:
    return mixes({config.name: config.stats for config in configs})


def _choices(samples: Sequence[Sample], what: str) -> dict[str, int]:
    """Return the values of a filter with the number of sample rows that have each."""
    values = [_value(sample, what) for sample in samples]
    return {value: values.count(value) for value in dict.fromkeys(sorted(values))}


def _value(sample: Sample, what: str) -> str:
    return sample.split if what == "split" else str(sample.facts.get(what, ""))


def _csp_digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data(samples: Sequence[Sample], configs: Sequence[str]) -> str:
    """Return what the page's script reads: JSON in which no text can end the script element."""
    table = LineTable()
    rows = [
        {
            "id": sample.id,
            "split": sample.split,
            **sample.facts,
            "tokens": sample.tokens,
            "code": {
                name: table.pack(sample.code[name], language_of(name)) for name in CODE_TITLES if name in sample.code
            },
        }
        for sample in samples
    ]
    data = {"configs": list(configs), "titles": CODE_TITLES, "texts": table.texts, "runs": table.runs, "rows": rows}
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
