"""Whether one compiled template's parser and grammar take the turns of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from untemplate.drift.model import Proof
from untemplate.drift.samples import Meant, SampleTurn, make_parser, read_message
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
        texts = dict.fromkeys((turn.body, turn.body.rstrip(), turn.text))
        return self.engine is not None and any(self.engine.accepts(text) for text in texts)


Before = Mapping[Meant, SampleTurn]
"""The old one's turns by what they mean."""


def find_break(old: Taker, new: Taker, turns: Iterable[SampleTurn], before: Before = MappingProxyType({})) -> Proof | None:
    """Return the first of the new one's turns that breaks; ``None`` where the old one takes them all."""
    return next((proof for turn in turns if (proof := break_of(old, new, turn, before)) is not None), None)


def break_of(old: Taker, new: Taker, turn: SampleTurn, before: Before = MappingProxyType({})) -> Proof | None:
    """Return what a turn shows that the old parser misreads or the old grammar forbids; ``None`` if it does neither.

    A turn that the new grammar forbids too counts only where the old template writes the same message with other words, and its
    grammar allows those: no grammar allows all white space that a template may write.
    """
    got = read_message(old.parser.parse(turn.text))
    if got != turn.meant:
        return Proof(turn=turn.text, origin=turn.origin, expected=turn.meant.shown(), got=got.shown())
    if turn.meant.calls and old.engine is not None and not old.writes(turn) and (new.writes(turn) or _rewritten(old, turn, before)):
        return Proof(turn=turn.text, origin=turn.origin, expected=turn.meant.shown(), got=None)
    return None


def _rewritten(old: Taker, turn: SampleTurn, before: Before) -> bool:
    same = before.get(turn.meant)
    return same is not None and "".join(same.text.split()) != "".join(turn.text.split()) and old.writes(same)
