"""Trees of objects: declared members in order, then those under undeclared keys."""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.automaton_tree import automaton_tree
from untemplate.lower.charset import ALL, CharSet, complement, of
from untemplate.lower.json_schema.arrays import Compile
from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.counting import Counted
from untemplate.lower.json_schema.document import Part
from untemplate.lower.json_schema.facts import ObjectFacts
from untemplate.lower.json_schema.key_classes import KeyClass, key_classes, pattern_automaton
from untemplate.lower.orders import MOST_EXACT, Member, in_any_order, in_order
from untemplate.lower.pattern_automaton import search
from untemplate.lower.pattern_nodes import text_regex
from untemplate.lower.shapes import alt, rep
from untemplate.lower.warnings import Code
from untemplate.peg.nodes import Choice, Node, Ref, Repeat, Sequence

Trie = dict[str, "Trie"]
"""The characters that may follow, each with what follows it; ``\"\"`` where a key ends."""
MOST_FOREIGN = 30
"""Keys that only other branches declare get their place in the order up to this number."""


@dataclass(frozen=True, slots=True)
class Style:
    """Choices of the caller that are not in the schema."""

    closed: bool = False
    """Undeclared keys only where the schema speaks of them."""
    any_order: bool = False
    """Members in any order."""
    any_order_on_top: bool = False
    """Members of the outermost object in any order."""


PLAIN = Style()


def object_node(
    facts: ObjectFacts, context: Context, compile_parts: Compile, *, order: tuple[str, ...], names: Automaton | None, style: Style
) -> Node | None:
    """Return the objects that fit, declared keys as in ``order``, keys as ``names`` has them; ``None`` when no object fits."""
    if facts.impossible:
        return None
    if facts.excluded:
        context.say(context.named("const", "enum"), "an object of these is not excluded")
    known = dict.fromkeys(key for facet in facts.facets for key in facet.properties)
    foreign = {key for key in order if key not in known and key not in facts.required}
    hinted = order if len(foreign) <= MOST_FOREIGN else tuple(key for key in order if key not in foreign)
    declared = dict.fromkeys(hinted)
    members: list[Member] = []
    loose: list[Member] = []
    for key in dict.fromkeys([*declared, *known, *facts.required]):
        parts = member_parts(facts, key, context, style)
        value = compile_parts(parts, key) if parts is not None and (names is None or names.matches(key)) else None
        if value is not None:
            syntax, rules = context.syntax, context.rules
            node = syntax.member(rules, syntax.fixed_key(rules, key), value)
            member = Member(rules.define(f"{key}-kv", node), key in facts.required)
            (members if key in declared else loose).append(member)
        elif key in facts.required:
            return None
    extra = _extra(facts, tuple(dict.fromkeys([*declared, *known, *facts.required])), names, context, compile_parts, style)
    return _assemble(facts, members, loose, extra, context, style)


def member_parts(facts: ObjectFacts, key: str, context: Context, style: Style) -> tuple[Part, ...] | None:
    """Return what holds for the value at ``key``; ``None`` where the key is ruled out without a schema."""
    found: list[Part] = []
    said = False
    for facet in facts.facets:
        own = [facet.properties[key]] if key in facet.properties else []
        for pattern, part in facet.patterns:
            matched = pattern_automaton(pattern, context)
            if matched is not None and matched.matches(key):
                own.append(part)
        if not own and facet.additional is not None:
            own = [facet.additional]
        said = said or bool(own)
        found += own
    if style.closed and not said and any(facet.properties for facet in facts.facets):
        return None
    return tuple(found)


def _extra(
    facts: ObjectFacts, taken: tuple[str, ...], names: Automaton | None, context: Context, compile_parts: Compile, style: Style
) -> Node | None:
    """Return a member under a key that is not ``taken``; ``None`` when there can be none."""
    ways: list[Node] = []
    for one in key_classes(facts, context, style.closed):
        value = compile_parts(one.parts, "value")
        if value is None:
            continue
        body = _key_body(one, taken, names, context)
        if body is not None:
            syntax, rules = context.syntax, context.rules
            key = rules.define("key", syntax.free_key(rules, body))
            ways.append(syntax.member(rules, key, value))
    return context.rules.define("member", alt(*ways)) if ways else None


def _key_body(one: KeyClass, taken: tuple[str, ...], names: Automaton | None, context: Context) -> Node | None:
    """Return the characters of the keys of a class that are not ``taken``."""

    def write(members: CharSet) -> Node:
        return context.syntax.char(context.rules, members)

    if one.keys is None and names is None and not context.syntax.forbidden:
        return _other_keys(taken, context)
    try:
        found = one.keys if one.keys is not None else automaton.ANY
        if names is not None:
            found = automaton.both(found, names)
        if taken:
            found = automaton.without(found, automaton.from_strings(taken))
        for mark in context.syntax.forbidden:
            found = automaton.without(found, search(text_regex(mark)).automaton)
        return None if found.empty else automaton_tree(found, context.rules, "key", write)
    except TooLargeError:
        keyword = "propertyNames" if names is not None else context.named("patternProperties", "properties", "additionalProperties")
        context.say(keyword, "the keys make too large a grammar; any key is taken", Code.BUDGET)
        return rep(write(ALL), 0, None)


def _other_keys(taken: tuple[str, ...], context: Context) -> Node:
    """Return the characters of all keys but those ``taken``: a trie, each step of which may be left for any other text."""
    rules, syntax = context.rules, context.syntax
    char = syntax.char(rules, ALL)
    if not taken:
        return rep(char, 0, None)
    known = ("keys", syntax, frozenset(taken))
    found = rules.shared.get(known)
    if found is None:
        trie: Trie = {}
        for key in taken:
            node = trie
            for character in key:
                node = node.setdefault(character, {})
            node[""] = {}
        found = rules.shared[known] = _Others(context, char).start(trie)
    return found


class _Others:
    """Writes a trie of keys as the texts that leave it."""

    def __init__(self, context: Context, char: Node) -> None:
        self.rules = context.rules
        self.syntax = context.syntax
        self.more = Repeat(item=char, minimum=1)
        self.anything = context.rules.define("chars", Repeat(item=char))

    def start(self, trie: Trie) -> Node:
        """Return the rule of the texts that are no key."""
        return self.rule(self.tree(trie, 0))

    def rule(self, node: Node) -> Node:
        if isinstance(node, Repeat) and isinstance(node.item, Ref):
            return node
        name = self.rules.reserve("key")
        self.rules.final.add(name)
        return self.rules.fill(name, node)

    def tree(self, node: Trie, depth: int) -> Node:
        """Return the texts that follow a beginning of keys and are the rest of none."""
        letters = "".join(sorted(node))
        if not letters:
            return self.more
        ways = [self.others(letters)]
        ways += [Sequence(items=(self.letter(letter), self.tree(node[letter], depth + 1))) for letter in letters]
        found: Node = Choice(options=tuple(ways))
        if "" not in node:
            found = Repeat(item=found, maximum=1)
        return self.rule(found) if depth % 8 == 7 else found

    def others(self, letters: str) -> Node:
        key = ("other keys", self.syntax, letters)
        found = self.rules.shared.get(key)
        if found is None:
            first = self.syntax.char(self.rules, complement(of(letters)))
            found = self.rules.shared[key] = self.rules.define("other", Sequence(items=(first, self.anything)))
        return found

    def letter(self, letter: str) -> Node:
        key = ("letter", self.syntax, letter)
        found = self.rules.shared.get(key)
        if found is None:
            found = self.rules.shared[key] = self.syntax.char(self.rules, of(letter))
        return found


def _assemble(
    facts: ObjectFacts, members: list[Member], loose: list[Member], extra: Node | None, context: Context, style: Style
) -> Node | None:
    syntax, rules = context.syntax, context.rules
    comma = syntax.comma(rules, members=True)
    needed = sum(member.required for member in [*members, *loose])
    most = len(members) + len(loose) if extra is None else None
    minimum = facts.minimum if facts.minimum > needed else 0
    maximum = facts.maximum if facts.maximum is not None and (most is None or facts.maximum < most) else None
    if (most is not None and facts.minimum > most) or (facts.maximum is not None and facts.maximum < needed):
        return None
    if maximum == 0:
        return syntax.empty(rules, members=True)
    if (minimum > 1 or maximum is not None or (minimum == 1 and loose)) and not style.any_order:
        limited = _count_limited(members, loose, extra, minimum, maximum, comma, context)
        if limited is not None:
            return limited
    if style.any_order:
        if minimum > 1 or maximum is not None:
            context.say("minProperties" if minimum > 1 else "maxProperties", "how many members there are is not expressed in any order")
        inside, may_be_empty, exact = in_any_order([*members, *loose], extra, comma, rules, "any")
        if not exact:
            context.say("required", f"more than {MOST_EXACT} members in any order: that each is there once is not expressed", Code.ORDER)
    elif loose:
        inside, may_be_empty = _with_loose(members, loose, extra, comma, context)
    else:
        inside, may_be_empty = in_order(members, extra, comma, rules, "object")
    if inside is None:
        return syntax.empty(rules, members=True) if facts.minimum == 0 else None
    return syntax.listing(rules, inside, members=True, may_be_empty=may_be_empty and facts.minimum == 0)


def _with_loose(members: list[Member], loose: list[Member], extra: Node | None, comma: Node, context: Context) -> tuple[Node | None, bool]:
    """Return declared members in order, then those that are not (required ones, those of dependencies), in any order with others."""
    rules = context.rules
    tail, may_be_empty, exact = in_any_order(loose, extra, comma, rules, "loose")
    assert tail is not None
    if not exact:
        context.say("required", f"more than {MOST_EXACT} undeclared members: that each is there is not expressed", Code.ORDER)
    head, empty = in_order([*members, Member(rules.define("loose", tail), not may_be_empty)], None, comma, rules, "object")
    return head, empty


def _count_limited(
    members: list[Member], loose: list[Member], extra: Node | None, minimum: int, maximum: int | None, comma: Node, context: Context
) -> Node | None:
    """Return objects with a limited number of members; ``None`` (noted) when that would take too many rules."""
    minimum, maximum = context.bounds(minimum, maximum, "minProperties", "maxProperties")
    lists = Counted(members, loose, extra, comma, context.rules, "object", minimum, maximum)
    if not lists.is_small or (minimum <= 1 and maximum is None and not loose):
        if minimum > 1 or maximum is not None:
            context.say("minProperties" if minimum > 1 else "maxProperties", "too many declared members to count them", Code.BUDGET)
        return None
    node = lists.node()
    if node is None:
        return None
    nonempty = minimum > 0 or any(member.required for member in [*members, *loose])
    return context.syntax.listing(context.rules, node, members=True, may_be_empty=not nonempty)
