"""The end of a turn that was cut: what of the last text is the beginning of a marker or of a call, and no text."""

from __future__ import annotations

import re

from untemplate.lower.tags import Code, Kind
from untemplate.peg.events import ABORT, CLOSE, NOTE, OPEN, TEXT, Event
from untemplate.peg.machine import Machine
from untemplate.peg.nodes import Tag
from untemplate.runtime.builder import Found, MessageBuilder

_ENDS_WITH_A_TOKEN = re.compile(r"(?:<[^<>\s]*[|｜]>|<[|｜][^<>\s]*>)\Z")
_MARKER_BEGUN = re.compile(r"<[|｜]|<[^<>\s]+>|\[[A-Z_]")


def last_events(machine: Machine, builder: MessageBuilder, openings: tuple[str, ...], *, base: int) -> tuple[list[Event], Found | None]:
    """Return the machine's last events of a turn that the token limit cut, without the beginning of a call that is none yet.

    Markup that could still have become a call is no content, and neither is what is left of a call that was cut.

    Args:
        base: where the text of the model begins, behind what the prompt has written.
    """
    undecided = machine.undecided()
    in_call, kind = builder.in_call, builder.kind
    events = machine.finish()
    opened = any(machine.text_from(undecided).lstrip().startswith(opening) for opening in openings)
    begun = opened and not any(what == OPEN and isinstance(payload, Tag) and payload.kind == Kind.CALL for what, payload, _ in events)
    kept: list[Event] = []
    dropped: list[Event] = []
    cut = False
    for event in events:
        what, payload, _ = event
        if isinstance(payload, Tag) and payload.kind == Kind.CALL:
            in_call = what == OPEN
            cut = cut or what == ABORT
        elif in_call:
            cut = cut or (what == NOTE and payload == Code.INCOMPLETE_CALL)
        elif isinstance(payload, Tag):
            kind = str(payload.kind) if what == OPEN else None
        elif what == TEXT and (cut or begun) and kind != Kind.REASONING:
            dropped.append(event)
            continue
        elif what == NOTE and cut:
            continue
        kept.append(event)
    if cut or not dropped:
        return kept, None
    start = dropped[0][2]
    text = "".join(str(text) for _, text, _ in dropped)
    return kept, (Code.INCOMPLETE_CALL, max(start, base), text[max(base - start, 0) :])


def without_cut_marker(
    events: list[Event], builder: MessageBuilder, markers: tuple[str, ...], *, length: int, truncated: bool
) -> list[Event]:
    """Return the last events without the beginning of a marker at the end of the text, which the builder is told of.

    Half a token is one only where the turn was cut: in a turn that ended by itself it is text.

    Args:
        length: of the whole text.
    """
    end = len(events)
    while end and events[end - 1][0] == CLOSE:
        end -= 1
    start = end
    while start and events[start - 1][0] == TEXT:
        start -= 1
    text = "".join(str(payload) for _, payload, _ in events[start:end])
    kept = _without_marker(text, markers)
    cut = text[len(kept) :]
    whole = _ENDS_WITH_A_TOKEN.search(cut) is not None or any(cut.endswith(marker) for marker in markers)
    if not cut or not _in_text(events[:start], builder) or not (truncated or whole):
        return events
    if events[end - 1][2] + len(str(events[end - 1][1])) < length:
        return events  # what closes the block came behind it
    position = events[start][2]
    builder.found.append((Code.CUT_MARKER, position + len(kept), cut))
    return [*events[:start], (TEXT, kept, position), *events[end:]]


def _in_text(events: list[Event], builder: MessageBuilder) -> bool:
    """Return whether what follows these events is content or reasoning."""
    for kind, payload, _ in reversed(events):
        if kind == OPEN:
            assert isinstance(payload, Tag)
            return payload.kind in (Kind.CONTENT, Kind.REASONING)
        if kind != TEXT:
            return False
    return builder.kind in (Kind.CONTENT, Kind.REASONING)


def _without_marker(text: str, markers: tuple[str, ...]) -> str:
    """Return a text without the longest beginning of a marker that it ends with, and without whole markers directly before that."""
    size = max((_common(text, marker) for marker in markers), default=0)
    kept = text[: len(text) - size]
    if not _MARKER_BEGUN.match(text, len(kept)):
        return text
    while (whole := next((marker for marker in markers if marker and kept.rstrip().endswith(marker)), None)) is not None:
        kept = kept.rstrip().removesuffix(whole)
    return kept


def _common(text: str, marker: str) -> int:
    return next((size for size in range(min(len(text), len(marker)), 0, -1) if text.endswith(marker[:size])), 0)
