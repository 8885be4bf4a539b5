"""From a spec and a request to the tree of a turn, for the parser and for the grammar.

The parser's tree is a loop over text and structure in any order, because models interleave them; the grammar's, which
``strict`` makes, keeps the template's order. Read this module first, then ``reasoning``, ``calls`` and ``arguments``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from untemplate.lower.bodies import CUT
from untemplate.lower.calls import CallNodes, call_nodes
from untemplate.lower.ends import cut_ends, end_of_turn, end_stops, ends_of
from untemplate.lower.headers import unknown_header
from untemplate.lower.marks import EMPTY, NEVER, SPACE, any_of, chunks, is_marker, longest_prefix, loose, many, maybe
from untemplate.lower.reasoning import (
    dangling_closes,
    doubled_opening,
    nothing_thought,
    opening_stops,
    prose_openings,
    reasoning_node,
    shown_closes,
    stray_close,
)
from untemplate.lower.request import Request
from untemplate.lower.rules import Rules
from untemplate.lower.signs import Signs, closing_tokens, form_openings, has_bare_calls, read_signs, stops_of, without_namespace
from untemplate.lower.start import NOTHING_WRITTEN, Start
from untemplate.lower.tags import Code, Kind
from untemplate.lower.vocabulary import read_vocabulary
from untemplate.lower.written import written_turn
from untemplate.peg import builder as b
from untemplate.peg.nodes import Any, Arena, End, Json, Literal, Node, Until
from untemplate.spec.model import Marker, Position, Spec


class StrictCalls(Protocol):
    """Makes the calls of a turn as a grammar writes them, tool by tool."""

    def __call__(self, spec: Spec, request: Request, rules: Rules) -> Node:
        """Return the calls with what stands around and between them; rules they need are added to ``rules``."""


def lower_turn(
    spec: Spec,
    request: Request,
    *,
    strict: StrictCalls | None = None,
    start: Start = NOTHING_WRITTEN,
    from_trigger: bool = False,
) -> Arena:
    """Return the tree of a turn. Without ``strict`` it holds the parser's side only, which is cheap to make.

    Args:
        start: what the prompt has written already; the grammar begins behind it. (The parser reads it itself.)
        from_trigger: the grammar begins where a call opens.
    """
    rules = Rules()
    root = _schema_turn(spec, request, rules) if request.has_schema else _turn(spec, request, rules)
    if strict is not None:
        root = b.tolerant(_written(spec, request, rules, strict, start, from_trigger), root)
    return rules.build(root)


def lower_written(
    spec: Spec, request: Request, *, strict: StrictCalls, start: Start = NOTHING_WRITTEN, from_trigger: bool = False
) -> Arena:
    """Return the strict side of ``lower_turn``'s tree alone: all that a grammar is made of, without the work for the other side."""
    rules = Rules()
    return rules.build(_written(spec, request, rules, strict, start, from_trigger))


def _written(spec: Spec, request: Request, rules: Rules, strict: StrictCalls, start: Start, from_trigger: bool) -> Node:
    calls = strict(spec, request, rules) if request.callable_tools and spec.turn.calls is not None else None
    return written_turn(spec, request, calls, start=start, from_trigger=from_trigger)


def _turn(spec: Spec, request: Request, rules: Rules) -> Node:
    tools = request.callable_tools
    every = read_signs(spec, with_calls=bool(tools))
    signs = replace(every, reasoning_open=tuple(marker for marker in every.reasoning_open if marker not in every.reasoning_words))
    boundary = rules.reserve("boundary")
    calls = call_nodes(signs, read_vocabulary(tools, rules), boundary, _boundary_stops(signs), rules)
    rules.define(boundary, _boundary(signs))
    head = rules.add("head", _head(signs, request))
    started = b.seq(_blank(signs), maybe(rules.add("started", calls.at_start)) if calls.at_start != NEVER else EMPTY)
    reasoning = b.seq(_reasoning(signs, calls, request, rules), head, started)
    words = replace(signs, reasoning_open=signs.reasoning_words)
    begun = maybe(b.seq(_reasoning(words, calls, request, rules), head, started)) if signs.reasoning_words else EMPTY
    unknown = many(unknown_header(signs))
    shown, reasoning = (NEVER, reasoning) if request.extract_reasoning else (reasoning, NEVER)
    structure = any_of(
        b.seq(any_of(calls.anywhere, calls.dangling), head, _blank_behind_calls(spec)),
        reasoning,
        b.seq(doubled_opening(signs), head, started),
        b.seq(_frame(signs), unknown, head, _blank(signs)),
        b.seq(any_of(_wrapper(signs.content_open), end_of_turn(signs)), head),
        b.seq(_wrapper(signs.content_close), head, started),
        dangling_closes(signs) if request.extract_reasoning else NEVER,
    )
    prose, kept = prose_openings(signs) if request.extract_reasoning else (NEVER, NEVER)
    named, line = _prose_wrappers(signs, any_of(boundary, calls.at_start))
    stray = shown_closes(signs) if request.extract_reasoning else NEVER
    text = _text(_stops(signs), signs.blank_closes, any_of(prose, named), any_of(kept, line), stray)
    loop = many(any_of(_blank_end(signs.blank_closes), shown, b.seq(SPACE, rules.add("structure", structure)), *text))
    return b.seq(_start(signs), unknown, begun, head, started, loop, End())


def _head(signs: Signs, request: Request) -> Node:
    """Return what is dropped where nothing has been said yet: what stands for no reasoning, and closes of reasoning that is not open."""
    nothing = nothing_thought(signs) if request.extract_reasoning else []
    return many(any_of(*nothing, stray_close(signs)))


def _blank(signs: Signs) -> Node:
    """Return the white space that the template writes before content."""
    return any_of(*(b.lit(text) for text in signs.blank_opens), EMPTY) if signs.blank_opens else EMPTY


def _blank_behind_calls(spec: Spec) -> Node:
    """Return the white space that the template writes between calls and the content that follows them."""
    own = spec.turn.content.with_calls
    if own is None or own.position is not Position.AFTER:
        return EMPTY
    close = spec.turn.calls.section.close if spec.turn.calls is not None else None
    blanks = [marker.text for marker in (close, own.open) if marker is not None and not marker.core.strip()]
    return b.seq(*(maybe(b.lit(text)) for text in blanks if text))


def _start(signs: Signs) -> Node:
    """Return what may stand before everything: a repeated header, noise of a header, a content opening that prose may hold too."""
    again = maybe(b.seq(b.lit(signs.header_tail), b.note(Code.REPAIRED))) if signs.header_tail else EMPTY
    if signs.header_blank:
        again = b.seq(again, maybe(b.lit(signs.header_blank)))
    if signs.header_rest is not None:
        before = maybe(b.lit(signs.header_rest.before)) if signs.header_rest.before else EMPTY
        again = any_of(b.seq(before, loose(signs.header_rest.core), longest_prefix(signs.header_rest.after)), again)
    plain = [b.seq(loose(marker.core), longest_prefix(marker.after)) for marker in signs.content_open if not is_marker(marker.core)]
    return b.seq(again, maybe(any_of(*plain)))


def _blank_end(blanks: tuple[str, ...]) -> Node:
    """Return white space that the template writes at the end of a turn, there."""
    return any_of(*(b.seq(b.lit(text), b.peek(End())) for text in blanks))


def _text(stops: tuple[str, ...], blanks: tuple[str, ...], prose: Node, kept: Node, stray: Node) -> tuple[Node, ...]:
    """Return content up to the next sign; the ways before the last are for a sign that turned out to be text.

    Args:
        blanks: white space that is not part of the text where the turn ends with it.
        prose: a sign that is text where text stands before it.
        kept: white space before a sign that belongs to the text.
        stray: signs that are text, but should not be there.
    """
    until: Node = Until(stops=stops, quotable=True)
    if blanks:
        signs = any_of(_blank_end(blanks), *(b.lit(stop) for stop in stops))
        until = Until(stops=(*stops, *blanks), confirm=signs, quotable=True)
    body = b.seq(until, many(b.seq(prose, Any(), until)), maybe(kept)) if prose != NEVER else until
    whole = b.tag(Kind.CONTENT, b.peek(Any()), CUT, body)
    if not stops:
        return (whole,)
    told = b.tag(Kind.CONTENT, b.note(Code.STRAY_MARKER), stray, CUT, body) if stray != NEVER else NEVER
    return told, b.tag(Kind.CONTENT, b.peek(any_of(*(b.lit(stop) for stop in stops))), Any(), CUT, body), whole


def _reasoning(signs: Signs, calls: CallNodes, request: Request, rules: Rules) -> Node:
    ends = any_of(*ends_of(signs), loose(signs.frame.separator.core) if signs.frame else NEVER)
    closes = [loose(marker.core) for marker in signs.reasoning_close]
    follow = any_of(End(), *closes, _boundary(signs))
    whole = b.seq(SPACE, calls.whole, SPACE, follow) if calls.whole != NEVER else NEVER
    white = [marker.before for marker in signs.reasoning_close]
    openings = [Marker(core=" ".join(opening)) for opening in form_openings(signs)]
    stops = [*stops_of(openings, (*signs.layouts, *_call_layouts(signs), *white)), *end_stops(signs)]
    if signs.frame is not None:
        stops.append(chunks(signs.frame.separator.core)[0])
    implied = any_of(*(loose(marker.core) for marker in signs.content_open if is_marker(marker.core)), calls.whole)
    ending = rules.add("reasoning-end", any_of(ends, whole))
    wanted = tuple(stop for stop in dict.fromkeys(stops) if stop)
    return reasoning_node(signs, extract=request.extract_reasoning, ending=ending, stops=wanted, implied=implied)


def _call_layouts(signs: Signs) -> list[str]:
    """Return the white space that the template writes before a call."""
    found = [signs.section.open.before] if signs.section.open is not None else []
    return [*found, *(form.open.before for form in signs.forms)]


def _stops(signs: Signs) -> tuple[str, ...]:
    """Return the texts at which content may end."""
    layouts = (*signs.layouts, *_call_layouts(signs))
    openings = [Marker(core=" ".join(opening)) for opening in form_openings(signs)]
    opens, closes = ([each for each in found if is_marker(each.core)] for found in (signs.content_open, signs.content_close))
    found = [
        *opening_stops(signs),
        *stops_of(opens, ("\n",)),
        *stops_of(closes, ()),
        *stops_of(openings, layouts),
        *stops_of(signs.ends, ()),
        *end_stops(signs),
    ]
    found += [*(marker.core for marker in signs.reasoning_close), *closing_tokens(signs), *(["<|"] if has_bare_calls(signs) else [])]
    found += [chunk for form in signs.forms for chunk in without_namespace(chunks(form.open.core))[:1]]
    if signs.frame is not None:
        found += [*stops_of([signs.frame.separator], ()), *signs.frame.ignored]
    return tuple(stop for stop in dict.fromkeys(found) if stop.strip())


def _boundary(signs: Signs) -> Node:
    """Return the beginnings of all that may follow a call."""
    close = [loose(signs.section.close.core)] if signs.section.close is not None and signs.section.close.core.strip() else []
    texts = [*form_openings(signs)]
    markers = [loose(marker.core) for marker in (*signs.reasoning_open, *signs.content_open) if is_marker(marker.core)]
    frame = [loose(signs.frame.separator.core)] if signs.frame is not None else []
    return any_of(*(loose(*text) for text in texts), *close, *markers, *frame, *ends_of(signs))


def _boundary_stops(signs: Signs) -> tuple[str, ...]:
    close = [signs.section.close.core] if signs.section.close is not None else []
    frame = [signs.frame.separator.core] if signs.frame is not None else []
    texts = ["".join(text[:1]) for text in form_openings(signs)]
    starts = (chunks(text)[0] for text in (*texts, *close, *frame) if text.strip())
    return tuple(dict.fromkeys((*starts, *end_stops(signs))))


def _frame(signs: Signs) -> Node:
    """Return what stands between blocks that are messages of their own, and noise of a header: both are dropped.

    Where a mark ends a message of reasoning, it ends one of content too.
    """
    if signs.frame is None:
        return NEVER
    separator = signs.frame.separator
    closes = any_of(*(loose(marker.core) for marker in signs.reasoning_close))
    ended = b.seq(closes, b.peek(b.seq(SPACE, loose(separator.core)))) if closes != NEVER else NEVER
    ignored = any_of(*(b.seq(SPACE, loose(text)) for text in signs.frame.ignored if text.strip()))
    return any_of(ended, b.seq(loose(separator.core), longest_prefix(separator.after), many(ignored)), ignored)


def _wrapper(markers: tuple[Marker, ...]) -> Node:
    """Return what stands around content: it is dropped."""
    return any_of(*(b.seq(loose(marker.core), longest_prefix(marker.after)) for marker in markers if is_marker(marker.core)))


def _prose_wrappers(signs: Signs, follow: Node) -> tuple[Node, Node]:
    """Return what may stand behind a piece of content: a wrapper of content that is text, and the line break before one that is none.

    In the middle of a line content does not open again, and it is closed only where the turn ends or another block begins.
    """
    opens = any_of(*(loose(marker.core) for marker in signs.content_open if is_marker(marker.core)))
    if opens == NEVER and not signs.content_close:
        return NEVER, NEVER
    closes = any_of(*(loose(marker.core) for marker in signs.content_close if is_marker(marker.core)))
    closed = b.seq(closes, SPACE, any_of(End(), follow, opens, closes, *cut_ends(signs.ends)))
    ends = any_of(*ends_of(signs), loose(signs.frame.separator.core) if signs.frame is not None else NEVER)
    return b.seq(b.peek(any_of(opens, closes)), b.negate(any_of(closed, ends))), b.seq(Literal(text="\n", emit=True), b.peek(opens))


def _schema_turn(spec: Spec, request: Request, rules: Rules) -> Node:
    """Return a turn that is one JSON value, maybe in a code fence, maybe after reasoning."""
    signs = read_signs(spec, with_calls=False)
    calls = CallNodes(anywhere=NEVER, at_start=NEVER, whole=NEVER, dangling=NEVER)
    head = rules.add("head", _head(signs, request))
    reasoning = _reasoning(signs, calls, request, rules)
    before = any_of(reasoning, doubled_opening(signs), _frame(signs), _wrapper(signs.content_open))
    ends = any_of(end_of_turn(signs), _wrapper(signs.content_close))
    fence = b.seq(SPACE, b.lit("```"))
    opened = maybe(b.seq(fence, b.chars("a-zA-Z0-9", 0, None, emit=False)))
    stops = tuple(dict.fromkeys((*stops_of(signs.ends, ()), *end_stops(signs), *stops_of(signs.content_close, ()))))
    text = b.seq(b.note(Code.NOT_JSON), b.tag(Kind.CONTENT, Until(stops=stops)))
    value = b.catch(b.seq(CUT, b.tag(Kind.CONTENT, Json())), text)
    more = b.seq(b.negate(b.seq(SPACE, End())), b.note(Code.TEXT_AFTER_VALUE), Any(), CUT, Until(stops=stops))
    loop = many(any_of(b.seq(SPACE, ends), b.tag(Kind.CONTENT, more)))
    usual = b.seq(_start(signs), head, many(b.seq(SPACE, before, head)), opened, SPACE, value, maybe(fence), loop, SPACE, End())
    if not (signs.reasoning_open and request.extract_reasoning):
        return usual
    openings = any_of(*(b.seq(loose(marker.core), longest_prefix(marker.after)) for marker in signs.reasoning_open))
    return any_of(b.seq(_start(signs), head, SPACE, openings, _unthought(ends), loop, SPACE, End()), usual)


def _unthought(ends: Node) -> Node:
    """Return the value of a model that was made to answer while its reasoning is open: all that it wrote is JSON."""
    value = b.seq(b.peek(b.chars("{[", emit=False)), b.tag(Kind.CONTENT, Json()))
    return b.atomic(b.seq(SPACE, value, b.peek(b.seq(SPACE, any_of(End(), ends)))))
