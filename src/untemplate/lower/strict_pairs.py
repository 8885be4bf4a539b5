"""Arguments as pairs, tool by tool: declared keys in any order, each value typed, text values up to where structure follows.

The text that closes a value is part of what decides whether it is closed. So a pair is written from its key on, and ends with
all that stands before the next key, or with all that closes the call.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from os.path import commonprefix

from untemplate.lower import automaton, charset
from untemplate.lower.automaton import TooLargeError
from untemplate.lower.automaton_tree import automaton_tree
from untemplate.lower.json_schema.compile import SchemaCompiler
from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.document import Part, derived
from untemplate.lower.json_schema.facts import ObjectFacts
from untemplate.lower.json_schema.fold import gather
from untemplate.lower.json_schema.objects import Style, member_parts
from untemplate.lower.json_schema.places import declared_order
from untemplate.lower.marks import chunks, is_marker
from untemplate.lower.orders import MOST_EXACT, EndedMember, ended_in_any_order
from untemplate.lower.pattern_automaton import search
from untemplate.lower.pattern_nodes import Assert, Place, Rep, Set, cat
from untemplate.lower.shapes import alt, chars, literal, rep, seq
from untemplate.lower.strict_values import Ending, ValueWriter, WrittenValue
from untemplate.lower.text_rules import Stop, TextRules
from untemplate.lower.warnings import Code
from untemplate.peg.nodes import Node
from untemplate.spec.model import Arguments, Field, FieldName, PairList, Text
from untemplate.spec.model import Part as SpecPart

_KEY = charset.complement(charset.of(" \t\n\r<>{}[]()\"'`,;:=|\\/"))


@dataclass(frozen=True, slots=True)
class Tail:
    """What stands behind the arguments of a call up to the first thing that is not literal text."""

    text: str
    parts: Stop
    """The same as chunks."""
    structure: tuple[Stop, ...]
    """What may follow a call: another one, the close of the section, the end of the turn."""

    def stops(self, closes: Stop, inner: str) -> list[Stop]:
        """Return the texts at which the parser takes a text value, and the call, to be closed.

        It takes the call's close without its beginning or its end, and in place of the value's own, where structure follows; the
        value's own may come twice.

        Args:
            closes: what closes the value.
            inner: what closes the list of pairs.
        """
        tail = (*chunks(inner), *self.parts)
        whole = tail[:1] if tail and is_marker(tail[0]) else tail
        parts = [tail[:size] for size in range(len(whole))]
        parts += [tail[start:] for start in range(1, len(tail)) if is_marker(tail[start])]
        found = [(*closes, *part, *structure) for part in parts or [()] for structure in self.structure]
        found += [(*closes, *whole)] if tail else []
        found += [(*closes, closes[-1])] if closes else []
        if len(tail) > 1:
            found.append(tail)
        elif tail and (is_marker(tail[0]) or not closes):
            found += [(*tail, *structure) for structure in self.structure]
        return found

    def unmarked(self, inner: str) -> list[Stop]:
        """Return the texts at which the parser takes a value between marks to be closed although its mark is missing: the call's close."""
        tail = (*chunks(inner), *self.parts)
        return [(*tail, *structure) for structure in self.structure] if any(map(is_marker, tail)) else []

    def bracketed(self, closes: Stop, inner: str) -> list[Stop]:
        """Return how the close of a call begins that has brackets too many, which the parser takes for one behind what closes a value."""
        tail = (*chunks(inner), *self.parts)
        if len(tail) < 2 or tail[0] not in ("]", "}", ")") or not is_marker(tail[1]):
            return []
        return [(*closes, tail[0], bracket) for bracket in "]})"]


class PairWriter:
    """Writes the arguments of one tool as pairs."""

    def __init__(self, arguments: Arguments, compiler: SchemaCompiler, texts: TextRules, tail: Tail, *, many_keys: bool) -> None:
        assert arguments.object is not None
        self.arguments = arguments
        self.pairs: PairList = arguments.object
        self.compiler = compiler
        self.tail = tail
        kinds = [part.field if isinstance(part, Field) else None for part in self.pairs.pair]
        self.key_at, self.value_at = kinds.index(FieldName.KEY), kinds.index(FieldName.VALUE)
        self.shared = self._shared_close(many_keys=many_keys)
        self.opening = "".join(part.text for part in self.pairs.pair[: self.key_at] if isinstance(part, Text))
        behind = self._behind("key")
        self.values = ValueWriter(compiler, texts, arguments, chunks(behind)[0] if behind.strip() else "")

    def _shared_close(self, *, many_keys: bool) -> str:
        """Return the text that closes every value before its key is repeated, where it decides alone.

        The key decides as well where that is a common text such as ``</``, or one that other closes begin with too; not with many
        keys: each would need rules of its own.
        """
        behind = self.pairs.pair[self.value_at + 1 :]
        if len(behind) < 2 or not isinstance(behind[0], Text) or not isinstance(behind[1], Field) or behind[1].field is not FieldName.KEY:
            return ""
        core = behind[0].text.strip()
        elsewhere = any("".join(stop).startswith("".join(core.split())) for stop in (self.tail.parts, *self.tail.structure))
        return behind[0].text if core and (many_keys or (len(core) > 3 and not elsewhere)) else ""

    def node(self, part: Part) -> Node:
        """Return all arguments that fit ``part``, with what opens them and with the tail of the call."""
        compiler = self.compiler
        branch = gather(compiler.document, compiler.report, (part, derived(part, {"type": "object"}, "object")))
        branch, options, _ = compiler.chooser.next(branch)
        if options is not None:
            compiler.report.about(
                [options.part], options.keyword, "alternatives are not expressed for arguments written as pairs", Code.ARGUMENTS
            )
        facts = branch.facts.object
        context = Context(compiler.rules, compiler.syntax, compiler.budget, compiler.report, branch.parts)
        for keyword, bounded in (
            ("minProperties", facts.minimum),
            ("maxProperties", facts.maximum is not None),
            ("propertyNames", facts.names),
        ):
            if bounded:
                context.say(keyword, "it is not expressed for arguments written as pairs", Code.ARGUMENTS)
        keys = dict.fromkeys([*declared_order(compiler.document, (part,)), *facts.required])
        members = [member for key in keys if (member := self._member(facts, key, tuple(keys), context)) is not None]
        if missing := [key for key in facts.required if self._ways(facts, key, context) == []]:
            raise compiler.document.error(part, "required", f"no value fits {missing[0]!r}, which is required", code="E412")
        extra = self._any(tuple(keys), self._of_others(facts, context)) if self._takes_others(facts) else None
        listed, exact = ended_in_any_order(members, extra, compiler.rules, "pairs")
        if not exact:
            message = f"more than {MOST_EXACT} in any order: that each is there once is not expressed, only how many there are"
            context.say("required", message, Code.ORDER)
        filled = seq(literal(self.pairs.open + self.opening), listed) if listed is not None else None
        if facts.required and filled is not None:
            return filled
        empty = literal((self.pairs.open + self.pairs.close if self.pairs.empty is None else self.pairs.empty) + self.tail.text)
        return alt(filled, empty) if filled is not None else empty

    def _takes_others(self, facts: ObjectFacts) -> bool:
        """Tell whether there may be keys that are not declared: where the schema asks for them, or declares none."""
        if any(facet.additional is not None and facet.additional.schema is False and not facet.patterns for facet in facts.facets):
            return False
        spoken = any(facet.additional is not None or facet.patterns for facet in facts.facets)
        return spoken or not any(facet.properties for facet in facts.facets)

    def _of_others(self, facts: ObjectFacts, context: Context) -> tuple[Part, ...]:
        """Return what holds for the values under such keys."""
        if any(facet.patterns for facet in facts.facets):
            context.say("patternProperties", "any key with any value is taken in arguments written as pairs", Code.ARGUMENTS)
            return ()
        return tuple(facet.additional for facet in facts.facets if facet.additional is not None)

    def _ways(self, facts: ObjectFacts, key: str, context: Context) -> list[WrittenValue]:
        parts = member_parts(facts, key, context, replace(self.compiler.style, closed=False) if key in facts.required else Style())
        return self.values.written(parts, key) if parts is not None else []

    def _member(self, facts: ObjectFacts, key: str, keys: tuple[str, ...], context: Context) -> EndedMember | None:
        ways = self._ways(facts, key, context)
        if not ways:
            return None
        rules = self.compiler.rules
        following, ending = self._endings(key, keys)
        shown = self._shown(key)
        nexts = [seq(literal(shown + self._between(way.label, key)), self.values.ended(way, following, key)) for way in ways]
        lasts = [seq(literal(shown + self._between(way.label, key)), self.values.ended(way, ending, key)) for way in ways]
        return EndedMember(rules.define(key, alt(*nexts)), rules.define(key, alt(*lasts)), key in facts.required)

    def _any(self, keys: tuple[str, ...], parts: tuple[Part, ...]) -> EndedMember | None:
        """Return a pair under any key but ``keys``, with any value that fits ``parts``."""
        rules = self.compiler.rules
        name = self._other_key(keys)
        following, ending = self._endings("", keys)
        ways = self.values.written(parts, "value")
        if not ways:
            return None
        quote = literal(self._quote)
        starts = [(way, seq(quote, name, quote, literal(self._between(way.label, "")))) for way in ways]
        made = [alt(*(seq(start, self.values.ended(way, end, "value")) for way, start in starts)) for end in (following, ending)]
        return EndedMember(rules.define("pair", made[0]), rules.define("pair", made[1]), False)

    def _other_key(self, keys: tuple[str, ...]) -> Node:
        """Return a key that is none of ``keys``."""
        try:
            every = search(cat(Assert(Place.START), Rep(Set(_KEY), 1, None), Assert(Place.END))).automaton
            tree = automaton_tree(automaton.without(every, automaton.from_strings(keys)), self.compiler.rules, "key", chars)
            return self.compiler.rules.define("key", tree)
        except TooLargeError:
            return rep(chars(_KEY), 1, None)

    def _endings(self, key: str, keys: tuple[str, ...]) -> tuple[Ending, Ending]:
        """Return what ends the value at ``key`` where another pair follows, and where it is the last."""
        behind = self._behind(key)
        closes = chunks(behind)
        gap = chunks(self.pairs.separator + self.opening)
        if not gap:
            gap = chunks(commonprefix([self._shown(other) + self._between(None, other) for other in keys]))
        nexts = [(*closes, *gap)]
        lasts = self.tail.stops(closes, self.pairs.close)
        stops = _shortest(stop for stop in (*nexts, *(lasts or [closes])) if stop)
        unmarked = _shortest(self.tail.unmarked(self.pairs.close))
        extra = tuple(self.tail.bracketed(closes, self.pairs.close))
        following = Ending(behind + self.pairs.separator + self.opening, stops, unmarked, extra, self.shared)
        return following, Ending(behind + self.pairs.close + self.tail.text, stops, unmarked, extra, self.shared)

    @cached_property
    def _quote(self) -> str:
        quote = self.pairs.key_quotes[0] if self.pairs.key_quotes else ""
        in_pair = any(isinstance(part, Text) and quote and part.text.endswith(quote) for part in self.pairs.pair)
        return "" if in_pair else quote

    def _shown(self, key: str) -> str:
        return f"{self._quote}{key}{self._quote}"

    def _between(self, label: str | None, key: str) -> str:
        return _text_of(self.pairs.pair[self.key_at + 1 : self.value_at], label, self._shown(key))

    def _behind(self, key: str) -> str:
        return _text_of(self.pairs.pair[self.value_at + 1 :], None, key)


def _shortest(stops: Iterable[Stop]) -> tuple[Stop, ...]:
    """Return the stops but those that begin with another one."""
    found: list[Stop] = []
    for stop in sorted(dict.fromkeys(stops), key=lambda stop: (len(stop), len("".join(stop)))):
        if not any(stop[: len(one) - 1] == one[:-1] and stop[len(one) - 1].startswith(one[-1]) for one in found if len(one) <= len(stop)):
            found.append(stop)
    return tuple(found)


def _text_of(parts: tuple[SpecPart, ...], label: str | None, key: str) -> str:
    """Return the text of parts, a repeated key and the type's label included."""
    texts: list[str] = []
    for part in parts:
        match part:
            case Text(text=text):
                texts.append(text)
            case Field(field=FieldName.KEY):
                texts.append(key)
            case Field(field=FieldName.TYPE):
                texts.append(label or "")
            case _:
                pass
    return "".join(texts)
