"""The calls of a turn: sections, forms, lists, and what is tolerated around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from untemplate.lower.arguments import Behind
from untemplate.lower.bodies import CallBody
from untemplate.lower.closing import close_after_value, spaced_chunks
from untemplate.lower.field_calls import begins_with_name, field_call, inner_closing, inner_opening
from untemplate.lower.json_calls import json_call
from untemplate.lower.marks import EMPTY, NEVER, SPACE, any_of, chunks, is_marker, longest_prefix, loose, many, maybe
from untemplate.lower.signs import Signs
from untemplate.lower.tags import Code
from untemplate.lower.vocabulary import Vocabulary
from untemplate.peg import builder as b
from untemplate.peg.nodes import End, Node, Ref
from untemplate.spec.model import CallForm, CallStart

_REPAIRED = b.note(Code.REPAIRED)
_COMMA = b.seq(SPACE, b.lit(","), SPACE)
_TAG = re.compile(r"<|\[/?[A-Z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNodes:
    """The calls of a turn, in the three places where they are looked for."""

    anywhere: Node
    """One call or more, certain from the name on."""
    at_start: Node
    """Calls without a marker, which count only as the first thing after reasoning."""
    whole: Node
    """Whole calls to declared tools only, for a look-ahead inside reasoning."""
    dangling: Node
    """An opening marker with nothing behind it but the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    section: tuple[str, ...]
    open: tuple[str, ...]
    inner: tuple[str, ...]
    committed: Node
    """A call behind its opening marker, certain from a declared name on, else whole to a tool of any name."""
    bare: Node
    """The same where its opening marker is left out: its closing one may be, too."""
    whole: Node
    orphan: Node
    """A whole call without its opening marker, told by its closing one; ``NEVER`` where it has no such."""

    @property
    def marked(self) -> bool:
        """Whether text stands before the call, or a marker at its beginning."""
        return bool(self.section or self.open) or is_marker("".join(self.inner))


def call_nodes(signs: Signs, vocabulary: Vocabulary, boundary: Ref, stops: tuple[str, ...], rules: b.ArenaBuilder) -> CallNodes:
    """Return the nodes for the calls of a turn; they match nothing where no calls are read.

    Args:
        boundary: the rule for what may follow a call.
        stops: the texts that ``boundary`` may begin with.
    """
    if not signs.forms or not vocabulary.names:
        return CallNodes(anywhere=NEVER, at_start=NEVER, whole=NEVER, dangling=NEVER)
    forms = [_form(signs, form, vocabulary, boundary, stops, rules) for form in signs.forms]
    marked = [each for each, form in zip(forms, signs.forms, strict=True) if each.marked and form.at is CallStart.ANYWHERE]
    started = [each for each in forms if each not in marked]
    separator = chunks(signs.section.separator)
    close = chunks(signs.section.close.core) if signs.section.close is not None else ()
    several_only = signs.section.several_only
    closes = [signs.section.close, *(form.close for form in signs.forms)]
    layout = next((longest_prefix(marker.after) for marker in closes if marker is not None), EMPTY)
    anywhere = _listed(marked, separator, close, committed=True, omitted=not several_only)
    return CallNodes(
        anywhere=b.seq(anywhere, any_of(b.seq(SPACE, End()), layout)) if marked else NEVER,
        at_start=any_of(_orphans(marked), _started(started, separator, close)),
        whole=_listed(marked, separator, close, committed=False, omitted=not several_only),
        dangling=b.seq(any_of(*(loose(*each) for form in marked for each in _dangling(form))), SPACE, End(), b.note(Code.STRAY_MARKER)),
    )


def _dangling(form: _Form) -> list[tuple[str, ...]]:
    return [each for each in (form.section + form.open, form.section, form.open) if each and is_marker("".join(each))]


def _form(signs: Signs, form: CallForm, vocabulary: Vocabulary, boundary: Ref, stops: tuple[str, ...], rules: b.ArenaBuilder) -> _Form:
    section = chunks(signs.section.open.core) if signs.section.open is not None else ()
    opening = chunks(form.open.core)
    inner = inner_opening(form)
    tail = chunks(form.close.core) if form.close is not None else ()
    if form.json is None:
        body = field_call(form, vocabulary, Behind(tail=tail, structure=boundary, stops=stops), rules)
        committed: Node = any_of(rules.add("call", body.committed()), rules.add("unknown-call", body.undeclared()))
        whole: Node = rules.add("whole-call", body.complete())
        bare = committed
        if opening and tail and is_marker("".join(inner)) and inner_closing(form):
            alone = field_call(form, vocabulary, Behind(tail=(), structure=boundary, stops=stops), rules)
            bare = b.seq(any_of(rules.add("bare-call", alone.committed()), alone.undeclared()), maybe(spaced_chunks(tail)))
        orphan = whole if begins_with_name(form) else NEVER
    else:
        marked = bool(section or opening)
        single = json_call(form.json, vocabulary, tail, marked=marked)
        item = json_call(form.json, vocabulary, (), marked=marked)
        call = rules.add("call", _either(single, marked))
        further = many(b.seq(SPACE, maybe(_COMMA), call, _REPAIRED)) if tail else EMPTY
        committed = bare = any_of(_json_list(item, tail, rules), b.seq(call, further, close_after_value(tail)))
        listed = b.seq(b.lit("["), SPACE, item.complete(), many(b.seq(_COMMA, item.complete())), SPACE, b.lit("]"))
        whole = b.seq(any_of(listed, rules.add("whole-call", single.complete())), spaced_chunks(tail))
        orphan = b.seq(json_call(form.json, vocabulary, tail, marked=False).complete(), spaced_chunks(tail))
    close = chunks(signs.section.close.core) if signs.section.close is not None else ()
    if not tail and form.json is not None and form.json.array:
        orphan = b.seq(b.lit("["), SPACE, orphan, many(b.seq(_COMMA, orphan)), SPACE, b.lit("]"))
    told = bool(section or opening) and orphan != NEVER and _TAG.match("".join(tail or close)) is not None
    ended = b.seq(orphan, maybe(spaced_chunks(close)) if tail else spaced_chunks(close), _REPAIRED)
    orphan = ended if told else NEVER
    return _Form(section=section, open=opening, inner=inner, committed=committed, bare=bare, whole=whole, orphan=orphan)


def _either(body: CallBody, marked: bool) -> Node:
    return any_of(body.committed(), body.undeclared()) if marked else body.committed()


def _json_list(item: CallBody, tail: tuple[str, ...], rules: b.ArenaBuilder) -> Node:
    """Return calls in one JSON array."""
    each = rules.add("call-item", any_of(item.committed(), item.undeclared()))
    return b.seq(b.lit("["), SPACE, each, many(b.seq(_COMMA, each)), maybe(_COMMA), close_after_value(("]", *tail)))


def _listed(forms: list[_Form], separator: tuple[str, ...], close: tuple[str, ...], *, committed: bool, omitted: bool) -> Node:
    """Return one call or more, in a section or without. ``omitted``: a section that is left out is noted."""
    following = many(b.seq(SPACE, any_of(*(_next(form, separator, committed=committed) for form in forms))))
    options: list[Node] = []
    for form in forms:
        if form.section:
            again = many(b.seq(loose(*form.section), _REPAIRED, SPACE)) if is_marker("".join(form.section)) else EMPTY
            opening = b.seq(loose(*form.section), SPACE, again)
            ways = _ways(form, committed=committed, sectioned=True)
            options += [b.seq(opening, way, following, _section_close(close)) for way in ways]
    for form in forms:
        note = _REPAIRED if form.section and omitted else EMPTY
        end = maybe(spaced_chunks(close)) if close else EMPTY
        options += [b.seq(note, way, following, end) for way in _own_ways(form, committed=committed)]
    if not options:
        return NEVER
    return any_of(*options)


def _ways(form: _Form, *, committed: bool, sectioned: bool = False) -> list[Node]:
    """Return a call with its marker, or without where what follows is a marker by itself, or where its section has been opened."""
    body = form.committed if committed else form.whole
    if not form.open:
        return [body]
    again = many(b.seq(loose(*form.open), _REPAIRED, SPACE)) if is_marker("".join(form.open)) else EMPTY
    opened = b.seq(loose(*form.open), SPACE, again, body)
    omitted = b.seq(_REPAIRED, form.bare if committed else body)
    return [opened, omitted] if sectioned or is_marker("".join(form.inner)) else [opened]


def _own_ways(form: _Form, *, committed: bool) -> list[Node]:
    """Return a call without its section, where it begins with a marker by itself."""
    ways = _ways(form, committed=committed)
    if is_marker("".join(form.inner)):
        return ways
    return ways[:1] if form.open and (is_marker("".join(form.open)) or not form.section) else []


def _next(form: _Form, separator: tuple[str, ...], *, committed: bool) -> Node:
    """Return a further call: behind a separator, where there is one, or at its own marker."""
    body = form.committed if committed else form.whole
    gap = b.seq(
        maybe(b.seq(loose(*separator), SPACE)) if separator else EMPTY, maybe(b.seq(loose(*form.section), SPACE)) if form.section else EMPTY
    )
    if form.open or is_marker("".join(form.inner)):
        return any_of(*(b.seq(gap, way) for way in _ways(form, committed=committed)))
    again = [b.seq(loose(*form.section), SPACE, body)] if form.section else []
    return any_of(*again, b.seq(loose(*separator), SPACE, body) if separator else body)


def _section_close(close: tuple[str, ...]) -> Node:
    if not close:
        return EMPTY
    again = many(b.seq(spaced_chunks(close), _REPAIRED)) if is_marker("".join(close)) else EMPTY
    return b.seq(any_of(spaced_chunks(close), b.peek(b.seq(SPACE, End())), _REPAIRED), again)


def _orphans(forms: list[_Form]) -> Node:
    """Return whole calls whose opening marker is left out."""
    return any_of(*(b.atomic(b.seq(SPACE, form.orphan)) for form in forms if form.orphan != NEVER))


def _started(forms: list[_Form], separator: tuple[str, ...], close: tuple[str, ...]) -> Node:
    """Return calls without a marker: one, or several with a separator, a comma or a semicolon between them.

    A special token that stands directly before the first is taken for a marker that the template does not show.
    """
    if not forms:
        return NEVER
    between = any_of(*(b.seq(loose(*each), SPACE) for each in (separator, (";",), (",",)) if each))
    bodies = any_of(*(b.seq(loose(*form.section, *form.open), SPACE, form.committed) for form in forms))
    further = any_of(*(b.seq(loose(*form.open), SPACE, form.committed) for form in forms))
    ends = maybe(spaced_chunks(close)) if close else EMPTY
    token = maybe(b.seq(b.lit("<|"), b.chars("a-zA-Z0-9_", 1, None, emit=False), b.lit("|>"), SPACE, _REPAIRED))
    return b.seq(SPACE, token, bodies, many(b.seq(SPACE, maybe(between), further)), ends, b.optional(b.seq(SPACE, End())))
