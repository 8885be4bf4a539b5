"""``untemplate grammar``: the GBNF of one request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.inputs import read_spec
from untemplate.cli.request import make_parser, with_request
from untemplate.cli.voice import Voice, with_voice, write_result

if TYPE_CHECKING:
    from untemplate.lower.warnings import GrammarWarning


@click.command()
@click.argument("spec")
@with_request
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option(
    "--format", "form", type=click.Choice(["gbnf", "json"]), default="gbnf", show_default=True, help="json: with triggers and stops."
)
@with_voice
def grammar(spec: str, request: dict[str, Any], output: str | None, form: str, voice: Voice) -> int:
    """Write the GBNF grammar that keeps a model to the turns of SPEC.

    Without --tools there are no calls; with --tool-choice auto the grammar is lazy: it sleeps until a trigger.
    """
    made = make_parser(read_spec(spec), request).grammar()
    for warning in made.warnings:
        voice.warn(_told(warning))
    if form == "json":
        from untemplate.spec.codec import encode
        from untemplate.spec.files import data_to_json

        write_result(data_to_json(encode(made)), output)
        return 0
    if made.lazy:
        voice.say(
            f"lazy: wakes up at {' or '.join(str(trigger) for trigger in made.triggers)}; `--format json` has all that an engine needs"
        )
    write_result(made.text, output)
    return 0


def _told(warning: GrammarWarning) -> str:
    """Return a warning with its place, where it has one."""
    return str(warning) if warning.tool or warning.path or warning.keyword else f"{warning.code} {warning.message}"
