"""Whether one compiled template's parser and grammar take the turns of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from untemplate.drift.model import Proof
from untemplate.drift.samples import SampleTurn, make_parser, read_message
from untemplate.emit.engine import Engine
from untemplate.errors import GrammarError
from untemplate.parser import Parser
from untemplate.spec.model import Spec


@dataclass(frozen=True)
class Taker:
    """A spec's parser and grammar, made when they are first asked."""

    spec: Spec

    @cached_property
    def parser(self) -> Parser:
        """The parser, for any turn."""
        return make_parser(self.spec)

    @cached_property
    def engine(self) -> Engine | None:
        """The grammar of turns that must call a tool, in an engine; ``None`` where there is none, or the engine refuses it."""
        if self.spec.turn.calls is None:
            return None
        try:
            return Engine(make_parser(self.spec, "required").grammar().text)
        except GrammarError:
            return None

    def writes(self, turn: SampleTurn) -> bool:
        """Return whether the grammar can write a turn, with or without its end."""
        return self.engine is not None and (self.engine.accepts(turn.body) or self.engine.accepts(turn.text))


def find_break(old: Taker, new: Taker, turns: Sequence[SampleTurn]) -> Proof | None:
    """Return the first of the new one's turns that the old parser misreads, or that the new grammar writes and the old forbids.

    ``None`` where the old one takes them all.
    """
    for turn in turns:
        got = read_message(old.parser.parse(turn.text))
        if got != turn.meant:
            return Proof(turn=turn.text, expected=turn.meant.shown(), got=got.shown())
        if turn.meant.calls and old.engine is not None and new.writes(turn) and not old.writes(turn):
            return Proof(turn=turn.text, expected=turn.meant.shown(), got=None)
    return None
