"""Helpers for tests that start processes."""

from __future__ import annotations

import signal


def hear_ctrl_c() -> None:
    """Let a child hear Ctrl-C: what a shell starts in the background inherits a deaf ear."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
