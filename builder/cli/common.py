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

NAME = "warp-cuda-pairs"
app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Training data that teaches language models to write GPU code.",
)
console = Console(soft_wrap=True, highlight=False)
P = ParamSpec("P")
# Typer has a click of its own or uses the installed one, as its version will.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
# What a wrong or full place says; any other OSError is a bug of ours and keeps its traceback.
_PLACES = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG),
)
_TABLE_WIDTH = 132


def _fail(message: str, code: int) -> NoReturn:
    # One line, even where a path holds a line break.
    print(f"{NAME}: {message}".replace("\n", "\\n"), file=sys.stderr, flush=True)
    sys.exit(code)


def one_line(command: Callable[P, None]) -> Callable[P, None]:
    """End a command's expected failures with one line: exit code 1, or 130 for Ctrl-C."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            _fail("interrupted; run the same command again: what was there is unchanged, finished units are kept", 130)
        except WarpCudaPairsError as error:
            _fail(f"error: {error}", 1)
        except OSError as error:
            if error.errno not in _PLACES:
                raise
            where = f" at {error.filename}" if error.filename else ""
            _fail(f"error: {os.strerror(error.errno)}{where}; free some space or choose another folder", 1)

    return run


def run_app() -> NoReturn:
    """Run the command line; a wrong command line is one line and exit code 2, as far as it is one of options."""
    try:
        sys.exit(app(prog_name=NAME, standalone_mode=False))
    except _UsageError as error:
        said = " ".join(error.format_message().split()).rstrip(".")  # type: ignore[attr-defined]
        path = getattr(getattr(error, "ctx", None), "command_path", NAME)
        _fail(f"error: {said}; `{path} --help` says what is allowed", 2)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        console.print(f"{NAME} {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


def print_tables(stats: Stats) -> None:
    from ..package.render import render

    # A table is never narrowed: a cut number is worse than a wrapped line.
    Console(width=max(console.width, _TABLE_WIDTH), highlight=False).print(render(stats))
