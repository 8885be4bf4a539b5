"""Reads back many turns of one template: a short form for every compilation, a long one for ``untemplate verify``."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from untemplate.infer.turn import TurnFound
from untemplate.parser import Parser, build_parser
from untemplate.spec.model import Spec
from untemplate.turns.cases import SHORT_KEYS, SHORT_NAMES, MadeCase, long_cases, short_cases
from untemplate.turns.composed import composed_modes
from untemplate.turns.losses import calls_before_end
from untemplate.turns.render import Mode, NotRendered, RenderedTurn, make_modes, render_turn
from untemplate.turns.tools import make_tools
from untemplate.verify.check import check_chunks, check_turn, rebuilt_text
from untemplate.verify.grammar import Grammars, check_grammar, is_held
from untemplate.verify.report import Difference, Mismatch, Report, count_skipped

_TAIL = 60


@dataclass(slots=True)
class _Tally:
    """Counts of a verification that is under way."""

    read_back: int = 0
    skipped: list[str] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)
    remarks: Counter[str] = field(default_factory=Counter)
    held: int = 0


def verify_shortly(spec: Spec, found: TurnFound) -> Report:
    """Return what came of a dozen turns, each read whole; under all but the first setting of thinking only the most telling."""
    tools = make_tools(SHORT_KEYS, SHORT_NAMES)
    modes = make_modes(spec, found, tools)
    cases = short_cases(spec)
    tries = [(made, mode) for mode in modes for made in (cases if mode is modes[0] else cases[:_TELLING])]
    return _run(spec, found.header, tools, tries)


_TELLING = 3


def verify_at_length(
    spec: Spec, found: TurnFound, *, seed: int = 0, budget: int = 300, progress: Callable[[int], None] | None = None
) -> Report:
    """Return what came of ``budget`` messages under every setting of thinking, each read whole and in chunks.

    Args:
        seed: of the random messages and the random chunks: the same seed gives the same report.
        progress: called with the number of messages tried, after each.
    """
    tools = make_tools()
    tries = _all_tries(long_cases(spec, seed, budget), make_modes(spec, found, tools), progress)
    return _run(spec, found.header, tools, tries, rng=random.Random(seed))


def verify_composed(spec: Spec, *, seed: int = 0, budget: int = 300, progress: Callable[[int], None] | None = None) -> Report:
    """Return the same for turns that the spec itself lays out: without its template, only the reading is put to the test."""
    tools = make_tools()
    tries = _all_tries(long_cases(spec, seed, budget), composed_modes(spec), progress)
    return _run(spec, spec.prompt.roles.get("assistant", ""), tools, tries, rng=random.Random(seed))


def _all_tries(cases: Iterable[MadeCase], modes: Sequence[Mode], progress: Callable[[int], None] | None) -> Iterator[tuple[MadeCase, Mode]]:
    for number, made in enumerate(cases, start=1):
        yield from ((made, mode) for mode in modes)
        if progress is not None:
            progress(number)


def _run(
    spec: Spec,
    header: str,
    tools: Sequence[dict[str, Any]],
    tries: Iterable[tuple[MadeCase, Mode]],
    *,
    rng: random.Random | None = None,
) -> Report:
    tally = _Tally()
    reader = _Reader(spec, tools, Grammars(spec, tools))
    for made, mode in tries:
        _try(made, mode, reader, header, tally, rng)
    return Report(
        name=spec.template.name,
        read_back=tally.read_back,
        skipped=count_skipped(tally.skipped),
        mismatches=tuple(tally.mismatches),
        remarks=tuple(sorted(tally.remarks.items())),
        grammar_checked=tally.held,
    )


@dataclass(slots=True)
class _Reader:
    """The parsers of one spec, one for each prompt."""

    spec: Spec
    tools: Sequence[dict[str, Any]]
    grammars: Grammars
    _parsers: dict[str, Parser] = field(default_factory=dict)

    def parser(self, prompt: str) -> Parser:
        """Return the parser of the turn that follows ``prompt``."""
        if prompt not in self._parsers:
            made = next(iter(self._parsers.values()), None)
            self._parsers[prompt] = made.after(prompt) if made else build_parser(self.spec, prompt=prompt, tools=self.tools)
        return self._parsers[prompt]


def _try(made: MadeCase, mode: Mode, reader: _Reader, header: str, tally: _Tally, rng: random.Random | None) -> None:
    turn = render_turn(made.case, mode, header)
    if isinstance(turn, NotRendered):
        tally.skipped.append(turn.because)
        return
    parser = reader.parser(turn.prompt)
    outcome = check_turn(turn, reader.spec, parser)
    difference = outcome.difference
    if outcome.skipped is None and difference is None and rng is not None:
        difference = check_chunks(turn, parser, rng)
        if difference is None and is_held(turn, reader.spec) and calls_before_end(turn, reader.spec) is None:
            tally.held += 1
            difference = check_grammar(turn, reader.grammars)
    if difference is not None:
        tally.mismatches.append(_mismatch(made, turn, difference, reader.spec, header))
    elif outcome.skipped is not None:
        tally.skipped.append(outcome.skipped)
    else:
        tally.read_back += 1
        tally.remarks.update(outcome.remarks)


def _mismatch(made: MadeCase, turn: RenderedTurn, difference: Difference, spec: Spec, header: str) -> Mismatch:
    return Mismatch(
        kind=made.kind,
        mode=turn.mode.name,
        difference=difference,
        prompt_tail=turn.prompt[-_TAIL:],
        text=turn.text,
        rebuilt=rebuilt_text(turn, spec, header),
    )
