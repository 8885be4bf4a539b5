"""Reasoning: opened by a marker, closed by one, or ended by a whole call, by the end of the turn or by the end of the text."""

from __future__ import annotations

from untemplate.lower.bodies import CUT
from untemplate.lower.marks import EMPTY, NEVER, SPACE, any_of, chunks, longest_prefix, loose, many, maybe, white_after
from untemplate.lower.signs import Signs, closing_tokens, first_tag, first_token, stops_of
from untemplate.lower.tags import Code, Kind
from untemplate.peg import builder as b
from untemplate.peg.nodes import Characters, End, Literal, Node, Until
from untemplate.spec.model import Marker

_WHITE = Characters(ranges=((" ", " "), ("\t", "\t"), ("\n", "\n"), ("\r", "\r")), minimum=0, maximum=None)


def reasoning_node(signs: Signs, *, extract: bool, ending: Node, stops: tuple[str, ...], implied: Node) -> Node:
    """Return one block of reasoning.

    Args:
        extract: the block is reasoning; else it is content, its markers with it.
        ending: what ends reasoning beside its close, as a look-ahead.
        stops: the texts that ``ending`` may begin with.
        implied: what closes reasoning that holds nothing yet, such as the opening of content.
    """
    if not signs.reasoning_open:
        return NEVER
    closes = any_of(*(loose(marker.core) for marker in signs.reasoning_close))
    wanted = tuple(dict.fromkeys((*stops_of(signs.reasoning_close, ()), *stops)))
    white = any_of(*(b.lit(marker.before) for marker in signs.reasoning_close if marker.before), EMPTY)
    text = Until(stops=wanted, confirm=any_of(b.seq(white, closes), ending), quotable=True)
    nothing = b.peek(b.seq(SPACE, implied))
    if extract:
        opening = any_of(*(_opening(marker, signs) for marker in signs.reasoning_open))
        body = b.seq(b.tag(Kind.REASONING, text), any_of(_closing(signs), EMPTY))
        blank = b.seq(SPACE, _closing(signs))
        return b.seq(opening, CUT, any_of(b.seq(SPACE, End(), b.note(Code.STRAY_MARKER)), nothing, blank, body))
    opening = any_of(*(loose(marker.core) for marker in signs.reasoning_open))
    shown = any_of(*(_shown(marker.core) for marker in signs.reasoning_open))
    body = b.tag(Kind.CONTENT, shown, CUT, text, any_of(*(_shown_close(marker) for marker in signs.reasoning_close), EMPTY))
    return any_of(b.seq(opening, nothing), body)


def _opening(marker: Marker, signs: Signs) -> Node:
    """Return an opening; a token that begins a longer one opens nothing where the longer one follows. Words are part of the reasoning."""
    if marker in signs.reasoning_words:
        return b.peek(loose(marker.core))
    longer = [loose(each.core) for each in signs.reasoning_open if each.core != marker.core and each.core.startswith(marker.core)]
    doubled = [b.negate(b.seq(SPACE, any_of(*longer)))] if longer else []
    return b.seq(loose(marker.core), *doubled, longest_prefix(marker.after))


def dangling_closes(signs: Signs) -> Node:
    """Return special tokens that close a block, at the end of the text, where no block is open: nobody means them as text."""
    closes = any_of(*map(b.lit, closing_tokens(signs)))
    return NEVER if closes == NEVER else b.seq(closes, many(b.seq(SPACE, closes)), SPACE, End(), b.note(Code.STRAY_MARKER))


def doubled_opening(signs: Signs) -> Node:
    """Return the first tag of an opening marker where the whole marker follows: it is dropped."""
    found = [(first_tag(marker), marker) for marker in signs.reasoning_open]
    return any_of(*(b.seq(b.lit(tag), b.peek(b.seq(SPACE, loose(marker.core))), b.note(Code.REPAIRED)) for tag, marker in found if tag))


def prose_openings(signs: Signs) -> tuple[Node, Node]:
    """Return what may stand behind a piece of content: an opening of reasoning that is text, and the line break before one that is none.

    In the middle of a line an opening counts only if its layout, the end of the text or, in the same paragraph, its close
    follows: prose that names it stays prose.
    """
    if not signs.reasoning_open or not signs.reasoning_close:
        return NEVER, NEVER
    opening = any_of(*(b.seq(maybe(b.lit(_inline(marker))), loose(marker.core)) for marker in signs.reasoning_open))
    line = Literal(text="\n", emit=True)
    shared = {marker.core for marker in (*signs.ends, *signs.content_close)}
    own = [marker for marker in signs.reasoning_close if marker.core not in shared]
    if not own:
        return b.peek(opening), b.seq(line, b.peek(opening))
    closes = any_of(*(loose(marker.core) for marker in own))
    stops = tuple(dict.fromkeys((*stops_of(own, ()), _PARAGRAPH)))
    inside = Until(stops=stops, confirm=any_of(closes, b.lit(_PARAGRAPH)), emit=False)
    framed = any_of(*(b.seq(loose(marker.core), b.lit(marker.after)) for marker in signs.reasoning_open if marker.after))
    meant = any_of(framed, b.seq(opening, any_of(b.seq(SPACE, End()), b.seq(inside, closes))))
    return b.seq(b.peek(opening), b.negate(meant)), b.seq(line, b.peek(opening))


def meant_openings(signs: Signs) -> list[Node]:
    """Return an opening of reasoning with what tells, in content, that it is one: it begins a line, or its layout or the end follows.

    A close that follows tells it too; the grammar's content has none.
    """
    if not signs.reasoning_close:
        return [loose(first_token(marker.core)) for marker in signs.reasoning_open]
    shared = {marker.core for marker in (*signs.ends, *signs.content_close)}
    found: list[Node] = []
    for marker in signs.reasoning_open:
        opening = loose(first_token(marker.core))
        found.append(b.seq(b.lit("\n"), opening))
        if any(close.core not in shared for close in signs.reasoning_close):
            found.append(b.seq(opening, SPACE, End()))
            found += [b.seq(loose(marker.core), b.lit(marker.after))] if marker.after else []
    return list(dict.fromkeys(found))


def _inline(marker: Marker) -> str:
    """Return the layout before a marker, where it is no line break."""
    return "" if "\n" in marker.before else marker.before


_PARAGRAPH = "\n\n"


def opening_stops(signs: Signs) -> list[str]:
    """Return the texts that tell the main loop of reasoning."""
    doubled = [tag + chunks(marker.core)[0] for marker in signs.reasoning_open if (tag := first_tag(marker))]
    return [*doubled, *stops_of(signs.reasoning_open, ("\n",))]


def _closing(signs: Signs) -> Node:
    """Return the close of reasoning with its layout."""
    options = []
    for marker in sorted(signs.reasoning_close, key=lambda marker: -len(marker.text)):
        white = maybe(b.lit(marker.before)) if marker.before else EMPTY
        options.append(b.seq(white, loose(marker.core), longest_prefix(marker.after)))
    return any_of(*options)


def nothing_thought(signs: Signs) -> list[Node]:
    """Return what the template writes for no reasoning; it is dropped, but not where it begins the marker of some."""
    found: list[Node] = []
    for text in signs.empty_reasoning:
        longer = [loose(marker.core) for marker in signs.reasoning_open if marker.core.startswith(text.strip())]
        guard = b.negate(any_of(*longer)) if longer else EMPTY
        found.append(b.seq(SPACE, guard, b.lit(text.strip()), longest_prefix(white_after(text))))
    return found


def _shown(text: str) -> Node:
    """Return a marker as text of the message, with the white space that stands in it."""
    nodes: list[Node] = []
    for chunk in chunks(text):
        nodes += [_WHITE, Literal(text=chunk, emit=True)] if nodes else [Literal(text=chunk, emit=True)]
    return b.seq(*nodes)


def _shown_close(marker: Marker) -> Node:
    white = maybe(Literal(text=marker.before, emit=True)) if marker.before else EMPTY
    return b.seq(white, _shown(marker.core), longest_prefix(marker.after, emit=True))


def shown_closes(signs: Signs) -> Node:
    """Return a close of reasoning where none is open and something has been said: it is text of the message."""
    return any_of(*(Literal(text=marker.core, emit=True) for marker in signs.reasoning_close))


def stray_close(signs: Signs) -> Node:
    """Return a close of reasoning where none is open and nothing has been said yet: it is dropped."""
    closes = [b.seq(loose(marker.core), longest_prefix(marker.after)) for marker in signs.reasoning_close]
    ends = b.negate(any_of(*(loose(end.core) for end in signs.ends))) if signs.ends else EMPTY
    return b.seq(SPACE, ends, any_of(*closes), b.note(Code.STRAY_MARKER)) if closes else NEVER
