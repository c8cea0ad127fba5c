"""What the commands share: the app, how they fail, how they print tables."""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NoReturn, ParamSpec

import typer
from rich.console import Console

from .. import __version__
from ..errors import WarpCudaPairsError

if TYPE_CHECKING:
    from ..package.stats import Stats

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Training data that teaches language models to write GPU code.",
)
console = Console(soft_wrap=True, highlight=False)
P = ParamSpec("P")
# What a wrong or full place says; any other OSError is a bug of ours and keeps its traceback.
_PLACES = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG),
)
_TABLE_WIDTH = 132


def _fail(message: str, code: int) -> NoReturn:
    print(f"warp-cuda-pairs: {message}", file=sys.stderr, flush=True)
    sys.exit(code)


def one_line(command: Callable[P, None]) -> Callable[P, None]:
    """End a command's expected failures with one line: exit code 1, or 130 for Ctrl-C."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            _fail("interrupted; finished units are kept, the same command goes on from there", 130)
        except WarpCudaPairsError as error:
            _fail(f"error: {error}", 1)
        except OSError as error:
            if error.errno not in _PLACES:
                raise
            where = f" at {error.filename}" if error.filename else ""
            _fail(f"error: {os.strerror(error.errno)}{where}; free some space or choose another folder", 1)

    return run


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        console.print(f"warp-cuda-pairs {__version__}")
        raise typer.Exit


def print_tables(stats: Stats) -> None:
    from ..package.render import render

    # A table is never narrowed: a cut number is worse than a wrapped line.
    Console(width=max(console.width, _TABLE_WIDTH), highlight=False).print(render(stats))
