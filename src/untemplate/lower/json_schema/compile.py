"""From a JSON Schema to the tree of the values that fit it: facts, choices between branches, then a tree for each type."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.automaton_tree import automaton_tree
from untemplate.lower.json_schema.arrays import array_node
from untemplate.lower.json_schema.choices import Chooser, possible, unfit
from untemplate.lower.json_schema.content import content_of
from untemplate.lower.json_schema.context import Budget, Context
from untemplate.lower.json_schema.document import Document, Part, derived
from untemplate.lower.json_schema.facts import NO_FACTS, NumberFacts, ObjectFacts, StringFacts
from untemplate.lower.json_schema.fold import gather
from untemplate.lower.json_schema.gather import Branch
from untemplate.lower.json_schema.judge import doubtful, may_fit
from untemplate.lower.json_schema.keywords import EXCLUDED
from untemplate.lower.json_schema.numbers import number_node
from untemplate.lower.json_schema.objects import PLAIN, Style, object_node
from untemplate.lower.json_schema.places import common_order, declared_members, declared_order
from untemplate.lower.json_schema.report import Report
from untemplate.lower.json_schema.strings import string_automaton, string_body
from untemplate.lower.json_schema.syntax import JSON, Syntax
from untemplate.lower.productive import endless_rules
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, any_of, chars, one_of
from untemplate.peg.nodes import Node, Ref

_MOST_DEPTH = 60
_FEW = 8
"""More values than these are a rule, which an engine's lexer can take as one token."""
_TYPE_ORDER = ("object", "array", "string", "number", "boolean", "null")
Key = tuple[tuple[tuple[str, bool], ...], tuple[str, ...]]
"""The schemas that hold, and the order of keys where it is not their own."""


class SchemaCompiler:
    """Makes trees of the values of one document; the rules go to a rule book that several compilers may share."""

    def __init__(
        self,
        document: Document,
        rules: RuleBook,
        *,
        syntax: Syntax = JSON,
        style: Style = PLAIN,
        budget: Budget | None = None,
        report: Report | None = None,
    ) -> None:
        self.document = document
        self.rules = rules
        self.syntax = syntax
        self.style = style
        self.budget = budget or Budget()
        self.report = report or Report(document.tool)
        self.chooser = Chooser(self.report)
        self._made: dict[Key, Node | None] = {}
        self._open: dict[Key, str | None] = {}
        self._siblings: dict[Syntax, SchemaCompiler] = {syntax: self}
        self._unfit: list[tuple[Part, str]] = []
        self._objects = 0
        self._places: tuple[Part, ...] = ()
        """The schemas of the value that is being made, all branches included."""
        self._recursive = False

    def sibling(self, syntax: Syntax) -> SchemaCompiler:
        """Return the compiler of the same document that writes another notation."""
        if syntax not in self._siblings:
            one = SchemaCompiler(self.document, self.rules, syntax=syntax, style=self.style, budget=self.budget, report=self.report)
            one._siblings = self._siblings
            self._siblings[syntax] = one
        return self._siblings[syntax]

    def compile(self, part: Part, hint: str = "value") -> Node:
        """Return the tree of the values that fit ``part``.

        Raises:
            SchemaError: E410 malformed, E411 unresolvable, E412 unsatisfiable, E413 too deep or too entangled.
        """
        if not isinstance(part.schema, bool | Mapping):
            raise self.document.error(part, "$schema", f"{part.schema!r:.40} is no schema", hint="A schema is an object, true or false.")
        self._unfit = []
        node = self.parts((part,), hint)
        if node is None or self._is_endless(node):
            where, keyword = self._unfit[0] if self._unfit and node is None else (part, "$ref" if node is not None else "type")
            raise self.document.error(
                where, keyword, "no value can fit", code="E412", hint="Look for bounds, types or lists that exclude each other."
            )
        return node

    def parts(
        self, parts: tuple[Part, ...], hint: str, order: tuple[str, ...] | None = None, *, within: tuple[Part, ...] | None = None
    ) -> Node | None:
        """Return the tree of the values that fit all of ``parts``; ``None`` when none does.

        Args:
            order: that of all keys which other branches at the same place declare as well.
            within: the schemas of which ``parts`` are one branch.
        """
        content = self._content(parts, order)
        if content is not None and content in self.rules.shared:
            return self.rules.shared[content]
        known = self.report.count
        outer = self._places
        self._places = within or parts
        node = self._parts(parts, hint, order)
        self._places = outer
        if content is not None and node is not None and self.report.count == known:
            self.rules.shared[content] = node
        return node

    def _content(self, parts: tuple[Part, ...], order: tuple[str, ...] | None) -> Hashable | None:
        """Return a key for what a single schema says, if that is all said in it, in this notation and style."""
        if len(parts) != 1 or parts[0].negated or parts[0].made is not None:
            return None
        said = content_of(parts[0].schema)
        if said is None:
            return None
        on_top = self.style.any_order_on_top and self._objects == 0
        return ("schema", said, self.syntax, self.style, on_top, self.document.draft, order)

    def _parts(self, parts: tuple[Part, ...], hint: str, order: tuple[str, ...] | None) -> Node | None:
        own = tuple(declared_order(self.document, parts))
        order = common_order(own, order)
        asked = tuple(
            sorted({(part.key, part.negated) for part in parts if part.negated or (part.schema is not True and part.schema != {})})
        )
        key = (asked, () if order == own else order)
        if key in self._made:
            return self._made[key]
        shared = ("any value", self.syntax)
        if not asked and shared in self.rules.shared:
            return self.rules.shared[shared]
        hint = hint if asked else "value"
        if key in self._open:
            again = self._open[key] or self.rules.reserve(hint)
            self._open[key] = again
            self._recursive = self._recursive or bool(asked)
            return Ref(name=again)
        if len(self._open) > _MOST_DEPTH:
            raise self.document.error(parts[0], "properties", f"schemas are nested deeper than {_MOST_DEPTH}", code="E413")
        self._open[key] = None
        branch = gather(self.document, self.report, parts)
        node = self._branch(branch, order, hint)
        name = self._open.pop(key)
        if node is None:
            self._unfit.append(unfit(branch) or (parts[0] if parts else self.document.root, "type"))
        elif name is not None:
            node = self.rules.fill(name, node)
        else:
            node = self.rules.define(hint, node)
        self._made[key] = node
        if not asked and node is not None:
            self.rules.shared[shared] = node
        return node

    def branch_of(self, branch: Branch, hint: str) -> Node | None:
        """Return the tree of the values of a branch that was gathered outside; ``None`` when there are none."""
        node = self._branch(branch, tuple(declared_order(self.document, tuple(branch.parts))), hint)
        return self.rules.define(hint, node) if node is not None else None

    def _is_endless(self, node: Node) -> bool:
        """Tell whether every value of a recursive schema would hold another one without end."""
        if not isinstance(node, Ref) or not self._recursive:
            return False
        return node.name in endless_rules(self.rules.rules)

    def raw_text(self, schema: Mapping[str, Any], hint: str) -> Node | None:
        """Return the characters of the strings of a schema without references, as they are; ``None`` where that is too large."""
        branch = gather(self.document, Report(), (Part("\0raw", schema, ""),))
        context = Context(self.rules, self.syntax, self.budget, Report(), branch.parts)
        found = string_automaton(branch.facts.string, context)
        try:
            return None if found is None or found.empty else self.rules.define(hint, automaton_tree(found, self.rules, hint, chars))
        except TooLargeError:
            return None

    def _branch(self, branch: Branch, order: tuple[str, ...], hint: str) -> Node | None:
        """Return the tree of a branch, settling its open choices one after another."""
        branch, options, alternatives = self.chooser.next(branch)
        if branch.dead or not possible(branch):
            return None
        if options is None:
            return self._leaf(branch, order, hint)
        nodes: list[Node] = []
        for alternative in alternatives:
            if branch.facts == NO_FACTS and len(branch.options) == 1:
                node = self.parts(alternative, hint, order, within=self._places)
            else:
                node = self._branch(branch.extended(alternative, without=options), order, hint)
            if node is not None:
                nodes.append(node)
        return alt(*nodes) if nodes else None

    def _leaf(self, branch: Branch, order: tuple[str, ...], hint: str) -> Node | None:
        facts = branch.facts
        context = Context(self.rules, self.syntax, self.budget, self.report, branch.parts)
        if facts.values is not None:
            fitting = [value for value in facts.values if may_fit(self.document, value, branch.parts)]
            for part, keyword in (found for value in fitting for found in doubtful(self.document, value, branch.parts)):
                self.report.about([part], keyword, "it cannot be told which of the listed values fit it; they are taken")
            node = one_of(self.syntax.constant(self.rules, value) for value in fitting) if fitting else None
            return self.rules.define("enum", node) if node is not None and len(fitting) > _FEW else node
        nodes: list[Node] = []
        for kind in _TYPE_ORDER:
            if kind in facts.types:
                node = self._typed(kind, branch, context, order, hint)
                if node is not None:
                    nodes.append(node)
        return alt(*nodes) if nodes else None

    def _typed(self, kind: str, branch: Branch, context: Context, order: tuple[str, ...], hint: str) -> Node | None:
        facts = branch.facts
        own = self.syntax.of_kind(kind)
        if own is not self.syntax:
            return self.sibling(own)._typed(kind, branch, replace(context, syntax=own), order, hint)
        match kind:
            case "object":
                node = self._object(facts.object, context, order)
                return self.rules.define(f"{hint}-object", node) if node is not None and len(facts.types) > 1 else node
            case "array":
                node = array_node(facts.array, context, self.sibling(self.syntax.item_syntax).parts, self._listed)
                return self.rules.define(f"{hint}-array", node) if node is not None and len(facts.types) > 1 else node
            case "string":
                return self._string(facts.string, context, hint)
            case "number":
                return self._number(facts.number, context)
            case "boolean":
                return self._words((True, False), branch)
            case _:
                return self._words((None,), branch)

    def _number(self, facts: NumberFacts, context: Context) -> Node | None:
        key = ("number", facts, self.document.draft > 4)
        if key in self.rules.shared:
            return self.rules.shared[key]
        node = number_node(facts, context, whole_points=self.document.draft > 4)
        if node is not None and not context.said:
            self.rules.shared[key] = node
        return node

    def _object(self, facts: ObjectFacts, context: Context, order: tuple[str, ...]) -> Node | None:
        names = self._names(facts, context)
        style = replace(self.style, any_order=True) if self.style.any_order_on_top and self._objects == 0 else self.style
        self._objects += 1
        try:
            members = declared_members(self.document, self._places)
            values = self.sibling(self.syntax.member_syntax)

            def value_at(parts: tuple[Part, ...], key: str) -> Node | None:
                return values.parts(parts, key, self._order_within(members.get(key, ()), parts))

            return object_node(facts, context, value_at, order=order, names=names, style=style)
        finally:
            self._objects -= 1

    def _order_within(self, schemas: tuple[Part, ...], parts: tuple[Part, ...]) -> tuple[str, ...] | None:
        """Return the order of the keys that ``parts`` declare, where all ``schemas`` at the place put them in another one."""
        if len(schemas) < 2:
            return None
        own = declared_order(self.document, parts)
        order = [key for key in declared_order(self.document, schemas) if key in own]
        return tuple(order) if order != own and len(order) == len(own) else None

    def _string(self, facts: StringFacts, context: Context, hint: str) -> Node | None:
        ways: list[Node] = []
        for style in self.syntax.styles:
            body = string_body(facts, replace(context, syntax=style), f"{hint}-text")
            if body is not None:
                ways.append(self.rules.define("string", style.string(self.rules, body)))
        return alt(*ways) if ways else None

    def _listed(self, parts: tuple[Part, ...]) -> list[Any] | None:
        """Return the values that fit ``parts``, where an ``enum`` or ``const`` lists them."""
        branch = gather(self.document, Report(), parts)
        if branch.facts.values is None:
            return None
        return [value for value in branch.facts.values if may_fit(self.document, value, branch.parts)]

    def _words(self, values: tuple[bool | None, ...], branch: Branch) -> Node | None:
        if any(part.negated or EXCLUDED in part.schema for part in branch.parts):
            values = tuple(value for value in values if may_fit(self.document, value, branch.parts))
        return any_of(self.syntax.word(value) for value in values) if values else None

    def _names(self, facts: ObjectFacts, context: Context) -> Automaton | None:
        """Return the automaton of keys that ``propertyNames`` allows; ``None`` where it allows all."""
        if not facts.names:
            return None
        branch = gather(self.document, self.report, (*facts.names, derived(facts.names[0], {"type": "string"}, "name")))
        branch, options, _ = self.chooser.next(branch)
        if branch.dead:
            return automaton.NONE
        if options is not None:
            context.say("propertyNames", f"{options.keyword} in it is not expressed")
        if branch.facts.values is not None:
            return automaton.from_strings(v for v in branch.facts.values if isinstance(v, str) and may_fit(self.document, v, facts.names))
        return string_automaton(branch.facts.string, Context(self.rules, self.syntax, self.budget, self.report, branch.parts))
