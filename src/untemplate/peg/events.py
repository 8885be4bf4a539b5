"""What the machine tells: opened, text, closed, noted, aborted.

An event is a plain tuple ``(kind, payload, position)``; the position counts characters of the input from 0. Tags are always
well nested: a tag that failed inside a ``Catch``, or that was open where the machine failed, ends with ``ABORT`` instead of
``CLOSE``.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class EventKind(IntEnum):
    OPEN = 0
    """The payload is the ``Tag`` node."""
    TEXT = 1
    """The payload is text; one run of text may come as several events."""
    CLOSE = 2
    """The payload is the ``Tag`` node, which is whole."""
    NOTE = 3
    """The payload is the code of a ``Note``, or ``BUDGET``."""
    ABORT = 4
    """The payload is the ``Tag`` node, which ends here without being whole."""


OPEN = EventKind.OPEN
TEXT = EventKind.TEXT
CLOSE = EventKind.CLOSE
NOTE = EventKind.NOTE
ABORT = EventKind.ABORT

BUDGET = "budget"
"""The note that the machine itself writes, once, where it first refuses to look ahead because it has gone back too often."""

MENDED = "mended"
"""The note behind a JSON value that was none as it stood (a bad escape, a raw line break, Python's words): where it was mended first."""
REPEATED_KEY = "repeated_key"
"""The note behind a JSON value for each member that was dropped because its object had the key already."""

Event = tuple[int, object, int]


def merge_text(events: Iterable[Event]) -> list[Event]:
    """Return the events with neighbouring texts joined: the form that does not depend on how the input was cut."""
    merged: list[Event] = []
    parts: list[str] = []
    start = 0
    for event in events:
        if event[0] == TEXT:
            if not parts:
                start = event[2]
            parts.append(str(event[1]))
            continue
        if parts:
            merged.append((TEXT, "".join(parts), start))
            parts = []
        merged.append(event)
    if parts:
        merged.append((TEXT, "".join(parts), start))
    return merged
