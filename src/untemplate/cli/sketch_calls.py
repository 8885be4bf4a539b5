"""Sample calls written from a spec, in named pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from untemplate.cli.pieces import Kind, Piece, marker_piece
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Block, Calls, Section, Turn

CALLS = (
    ComposedCall(name="get_weather", id="callid001", arguments={"city": "Paris", "days": 3}),
    ComposedCall(name="get_weather", id="callid002", arguments={"city": "Rome", "days": 1}),
)
_APART = "\x00"


def sketch_calls(calls: Calls, count: int) -> Iterator[Piece]:
    """Yield ``count`` sample calls, at most two, as a spec's first form writes them."""
    section, form = calls.section, calls.forms[0]
    around = count > 1 or not section.several_only
    yield from marker_piece(Kind.SECTION_OPENS, section.open if around else None)
    for index, text in enumerate(_call_texts(calls, count)):
        if index:
            yield Piece(Kind.BETWEEN, section.separator)
        close = form.close.text if form.close else ""
        yield from marker_piece(Kind.CALL_OPENS, form.open)
        yield from _cut(text.removeprefix(form.open.text).removesuffix(close))
        if close and text.endswith(close):
            yield from marker_piece(Kind.CALL_CLOSES, form.close)
    closed = around and (count > 1 or not section.close_several_only)
    yield from marker_piece(Kind.SECTION_CLOSES, section.close if closed else None)


def _call_texts(calls: Calls, count: int) -> list[str]:
    """Return the text of each call, without the section around them; that of all together where they are one array."""
    bare = Turn(blocks=(Block.CALLS,), calls=replace(calls, section=Section(separator=_APART)))
    return compose(bare, calls=CALLS[:count]).split(_APART)


def _known_texts() -> Iterator[tuple[str, Kind]]:
    for call in CALLS:
        yield call.name, Kind.NAME
        yield call.id, Kind.ID
        for key, value in call.arguments.items():
            yield key, Kind.KEY
            yield from ((text, Kind.VALUE) for text in (f'"{value}"', f"'{value}'", str(value)))


_KNOWN = dict(_known_texts())
_PATTERN = re.compile("|".join(rf"(?<!\w){re.escape(text)}(?!\w)" for text in sorted(_KNOWN, key=len, reverse=True)))


def _cut(text: str) -> Iterator[Piece]:
    """Yield a call's text in pieces, the sample's own names and values apart from what is written around them."""
    at = 0
    for found in _PATTERN.finditer(text):
        yield Piece(Kind.CALL, text[at : found.start()])
        yield Piece(_KNOWN[found.group()], found.group())
        at = found.end()
    yield Piece(Kind.CALL, text[at:])
