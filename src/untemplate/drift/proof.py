"""Whether one compiled template's parser and grammar take the turns of another."""

from __future__ import annotations

from collections.abc import Sequence

from untemplate.drift.model import Proof
from untemplate.drift.samples import SampleTurn, make_parser, read_message
from untemplate.parser import Parser
from untemplate.spec.model import Spec


def find_misread(reader: Spec | Parser, turns: Sequence[SampleTurn]) -> Proof | None:
    """Return the first of the turns that a spec's parser reads as another message, ``None`` where it reads them all."""
    parser = make_parser(reader) if isinstance(reader, Spec) else reader
    for turn in turns:
        got = read_message(parser.parse(turn.text))
        if got != turn.meant:
            return Proof(turn=turn.text, expected=turn.meant.shown(), got=got.shown())
    return None
