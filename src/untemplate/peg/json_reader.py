"""A reader of JSON, and of what models write for it, that takes text as it comes and gives valid JSON text as it goes.

It is a pushdown machine with a small state: open containers, the keys seen in each, and where in a token it stands. Tokens
are read whole, the characters of a string at once; a comma waits for the item that it announces and a key for its colon, so
what has been given is at any time the beginning of valid JSON. Where the text is malformed the reader fails before the
first token that it has not given. Source: DESIGN.md sections 5 and 8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from untemplate.peg.events import REPEATED_KEY
from untemplate.peg.json_python import ends_string, is_set
from untemplate.peg.json_state import JsonState, State
from untemplate.peg.json_strings import FAIL, PLAIN_MARKS, TRIPLE, WAIT, Quotes, encode, own_quotes, read_escape
from untemplate.peg.json_words import WORD, may_become_word, number_as_json, word_as_json
from untemplate.peg.nodes import JsonKind

_BARE_KEY: Final = re.compile(r"[^:,{}\[\]\"'\n\r]+")
_BARE_TEXT: Final = re.compile(r"[^\s,:<>{}\[\]\"'|][^,:<>{}\[\]\"'|\n\r]*")
_LONGEST_BARE: Final = 100
_OPENERS: Final = {"{": "}", "[": "]", "(": ")"}
_SET_END: Final = "}]"
"""A brace that ends a list."""
_STRING_KINDS: Final = frozenset({JsonKind.VALUE, JsonKind.STRING})
_WORD_KINDS: Final = frozenset({JsonKind.VALUE, JsonKind.NUMBER})
_CONTAINER_KINDS: Final = {
    "{": frozenset({JsonKind.VALUE, JsonKind.OBJECT}),
    "[": frozenset({JsonKind.VALUE, JsonKind.ARRAY}),
    "(": frozenset({JsonKind.VALUE, JsonKind.ARRAY}),
}


class JsonReader(JsonState):
    """One JSON value, being read."""

    __slots__ = ()

    def read(self, text: str, index: int, ended: bool) -> tuple[bool | None, int]:
        """Return whether the value is whole (``None``: more text decides) and the place up to which the text has been read.

        After a failure the place is that of the first character that was not given; it may lie before the text, below 0.
        """
        self.pieces = []
        state = self._state
        while state is not State.DONE:
            if not self.pieces:
                self.at = index
            result = _STEPS[state](self, text, index, ended)
            if result == WAIT:
                return None, index
            if result == FAIL:
                return False, index - self.held
            index = result
            state = self._state
        return True, index

    def _structure(self, text: str, index: int, ended: bool) -> int:
        """Read one token, or the white space before it, outside strings."""
        if index == len(text):
            return FAIL if ended else WAIT
        first = text[index]
        if first in " \t\n\r" and self._state is not State.ROOT:
            return self._space(text, index)
        match self._state:
            case State.ROOT:
                return self._start_value(text, index, ended, self._node.kind)
            case State.COLON:
                return self._end_key(index) if first == ":" else FAIL
            case State.AFTER if first == ",":
                self._pending = [","]
                self.held = 1
                self._state = State.KEY if self._stack[-1] == "}" else State.ITEM
                return index + 1
            case State.AFTER | State.ITEM | State.KEY if first == self._stack[-1][0]:
                return self._close_container(index)
            case State.VALUE | State.ITEM:
                return self._start_value(text, index, ended, JsonKind.VALUE)
            case State.KEY:
                return self._start_key(text, index, ended)
            case _:
                return FAIL

    def _start_value(self, text: str, index: int, ended: bool, kind: JsonKind) -> int:
        first = text[index]
        if kind in _STRING_KINDS:
            result = self._open_string(text, index, ended)
            if result != FAIL:
                return result
        if first in _OPENERS:
            return self._open_container(text, index, ended) if kind in _CONTAINER_KINDS[first] else FAIL
        if kind not in _WORD_KINDS:
            return FAIL
        word = self._word(text, index, ended)
        if word == WAIT:
            return WAIT
        piece = None if isinstance(word, int) else word_as_json(word) if kind is JsonKind.VALUE else number_as_json(word)
        if isinstance(word, int) or piece is None:
            return self._bare_text(text, index, ended) if self._node.quotes and self._stack else FAIL
        self._mend(index, piece != word)
        self._emit(piece, len(word))
        self._end_value()
        return index + len(word)

    def _word(self, text: str, index: int, ended: bool) -> str | int:
        """Return the number or keyword that starts at ``index``."""
        match = WORD.match(text, index)
        if match is None:
            return FAIL
        word = match.group()
        if match.end() == len(text) and not ended:
            return WAIT if may_become_word(word) else FAIL
        return word

    def _bare_text(self, text: str, index: int, ended: bool) -> int:
        """Read a string without its quotes, where those are marks of the template's own: ``[red,green]``."""
        match = _BARE_TEXT.match(text, index)
        if match is None or match.end() - index > _LONGEST_BARE:
            return FAIL
        if match.end() == len(text):
            return FAIL if ended else WAIT
        if text[match.end()] not in ",]}":
            return FAIL
        self._mend(index)
        self._emit(f'"{encode(match.group().rstrip())}"', match.end() - index)
        self._end_value()
        return match.end()

    def _open_container(self, text: str, index: int, ended: bool) -> int:
        close = _OPENERS[text[index]]
        if close == "}" and self._node.argument:
            listed = is_set(text, index, ended)
            if listed is None:
                return WAIT
            close = _SET_END if listed else close
        self._mend(index, close in (")", _SET_END))
        self._emit("{" if close == "}" else "[", 1)
        self._stack.append(close)
        self._keys.append(None)
        self._state = State.KEY if close == "}" else State.ITEM
        return index + 1

    def _close_container(self, index: int) -> int:
        self._mend(index, bool(self._pending))
        self._pending = []
        self._emit("}" if self._stack.pop() == "}" else "]", 1)
        self._keys.pop()
        self._end_value()
        return index + 1

    def _end_value(self) -> None:
        if self._muted == len(self._stack):
            self._muted = None
        self._state = State.AFTER if self._stack else State.DONE

    def _start_key(self, text: str, index: int, ended: bool) -> int:
        self._key = []
        result = self._open_string(text, index, ended)
        if result >= 0:
            return result
        if result == FAIL and self._node.bare_keys:
            self._state = State.BARE_KEY
            return index
        self._key = None
        if result == WAIT:
            return WAIT
        word = self._word(text, index, ended)
        if isinstance(word, int):
            return word
        number = number_as_json(word)
        if number is None:
            return FAIL
        self._key = [f'"{number}"']
        self.held += len(word)
        self._state = State.COLON
        return index + len(word)

    def _bare_key(self, text: str, index: int, ended: bool) -> int:
        assert self._key is not None
        match = _BARE_KEY.match(text, index)
        if match is not None:
            self._emit(match.group(), match.end() - index)
            return match.end()
        if index == len(text):
            return FAIL if ended else WAIT
        written = "".join(self._key)
        name = written.rstrip()
        if text[index] != ":" or not name:
            return FAIL
        self._key = [f'"{encode(name)}"', written[len(name) :]]
        self._state = State.COLON
        return index

    def _end_key(self, index: int) -> int:
        """Release the key at its colon, or drop it and its value where the object has it already."""
        assert self._key is not None
        key = "".join(self._key)
        self._key = None
        name = str(json.loads(key))
        seen = self._keys[-1]
        if seen is None:
            seen = self._keys[-1] = set()
        if name in seen and self._muted is None:
            self._muted = len(self._stack)
            self.notes.append((REPEATED_KEY, self.start + index))
        seen.add(name)
        self._emit(key + ":", 0)
        self._state = State.VALUE
        return index + 1

    @property
    def _decoded(self) -> bool:
        return self._node.decoded and not self._stack

    def _open_string(self, text: str, index: int, ended: bool) -> int:
        for opening, closing in self._node.quotes:
            if text.startswith(opening, index):
                self._begin(own_quotes(opening, closing), len(opening), State.STRING)
                return index + len(opening)
            if not ended and len(text) - index < len(opening) and opening.startswith(text[index:]):
                return WAIT
        first = text[index]
        if first not in PLAIN_MARKS:
            return FAIL
        self._mend(index, first == "'")
        self._begin(PLAIN_MARKS[first], 1, State.OPENED)
        return index + 1

    def _begin(self, quotes: Quotes, size: int, state: State) -> None:
        self._quotes = quotes
        self._python = self._python or quotes.python
        self._emit("" if self._decoded else '"', size)
        self._state = state

    def _opened(self, text: str, index: int, ended: bool) -> int:
        """Tell a string from an empty one and from one in triple quotes."""
        mark = self._quotes.closing
        if index == len(text):
            return FAIL if ended else WAIT
        if text[index] != mark:
            self._state = State.STRING
            return index
        if index + 1 == len(text) and not ended:
            return WAIT
        if text.startswith(mark, index + 1):
            self._quotes = TRIPLE[mark]
            self._python = True
            self._state = State.STRING
            self._emit("", 2)
            return index + 2
        return self._end_string(index + 1, 1)

    def _end_string(self, index: int, size: int) -> int:
        self._emit("" if self._decoded else '"', size)
        if self._key is not None:
            self._state = State.COLON
        else:
            self._end_value()
        return index

    def _ends(self, text: str, index: int, ended: bool) -> bool | None:
        """Return whether the quote at ``index`` ends its string, ``None`` where more text decides."""
        if not self._node.argument or self._quotes not in PLAIN_MARKS.values() or self._key is not None:
            return True
        ends = ends_string(text, index + 1, ended, nested=bool(self._stack))
        self._mend(index, ends is False, python=True)
        return ends

    def _string(self, text: str, index: int, ended: bool) -> int:
        quotes = self._quotes
        if quotes.ready is not None and not self._decoded and (ready := quotes.ready.match(text, index)) is not None:
            self._emit(ready.group(), ready.end() - index)
            return ready.end()
        match = quotes.plain.match(text, index)
        if match is not None:
            run = match.group()
            written = encode(run)
            if written != run and quotes is PLAIN_MARKS['"']:
                self._mend(index + next(at for at, character in enumerate(run) if character < " "))
            self._emit(run if self._decoded else written, len(run))
            return match.end()
        if index == len(text):
            return FAIL if ended else WAIT
        if text.startswith(quotes.closing, index) and (ends := self._ends(text, index, ended)) is not False:
            return WAIT if ends is None else self._end_string(index + len(quotes.closing), len(quotes.closing))
        if text[index] == "\\" and quotes.escapes:
            end, written, meaning = read_escape(text, index, ended, quotes.python or self._python)
            if end >= 0:
                self._mend(index, written != text[index:end])
                self._emit(meaning if self._decoded else written, end - index)
            return end
        if not ended and quotes.closing.startswith(text[index:]):
            return WAIT
        self._emit(text[index] if self._decoded else encode(text[index]), 1)
        return index + 1


_Step = Callable[[JsonReader, str, int, bool], int]

_STEPS: Final[dict[State, _Step]] = {
    State.ROOT: JsonReader._structure,
    State.VALUE: JsonReader._structure,
    State.ITEM: JsonReader._structure,
    State.KEY: JsonReader._structure,
    State.BARE_KEY: JsonReader._bare_key,
    State.COLON: JsonReader._structure,
    State.AFTER: JsonReader._structure,
    State.OPENED: JsonReader._opened,
    State.STRING: JsonReader._string,
}
