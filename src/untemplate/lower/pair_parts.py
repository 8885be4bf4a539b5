"""A pair cut at its key and its value, and its key as a node."""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.lower.marks import SPACE, any_of, chunks, is_marker, literals, next_chunk
from untemplate.lower.tags import Kind
from untemplate.lower.vocabulary import name_like
from untemplate.peg import builder as b
from untemplate.peg.nodes import Node, Until
from untemplate.spec.model import Field, FieldName, PairList, Part, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class PairParts:
    """A pair, cut at its key and its value."""

    opening: str
    between: tuple[Part, ...]
    after: tuple[Part, ...]

    @property
    def key_end(self) -> str:
        """The first chunk behind the key."""
        return next_chunk(self.between, -1)

    @property
    def ends_at_line(self) -> bool:
        """A tag holds the key, and nothing but its bracket ends it: models leave that out at the end of a line."""
        return bool(self.opening.strip()) and self.key_end == ">" and len(self.key_ends) == 1

    @property
    def key_ends(self) -> tuple[str, ...]:
        """The chunks that may end the key: the first one, and where that closes a tag the second one, for it may be left out.

        Models write ``=`` for ``:``.
        """
        found = chunks(self.between[0].text) if self.between and isinstance(self.between[0], Text) else ()
        if found == (":",):
            return (":", "=")
        return found[:2] if closes_and_opens(found) else tuple(end for end in (self.key_end,) if end)


def closes_and_opens(found: tuple[str, ...]) -> bool:
    """Return whether a text between key and value is a tag that ends the key and one that begins the value."""
    return len(found) > 1 and found[0].startswith("</") and all(is_marker(chunk) for chunk in found[:2])


def cut_pair(pairs: PairList) -> PairParts:
    """Return the parts of a pair before its key, between key and value, and behind the value."""
    kinds = [part.field if isinstance(part, Field) else None for part in pairs.pair]
    key, value = kinds.index(FieldName.KEY), kinds.index(FieldName.VALUE)
    opening = "".join(part.text for part in pairs.pair[:key] if isinstance(part, Text))
    return PairParts(opening=opening, between=pairs.pair[key + 1 : value], after=pairs.pair[value + 1 :])


def key_node(opening: str, ends: tuple[str, ...], quotes: tuple[str, ...], *, odd: tuple[str, ...] = (), known: Node | None = None) -> Node:
    """Return a key of any name, or ``known`` ones; where its pair has an opening, one of any name may hold what a bare one may not.

    ``odd``: declared keys that hold such characters, which count as bare ones too.
    """
    end = ends[0] if ends else ""
    text: Node = Until(stops=(*ends, "\n")) if opening.strip() and end else name_like(end)
    marks = key_marks(opening, end, quotes)
    quoted = [b.seq(b.lit(mark), b.tag(Kind.KEY, known or Until(stops=(mark, "\n"))), b.lit(mark)) for mark in marks]
    bare = [b.seq(b.tag(Kind.KEY, literals(odd, emit=True)), b.peek(b.seq(SPACE, b.lit(end))))] if odd and end else []
    return any_of(*quoted, *bare, b.tag(Kind.KEY, known or text))


def key_marks(opening: str, end: str, quotes: tuple[str, ...]) -> list[str]:
    """Return the quotes that a key may stand in, beside those that belong to the text around it."""
    return [quote for quote in dict.fromkeys((*quotes, '"', "'")) if quote and quote not in end and not opening.endswith(quote)]
