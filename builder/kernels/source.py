"""What a kernel source is to the stages that follow, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a kernel source comes from.

    Attributes:
        name: ``synthetic``, or the distribution it was mined from.
        version: of that distribution, or of this package.
        path: the file and line it was mined from, or category and candidate.
        license: SPDX expression.
    """

    name: str
    version: str
    path: str
    license: str


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A self-contained kernel source and what its program says of it.

    Attributes:
        text: the canonical kernel source.
        kernel_name: the name of its one ``@wp.kernel``.
        category: the grammar category it was drawn from.
        description: one truthful sentence derived from the program.
        features: sorted tags ``builtin:``, ``dtype:``, ``control:``, ``launch:``.
    """

    text: str
    kernel_name: str
    category: str
    description: str
    features: tuple[str, ...]
