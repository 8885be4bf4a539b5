"""The calls of a turn: sections, forms, lists, and what is tolerated around them."""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.lower.closing import close_after_value, spaced_chunks
from untemplate.lower.forms import Form, lower_form
from untemplate.lower.marks import EMPTY, NEVER, SPACE, any_of, chunks, is_marker, longest_prefix, loose, many, maybe, special_token
from untemplate.lower.signs import Signs, closing_tokens, without_namespace
from untemplate.lower.tags import Code
from untemplate.lower.vocabulary import Vocabulary
from untemplate.peg import builder as b
from untemplate.peg.nodes import Beginning, End, Node, Ref
from untemplate.spec.model import CallStart

_REPAIRED = b.note(Code.REPAIRED)
_MOST_WORDS = 200
"""Characters between two openings."""


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
    """An opening marker with nothing behind it but closes and the end, or a section with nothing in it."""


def call_nodes(signs: Signs, vocabulary: Vocabulary, boundary: Ref, stops: tuple[str, ...], rules: b.ArenaBuilder) -> CallNodes:
    """Return the nodes for the calls of a turn; they match nothing where no calls are read.

    Args:
        boundary: the rule for what may follow a call.
        stops: the texts that ``boundary`` may begin with.
    """
    if not signs.forms or not vocabulary.names:
        return CallNodes(anywhere=NEVER, at_start=NEVER, whole=NEVER, dangling=NEVER)
    forms = [lower_form(signs, form, vocabulary, boundary, stops, rules) for form in signs.forms]
    marked = [each for each, form in zip(forms, signs.forms, strict=True) if each.marked and form.at is CallStart.ANYWHERE]
    started = [each for each in forms if each not in marked]
    listing = [form.json is not None and form.json.array for form in signs.forms]
    separator = chunks(signs.section.separator)
    close = chunks(signs.section.close.core) if signs.section.close is not None else ()
    ends = _section_close(close, free=signs.section.close_several_only)
    several_only = signs.section.several_only
    closes = [signs.section.close, *(form.close for form in signs.forms)]
    layout = next((longest_prefix(marker.after) for marker in closes if marker is not None), EMPTY)
    anywhere = _listed(marked, separator, close, ends, committed=True, omitted=not several_only)
    after = any_of(b.seq(SPACE, End()), _what_comes_next(signs))
    behind = any_of(after, layout)
    bare = [form for form in started if not (form.section or form.open)]
    return CallNodes(
        anywhere=any_of(b.seq(anywhere, behind) if marked else NEVER, _behind_a_token(bare, separator, close, after)),
        at_start=any_of(
            _orphans(marked), _started(started, separator, close, after), b.seq(_fenced(bare, separator, boundary), b.optional(after))
        ),
        whole=_listed(marked, separator, close, ends, committed=False, omitted=not several_only),
        dangling=any_of(
            _nothing_called(marked, signs),
            *(_empty_section(form.section, close, lists, boundary) for form, lists in zip(forms, listing, strict=True)),
        ),
    )


def _empty_section(section: tuple[str, ...], close: tuple[str, ...], lists: bool, boundary: Ref) -> Node:
    """Return a section that holds no call, where the turn ends or other structure follows: a model that decided to call nothing."""
    if not section or not is_marker("".join(section)) or not (lists or is_marker("".join(close))):
        return NEVER
    nothing = b.seq(SPACE, b.lit("["), SPACE, b.lit("]"))
    inner = (maybe(nothing) if close else nothing) if lists else EMPTY
    end = spaced_chunks(close) if close else EMPTY
    follow = b.peek(b.seq(SPACE, any_of(End(), boundary)))
    return b.atomic(b.seq(loose(*section), inner, end, follow, b.note(Code.STRAY_MARKER)))


def _nothing_called(forms: list[Form], signs: Signs) -> Node:
    """Return an opening with nothing behind it, or only special tokens that close, at the end of the text."""
    closing = closing_tokens(signs)
    closes = many(b.seq(SPACE, any_of(*map(b.lit, closing)))) if closing else EMPTY
    opened = any_of(*(loose(*each) for form in forms for each in _dangling(form)))
    return b.seq(opened, closes, SPACE, End(), b.note(Code.STRAY_MARKER))


def _dangling(form: Form) -> list[tuple[str, ...]]:
    return [each for each in (form.section + form.open, form.section, form.open) if each and is_marker("".join(each))]


def _listed(forms: list[Form], separator: tuple[str, ...], close: tuple[str, ...], ends: Node, *, committed: bool, omitted: bool) -> Node:
    """Return one call or more, in a section that ``ends`` closes, or without one. ``omitted``: a section that is left out is noted."""
    following = many(b.seq(SPACE, any_of(*(_next(form, separator, committed=committed) for form in forms))))
    if committed:
        following = b.seq(following, maybe(_cut_opening(forms, separator)))
    options: list[Node] = []
    for form in forms:
        if form.section:
            again = many(b.seq(loose(*form.section), _REPAIRED, SPACE)) if is_marker("".join(form.section)) else EMPTY
            opening = b.seq(_section_open(form.section), SPACE, again, _between_openings(form) if omitted else EMPTY)
            ways = _ways(form, committed=committed, sectioned=True)
            options += [b.seq(opening, way, following, ends) for way in ways]
    for form in forms:
        note = _REPAIRED if form.section and omitted else EMPTY
        end = maybe(spaced_chunks(close)) if close else EMPTY
        options += [b.seq(note, way, following, end) for way in _own_ways(form, committed=committed)]
    if not options:
        return NEVER
    return any_of(*options)


def _cut_opening(forms: list[Form], separator: tuple[str, ...]) -> Node:
    """Return the beginning of a further call's opening, cut by the end of the text."""
    openings = [Beginning(text=form.open[0]) for form in forms if form.open and is_marker(form.open[0])]
    between = maybe(b.seq(loose(*separator), SPACE)) if separator else EMPTY
    return b.seq(SPACE, between, any_of(*openings), b.note(Code.CUT_MARKER)) if openings else NEVER


def _ways(form: Form, *, committed: bool, sectioned: bool = False) -> list[Node]:
    """Return a call with its marker, or without where what follows is a marker by itself, or where its section has been opened."""
    body = form.committed if committed else form.whole
    if not form.open:
        return [body]
    again = many(b.seq(loose(*form.open), _REPAIRED, SPACE)) if is_marker("".join(form.open)) else EMPTY
    opened = b.seq(loose(*form.open), SPACE, again, body)
    omitted = b.seq(_REPAIRED, form.bare if committed else body)
    short = without_namespace(form.open)
    unplaced = [b.seq(loose(*short), SPACE, form.whole, _REPAIRED)] if short else []
    return [opened, omitted] if sectioned or is_marker("".join(form.inner)) else [opened, *unplaced]


def _own_ways(form: Form, *, committed: bool) -> list[Node]:
    """Return a call without its section, where it begins with a marker by itself."""
    ways = _ways(form, committed=committed)
    if is_marker("".join(form.inner)):
        return ways
    return ways if form.open and not form.section else ways[:1] if form.open and is_marker("".join(form.open)) else []


def _next(form: Form, separator: tuple[str, ...], *, committed: bool) -> Node:
    """Return a further call: behind a separator, where there is one, or at its own marker."""
    body = form.committed if committed else form.whole
    gap = b.seq(
        maybe(b.seq(loose(*separator), SPACE)) if separator else EMPTY, maybe(b.seq(loose(*form.section), SPACE)) if form.section else EMPTY
    )
    if form.open or is_marker("".join(form.inner)):
        return any_of(*(b.seq(gap, way) for way in _ways(form, committed=committed)))
    again = [b.seq(loose(*form.section), SPACE, body)] if form.section else []
    bare = b.seq(maybe(b.seq(b.lit(";"), SPACE)), body, _REPAIRED)
    return any_of(*again, *((b.seq(loose(*separator), SPACE, body), bare) if separator else (body,)))


def _between_openings(form: Form) -> Node:
    """Return words between the opening of a section and that of its first call, which are dropped: both marks are certain."""
    if not form.open or not is_marker("".join(form.section)) or not is_marker("".join(form.open)):
        return EMPTY
    words = b.chars(f"^{form.open[0][0]}{form.section[0][0]}", 1, _MOST_WORDS, emit=False)
    return maybe(b.seq(words, b.peek(loose(*form.open)), _REPAIRED))


def _section_open(section: tuple[str, ...]) -> Node:
    """Return the opening of a section; a bracket behind its marker may be missing."""
    if len(section) < 2 or section[-1] not in ("[", "{") or not is_marker("".join(section[:-1])):
        return loose(*section)
    return b.seq(loose(*section[:-1]), any_of(b.seq(SPACE, b.lit(section[-1])), _REPAIRED))


def _section_close(close: tuple[str, ...], *, free: bool) -> Node:
    """Return the close of a section; one that is missing is noted, unless the template leaves it out itself (``free``)."""
    if not close:
        return EMPTY
    again = many(b.seq(spaced_chunks(close), _REPAIRED)) if is_marker("".join(close)) else EMPTY
    return b.seq(maybe(spaced_chunks(close)) if free else close_after_value(close), again)


def _orphans(forms: list[Form]) -> Node:
    """Return whole calls whose opening marker is left out."""
    return any_of(*(b.atomic(b.seq(SPACE, form.orphan)) for form in forms if form.orphan != NEVER))


def _what_comes_next(signs: Signs) -> Node:
    """Return a special token behind a call, at the end of the text: the mark of the tool's answer, at which the model was to stop."""
    ends = any_of(*(loose(end.core) for end in signs.ends))
    token = special_token(("<|", "|>"), ("<|", ">"), ("<", "|>"), ("<｜", "｜>"))
    return b.seq(SPACE, b.negate(ends) if signs.ends else EMPTY, token, SPACE, End(), b.note(Code.STRAY_MARKER))


def _behind_a_token(forms: list[Form], separator: tuple[str, ...], close: tuple[str, ...], after: Node) -> Node:
    """Return calls that the template writes without a marker, behind a special token that the model puts before them."""
    return b.seq(b.peek(b.lit("<|")), _started(forms, separator, close, after)) if forms else NEVER


def _fenced(forms: list[Form], separator: tuple[str, ...], boundary: Ref) -> Node:
    """Return whole calls that the template writes without a marker, in a code fence with nothing behind it."""
    whole = any_of(*(form.whole for form in forms))
    if whole == NEVER:
        return NEVER
    between = any_of(*(b.seq(loose(*each), SPACE) for each in (separator, (";",), (",",)) if each))
    opening = b.seq(SPACE, b.lit("```"), b.chars("a-z", 0, None, emit=False), SPACE)
    calls = b.seq(whole, many(b.seq(SPACE, maybe(between), whole)))
    return b.atomic(b.seq(opening, calls, SPACE, b.lit("```"), b.peek(b.seq(SPACE, any_of(End(), boundary))), _REPAIRED))


def _started(forms: list[Form], separator: tuple[str, ...], close: tuple[str, ...], after: Node) -> Node:
    """Return calls without a marker: one, or several with a separator, a comma or a semicolon between them.

    A special token that stands directly before the first is taken for a marker that the template does not show.
    """
    if not forms:
        return NEVER
    between = any_of(*(b.seq(loose(*each), SPACE) for each in (separator, (";",), (",",)) if each))
    bodies = any_of(*(b.seq(loose(*form.section, *form.open), SPACE, form.committed) for form in forms))
    further = any_of(*(b.seq(loose(*form.open), SPACE, form.committed) for form in forms))
    ends = maybe(spaced_chunks(close)) if close else EMPTY
    token = maybe(b.seq(special_token(("<|", "|>")), SPACE, _REPAIRED))
    return b.seq(SPACE, token, bodies, many(b.seq(SPACE, maybe(between), further)), ends, b.optional(after))
