"""What ends a turn: what the template writes there, and where it names nothing, a special token behind which nothing comes.

Decided in ``docs/decisions/0067-ends-that-no-template-names.md``.
"""

from __future__ import annotations

from untemplate.lower.bodies import CUT
from untemplate.lower.marks import NEVER, SPACE, any_of, chunks, is_marker, loose, many, special_token
from untemplate.lower.signs import Signs
from untemplate.lower.tags import Code
from untemplate.peg import builder as b
from untemplate.peg.nodes import End, Node, Until
from untemplate.spec.model import Marker

_USUAL = ("</s>", "<eos>")
"""Ends of sequence that are spelled as plain tags."""
_FRAMES = (("<|", "|>"), ("<｜", "｜>"))
"""What special tokens stand between."""


def ends_of(signs: Signs) -> list[Node]:
    """Return what ends a turn wherever it stands, and what ends one only where nothing comes behind it."""
    return [*(loose(end.core) for end in signs.ends), *([_unnamed_end()] if signs.unnamed_end else [])]


def end_stops(signs: Signs) -> list[str]:
    """Return the texts that these begin with."""
    unnamed = [*_USUAL, *(opening for opening, _ in _FRAMES)] if signs.unnamed_end else []
    return [*(chunks(end.core)[0] for end in signs.ends), *unnamed]


def end_of_turn(signs: Signs) -> Node:
    """Return the end of the turn with all that comes after it: dropped. It does not end where another block of a frame follows."""
    unnamed = b.seq(_unnamed_end(), b.note(Code.STRAY_MARKER)) if signs.unnamed_end else NEVER
    if not signs.ends:
        return unnamed
    ends = any_of(*(loose(end.core) for end in signs.ends))
    rest = any_of(b.seq(SPACE, End()), b.seq(b.note(Code.TEXT_AFTER_END), Until(stops=(), emit=False)))
    if signs.frame is None:
        return any_of(b.seq(ends, CUT, rest), *cut_ends(signs.ends), unnamed)
    another = b.seq(SPACE, loose(signs.frame.separator.core))
    return any_of(b.seq(ends, b.peek(another)), b.seq(ends, CUT, rest), *cut_ends(signs.ends), unnamed)


def last_words(signs: Signs) -> list[str]:
    """Return what no content of a grammar may end with, because it would be read as an end of turn that has no name."""
    return [*_USUAL, *(closing for _, closing in _FRAMES)] if signs.unnamed_end else []


def cut_ends(ends: tuple[Marker, ...]) -> list[Node]:
    """Return the beginnings of what ends the turn, at the end of the text: engines keep a stop token to themselves."""
    found = {pieces[:size] for end in ends if (pieces := chunks(end.core)) for size in range(1, len(pieces))}
    found = {pieces for pieces in found if is_marker("".join(pieces))}
    return [b.seq(loose(*pieces), SPACE, End()) for pieces in sorted(found)]


def _unnamed_end() -> Node:
    """Return special tokens, whatever they are called, at the end of the text."""
    token = any_of(*map(b.lit, _USUAL), special_token(*_FRAMES))
    return b.seq(token, many(b.seq(SPACE, token)), SPACE, End())
