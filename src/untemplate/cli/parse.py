"""``untemplate parse``: model text to a message, or to a stream of chunks as it comes."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from untemplate.cli.inputs import read_spec
from untemplate.cli.request import make_parser, with_request
from untemplate.cli.voice import Voice, with_voice
from untemplate.errors import RequestError

if TYPE_CHECKING:
    from untemplate.runtime.message import Diagnostic, Message
    from untemplate.runtime.session import Session

PIECE = 65_536
"""At most so many bytes are read at once; what is there is passed on without waiting for more."""


@click.command()
@click.argument("spec")
@click.argument("text", metavar="[FILE|-]", default="-")
@with_request
@click.option("--stream", is_flag=True, help="Write server-sent events while the text comes in.")
@click.option(
    "--reasoning-field",
    type=click.Choice(["reasoning_content", "reasoning"]),
    default="reasoning_content",
    show_default=True,
    help="The name under which --stream sends reasoning.",
)
@click.option("--truncated", is_flag=True, help="The text was cut by the token limit.")
@click.option("--strict", is_flag=True, help="Exit with 1 when the text does not fit the format.")
@with_voice
def parse(
    spec: str,
    text: str,
    request: dict[str, Any],
    stream: bool,
    reasoning_field: str,
    truncated: bool,
    strict: bool,
    voice: Voice,
) -> int:
    """Read model text from FILE (or standard input) and write the OpenAI message that it stands for.

    What does not fit is kept as text, and said on standard error.
    """
    if spec == "-" and text == "-":
        raise click.UsageError("standard input cannot be both the spec and the text")
    loaded = read_spec(spec)
    session = make_parser(loaded, request).session()
    with _opened(text) as source:
        if stream:
            message = _stream(session, source, model=loaded.template.name, truncated=truncated, reasoning_field=reasoning_field)
        else:
            message = _whole(session, source, truncated)
    if not request["tools"] and request["response_schema"] is None and loaded.turn.calls is not None:
        voice.say("note: no tools were given, so a call in the text would stay text; give `--tools FILE`")
    for diagnostic in message.diagnostics:
        voice.warn(_told(diagnostic))
    return 1 if strict and message.diagnostics else 0


def _whole(session: Session, source: BinaryIO, truncated: bool) -> Message:
    session.feed_bytes(source.read())
    message, _deltas = session.finish(truncated=truncated)
    click.echo(json.dumps({**message.to_dict(), "finish_reason": message.finish_reason}, ensure_ascii=False, indent=2))
    return message


def _stream(session: Session, source: BinaryIO, **options: Any) -> Message:
    from untemplate.runtime.sse import stream_events

    for event in stream_events(session, _pieces(source), **options):
        click.echo(event, nl=False)
    return session.message()


def _pieces(source: BinaryIO) -> Iterator[bytes]:
    read = getattr(source, "read1", source.read)
    while piece := read(PIECE):
        yield piece


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(path, "rb") as source:  # noqa: PTH123 - a path as the user wrote it
            yield source
    except OSError as error:
        raise RequestError(
            f"cannot be read: {error.strerror or error}", code="E601", where=path, hint="check the path; `-` is standard input"
        ) from error


def _told(diagnostic: Diagnostic) -> str:
    expected = f", expected {' or '.join(diagnostic.expected)}" if diagnostic.expected else ""
    about = f": {diagnostic.message}" if diagnostic.message else ""
    around = f" (near {json.dumps(diagnostic.around, ensure_ascii=False)})" if diagnostic.around else ""
    return f"{diagnostic.code} at character {diagnostic.position}{about}{expected}{around}"
