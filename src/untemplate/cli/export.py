"""``untemplate export``: files that runtimes load."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from untemplate.cli.inputs import read_any_text, read_spec
from untemplate.cli.voice import Voice, with_voice, write_result

if TYPE_CHECKING:
    from untemplate.emit.export import Exported
    from untemplate.spec.model import Spec

TARGETS = ("response-template",)


@click.command()
@click.argument("spec")
@click.option("--to", "target", type=click.Choice(TARGETS), required=True, help="What to write.")
@click.option(
    "--profile",
    type=click.Choice(["portable", "transformers"]),
    default="portable",
    show_default=True,
    help="Who reads a response template.",
)
@click.option("--patch", metavar="FILE", help="Write this tokenizer_config.json with the response template in it.")
@click.option("--allow-lossy", is_flag=True, help="Write the file although something of the spec does not fit into it.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@with_voice
def export(spec: str, target: str, profile: str, patch: str | None, allow_lossy: bool, output: str | None, voice: Voice) -> int:
    """Write what a runtime loads, made from SPEC.

    response-template: the JSON that transformers, vLLM and SGLang read from tokenizer_config.json.

    What does not fit is said field by field; nothing is then written and the exit code is 1, unless --allow-lossy.
    """
    made = _response_template(read_spec(spec), profile, patch)
    for note in made.notes:
        voice.say(f"note: {note}")
    for loss in made.losses:
        voice.warn(f"lost: {loss}")
    if made.losses and not allow_lossy:
        voice.say("nothing was written; `--allow-lossy` writes it all the same")
        return 1
    write_result(made.text, output)
    return 0


def _response_template(spec: Spec, profile: str, patch: str | None) -> Exported:
    from untemplate.emit.response_template import Profile, emit_response_template, patch_tokenizer_config

    made = emit_response_template(spec, Profile(profile))
    if patch is None:
        return made
    return replace(made, text=patch_tokenizer_config(read_any_text(patch), json.loads(made.text), patch))
