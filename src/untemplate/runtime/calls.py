"""One call while it is being read: its header first, then its arguments as they become certain."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from untemplate.lower.tags import CallData
from untemplate.runtime.log import TextLog
from untemplate.runtime.message import ToolCall, ToolCallDelta


class CallState:
    """Collects a call's name, id and arguments, and tells what is new of it.

    The header waits for the id where the model writes one; arguments that come before the header wait for it.
    """

    __slots__ = (
        "_data",
        "_ended",
        "_held",
        "_model_id",
        "_new_id",
        "_parts",
        "_started",
        "arguments_done",
        "complete",
        "id",
        "index",
        "keys",
        "name",
        "pairs_open",
    )

    def __init__(self, index: int, data: CallData, new_id: Callable[[], str]) -> None:
        self.index = index
        self.name: str | None = None
        self.id: str | None = None
        self.complete = True
        self.pairs_open = False
        """A brace has been written that the end of the pairs closes."""
        self.keys: set[str] = set()
        self.arguments_done = False
        self._data = data
        self._new_id = new_id
        self._model_id: str | None = None
        self._parts = TextLog()
        self._held = TextLog()
        self._started = False
        self._ended = False

    def copy(self) -> CallState:
        """Return a call that goes on independently."""
        other = object.__new__(CallState)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        other.keys = self.keys.copy()
        other._parts = self._parts.copy()
        other._held = self._held.copy()
        return other

    @property
    def announced(self) -> bool:
        """Whether the header has been given."""
        return self.id is not None

    @property
    def begun(self) -> bool:
        """Whether arguments have begun."""
        return self._started

    def set_name(self, text: str) -> list[ToolCallDelta]:
        """Take the name, as the model wrote it."""
        if self.name is None:
            self.name = _unescaped(text.strip())
        return self._header()

    def set_id(self, text: str) -> list[ToolCallDelta]:
        """Take the id that the model wrote; an empty one counts as none."""
        if self._model_id is None and text.strip():
            self._model_id = text.strip()
        return self._header()

    def start_arguments(self) -> list[ToolCallDelta]:
        """Take notice that arguments begin."""
        self._started = True
        return self._header()

    def write(self, text: str) -> list[ToolCallDelta]:
        """Take a piece of the arguments' JSON."""
        if not text:
            return []
        if not self.announced:
            self._held.append(text)
            return []
        self._parts.append(text)
        return [ToolCallDelta(index=self.index, arguments=text)]

    def end(self) -> list[ToolCallDelta]:
        """Take notice that the call has ended, whole or not."""
        self._ended = True
        deltas = self._header()
        if self.complete and self.announced and not self._parts:
            deltas += self.write("{}")
        return deltas

    def _header(self) -> list[ToolCallDelta]:
        if self.announced or self.name is None:
            return []
        expected = self._data.has_id and self._model_id is None
        if expected and not self._ended and (self._data.late_id or not self._started):
            return []
        self.id = self._model_id or self._new_id()
        header = ToolCallDelta(index=self.index, id=self.id, name=self.name)
        if not self._held:
            return [header]
        held, self._held = str(self._held), TextLog()
        self._parts.append(held)
        return [header, ToolCallDelta(index=self.index, arguments=held)]

    def key(self, key: str) -> str | None:
        """Return the JSON that leads to the value of a key; ``None`` where the call has that key already."""
        if key in self.keys:
            return None
        self.keys.add(key)
        lead = ", " if self.pairs_open else "{"
        self.pairs_open = True
        return f"{lead}{json.dumps(key, ensure_ascii=False)}: "

    def snapshot(self) -> ToolCall | None:
        """Return the call as it is now; ``None`` before its header."""
        if self.id is None or self.name is None:
            return None
        return ToolCall(id=self.id, name=self.name, arguments=str(self._parts), complete=self.complete and self._ended)


def _unescaped(name: str) -> str:
    """Return a name without JSON's escapes, which a name may stand in."""
    if "\\" not in name:
        return name
    try:
        decoded: Any = json.loads(f'"{name}"')
    except ValueError:
        return name
    return str(decoded)
