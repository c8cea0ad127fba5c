"""The Makefile of a sample directory."""

from __future__ import annotations

from pathlib import Path


def makefile(name: str) -> str:
    """Return the Makefile that builds and runs ``<name>.cu``."""
    return Path(__file__).with_name("sample.mk.jinja").read_text(encoding="utf-8").replace("{{ name }}", name)


# How the programs are laid out; `clang-format --dry-run -Werror` finds nothing to change.
CLANG_FORMAT = "BasedOnStyle: LLVM\nColumnLimit: 0\n"
