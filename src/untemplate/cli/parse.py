"""``untemplate parse``: model text to a message, or to a stream of chunks as it comes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from untemplate.cli.inputs import read_spec
from untemplate.cli.request import make_parser, with_request
from untemplate.cli.voice import Voice, with_voice

if TYPE_CHECKING:
    from untemplate.parser import Parser

CHUNK = 4096


@click.command()
@click.argument("spec")
@click.argument("text", metavar="[FILE|-]", default="-")
@with_request
@click.option("--stream", is_flag=True, help="Write server-sent events while the text comes in.")
@click.option("--truncated", is_flag=True, help="The text was cut by the token limit.")
@click.option("--strict", is_flag=True, help="Exit with 1 when the text does not fit the format.")
@with_voice
def parse(spec: str, text: str, request: dict[str, Any], stream: bool, truncated: bool, strict: bool, voice: Voice) -> int:
    """Read model text from FILE (or standard input) and write the OpenAI message that it stands for.

    What does not fit is kept as text and said on standard error.
    """
    if spec == "-" and text == "-":
        raise click.UsageError("standard input cannot be both the spec and the text")
    parser = make_parser(read_spec(spec), request)
    with _opened(text) as source:
        message = _stream(parser, source, truncated) if stream else _whole(parser, source, truncated)
    for diagnostic in message.diagnostics:
        voice.warn(f"{diagnostic.code} at character {diagnostic.position}: {_expected(diagnostic)}")
    return 1 if strict and message.diagnostics else 0


def _whole(parser: Parser, source: BinaryIO, truncated: bool) -> Any:
    session = parser.session()
    session.feed_bytes(source.read())
    message, _deltas = session.finish(truncated=truncated)
    click.echo(json.dumps(message.to_dict(), ensure_ascii=False, indent=2))
    return message
