"""Renders README.md and the pictures of a built folder again, from its manifest, stats and shards."""

from __future__ import annotations

from pathlib import Path

from ..errors import FolderError
from .folder import json_text, load_stats
from .manifest import MANIFEST, README, folder_problems, read_entries, read_manifest
from .page import readme, write_plots
from .plots import FOLDER
from .scratch import remove, remove_stale, scratch_name
from .shards import folder_errors, write_file


def refresh_card(folder: Path) -> None:
    """Write README.md and ``plots/`` of a built folder anew, and what the manifest says of the pictures.

    Raises:
        FolderError: it is not a folder of ours, its data are damaged, or it cannot be written.
    """
    manifest = read_manifest(folder)
    entries = read_entries(manifest)
    wrong = [said for path, said in folder_problems(folder).items() if not _is_page(path)]
    if wrong:
        raise FolderError(f"{folder} is not what its manifest says ({wrong[0]}); build the folder again")
    stats = load_stats(folder)
    scratch = folder / scratch_name("card")
    with folder_errors(folder):
        remove_stale(folder.glob(".card.tmp-*"))
        scratch.mkdir()
        try:
            pictures = write_plots(scratch, stats)
            kept = [file for file in manifest["other_files"] if not _is_page(file["path"])]
            others = [*kept, *(picture.to_json() for picture in pictures)]
            manifest["other_files"] = sorted(others, key=lambda file: str(file["path"]))
            write_file(scratch, README, readme(folder, manifest, entries, stats))
            write_file(scratch, MANIFEST, json_text(manifest))
            (folder / FOLDER).mkdir(exist_ok=True)
            for name in [*(picture.path for picture in pictures), README, MANIFEST]:
                (scratch / name).replace(folder / name)
        finally:
            remove(scratch)


def _is_page(path: str) -> bool:
    return path == README or path.startswith(f"{FOLDER}/")
