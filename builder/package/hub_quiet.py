"""Keeps huggingface_hub from writing lines of its own: what it has to say stands in our one line."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars, logging


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence its warnings, and its progress bars unless standard error is a terminal."""
    level, bars = logging.get_verbosity(), are_progress_bars_disabled()
    logging.set_verbosity(logging.ERROR)
    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if not bars:
            enable_progress_bars()
