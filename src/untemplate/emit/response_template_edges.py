"""What stands around calls: the layout before them, their section, what separates them and what follows the last."""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.emit.response_template_anchors import (
    END,
    Delimiter,
    Pattern,
    either,
    growing,
    long_ones,
    one_of,
    pattern_of,
    prefixes,
    quote,
)
from untemplate.emit.response_template_blocks import ending
from untemplate.lower.signs import Signs
from untemplate.spec.model import CallForm, Marker, Position, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEdges:
    """The texts around calls, each as alternatives with the fullest first."""

    lead: tuple[str, ...]
    """Layout before a section or a call."""
    section_open: tuple[str, ...]
    """Ends in ``""`` where a call may come without it; only ``""`` where there is no section."""
    section_close: tuple[str, ...]
    """Never ``""``."""
    separator: str
    after: tuple[str, ...]
    """Layout that may follow the close of a call."""
    behind: tuple[str, ...]
    """Layout that may follow the close of the whole list of calls."""
    long_after: tuple[str, ...]
    """Longer texts that may follow a call and belong to no block, such as the section's close."""
    ends: tuple[Delimiter, ...]
    """What ends the turn."""

    def strays(self, close: str) -> tuple[Delimiter, ...]:
        """Return what may stand directly behind a call that ``close`` closes, and belongs to no block."""
        if not self.long_after:
            return ()
        pieces = [_cut(text, self.ends) for text in self.long_after]
        places = either(*(f"(?<={quote(close + layout)})" for layout in self.after))
        rest = dict.fromkeys(piece for first, *others in pieces for piece in others)
        return ((Pattern(places + one_of(first for first, *_ in pieces)),), *(((piece,),) for piece in rest))

    def whole(self, start: str, close: str) -> str:
        """Return a pattern for calls that end the turn, each from ``start`` (a pattern) to ``close``."""
        call = rf"{start}(?:(?!{quote(close)})[\s\S])*{quote(close)}\s*"
        opened, closed = one_of((*self.section_open, "")), one_of((*self.section_close, ""))
        return rf"{opened}\s*(?:{call})+{closed}\s*{either(*(pattern_of(end) for end in self.ends), END)}"

    def stops(self, start: str, previous: str, *, own: bool = False) -> str:
        """Return a pattern for what ends a call that has no close of its own.

        Args:
            start: a pattern for what the next call begins with.
            previous: what a call ends with.
            own: ``start`` is what this call begins with, too, and may not end it.
        """
        between = one_of((self.separator, "")) if self.separator.strip() else r"\s*"
        behind = f"(?<={quote(previous)})"
        found = [f"{behind if own else ''}{between}(?={start})", *(quote(text) for text in self.section_close)]
        return either(*found, *(pattern_of(end) for end in self.ends), behind + END)


def call_edges(spec: Spec, signs: Signs) -> CallEdges:
    """Return what stands around the calls of a spec, which has some."""
    calls = spec.turn.calls
    assert calls is not None
    section = calls.section
    form = calls.forms[0]
    opens = _texts(section.open, outer=False) if section.open is not None else ()
    closes = tuple(text for text in (_texts(section.close, outer=True) if section.close is not None else ()) if text.strip())
    behind = _behind(spec, signs)
    blank = section.close.text if section.close is not None and not section.close.core else ""
    return CallEdges(
        lead=_lead(spec, signs, form),
        section_open=(*opens, "") if form.open.core.strip() or not opens else opens,
        section_close=closes,
        separator=section.separator,
        after=growing(section.separator, blank, *behind),
        behind=growing(*behind),
        long_after=tuple(dict.fromkeys((*closes, *long_ones(section.separator, *behind)))),
        ends=ending(spec, signs),
    )


def _cut(text: str, ends: tuple[Delimiter, ...]) -> list[str]:
    """Return a text cut at what ends a turn: an end that is whole would be taken before a longer text around it."""
    pieces = [text]
    for _, core, _ in ends:
        assert not isinstance(core, Pattern)
        pieces = [piece for each in pieces for piece in each.split(core[0])]
    return [pieces[0], *(piece for piece in pieces[1:] if piece.strip())]


def _texts(marker: Marker, *, outer: bool) -> tuple[str, ...]:
    """Return the texts of a marker. ``outer``: the white space before it is free too."""
    before = (marker.before, "") if outer and marker.before else ("",) if outer else ("",)
    return tuple(dict.fromkeys(lead + marker.core + trail for lead in before for trail in prefixes(marker.after)))


def _lead(spec: Spec, signs: Signs, form: CallForm) -> tuple[str, ...]:
    calls = spec.turn.calls
    assert calls is not None
    blank = [*signs.layouts, calls.section.open.before if calls.section.open is not None else "", form.open.before]
    blank.append(calls.section.lead)
    beside = spec.turn.content.with_calls
    if (
        beside is not None
        and beside.position is Position.BEFORE
        and beside.close is not None
        and beside.close.core
        and not signs.content_close
    ):
        blank.append(beside.close.text)
    blank += [opened + layout for opened in signs.blank_opens for layout in ("", *blank)]
    found = dict.fromkeys(text for text in blank if text)
    return (*sorted(found, key=lambda text: (-len(text), text)), "")


def _behind(spec: Spec, signs: Signs) -> tuple[str, ...]:
    """Return what may stand between the last call and what follows it."""
    beside = spec.turn.content.with_calls
    found: list[str] = []
    if beside is not None and beside.position is Position.AFTER:
        found += [beside.open.text] if beside.open is not None else []
    else:
        found += ["\n", *(marker.before for marker in signs.ends if marker.before)]
    return tuple(found)
