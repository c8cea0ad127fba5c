"""Shared by all tests: Hypothesis profiles, and a store and cache of the test's own."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# `make test` draws the same examples each time; `make explore` new ones.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("default", _COMMON, max_examples=60, derandomize=True)
settings.register_profile("explore", _COMMON, max_examples=60)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """Point the store and the Hugging Face cache at a folder of the test's own; return it."""
    monkeypatch.setenv("WARP_CUDA_PAIRS_CACHE", str(tmp_path / "store"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    return tmp_path
