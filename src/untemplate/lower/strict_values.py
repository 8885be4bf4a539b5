"""The values of pairs as a grammar writes them: typed by the schema, each type in the template's encoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.automaton_tree import automaton_rules, automaton_tree
from untemplate.lower.json_schema.compile import SchemaCompiler
from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.document import Part, derived
from untemplate.lower.json_schema.facts import StringFacts
from untemplate.lower.json_schema.fold import gather
from untemplate.lower.json_schema.gather import Branch
from untemplate.lower.json_schema.judge import may_fit
from untemplate.lower.json_schema.strings import string_automaton
from untemplate.lower.json_schema.syntax import JSON, Syntax
from untemplate.lower.json_schema.syntaxes import PYTHON
from untemplate.lower.json_schema.values import is_integer, type_of
from untemplate.lower.marks import chunks
from untemplate.lower.pattern_automaton import search
from untemplate.lower.pattern_nodes import ANYTHING, Assert, Place, Regex, Rep, Set, cat, text_regex
from untemplate.lower.shapes import any_of, chars, literal, one_of, seq
from untemplate.lower.strict_syntax import NotationSyntax
from untemplate.lower.text_rules import MOST_WORK, Exit, Stop, TextRules
from untemplate.lower.warnings import Code
from untemplate.peg.nodes import Node
from untemplate.spec.model import Arguments, Encoding, JsonType, Value

_WHITE = Rep(Set(((9, 10), (13, 13), (32, 32))), 0, None)
_MOST_LEAVES = 12
_MOST_KNOT = 250
_FREE = StringFacts()
_ORDER = (JsonType.STRING, JsonType.INTEGER, JsonType.NUMBER, JsonType.BOOLEAN, JsonType.NULL, JsonType.OBJECT, JsonType.ARRAY)


@dataclass(frozen=True, slots=True)
class Ending:
    """What ends a value."""

    text: str
    """All of it, as the template writes it."""
    stops: tuple[Stop, ...]
    """Where the parser would take a text value to end: texts that no such value may contain."""
    unmarked: tuple[Stop, ...] = ()
    """Where it would take a value between marks to end, too, as if the second mark had been left out."""
    bracketed: tuple[Stop, ...] = ()
    """Where it would take a value to end, behind its own mark, at a close with brackets too many."""
    shared: str = ""
    """The beginning of ``text`` that is the same for every key; where it is given, no text value may contain it."""


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """The values of one type (or of several that are written alike)."""

    label: str | None
    """What the pair's ``type`` field says."""
    node: Node | None = None
    """A value that ends by itself."""
    text: Automaton | None = None
    """Raw text of a limited kind."""
    free: bool = False
    """Any raw text."""
    open: str = ""
    close: str = ""


class ValueWriter:
    """Writes the values of the pairs of one tool."""

    def __init__(self, compiler: SchemaCompiler, texts: TextRules, arguments: Arguments, outer_stop: str) -> None:
        self.compiler = compiler
        self.texts = texts
        self.arguments = arguments
        self.outer_stop = outer_stop

    def written(self, parts: tuple[Part, ...], key: str) -> list[WrittenValue]:
        """Return the ways to write a value that fits ``parts``; none when no value does."""
        found: dict[WrittenValue, None] = {}
        for leaf in self._leaves(parts):
            for value in self._of_leaf(leaf, key):
                found.setdefault(value)
        values = list(found)
        free = [value for value in values if value.free and not value.open]
        return [value for value in values if value.free or not any(value.label == other.label for other in free)]

    def _leaves(self, parts: tuple[Part, ...]) -> list[Branch]:
        """Return the branches of what holds, each without open choices; choices that are too many are left out."""
        compiler = self.compiler
        leaves: list[Branch] = []
        todo = [gather(compiler.document, compiler.report, parts)]
        while todo:
            branch, options, alternatives = compiler.chooser.next(todo.pop(0))
            if branch.dead:
                continue
            if options is None:
                leaves.append(branch)
            elif len(alternatives) + len(todo) + len(leaves) > _MOST_LEAVES:
                compiler.report.about(
                    [options.part], options.keyword, "too many alternatives for a value written as text; it is left out", Code.BUDGET
                )
                branch.options = []
                leaves.append(branch)
            else:
                todo += [branch.extended(alternative, without=options) for alternative in alternatives]
        return leaves

    def _of_leaf(self, leaf: Branch, key: str) -> Iterator[WrittenValue]:
        facts = leaf.facts
        if facts.values is not None:
            yield from self._constants([value for value in facts.values if may_fit(leaf.document, value, leaf.parts)])
            return
        for kind in _ORDER:
            if _allows(leaf, kind):
                found = self._of_type(kind, leaf, key)
                if found is not None:
                    yield found

    def _rule(self, kind: JsonType) -> Value:
        values = self.arguments.values
        if kind in values:
            return values[kind]
        if kind is JsonType.INTEGER and JsonType.NUMBER in values:
            return values[JsonType.NUMBER]
        if kind is JsonType.NUMBER and JsonType.INTEGER in values:
            return values[JsonType.INTEGER]
        return Value(encoding=Encoding.PYTHON if self.arguments.encoding is Encoding.PYTHON else Encoding.JSON)

    def _syntax(self, kind: JsonType, rule: Value) -> Syntax:
        match rule.encoding:
            case Encoding.NOTATION if self.arguments.notation is not None:
                return NotationSyntax(self.arguments.notation, self.outer_stop)
            case Encoding.PYTHON:
                return PYTHON
            case Encoding.RAW if kind is not JsonType.STRING:
                return PYTHON
            case _:
                return JSON

    def _constants(self, values: list[object]) -> Iterator[WrittenValue]:
        by_kind: dict[JsonType, list[object]] = {}
        for value in values:
            by_kind.setdefault(_kind_of(value), []).append(value)
        for kind, listed in by_kind.items():
            rule = self._rule(kind)
            if kind is JsonType.STRING and rule.encoding is Encoding.RAW:
                node: Node = any_of(str(value) for value in listed)
            else:
                syntax = self._syntax(kind, rule)
                node = one_of(syntax.constant(self.compiler.rules, value) for value in listed)
            yield WrittenValue(rule.label, node=node, open=rule.open, close=rule.close)

    def _of_type(self, kind: JsonType, leaf: Branch, key: str) -> WrittenValue | None:
        rule = self._rule(kind)
        if kind is JsonType.STRING and rule.encoding is Encoding.RAW:
            if leaf.facts.string == _FREE:
                return WrittenValue(rule.label, free=True, open=rule.open, close=rule.close)
            return self._raw_text(leaf, rule)
        compiler = self.compiler.sibling(self._syntax(kind, rule))
        only = derived(leaf.parts[0] if leaf.parts else self.compiler.document.root, {"type": kind.value}, f"only/{kind.value}")
        node = compiler.branch_of(leaf.extended((only,)), key)
        return WrittenValue(rule.label, node=node, open=rule.open, close=rule.close) if node is not None else None

    def _raw_text(self, leaf: Branch, rule: Value) -> WrittenValue | None:
        one = self.compiler
        context = Context(one.rules, one.syntax, one.budget, one.report, leaf.parts)
        found = string_automaton(leaf.facts.string, context)
        if found is None or found == automaton.ANY:
            return WrittenValue(rule.label, free=True, open=rule.open, close=rule.close)
        return None if found.empty else WrittenValue(rule.label, text=found, open=rule.open, close=rule.close)

    def ended(self, value: WrittenValue, ending: Ending, key: str) -> Node:
        """Return a value with its own marks and all that ends it."""
        text = value.close + ending.text
        unmarked = ending.unmarked if value.open.strip() and value.close.strip() else ()
        if value.close.strip():
            unmarked += tuple((*chunks(value.close), *stop) for stop in ending.bracketed)
        stops = (*((*chunks(value.close), *stop) for stop in ending.stops), *unmarked)
        if value.node is not None:
            return seq(literal(value.open), value.node, literal(text))
        if value.text is not None:
            limited = self._limited(value.text, text, stops, key)
            if limited is not None:
                return seq(literal(value.open), limited)
        if ending.shared:
            start = value.close + ending.shared
            return seq(literal(value.open), self.texts.text(((start.strip(),), *unmarked), (Exit(start),)), literal(text[len(start) :]))
        exits = (Exit(text),) if text else ()
        return seq(literal(value.open), self.texts.text(stops, exits, may_end=not text))

    def _limited(self, found: Automaton, text: str, stops: tuple[Stop, ...], key: str) -> Node | None:
        """Return raw text of a limited kind with its end; ``None`` (noted) where that would be too large."""
        rules = self.compiler.rules
        kept = (found, text, stops)
        if kept not in rules.shared:
            try:
                ended = _ended(found, text, stops)
                if ended.empty:
                    return None
                if not self.compiler.budget.allows_states(len(ended.delta)):
                    raise TooLargeError
            except TooLargeError:
                pointer = f"{self.compiler.document.root.pointer}/properties/{key}"
                self.compiler.report.add(pointer, "pattern", "raw text cannot be limited so; any text is taken", Code.RAW_VALUE)
                return None
            try:
                rules.shared[kept] = rules.define(key, automaton_tree(ended, rules, key, chars, most_work=MOST_WORK, most_knot=_MOST_KNOT))
            except TooLargeError:
                rules.shared[kept] = automaton_rules(ended, rules, key, chars)
        return rules.shared[kept]


def _ended(found: Automaton, text: str, stops: tuple[Stop, ...]) -> Automaton:
    """Return what ``found`` accepts, without stops, up to and including ``text``."""
    for stop in stops:
        found = automaton.without(found, search(cat(ANYTHING, *_spaced(stop), ANYTHING)).automaton)
    for begun in _begun(stops, chunks(text)):
        found = automaton.without(found, search(cat(ANYTHING, *_spaced(begun), _WHITE, Assert(Place.END))).automaton)
    return automaton.followed_by(found, text) if text else found


def _spaced(stop: Stop) -> list[Regex]:
    """Return a stop with free white space between its chunks."""
    return [piece for chunk in stop for piece in (_WHITE, text_regex(chunk))][1:]


def _begun(stops: tuple[Stop, ...], ending: Stop) -> Iterator[Stop]:
    """Yield the beginnings of stops that what ends a text would complete."""
    for stop in stops:
        yield from (stop[:size] for size in range(1, len(stop)) if _begins(ending, stop[size:]))


def _begins(ending: Stop, rest: Stop) -> bool:
    """Return whether what ends a text begins with the rest of a stop, the last chunk of which may go on."""
    size = len(rest)
    return ending[: size - 1] == rest[:-1] and len(ending) >= size and ending[size - 1].startswith(rest[-1])


def _kind_of(value: object) -> JsonType:
    kind = type_of(value)
    return JsonType.INTEGER if kind == "number" and is_integer(value) else JsonType(kind)


def _allows(leaf: Branch, kind: JsonType) -> bool:
    facts = leaf.facts
    if kind is JsonType.INTEGER:
        return "number" in facts.possible_types and facts.number.integer
    if kind is JsonType.NUMBER:
        return "number" in facts.possible_types and not facts.number.integer
    return kind.value in facts.possible_types
