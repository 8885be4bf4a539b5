"""``untemplate export``: files that runtimes load."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.inputs import read_any_text, read_spec
from untemplate.cli.request import make_parser, with_request
from untemplate.cli.voice import Voice, with_voice, write_result
from untemplate.emit.targets import TARGETS, Material

if TYPE_CHECKING:
    from untemplate.emit.export import Exported

_HELP = "\n".join(f"{name}: {target.summary}{' *' if target.per_request else ''}.\n" for name, target in TARGETS.items())


@click.command(
    help=f"""Write what a runtime loads, made from SPEC.

{_HELP}
Those with a * are made for one request: give its --tools.

What does not fit is said field by field; nothing is then written and the exit code is 1, unless --allow-lossy.
"""
)
@click.argument("spec")
@click.option("--to", "target", type=click.Choice(list(TARGETS)), required=True, help="What to write.")
@click.option(
    "--profile",
    type=click.Choice(["portable", "transformers"]),
    default="portable",
    show_default=True,
    help="Who reads a response template.",
)
@click.option("--patch", metavar="FILE", help="Write this tokenizer_config.json with the response template in it.")
@with_request
@click.option("--allow-lossy", is_flag=True, help="Write the file although something of the spec does not fit into it.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@with_voice
def export(
    spec: str,
    target: str,
    profile: str,
    patch: str | None,
    request: dict[str, Any],
    allow_lossy: bool,
    output: str | None,
    voice: Voice,
) -> int:
    """Write what a runtime loads; see ``help`` above."""
    if patch is not None and target != "response-template":
        raise click.UsageError("--patch goes with --to response-template")
    parser = make_parser(read_spec(spec), request)
    made = TARGETS[target].write(Material(spec=parser.spec, request=parser.request, start=parser.start, profile=profile))
    if patch is not None:
        made = _patched(made, patch)
    if TARGETS[target].per_request and not parser.request.tools and not parser.request.has_schema and parser.spec.turn.calls is not None:
        voice.say("note: no tools were given, so this is for requests without tools, and has no calls; give `--tools FILE`")
    for note in made.notes:
        voice.say(f"note: {note}")
    for loss in made.losses:
        voice.warn(f"lost: {loss}")
    if made.losses and not allow_lossy:
        voice.say("nothing was written; `--allow-lossy` writes it all the same")
        return 1
    write_result(made.text, output)
    return 0


def _patched(made: Exported, path: str) -> Exported:
    from untemplate.emit.response_template import patch_tokenizer_config

    return replace(made, text=patch_tokenizer_config(read_any_text(path), json.loads(made.text), path))
