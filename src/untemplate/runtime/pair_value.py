"""The value of one pair while it is being read: JSON as it stands, text to be typed, or a tree in a template's own notation."""

from __future__ import annotations

from typing import Any

from untemplate.lower.tags import Kind, ValueData
from untemplate.lower.tool_schema import ALL_TYPES, types_of
from untemplate.peg.nodes import Tag
from untemplate.runtime.nested import NestedValue, nested_as_json
from untemplate.runtime.values import TextValue, allowed_types
from untemplate.spec.model import JsonType


class PairValue:
    """Reads the events inside a value."""

    __slots__ = ("_conflict", "_data", "_inner", "_key", "_muted", "_open", "_root", "_schema", "_text", "_tree", "_verbatim", "fits")

    def __init__(self, data: ValueData, schema: Any, root: Any, label: str | None, *, muted: bool) -> None:
        self._data = data
        self._schema = schema
        self._root = root
        self._muted = muted
        types = ALL_TYPES if schema is None else types_of(schema, root)
        allowed = allowed_types(types, data, label)
        labelled = label is not None and any(value.label is not None for value in data.values.values())
        self._text = None if data.json else TextValue(allowed, data, labelled=labelled)
        self._conflict: frozenset[JsonType] | None = None if allowed & types else types
        """What the schema allows, where the label says otherwise."""
        self._open: list[NestedValue] = []
        """The objects, arrays and leaves that are open, the outermost first."""
        self._tree: NestedValue | None = None
        self._key: list[str] | None = None
        """The key of a nested pair, while it is being read."""
        self._inner: list[str] = []
        self._verbatim: list[str] = []
        self.fits = True
        """The value is of a type that the schema allows."""

    def copy(self) -> PairValue:
        """Return a value that goes on independently."""
        other = object.__new__(PairValue)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        other._text = None if self._text is None else self._text.copy()
        other._open, other._inner, other._verbatim = self._open.copy(), self._inner.copy(), self._verbatim.copy()
        return other

    def begin(self, tag: Tag) -> None:
        """Take notice that a nested object, array, leaf or key begins."""
        match tag.kind:
            case Kind.OBJECT | Kind.ARRAY | Kind.LEAF:
                data = tag.data if isinstance(tag.data, ValueData) else ValueData()
                value = NestedValue(tag.kind, data)
                if self._open:
                    self._open[-1].items.append(value)
                else:
                    self._tree = value
                self._open.append(value)
            case Kind.KEY:
                self._key = []

    def close_inner(self, tag: Tag) -> None:
        """Take notice that it ends."""
        match tag.kind:
            case Kind.OBJECT | Kind.ARRAY | Kind.LEAF:
                self._open.pop()
            case Kind.KEY:
                self._open[-1].keys.append("".join(self._key or ()))
                self._key = None

    def feed(self, text: str) -> str:
        """Return the JSON that this text makes certain."""
        if self._tree is not None:
            self._verbatim.append(text)
            if self._key is not None:
                self._key.append(text)
            elif self._open and self._open[-1].kind == Kind.LEAF:
                self._open[-1].pieces.append(text)
            return ""
        if self._muted:
            return ""
        return text if self._text is None else self._text.feed(text)

    def cut(self) -> str:
        """Return the JSON that is certain of a value that breaks off."""
        return "" if self._muted or self._text is None or self._tree is not None else self._text.cut()

    def close(self) -> str:
        """Return the rest of the JSON."""
        if self._muted:
            return ""
        if self._tree is not None:
            written, self.fits = nested_as_json(self._tree, self._schema, self._root, "".join(self._verbatim))
            return written
        if self._text is None:
            return ""
        begun = self._text.begun
        written = self._text.close()
        self.fits = self._text.fits
        if self._conflict is not None:
            self.fits = JsonType.STRING in self._conflict and (begun or written.startswith('"'))
        return written
