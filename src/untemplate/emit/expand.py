"""From an arena to plain rules: look-arounds vanish, JSON and schemas are written out, free text becomes an automaton.

Free text has to know what comes after it. So a tree is written in continuation-passing style wherever free text is
involved: ``follow`` is all that comes after a node up to the end of the turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from untemplate.emit.gbnf_reader import read_gbnf
from untemplate.emit.heads import Items, first_texts, heads, share_beginnings
from untemplate.emit.settle import Leaf, settle
from untemplate.errors import GrammarError
from untemplate.lower import charset
from untemplate.lower.json_schema.compile import SchemaCompiler
from untemplate.lower.json_schema.context import Budget
from untemplate.lower.json_schema.document import Document, Part
from untemplate.lower.json_schema.syntax import JSON, Syntax
from untemplate.lower.json_schema.syntaxes import PYTHON, MarkedSyntax
from untemplate.lower.marks import chunks, is_marker
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import EMPTY, alt, apart, chars, literal, opt, rep, seq
from untemplate.lower.text_rules import EDGE, Exit, Stop, TextRules
from untemplate.lower.warnings import GrammarWarning
from untemplate.peg.nodes import (
    Any,
    Any_,
    Arena,
    Characters,
    Choice,
    End,
    Gbnf,
    Json,
    JsonKind,
    Literal,
    Node,
    Ref,
    Repeat,
    Schema,
    Sequence,
    Space,
    Until,
)

_RETURN = Ref(name="\0return")
"""Stands for whatever follows a rule, which is not known inside it."""
_KINDS = {JsonKind.OBJECT: "object", JsonKind.ARRAY: "array", JsonKind.STRING: "string", JsonKind.NUMBER: "number"}


@dataclass(frozen=True, slots=True)
class Native:
    """What an engine has words of its own for."""

    schema: Any_ = None
    """A JSON value that fits this schema."""
    until: str | None = None
    """Any text up to and including the first place where this stands."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """Plain rules with a ``root``."""

    rules: dict[str, Node]
    frame: frozenset[str]
    """Rules made of several tokens, which an engine's lexer should not see as one."""
    warnings: tuple[GrammarWarning, ...]
    native: dict[str, Native]
    """Rules that were left to the engine, where that was asked for."""


def expand(arena: Arena, *, given: Mapping[str, Node] | None = None, behind: str = "", native: bool = False) -> Expanded:
    """Return plain rules that write what the strict side of ``arena`` writes, and what was widened.

    Args:
        given: rules that the arena refers to and that are plain already.
        behind: a text that has been written already: only what may follow it there is left.
        native: schemas without references and text up to a single marker are left to the engine.

    Raises:
        GrammarError: E403 for a look-around that a grammar cannot say.
    """
    return _Expander(arena, given or {}, leaves_native=native).expand(behind)


class _Expander:
    def __init__(self, arena: Arena, given: Mapping[str, Node], *, leaves_native: bool) -> None:
        self.leaves_native = leaves_native
        self.native: dict[str, Native] = {}
        settled, self.leaves = settle(arena, given)
        self.given = given
        self.source: Mapping[str, Node] = {**given, **settled}
        self.root = arena.root
        self.rules = RuleBook(given)
        self.rules.rules.update(given)
        self.texts = TextRules(self.rules)
        self.budget = Budget()
        self.warnings: dict[GrammarWarning, None] = {}
        self.texty = _text_rules(settled)
        self.names: dict[str, str] = {}
        self.made: dict[Items, Node] = {}
        self.open: dict[Items, str | None] = {}
        self.frame: set[str] = set()
        self.barred: dict[Items, dict[str, None]] = {}
        """Markers that begin where a text begins: it does not begin with one."""
        self.beside: set[Items] = set()
        """Text that begins where another literal begins: both are written character by character."""

    def expand(self, behind: str) -> Expanded:
        root = self.behind((self.source[self.root],), behind)
        self.rules.rules["root"] = root
        return Expanded(dict(self.rules.rules), frozenset(self.frame), tuple(self.warnings), self.native)

    def behind(self, items: Items, text: str) -> Node:
        """Return what ``items`` write behind the beginning ``text`` of theirs; all of it where nothing begins so."""
        ways: list[Node] = []
        for begun, rest in heads(items, self.source) if text else []:
            if begun is not None and begun.startswith(text):
                ways.append(apart(literal(begun[len(text) :]), self.write(rest)))
            elif begun and text.startswith(begun):
                ways.append(self.behind(rest, text[len(begun) :]))
        return alt(*ways) if ways else self.write(items)

    def write(self, items: Items) -> Node:
        """Return what ``items`` write, all that follows included; the same items are written once."""
        if items in self.made:
            return self.made[items]
        if items in self.open:
            again = self.open[items] or self.rules.reserve("turn")
            self.open[items] = again
            self.frame.add(again)
            return Ref(name=again)
        self.open[items] = None
        node = self.written(items)
        name = self.open.pop(items)
        if name is not None:
            node = self.rules.fill(name, node)
        elif len(items) > 1 and not isinstance(node, Literal | Ref) and node != EMPTY:
            node = self.rules.define("turn", node)
            self.frame.update((node.name,) if isinstance(node, Ref) else ())
        self.made[items] = node
        return node

    def written(self, items: Items) -> Node:
        if not items:
            return EMPTY
        first, rest = items[0], items[1:]
        if first == _RETURN:
            return EMPTY
        if not self.has_text(first):
            return self.before_text(first, rest) if self.begins_with_text(rest) else apart(self.plain(first), self.write(rest))
        match first:
            case Sequence(items=inner):
                return self.written((*inner, *rest))
            case Choice(options=options):
                return self.branches([(option, *rest) for option in options])
            case Repeat(item=inner, minimum=0, maximum=1):
                return self.branches([(inner, *rest), rest])
            case Repeat():
                return self.written((self.loop(first), *rest))
            case Ref(name=name):
                return self.reference(name, rest)
            case Until():
                return self.until(first, rest)
            case _:
                raise GrammarError(f"{type(first).__name__} around free text cannot be written", code="E403")

    def before_text(self, first: Node, rest: Items) -> Node:
        """Return a node without free text, directly before some: where it may be left out, the text is a way of its own."""
        match first:
            case Space(written=white):
                marked = [(text, after) for text, after in heads(rest, self.source) if white and text and is_marker(text)]
                return alt(self.write(rest), *(apart(literal(white + text), self.write(after)) for text, after in marked))
            case Repeat(item=inner, minimum=0, maximum=1):
                return self.branches([(inner, *rest), rest])
            case Choice(options=options):
                return self.branches([(option, *rest) for option in options])
            case Sequence(items=inner):
                return self.written((*inner, *rest))
            case _:
                return apart(self.plain(first), self.write(rest))

    def branches(self, ways: list[Items]) -> Node:
        """Return a choice; where free text is one way, it begins with no marker that another one begins with.

        Other literals, such as a brace, may begin a text. They are written character by character then, and the text with them: an
        engine with a lexer would otherwise take the beginning of a literal for a token that the text does not finish.
        """
        texts = any(self.begins_with_text(way) for way in ways)
        begun = [head for way in ways for head in heads(way, self.source)]
        shared = share_beginnings(ways, self.source)
        if not (texts or shared):
            return alt(*(self.write(way) for way in ways))
        if not shared and all(is_marker(text) if text is not None else not rest or isinstance(rest[0], Until) for text, rest in begun):
            for rest in (rest for text, rest in begun if text is None and rest):
                self.barred.setdefault(rest, {}).update((text, None) for text, _ in begun if text is not None)
            begun = [head for way in ways for head in heads(way, self.source, laid_out=True)]
            return alt(*(self.write(rest) if text is None else apart(literal(text), self.write(rest)) for text, rest in begun))
        self.beside.update(
            rest
            for text, rest in begun
            if text is None or any(other is not None and other != text and other.startswith(text) for other, _ in begun)
        )
        laid_out = [(text, rest) for way in ways for text, rest in heads(way, self.source, laid_out=True) if text]
        shorter = [(text, rest) for text, rest in laid_out if any(each != text and each.startswith(text) for each, _ in laid_out)]
        begins = () if texts or any(self.begins_with_text(rest) for _, rest in shorter) else tuple(text for text, _ in shorter)
        return alt(*(self.write(way) if self.begins_with_text(way) else self.spelled(way, begins) for way in ways))

    def spelled(self, way: Items, begins: tuple[str, ...]) -> Node:
        """Return a way with its literals character by character; beside ``begins`` alone, only as far as another one is their beginning."""
        ways: list[Node] = []
        for text, rest in heads(way, self.source, laid_out=True):
            if text is None:
                ways.append(self.write(rest))
            else:
                shared = max((len(each) for each in begins if each != text and text.startswith(each)), default=0)
                size = shared or len(text)
                ways.append(apart(*(literal(character) for character in text[:size]), literal(text[size:]), self.write(rest)))
        return alt(*ways)

    def begins_with_text(self, way: Items) -> bool:
        return any(text is None and rest and isinstance(rest[0], Until) for text, rest in heads(way, self.source))

    def loop(self, node: Repeat) -> Node:
        """Return a repetition as a recursive rule of the source, so that it can be followed into."""
        optional = Choice(options=(node.item, EMPTY))
        if node.maximum is not None:
            return Sequence(items=(*([node.item] * node.minimum), *([optional] * (node.maximum - node.minimum))))
        name = f"\0loop-{len(self.source)}"
        body = Choice(options=(Sequence(items=(node.item, Ref(name=name))), EMPTY))
        self.source = {**self.source, name: body}
        self.texty = self.texty | {name}
        return Sequence(items=(*([node.item] * node.minimum), Ref(name=name)))

    def reference(self, name: str, rest: Items) -> Node:
        """Return a rule with free text in it: opened where the text may reach its end, else a rule of its own."""
        if rest in ((), (_RETURN,)) or self.is_open(name):
            return self.write((self.source[name], *rest))
        return apart(self.rule(name), self.write(rest))

    def is_open(self, name: str) -> bool:
        return any(_ends_open((self.source[name],), self.source, set()))

    def rule(self, name: str) -> Node:
        if name in self.given:
            return Ref(name=name)
        if name not in self.names:
            self.names[name] = self.rules.reserve(name)
            self.rules.fill(self.names[name], self.body(name))
        return Ref(name=self.names[name])

    def body(self, name: str) -> Node:
        if name in self.leaves:
            return self.leaf(self.leaves[name], name)
        return self.written((self.source[name], _RETURN)) if name in self.texty else self.plain(self.source[name])

    def until(self, node: Until, rest: Items) -> Node:
        barred = dict.fromkeys((*node.unbegun, *self.barred.get((node, *rest), ())))
        stops = (*self.stops(node), *((EDGE, *chunks(text)) for text in barred))
        exits: list[Exit] = []
        may_end = False
        for text, following in heads(rest, self.source):
            if text is not None:
                exits.append(Exit(text, self.write(following)))
            elif not following or following == (_RETURN,):
                may_end = True
            else:  # text up to something that is not literal: both may meet anywhere
                exits_here = self.texts.text(stops, (), may_end=True, alone=False)
                return apart(exits_here, self.write(rest))
        if self.leaves_native and not may_end and len(exits) == 1 and stops == ((exits[0].text,),):
            return apart(self.left_to_engine("text", Native(until=exits[0].text)), exits[0].then)
        return self.texts.text(stops, exits, may_end=may_end, alone=(node, *rest) not in self.beside)

    def left_to_engine(self, hint: str, native: Native) -> Node:
        name = self.rules.reserve(hint)
        self.native[name] = native
        return self.rules.fill(name, EMPTY)

    def stops(self, node: Until) -> tuple[Stop, ...]:
        if node.confirm is not None:
            confirmed = first_texts(node.confirm, self.source)
            if confirmed is not None and all(text and any(text[0].startswith(stop) for stop in node.stops) for text in confirmed):
                return tuple(confirmed)
        return tuple((stop,) for stop in node.stops)

    def has_text(self, node: Node) -> bool:
        return _has_text(node, self.texty)

    def plain(self, node: Node) -> Node:
        """Return a node without free text in it, written out."""
        match node:
            case Literal(text=text):
                return literal(text)
            case Characters(minimum=minimum, maximum=maximum, ranges=ranges, negated=negated):
                return rep(Characters(ranges=ranges, negated=negated, emit=False), minimum, maximum)
            case Any():
                return chars(charset.ALL)
            case Sequence(items=items):
                return apart(*(self.plain(item) for item in items))
            case Choice(options=options):
                return alt(*(self.plain(option) for option in options))
            case Repeat(item=item, minimum=minimum, maximum=maximum):
                return rep(self.plain(item), minimum, maximum)
            case End():
                return EMPTY
            case Space(written=written):
                return _up_to(written)
            case Ref(name=name):
                return self.rule(name)
            case _:
                raise GrammarError(f"{type(node).__name__} cannot be written here", code="E403")

    def leaf(self, node: Leaf, name: str) -> Node:
        """Return a value or a grammar of its own, written out."""
        match node:
            case Json():
                return self.json(node)
            case Schema() if self.leaves_native and node.schema is node.root:
                return self.left_to_engine("schema", Native(schema=node.schema))
            case Schema():
                return self.schema(node)
            case Gbnf(text=text):
                return read_gbnf(text, self.rules, "given")

    def json(self, node: Json) -> Node:
        syntax: Syntax = JSON
        if node.quotes or node.bare_keys:
            opening, closing = node.quotes[0] if node.quotes else ('"', '"')
            syntax = MarkedSyntax(opening, closing, bare_keys=node.bare_keys)
        elif node.python:
            syntax = PYTHON
        schema = {"type": _KINDS[node.kind]} if node.kind in _KINDS else {}
        return SchemaCompiler(Document(schema), self.rules, syntax=syntax, budget=self.budget).compile(Part("", schema, ""), "json")

    def schema(self, node: Schema) -> Node:
        compiler = SchemaCompiler(Document(node.root, node.tool), self.rules, budget=self.budget)
        found = compiler.compile(Part(node.pointer, node.schema, node.pointer), "schema")
        self.warnings.update(dict.fromkeys(compiler.report.warnings))
        return found


def _up_to(text: str) -> Node:
    node: Node = EMPTY
    for character in reversed(text):
        node = opt(seq(literal(character), node))
    return node


def _has_text(node: Node, texty: frozenset[str]) -> bool:
    match node:
        case Until():
            return True
        case Ref(name=name):
            return name in texty
        case Sequence(items=items):
            return any(_has_text(item, texty) for item in items)
        case Choice(options=options):
            return any(_has_text(option, texty) for option in options)
        case Repeat(item=item):
            return _has_text(item, texty)
        case _:
            return False


def _text_rules(rules: Mapping[str, Node]) -> frozenset[str]:
    """Return the rules in which free text stands, directly or through others."""
    found: frozenset[str] = frozenset()
    while True:
        more = frozenset(name for name, node in rules.items() if name not in found and _has_text(node, found))
        if not more:
            return found
        found |= more


def _ends_open(items: Items, rules: Mapping[str, Node], seen: set[str]) -> list[bool]:
    """Return whether free text may be the last thing in ``items``, for each way to end."""
    while items:
        last = items[-1]
        match last:
            case Until():
                return [True]
            case Sequence(items=inner):
                items = (*items[:-1], *inner)
                continue
            case Choice(options=options):
                return [one for option in options for one in _ends_open((*items[:-1], option), rules, seen)]
            case Repeat(item=inner, minimum=minimum):
                ways = _ends_open((inner,), rules, seen)
                return ways if minimum else [*ways, *_ends_open(items[:-1], rules, seen)]
            case Ref(name=name) if name in rules and name not in seen:
                seen.add(name)
                return _ends_open((rules[name],), rules, seen)
            case Space() | End():
                items = items[:-1]
                continue
            case _:
                return [False]
    return [False]
