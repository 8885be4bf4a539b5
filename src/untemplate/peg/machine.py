"""The machine that runs a program over text as it arrives: ``feed`` chunks, take events, ``finish``.

It is a PEG virtual machine in the manner of LPeg (Medeiros and Ierusalimschy, "A parsing machine for PEGs", 2008), changed
so that it can stop at the end of the text at any instruction and go on with the next chunk. What it remembers is data: the
instruction, the place in the text, frames (where rules return to, open tags, loops) as a linked list, and a stack of entries
(what to do when something fails). A copy shares the frames.

Events go out as soon as no entry may take them back, else they wait in the journal. What an entry is:

* an option: go back to its place and on with the other option;
* a barrier (``Atomic``, ``Peek``, ``Negate``, the confirmation of ``Until``): cuts do not pass it; some have another option;
* a catch: go on with its handler, here; it holds no events back.

**Linear time.** Every character that is given up and read again is counted, against means of ``8 x text so far + 65,536``.
When they are used up, look-aheads (``Peek``, ``Negate``, ``Atomic``, a confirmation) count as not matching, without being tried;
at twice that, so do all options of a choice but the last, and what is optional; more text gives new means. What can only read
a few characters is always tried. At four times that, or after more ways back than 4 for every instruction and character, a
failure goes back to no choice at all, down to the nearest ``Catch``. The first time, the note ``BUDGET`` says so. All this
depends on the text alone, never on how it was cut.

**What a tree must do to stream.** An open choice, or a round of a loop, holds events back until it is settled. So a tree
passes a ``Cut`` as soon as the evidence suffices (DESIGN.md section 5 says when), and where free text follows, the ``Cut``
stands before it. The last option of a choice, and what a ``Catch`` watches, hold nothing back.
"""

from __future__ import annotations

from typing import Final

from untemplate.errors import RequestError
from untemplate.peg.events import ABORT, BUDGET, CLOSE, NOTE, OPEN, TEXT, Event
from untemplate.peg.frames import BARRIER, CATCH, DONE, FAIL, OPTION, WAIT, Entry, Frame
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.program import Program, compile_program
from untemplate.peg.window import Window

__all__ = ["ABORT", "BUDGET", "CLOSE", "NOTE", "OPEN", "TEXT", "Event", "Machine", "compile_program"]

_FREE_REREAD: Final = 65_536
_REREAD_FACTOR: Final = 8
_LAST_SHARE: Final = 4
_FREE_CHARACTERS: Final = 64
_REWIND_FACTOR: Final = 4
_SMALL: Final = 1_024


class Machine:
    """One run of a program over one text."""

    __slots__ = (
        "_furthest",
        "_journal",
        "_noted",
        "_out",
        "_pc",
        "_program",
        "_rest",
        "_rewinds",
        "_reread",
        "done",
        "failed",
        "frame",
        "register",
        "stack",
        "unreleased",
        "window",
    )

    def __init__(self, program: Program) -> None:
        self._program = program
        self._pc = program.start
        self._out: list[Event] = []
        self._journal: list[Event] = []
        self._rest: list[str] = []
        self._furthest = 0
        self._reread = 0
        self._rewinds = 0
        self._noted = False
        self.done = False
        """The root has matched; what follows is the caller's affair."""
        self.failed: int | None = None
        """Where the text stopped fitting, with no way back and no catch."""
        self.window = Window()
        self.frame: Frame | None = None
        self.stack: list[Entry] = []
        self.register: JsonReader | bool | int | None = None
        """What the current instruction remembers between chunks."""
        self.unreleased = 0
        """Characters before the place of the machine that the current instruction may still give back."""

    @property
    def position(self) -> int:
        """How many characters have been read."""
        return self.window.position

    def feed(self, text: str) -> list[Event]:
        """Return the events that this text releases.

        Raises:
            RequestError: after ``finish``.
        """
        if self.window.ended:
            raise RequestError("the machine has been told that the text has ended", hint="Start a new machine for a new text.")
        if self.done or self.failed is not None:
            self._rest.append(text)
            return []
        self.window.append(text, self._oldest())
        return self._run()

    def finish(self) -> list[Event]:
        """Return the last events: at the end of the input everything that waited is decided. It never raises."""
        if self.window.ended or self.done or self.failed is not None:
            self.window.ended = True
            return []
        self.window.ended = True
        return self._run()

    def undecided(self) -> int:
        """Return the first position that may still be read otherwise: from where a choice or a look-ahead waits for more text."""
        return self._oldest()

    def text_from(self, position: int) -> str:
        """Return the text from a position on that is not decided yet."""
        return self.window.text_from(position)

    def rest(self) -> str:
        """Return the text that was not consumed: after the end of the root, or from where it failed."""
        return self.window.text[self.window.index :] + "".join(self._rest)

    def copy(self) -> Machine:
        """Return a machine that goes on independently from here. It costs what is open, not what has been read."""
        other = Machine(self._program)
        other._pc = self._pc
        other._journal = self._journal.copy()
        other._rest = self._rest.copy()
        other._furthest = self._furthest
        other._reread = self._reread
        other._rewinds = self._rewinds
        other._noted = self._noted
        other.done = self.done
        other.failed = self.failed
        other.window = self.window.copy()
        other.frame = self.frame
        other.stack = self.stack.copy()
        other.register = self.register.copy() if isinstance(self.register, JsonReader) else self.register
        other.unreleased = self.unreleased
        return other

    def _run(self) -> list[Event]:
        code = self._program.code
        pc = self._pc
        while True:
            following = code[pc](self)
            if following >= 0:
                pc = following
            elif following == FAIL:
                following = self._fail()
                if following < 0:
                    break
                pc = following
            elif following == WAIT:
                break
            else:
                assert following == DONE
                self.done = True
                self.drop(0)
                break
        self._pc = pc
        out, self._out = self._out, []
        return out

    def _oldest(self) -> int:
        """Return the first position that may be asked for again."""
        here = self.window.position - self.unreleased
        oldest = self.stack[-1].oldest if self.stack else None
        return here if oldest is None else min(oldest, here)

    # What instructions do to the machine

    def emit(self, event: Event) -> None:
        """Give an event, or keep it while an entry may take it back."""
        if self.stack and self.stack[-1].oldest is not None:
            self._journal.append(event)
        else:
            self._out.append(event)

    def emit_text(self, text: str, position: int) -> None:
        """Give text, if there is any. Small pieces that wait are joined, so that their number does not matter."""
        if not text:
            return
        journal = self._journal
        if journal and self.stack and self.stack[-1].journal < len(journal):
            kind, waiting, start = journal[-1]
            if kind == TEXT and isinstance(waiting, str) and len(waiting) < _SMALL and start + len(waiting) == position:
                journal[-1] = (TEXT, waiting + text, start)
                return
        self.emit((TEXT, text, position))

    def push(self, kind: int, target: int | None) -> None:
        """Remember a way back to here."""
        stack = self.stack
        position = self.window.position
        oldest = stack[-1].oldest if stack else None
        if oldest is None and kind != CATCH:
            oldest = position
        stack.append(Entry(kind, target, position, len(self._journal), self.frame, oldest))

    def drop(self, height: int) -> None:
        """Forget the entries above ``height`` and give what nothing holds any more."""
        del self.stack[height:]
        if self._journal and not (self.stack and self.stack[-1].oldest is not None):
            self._out += self._journal
            self._journal = []

    def cut(self) -> None:
        """Forget the entries above the nearest barrier or catch."""
        height = len(self.stack)
        while height and self.stack[height - 1].kind == OPTION:
            height -= 1
        self.drop(height)

    def rewind(self, entry: Entry) -> None:
        """Take everything back that came after an entry, which has been removed."""
        here = self.window.position
        self._furthest = max(self._furthest, here)
        self._reread += here - entry.position
        self._rewinds += 1
        self.window.seek(entry.position)
        del self._journal[entry.journal :]
        self.frame = entry.frame
        self.register = None
        self.unreleased = 0

    def leave_look(self, height: int) -> None:
        """Go back to where a look-ahead began, whose entry stands at ``height``."""
        entry = self.stack[height]
        self.rewind(entry)
        self.drop(height)

    def refuses(self, share: int) -> bool:
        """Return whether something may not be tried, because ``share`` times the means to read text again are used up."""
        furthest = max(self._furthest, self.window.position)
        if self._reread <= share * (_FREE_REREAD + _REREAD_FACTOR * furthest):
            return False
        self._note_budget()
        return True

    def _note_budget(self) -> None:
        if not self._noted:
            self._noted = True
            self._out.append((NOTE, BUDGET, self.window.position))

    def _fail(self) -> int:
        """Return the instruction that goes on after a failure here."""
        self.register = None
        self.unreleased = 0
        stack = self.stack
        while stack:
            entry = stack.pop()
            if entry.kind == CATCH:
                self._abort(entry.frame)
                assert entry.target is not None
                return entry.target
            self.rewind(entry)
            if entry.target is not None and (entry.kind == BARRIER or not self._exhausted()):
                self.drop(len(stack))
                return entry.target
        self.failed = self.window.position
        self._abort(None)
        self.drop(0)
        return FAIL

    def _exhausted(self) -> bool:
        rewinds = _REWIND_FACTOR * len(self._program.code) * (_FREE_CHARACTERS + self._furthest)
        if self._reread <= _LAST_SHARE * (_FREE_REREAD + _REREAD_FACTOR * self._furthest) and self._rewinds <= rewinds:
            return False
        self._note_budget()
        return True

    def _abort(self, frame: Frame | None) -> None:
        """End the tags above a frame that will not be whole."""
        here = self.window.position
        while self.frame is not None and self.frame is not frame:
            if self.frame.tag is not None:
                self.emit((ABORT, self.frame.tag, here))
            self.frame = self.frame.below
        self.frame = frame
