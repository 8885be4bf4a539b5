"""The ways to write a call, each as what the turn looks for: behind its marker, without it, whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from untemplate.lower.arguments import Behind
from untemplate.lower.bodies import CallBody
from untemplate.lower.closing import close_after_value, close_of_whole, spaced_chunks
from untemplate.lower.field_calls import begins_with_name, field_call, inner_closing, inner_opening
from untemplate.lower.json_calls import json_call
from untemplate.lower.marks import EMPTY, NEVER, SPACE, any_of, chunks, is_marker, many, maybe
from untemplate.lower.signs import Signs
from untemplate.lower.tags import Code
from untemplate.lower.vocabulary import Vocabulary, name_like
from untemplate.peg import builder as b
from untemplate.peg.nodes import End, Node, Ref
from untemplate.spec.model import CallForm, JsonCall

_REPAIRED = b.note(Code.REPAIRED)
COMMA = b.seq(SPACE, b.lit(","), SPACE)
_TAG = re.compile(r"<|\[/?[A-Z]")
_USUAL = JsonCall(name=("name",), arguments=("arguments",), order=("name", "arguments"))
"""How models write a call as JSON where the template has another form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way to write a call."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bodies:
    """A call behind its opening marker."""

    committed: Node
    bare: Node
    whole: Node
    orphan: Node


def lower_form(signs: Signs, form: CallForm, vocabulary: Vocabulary, boundary: Ref, stops: tuple[str, ...], rules: b.ArenaBuilder) -> Form:
    """Return one way to write a call; see ``call_nodes``."""
    section = chunks(signs.section.open.core) if signs.section.open is not None else ()
    opening = chunks(form.open.core)
    tail = chunks(form.close.core) if form.close is not None else ()
    close = chunks(signs.section.close.core) if signs.section.close is not None else ()
    if form.json is None:
        bodies = _field_bodies(form, vocabulary, Behind(tail=tail, structure=boundary, stops=stops), _content_names(signs, form), rules)
        bodies = _with_json(bodies, section, opening, _json_bodies(_USUAL, vocabulary, tail, boundary, marked=True, rules=rules))
    else:
        bodies = _json_bodies(form.json, vocabulary, tail, boundary, marked=bool(section or opening), rules=rules)
    orphan = bodies.orphan
    if not tail and form.json is not None and form.json.array:
        orphan = b.seq(b.lit("["), SPACE, orphan, many(b.seq(COMMA, orphan)), SPACE, b.lit("]"))
    told = bool(section or opening) and orphan != NEVER and _TAG.match("".join(tail or close)) is not None
    ended = b.seq(orphan, maybe(spaced_chunks(close)) if tail else spaced_chunks(close), _REPAIRED)
    return Form(
        section=section,
        open=opening,
        inner=inner_opening(form),
        committed=bodies.committed,
        bare=bodies.bare,
        whole=bodies.whole,
        orphan=ended if told else NEVER,
    )


def _with_json(bodies: _Bodies, section: tuple[str, ...], opening: tuple[str, ...], other: _Bodies) -> _Bodies:
    """Return bodies that are JSON, too, where what opens them is a whole marker: models fall back to it."""
    also = b.seq(b.peek(b.chars("{[", emit=False)), _REPAIRED, other.committed)
    if _is_whole((*section, *opening)):
        bodies = replace(bodies, committed=any_of(also, bodies.committed), whole=any_of(other.whole, bodies.whole))
    return replace(bodies, bare=any_of(also, bodies.bare)) if _is_whole(section) else bodies


def _is_whole(opening: tuple[str, ...]) -> bool:
    return bool(opening) and is_marker("".join(opening)) and opening[-1][-1] in ">]["


def _content_names(signs: Signs, form: CallForm) -> Node:
    """Return what stands for content where a call has its name, such as a receiver called ``all``: no tool of that name is meant."""
    opening = form.open.core
    cores = [marker.core[len(opening) :].strip() for marker in signs.content_open if opening and marker.core.startswith(opening)]
    return any_of(*(b.seq(SPACE, b.lit(core), b.negate(name_like(emit=False))) for core in cores if core))


def _field_bodies(form: CallForm, vocabulary: Vocabulary, behind: Behind, not_names: Node, rules: b.ArenaBuilder) -> _Bodies:
    body = field_call(form, vocabulary, behind, rules)
    undeclared = body.undeclared()
    if not_names != NEVER:
        undeclared = b.seq(b.negate(not_names), undeclared)
    committed = any_of(rules.add("call", body.committed()), rules.add("unknown-call", undeclared))
    whole = rules.add("whole-call", body.complete())
    bare: Node = committed
    if form.open.core.strip() and behind.tail and is_marker("".join(inner_opening(form))) and inner_closing(form):
        alone = field_call(form, vocabulary, replace(behind, tail=()), rules)
        bare = rules.add("bare-call", b.seq(any_of(alone.committed(), alone.undeclared()), maybe(spaced_chunks(behind.tail))))
    orphan: Node = NEVER
    if begins_with_name(form):
        orphan = rules.add("orphan-call", field_call(form, vocabulary, behind, rules, implied=False).complete())
    return _Bodies(committed=committed, bare=bare, whole=whole, orphan=orphan)


def _json_bodies(
    layout: JsonCall, vocabulary: Vocabulary, tail: tuple[str, ...], boundary: Ref, *, marked: bool, rules: b.ArenaBuilder
) -> _Bodies:
    single = json_call(layout, vocabulary, tail, marked=marked)
    item = json_call(layout, vocabulary, (), marked=marked)
    call = rules.add("call", _either(single, marked))
    further = many(b.seq(SPACE, maybe(COMMA), call, _REPAIRED)) if tail else EMPTY
    framed = b.seq(_frame_of_json(call), further, _fence_end(tail), close_after_value(tail)) if tail else NEVER
    committed = rules.add(
        "json-calls", any_of(_json_list(item, tail, rules, marked=marked), b.seq(call, further, close_after_value(tail)), framed)
    )
    listed = b.seq(b.lit("["), SPACE, item.complete(), many(b.seq(COMMA, item.complete())), SPACE, b.lit("]"))
    close = close_of_whole(tail, boundary, ended=True)
    whole = rules.add("whole-json-calls", b.seq(any_of(listed, rules.add("whole-call", single.complete())), close))
    orphan = b.seq(json_call(layout, vocabulary, tail, marked=False).complete(), spaced_chunks(tail))
    return _Bodies(committed=committed, bare=committed, whole=whole, orphan=orphan)


def _frame_of_json(call: Node) -> Node:
    """Return a call in a code fence, or with its opening brace written twice, as in templates of another kind."""
    fence = b.seq(b.lit("```"), b.chars("a-z", 0, None, emit=False))
    doubled = b.seq(b.lit("{"), b.peek(b.seq(SPACE, b.lit("{"))))
    return b.seq(any_of(fence, doubled), SPACE, call, _REPAIRED)


def _fence_end(tail: tuple[str, ...]) -> Node:
    return b.optional(b.seq(SPACE, b.lit("```"), b.peek(b.seq(SPACE, any_of(End(), b.lit(tail[0]))))))


def _either(body: CallBody, marked: bool) -> Node:
    return any_of(body.committed(), body.undeclared()) if marked else body.committed()


def _json_list(item: CallBody, tail: tuple[str, ...], rules: b.ArenaBuilder, *, marked: bool) -> Node:
    """Return calls in one JSON array. Without a marker before it, a first member that names no declared tool makes it an answer."""
    each = rules.add("call-item", any_of(item.committed(), item.undeclared()))
    return b.seq(
        b.lit("["), SPACE, each if marked else item.committed(), many(b.seq(COMMA, each)), maybe(COMMA), close_after_value(("]", *tail))
    )
