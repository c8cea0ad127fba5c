from __future__ import annotations

import pytest

from .corpus import planted


@pytest.fixture(scope="session")
def corpus() -> list[str]:
    """Return :func:`.corpus.planted`, made once."""
    return planted()
