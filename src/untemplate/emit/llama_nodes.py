"""The nodes of llama.cpp's own parser trees, as the JSON that its server takes as ``chat_parser``: a list, in which nodes are numbers.

Written from the format's description; the server of the package ``xllamacpp`` tells in tests whether it takes them. A tree knows
texts, sequences, ordered choices, repetitions, looks ahead, text up to one of several delimiters, and tags, from which the server
makes a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Number = int
"""A node: its place in the list."""
UNBOUNDED = -1
"""What the format writes for a repetition without an upper bound."""

REASONING = "reasoning"
CONTENT = "content"
TOOL = "tool"
TOOL_OPEN = "tool-open"
TOOL_CLOSE = "tool-close"
TOOL_ID = "tool-id"
TOOL_NAME = "tool-name"
TOOL_ARGS = "tool-args"
ARG = "tool-arg"
ARG_OPEN = "tool-arg-open"
ARG_CLOSE = "tool-arg-close"
ARG_NAME = "tool-arg-name"
ARG_VALUE = "tool-arg-value"
ARG_STRING = "tool-arg-string-value"
"""What the text of a tagged node is to the server."""


@dataclass(slots=True)
class Nodes:
    """Builds a tree; every method returns the number of a node."""

    made: list[dict[str, Any]] = field(default_factory=list)
    rules: dict[str, Number] = field(default_factory=dict)

    def data(self, root: Number) -> dict[str, Any]:
        """Return the whole tree as plain data."""
        return {"parsers": self.made, "rules": self.rules, "root": root}

    def _add(self, kind: str, **members: Any) -> Number:
        self.made.append({"type": kind, **members})
        return len(self.made) - 1

    def nothing(self) -> Number:
        return self._add("epsilon")

    def end(self) -> Number:
        return self._add("end")

    def space(self) -> Number:
        return self._add("space")

    def any(self) -> Number:
        return self._add("any")

    def literal(self, text: str) -> Number:
        return self._add("literal", literal=text) if text else self.nothing()

    def seq(self, *items: Number) -> Number:
        return self._add("sequence", children=list(items))

    def choice(self, options: Iterable[Number]) -> Number:
        return self._add("choice", children=list(options))

    def literals(self, texts: Iterable[str]) -> Number:
        """Return whichever of the texts stands here, the longest first; ``""`` among them makes it optional."""
        ordered = sorted(dict.fromkeys(texts), key=lambda text: (-len(text), text))
        return self.literal(ordered[0]) if len(ordered) == 1 else self.choice([self.literal(text) for text in ordered])

    def repeat(self, item: Number, least: int = 0, most: int = UNBOUNDED) -> Number:
        return self._add("repetition", child=item, min_count=least, max_count=most)

    def maybe(self, item: Number) -> Number:
        return self.repeat(item, 0, 1)

    def peek(self, item: Number) -> Number:
        return self._add("and", child=item)

    def negate(self, item: Number) -> Number:
        return self._add("not", child=item)

    def until(self, stops: Iterable[str]) -> Number:
        """Return text up to the first of the stops, or to the end."""
        return self._add("until", delimiters=list(dict.fromkeys(stop for stop in stops if stop)))

    def chars(self, ranges: Sequence[tuple[str, str]], *, negated: bool = False, least: int = 1, most: int = UNBOUNDED) -> Number:
        shown = "".join(low if low == high else f"{low}-{high}" for low, high in ranges)
        return self._add(
            "chars",
            pattern=f"[{'^' if negated else ''}{shown}]",
            ranges=[{"start": ord(low), "end": ord(high)} for low, high in ranges],
            negated=negated,
            min_count=least,
            max_count=most,
        )

    def tag(self, name: str, item: Number) -> Number:
        return self._add("tag", child=item, tag=name)

    def whole(self, name: str, item: Number) -> Number:
        """Return a tag whose text counts only when it is complete."""
        return self._add("atomic", child=self.tag(name, item))

    def string(self, mark: str) -> Number:
        """Return a string in quotes, with escapes inside."""
        return self.seq(self.literal(mark), self._add("string", delimiter=mark), self.literal(mark))

    def string_content(self) -> Number:
        """Return what stands between double quotes."""
        return self._add("string", delimiter='"')

    def json(self) -> Number:
        """Return any value of JSON, or of Python's notation, which the server turns into JSON."""
        return self._rule("value", self._value)

    def object(self) -> Number:
        """Return an object of JSON."""
        return self._rule("object", lambda: self._listed("{", self._member(), "}"))

    def nested(self, marks: Sequence[tuple[str, str]]) -> Number:
        """Return brackets with whatever is in them, brackets and strings in these marks or in quotes included."""

        def make() -> Number:
            strings = [self.seq(self.literal(first), self.until([last]), self.literal(last)) for first, last in marks]
            plain = self.chars([(each, each) for each in "[]{}"], negated=True, most=1)
            inner = self.repeat(self.choice([self.nested(marks), *strings, self.string('"'), plain]))
            return self.seq(self.literals("[{"), inner, self.literals("]}"))

        return self._rule("nested", make)

    def _value(self) -> Number:
        words = self.literals(["true", "false", "null", "True", "False", "None"])
        number = self.chars([("0", "9"), ("+", "+"), (".", "."), ("E", "E"), ("e", "e"), ("-", "-")])
        array = self._listed("[", self.json(), "]")
        return self.choice([self.object(), array, self.string('"'), self.string("'"), words, number])

    def _member(self) -> Number:
        key = self.choice([self.string('"'), self.string("'")])
        return self.seq(key, self.space(), self.literal(":"), self.space(), self.json())

    def _listed(self, opened: str, item: Number, closed: str) -> Number:
        more = self.repeat(self.seq(self.space(), self.literal(","), self.space(), item))
        return self.seq(self.literal(opened), self.space(), self.maybe(self.seq(item, more)), self.space(), self.literal(closed))

    def _rule(self, name: str, make: Callable[[], Number]) -> Number:
        """Return a reference to a rule that may hold itself, which is made the first time."""
        if name not in self.rules:
            self.rules[name] = self._add("rule", name=name, child=0, trigger=False)
            self.made[self.rules[name]]["child"] = make()
        return self._add("ref", name=name)
