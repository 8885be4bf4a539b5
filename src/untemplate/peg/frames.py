"""What the machine remembers: frames of what is open, entries of what to do when something fails."""

from __future__ import annotations

from typing import Final, NamedTuple

from untemplate.peg.nodes import Tag

WAIT: Final = -1
"""An instruction's answer: more text decides."""
FAIL: Final = -2
"""An instruction's answer: the text does not match here."""
DONE: Final = -3
"""An instruction's answer: the root has matched."""

OPTION: Final = 0
"""An entry to go back to its place and take another way; a cut forgets it."""
BARRIER: Final = 1
"""An entry that a cut does not pass; what is within it is given up as a whole."""
CATCH: Final = 2
"""An entry to go on with a handler at the place of the failure; it holds no events back."""


class Frame(NamedTuple):
    """One link of what is open: a rule's return address, a tag, a choice, a loop."""

    below: Frame | None
    tag: Tag | None
    number: int
    """The instruction to return to, or the height of the stack to go back to."""
    start: int = 0
    """Where the current round of a loop began."""
    rounds: int = 0
    """Rounds of a loop that are whole."""
    text: str | None = None
    """What a ``Remember`` keeps."""


class Entry(NamedTuple):
    """What to do when something fails."""

    kind: int
    target: int | None
    """The instruction to go on with; ``None``: fail further."""
    position: int
    journal: int
    """How many events waited."""
    frame: Frame | None
    oldest: int | None
    """The first position that this entry or one below may go back to; events wait. ``None``: nothing is held back."""
