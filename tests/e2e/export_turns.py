"""Rendered turns with the message that our parser reads in them: what other readers are held against."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from untemplate.infer.quirks import shipped_quirks
from untemplate.infer.spec import infer_spec
from untemplate.parser import build_parser
from untemplate.source import load_source
from untemplate.spec.model import Spec
from untemplate.template import load_template
from untemplate.turns.cases import long_cases, short_cases
from untemplate.turns.render import RenderedTurn, make_modes, render_turn
from untemplate.turns.strings import marker_texts
from untemplate.turns.tools import make_tools
from untemplate.verify.compare import case_of, compare

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOOLS: Sequence[dict[str, Any]] = make_tools()


@dataclass(frozen=True)
class Turn:
    """One rendered turn."""

    prompt: str
    text: str
    message: Mapping[str, Any]
    """As our parser reads it."""
    plain: bool
    """No value in it names a marker of the template."""


@dataclass(frozen=True)
class Rendered:
    """A template's spec and turns that our parser reads back."""

    spec: Spec
    turns: tuple[Turn, ...]


@cache
def rendered(template: Path, budget: int = 24) -> Rendered:
    """Return what a template compiles to, with its turns of about ``budget`` messages."""
    inferred = infer_spec(load_template(load_source(template)), quirks=shipped_quirks())
    spec, header = inferred.spec, inferred.found.header
    cases = islice(chain(short_cases(spec), long_cases(spec, 1, budget)), budget)
    modes = make_modes(spec, inferred.found, TOOLS)
    turns = [render_turn(made.case, mode, header) for made in cases for mode in modes]
    return Rendered(spec, tuple(_read(spec, header, [turn for turn in turns if isinstance(turn, RenderedTurn)])))


def _read(spec: Spec, header: str, turns: Sequence[RenderedTurn]) -> Iterator[Turn]:
    marks = marker_texts(spec)
    for turn in turns:
        text = turn.text.removeprefix(header)
        prompt = turn.prompt if turn.prompt.endswith(header) or text == turn.text else turn.prompt + header
        message = build_parser(spec, prompt=prompt, tools=TOOLS).parse(text)
        case = turn.case
        try:
            wrong = compare(case, case_of(message), spec, ids=False)
        except ValueError:  # Arguments that are no JSON object: read wrongly too.
            continue
        if wrong is not None:
            continue
        values = [case.reasoning or "", case.content or "", *(text for call in case.calls for text in strings(dict(call.arguments)))]
        plain = not any(str(getattr(mark, "core", mark)) in value for mark in marks for value in values)
        yield Turn(prompt, text, message.to_dict(), plain)


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def difference(want: Mapping[str, Any], got: Mapping[str, Any]) -> str | None:
    """Return which part of a message another reader has otherwise; white space and types of values count, ids do not."""
    thought = got.get("thinking") or got.get("reasoning_content") or ""
    if (want.get("reasoning_content") or "") != thought:
        return f"reasoning {thought!r}"
    if (want.get("content") or "") != (got.get("content") or ""):
        return f"content {got.get('content')!r}"
    if calls(want) != calls(got):
        return f"calls {calls(got)}"
    return None


def calls(message: Mapping[str, Any]) -> list[Any]:
    """Return the names and arguments of a message's calls, so that equal ones compare equal."""
    found = []
    for call in message.get("tool_calls") or []:
        arguments = call["function"]["arguments"]
        try:
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        except ValueError:
            arguments = f"not JSON: {arguments}"
        found.append((call["function"]["name"], _ordered(arguments)))
    return found


def _ordered(value: Any) -> Any:
    match value:
        case Mapping():
            return [(key, _ordered(item)) for key, item in value.items()]
        case list() | tuple():
            return ["list", *map(_ordered, value)]
        case bool() | None:
            return (type(value).__name__, value)
        case _:
            return value
