"""The list of commands, of which only the one that is called gets imported."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping

import click

COMMANDS: Mapping[str, str] = {
    "compile": "Compile templates into parser specs and GBNF grammars.",
    "inspect": "Show what was found in a template: markers, capabilities, an annotated turn.",
    "explain": "Show the probes and diff splits that a field of the spec was read from.",
    "grammar": "Write the GBNF grammar of one request.",
    "parse": "Read model text and write the message, or its stream of chunks.",
    "verify": "Render many messages and read them back.",
    "export": "Write files that runtimes load.",
    "golden": "Keep what templates compile to, and see what changes.",
    "diff": "Tell what changed for a parser between two templates or specs.",
}
"""Each is the function of that name in the module of that name, with the line that ``--help`` shows for it."""


class Commands(click.Group):
    """A group that knows its commands by name and loads them one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, imported now; ``None`` if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"untemplate.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name.

        Raises:
            click.UsageError: when there is none, with the nearest name there is.
        """
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            raise click.UsageError(f"no such command `{args[0]}`" + (f": did you mean `{near[0]}`?" if near else ""), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
