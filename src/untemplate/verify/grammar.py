"""Holds grammars against the turns that a template writes: an engine of its own must be able to write each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from untemplate.emit.engine import Engine, read_back
from untemplate.emit.grammar import Grammar
from untemplate.errors import GrammarError
from untemplate.parser import build_parser
from untemplate.spec.model import Block, Spec
from untemplate.turns.render import RenderedTurn
from untemplate.turns.strings import marker_texts
from untemplate.verify.report import Difference

_AROUND = 30
REQUIRED, LAZY = "required", "auto"


@dataclass(frozen=True, slots=True)
class _Loaded:
    grammar: Grammar
    engine: Engine


@dataclass(slots=True)
class Grammars:
    """The grammars of one spec and its tools, made when they are needed: one for each prompt, eager and lazy."""

    spec: Spec
    tools: Sequence[dict[str, Any]]
    _loaded: dict[tuple[str, str], _Loaded | GrammarError] = field(default_factory=dict)

    def load(self, prompt: str, choice: str) -> _Loaded:
        """Return the grammar of a request behind ``prompt``, loaded by the engine.

        Raises:
            GrammarError: when there is none, or the engine refuses it.
        """
        key = (prompt, choice)
        if key not in self._loaded:
            try:
                made = build_parser(self.spec, prompt=prompt, tools=self.tools, tool_choice=choice).grammar()
                self._loaded[key] = _Loaded(made, read_back(made.text))
            except GrammarError as problem:
                self._loaded[key] = problem
        found = self._loaded[key]
        if isinstance(found, GrammarError):
            raise found
        return found


def is_held(turn: RenderedTurn, spec: Spec) -> bool:
    """Return whether the grammar has something to say about a turn: one that calls tools, and reasons before that if at all.

    Content that names a marker wakes a lazy grammar up too early, and no other grammar writes it.
    """
    blocks = spec.turn.blocks
    late = Block.REASONING in blocks and Block.CALLS in blocks and blocks.index(Block.REASONING) > blocks.index(Block.CALLS)
    if not turn.case.calls or spec.turn.calls is None or (late and turn.case.reasoning):
        return False
    return not any(text in (turn.case.content or "") for text in (*spec.tokens.triggers, *marker_texts(spec)))


def check_grammar(turn: RenderedTurn, grammars: Grammars) -> Difference | None:
    """Return where the grammar cannot write the turn, ``None`` where it can.

    A turn of calls is held against the grammar of a required call, one with content against the lazy one, from the first call on.
    """
    try:
        loaded = grammars.load(turn.prompt, LAZY if turn.case.content else REQUIRED)
    except GrammarError as problem:
        return Difference(what="grammar", field="turn.calls", want=turn.text, got=f"{problem.code}: {problem.message}")
    texts = list(_bodies(_from_trigger(turn, loaded.grammar), grammars.spec))
    if any(loaded.engine.accepts(text) for text in texts):
        return None
    reached = max(loaded.engine.reach(text) for text in texts)
    whole = texts[0].encode()
    shown = whole[max(0, reached - _AROUND) : reached].decode(errors="replace"), whole[reached : reached + _AROUND].decode(errors="replace")
    return Difference(what="grammar", field="turn.calls.forms[0]", want=texts[0], got=f"stops after {shown[0]!r}, before {shown[1]!r}")


def _from_trigger(turn: RenderedTurn, grammar: Grammar) -> str:
    """Return the turn from where a lazy grammar wakes up, the first trigger behind the content, to content that follows the calls."""
    if not grammar.lazy:
        return turn.text
    spoken = (turn.case.content or "").strip()
    start, stop = _behind_reasoning(turn, grammar), len(turn.text)
    at = turn.text.find(spoken, start)
    if at >= 0:
        start, stop = (start, at) if any(-1 < turn.text.find(word, start) < at for word in grammar.triggers) else (at + len(spoken), stop)
    places = [place for word in grammar.triggers if (place := turn.text.find(word, start, stop)) >= 0]
    return turn.text[min(places, default=start) : stop]


def _behind_reasoning(turn: RenderedTurn, grammar: Grammar) -> int:
    """Return where the search for a trigger starts: an engine that is given expressions sleeps through reasoning."""
    thought = (turn.case.reasoning or "").strip()
    at = turn.text.find(thought) if grammar.trigger_patterns else -1
    return at + len(thought) if at >= 0 else 0


def _bodies(text: str, spec: Spec) -> Iterator[str]:
    """Yield the turn without what ends it, in each way in which it may end."""
    ends = (*spec.prompt.end_of_turn.calls, *spec.prompt.end_of_turn.content, *spec.tokens.stops)
    for end in (*ends, ""):
        if text.endswith(end) or text.rstrip().endswith(end.strip()):
            body = text.removesuffix(end) if text.endswith(end) else text.rstrip().removesuffix(end.strip())
            yield from dict.fromkeys((body, body.rstrip()))
