"""The grammar of a turn, for one request bound to a spec: eager or lazy, with what wakes a lazy one up."""

from __future__ import annotations

from untemplate.emit.gbnf import emit_gbnf
from untemplate.emit.grammar import Grammar
from untemplate.lower.marks import chunks, is_marker
from untemplate.lower.request import Request
from untemplate.lower.signs import form_openings, read_signs
from untemplate.lower.start import NOTHING_WRITTEN, Start, state_of
from untemplate.lower.strict import StrictCalls
from untemplate.lower.turn import lower_written
from untemplate.lower.warnings import Code, GrammarWarning
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Block, PromptState, Spec, Turn

_SENTINEL = "zqNAMEqz"


def turn_grammar(spec: Spec, request: Request, start: Start = NOTHING_WRITTEN) -> Grammar:
    """Return the grammar of a turn.

    With ``tool_choice="auto"`` it is lazy: any text until a call begins. With a required or named call, a response schema or a
    grammar of the caller's it holds from the first character, reasoning first where the template has it.

    Args:
        start: what of the turn the prompt has written already.

    Raises:
        SchemaError: a schema is malformed, refers to nothing, or nothing fits it.
        GrammarError: a grammar of the caller's that cannot be read.
    """
    strict = StrictCalls()
    calls = bool(request.callable_tools) and spec.turn.calls is not None
    begun = begun_block(spec, start)
    words = triggers(spec, request) if calls and request.tool_choice == "auto" and not begun else ()
    arena = lower_written(spec, request, strict=strict, start=start, from_trigger=bool(words))
    text, warnings = emit_gbnf(arena, given=strict.rules, behind=begun)
    return Grammar(
        text=text,
        lazy=bool(words),
        triggers=words,
        trigger_patterns=trigger_patterns(spec, words, start),
        preserved_tokens=spec.tokens.preserved,
        stops=spec.tokens.stops,
        warnings=(*strict.warnings, *warnings, *_weak(words), *_missing(spec, request, calls=calls)),
    )


def begun_block(spec: Spec, start: Start) -> str:
    """Return the beginning of a block that the prompt has written last, such as ``>>>``; ``""`` where it has written none."""
    signs = read_signs(spec, with_calls=True)
    openings = [*(marker.core for marker in signs.content_open), *(" ".join(opening) for opening in form_openings(signs))]
    tail = start.prefill.rstrip()
    places = range(len(tail))
    return next((tail[place:] for place in places if any(opening.startswith(tail[place:]) for opening in openings)), "")


def _missing(spec: Spec, request: Request, *, calls: bool) -> list[GrammarWarning]:
    if calls or not request.callable_tools:
        return []
    return [GrammarWarning(code=Code.NO_TRIGGER, message="the template shows no way to write a call; the grammar allows none")]


def _weak(words: tuple[str, ...]) -> list[GrammarWarning]:
    return [
        GrammarWarning(code=Code.WEAK_TRIGGER, message=f"the lazy grammar wakes up at {word!r}, which prose may hold too")
        for word in words
        if not is_marker(word)
    ]


def triggers(spec: Spec, request: Request) -> tuple[str, ...]:
    """Return the texts at which a call begins: the marker of a section or a call; else the text up to the name of each tool."""
    assert spec.turn.calls is not None
    section, form = spec.turn.calls.section, spec.turn.calls.forms[0]
    found: dict[str, None] = {}
    opened = section.open.core if section.open is not None else ""
    if is_marker(opened):
        found[opened] = None
    if _wakes(form.open.core) and (not is_marker(opened) or section.several_only):
        found[form.open.core] = None
    if not found or (section.several_only and not _wakes(form.open.core)):
        found.update(dict.fromkeys(_up_to_name(spec, tool.name) for tool in request.callable_tools))
    return tuple(word for word in found if word)


def _wakes(text: str) -> bool:
    """Return whether a text alone tells that a call begins; a word and ``=`` do not."""
    return is_marker(text) and any(character in text for character in "<>[]{}|`｜")


def _up_to_name(spec: Spec, name: str) -> str:
    """Return how a call of a tool begins, up to the mark that ends its name; less where a marker stands before it."""
    written = compose(Turn(blocks=(Block.CALLS,), calls=spec.turn.calls), calls=[ComposedCall(name=_SENTINEL, id="id", arguments={})])
    start, mark, rest = written.partition(_SENTINEL)
    start = start.lstrip()
    first = chunks(start)[0] if start.strip() else ""
    if _wakes(first) and not first.startswith(("{", "[{")):
        return first
    end = rest[:1] if rest.startswith(('"', "'", "(")) else ""
    return start + name + end if mark else start


def trigger_patterns(spec: Spec, words: tuple[str, ...], start: Start) -> tuple[str, ...]:
    """Return expressions (ECMA) that match all of the text up to a trigger outside reasoning; the trigger is the first group.

    Only for templates with reasoning: an engine that knows words only wakes up inside reasoning as well.
    """
    signs = read_signs(spec, with_calls=False)
    if not words or not signs.reasoning_close:
        return ()
    trigger = "|".join(_escaped(word) for word in words)
    close = _escaped(signs.reasoning_close[0].core)
    if state_of(start, signs) is PromptState.REASONING:
        return (rf"[\s\S]*?{close}[\s\S]*?({trigger})[\s\S]*",)
    if not signs.reasoning_open:
        return ()
    opening = _escaped(signs.reasoning_open[0].core)
    return (rf"(?:\s*{opening}[\s\S]*?{close}|(?!\s*{opening}))[\s\S]*?({trigger})[\s\S]*",)


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\^$.|?*+()[]{}/" else "\\n" if character == "\n" else character for character in text)
