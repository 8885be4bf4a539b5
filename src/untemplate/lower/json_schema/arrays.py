"""Trees of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.document import Part
from untemplate.lower.json_schema.facts import ArrayFacts
from untemplate.lower.orders import MOST_EXACT, Member, in_any_order
from untemplate.lower.shapes import EMPTY, opt, rep, seq
from untemplate.peg.nodes import Node

Compile = Callable[[tuple[Part, ...], str], Node | None]
"""Returns the tree of values that fit all parts; ``None`` when none does."""


Values = Callable[[tuple[Part, ...]], list[Any] | None]
"""Returns the values that fit all parts, where the schemas list them."""


def array_node(facts: ArrayFacts, context: Context, compile_parts: Compile, values_of: Values) -> Node | None:
    """Return the arrays that fit; ``None`` when none does."""
    if facts.impossible:
        return None
    if facts.excluded:
        context.say(context.named("const", "enum"), "a list of these is not excluded")
    if facts.unique and (facts.maximum is None or facts.maximum > 1):
        few = _all_different(facts, context, values_of)
        if few is not None:
            return few
        context.say("uniqueItems", "that items differ is not expressed")
    positions = max((len(facet.prefix) for facet in facts.facets), default=0)
    if facts.contains and (single := _containing(facts, context, compile_parts)) is not None:
        return single
    maximum = facts.maximum
    prefix: list[Node] = []
    for index in range(positions if maximum is None else min(positions, maximum)):
        node = compile_parts(_parts_at(facts, index), "item")
        if node is None:
            maximum = index
            break
        prefix.append(node)
    rest = None
    if maximum is None or maximum > positions:
        rest = compile_parts(_parts_at(facts, positions), "item")
        if rest is None:
            maximum = positions
    if maximum is not None and maximum < facts.minimum:
        return None
    return _list(context, prefix, rest, facts.minimum, maximum)


def _all_different(facts: ArrayFacts, context: Context, values_of: Values) -> Node | None:
    """Return arrays of different values, where the schema lists a few; ``None`` where it does not, or bounds their number."""
    if facts.minimum > 1 or facts.contains or any(facet.prefix for facet in facts.facets):
        return None
    values = values_of(_parts_at(facts, 0))
    if values is None or len(values) >= MOST_EXACT or (facts.maximum is not None and facts.maximum < len(values)):
        return None
    syntax, rules = context.syntax.item_syntax, context.rules
    members = [Member(syntax.item(rules, rules.define("constant", syntax.constant(rules, value))), required=False) for value in values]
    inside, _, _ = in_any_order(members, None, context.syntax.comma(rules, members=False), rules, "different")
    if inside is None:
        return context.syntax.empty(rules, members=False) if facts.minimum == 0 else None
    return context.syntax.listing(rules, inside, members=False, may_be_empty=facts.minimum == 0)


def _parts_at(facts: ArrayFacts, index: int) -> tuple[Part, ...]:
    """Return what holds for the item at ``index``."""
    found: list[Part] = []
    for facet in facts.facets:
        if index < len(facet.prefix):
            found.append(facet.prefix[index])
        elif facet.rest is not None:
            found.append(facet.rest)
    return tuple(found)


def _containing(facts: ArrayFacts, context: Context, compile_parts: Compile) -> Node | None:
    """Return arrays in which some item fits ``contains``, where that is expressible; else note it and return ``None``."""
    wanted = facts.contains[0]
    simple = len(facts.contains) == 1 and wanted.minimum == 1 and wanted.maximum is None
    simple = simple and facts.minimum <= 1 and facts.maximum is None and not any(facet.prefix for facet in facts.facets)
    if all(one.minimum == 0 and one.maximum is None for one in facts.contains):
        return None
    if not simple:
        context.say("contains", "that some item fits is not expressed together with bounds")
        if any(one.minimum != 1 for one in facts.contains):
            context.say("minContains", "how many items fit is not expressed")
        if any(one.maximum is not None for one in facts.contains):
            context.say("maxContains", "how many items fit is not expressed")
        return None
    parts = _parts_at(facts, 0)
    chosen = compile_parts((*parts, wanted.part), "item")
    item = compile_parts(parts, "item")
    if chosen is None or item is None:
        context.say("contains", "no item fits; this is not excluded")
        return None
    syntax, rules = context.syntax, context.rules
    comma = syntax.comma(rules, members=False)
    before = rep(seq(syntax.item(rules, item), comma), 0, None)
    after = rep(seq(comma, syntax.item(rules, item)), 0, None)
    return syntax.listing(rules, seq(before, syntax.item(rules, chosen), after), members=False, may_be_empty=False)


def _list(context: Context, prefix: list[Node], rest: Node | None, minimum: int, maximum: int | None) -> Node | None:
    syntax, rules = context.syntax, context.rules
    minimum, maximum = context.bounds(minimum, maximum, "minItems", "maxItems")
    comma = syntax.comma(rules, members=False)
    inside: Node = EMPTY
    count = len(prefix)
    if rest is not None:
        item = syntax.item(rules, rest)
        more = seq(comma, item)
        if count:
            inside = rep(more, max(0, minimum - count), None if maximum is None else maximum - count)
        elif maximum is None or maximum > 0:
            inside = seq(item, rep(more, max(0, minimum - 1), None if maximum is None else maximum - 1))
    for index in range(count - 1, -1, -1):
        item = syntax.item(rules, prefix[index])
        inside = seq(comma if index else EMPTY, item, inside)
        if index and index >= minimum:
            inside = opt(inside)
    if inside == EMPTY:
        return syntax.empty(rules, members=False) if minimum == 0 else None
    return syntax.listing(rules, inside, members=False, may_be_empty=minimum == 0)
