"""What a command says besides its result: on standard error, as much as was asked for."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.visible import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PIPED_WIDTH = 80
"""Columns where there is no terminal to ask, so that a pipe's bytes do not depend on one."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How much a command says on standard error."""

    quiet: bool = False
    verbose: bool = False

    def say(self, text: str) -> None:
        """Write a line, unless ``--quiet``."""
        if not self.quiet:
            click.echo(visible(text, keep_lines=True), err=True)

    def detail(self, text: str) -> None:
        """Write a line only with ``--verbose``."""
        if self.verbose:
            self.say(text)

    def warn(self, text: str) -> None:
        """Write a line that begins with ``warning:``, unless ``--quiet``."""
        self.say(f"warning: {text}")


def with_voice(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with ``--quiet`` and ``--verbose``, which it gets as ``voice``."""

    @click.option("-q", "--quiet", is_flag=True, help="Say nothing but results and errors.")
    @click.option("-v", "--verbose", is_flag=True, help="Say more on standard error.")
    @functools.wraps(command)
    def wrapped(*args: Any, quiet: bool, verbose: bool, **options: Any) -> Any:
        return command(*args, voice=Voice(quiet=quiet, verbose=verbose and not quiet), **options)

    return wrapped


def make_console(*, stderr: bool = False) -> Console:
    """Return a rich console: colours only for a terminal without ``NO_COLOR``, 80 columns where there is none."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


def print_all(parts: Iterable[RenderableType]) -> None:
    """Write tables and texts to standard output, without the white space that they are padded with."""
    console = make_console()
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    lines = captured.get().splitlines()
    click.echo("".join(f"{line.rstrip()}\n" for line in lines), nl=False, color=True)


def write_result(text: str, path: str | None = None) -> None:
    """Write a command's result to a file, or to standard output where ``path`` is ``None`` or ``-``.

    Raises:
        SpecError: E500 when the file cannot be written.
    """
    if path is None or path == "-":
        click.echo(text, nl=False)
        return
    from untemplate.spec.files import write_text

    write_text(path, text)
