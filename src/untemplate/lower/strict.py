"""The calls of a turn as a grammar writes them: for each tool its own, with sections, separators and lists around.

Read ``strict_calls`` next, then ``strict_pairs`` and ``strict_values``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from untemplate.lower.json_schema.compile import SchemaCompiler
from untemplate.lower.json_schema.context import Budget
from untemplate.lower.json_schema.document import Document
from untemplate.lower.json_schema.objects import Style
from untemplate.lower.json_schema.report import Report
from untemplate.lower.json_schema.syntax import JSON
from untemplate.lower.json_schema.syntaxes import PYTHON
from untemplate.lower.request import Request, Tool
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import EMPTY, alt, literal, rep, seq
from untemplate.lower.signs import boundary_texts, read_signs
from untemplate.lower.strict_calls import CallWriter
from untemplate.lower.text_rules import Stop, TextRules
from untemplate.lower.tool_schema import property_names
from untemplate.lower.warnings import GrammarWarning
from untemplate.peg.arena import references
from untemplate.peg.builder import ArenaBuilder
from untemplate.peg.nodes import Choice, Node, Space
from untemplate.spec.model import Calls, Marker, Spec

_ABOUT = ("title", "description", "$schema", "$id", "$comment", "$defs", "definitions")
_MANY_KEYS = 300
_ELSEWHERE: Node = Choice(options=())
_STYLE = Style(closed=True, any_order_on_top=True)
_PAIRED = Style(closed=True)
"""Arguments are the declared ones, in any order; objects inside them keep the order of their schema."""


class StrictCalls:
    """Makes the calls of a turn for a grammar; ``warnings`` has what their schemas ask and it does not hold.

    The calls of many tools are many rules, of literals and references only. They are handed on in ``rules``; the arena of the
    turn has an empty rule for each that the turn itself refers to.
    """

    def __init__(self) -> None:
        self.rules: dict[str, Node] = {}
        """The rules of the calls, written out."""
        self._warnings: dict[GrammarWarning, None] = {}

    @property
    def warnings(self) -> tuple[GrammarWarning, ...]:
        """What the calls made so far allow although they should not."""
        return tuple(self._warnings)

    def __call__(self, spec: Spec, request: Request, rules: ArenaBuilder) -> Node:
        """Return the calls with what stands around and between them; the rules they need are in ``self.rules``.

        Raises:
            SchemaError: the parameters of a tool are malformed, refer to nothing, or nothing fits them.
        """
        assert spec.turn.calls is not None
        book = RuleBook(rules.rules)
        structure = boundary_texts(read_signs(spec, with_calls=True))
        wanted = [tool for tool in request.callable_tools if request.named in (None, tool.name)]
        keys = sum(len(property_names(tool.parameters, tool.parameters) or ()) for tool in wanted)
        shared = _Shared(book, TextRules(book), Budget(), structure, keys > _MANY_KEYS)
        calls = [self._call(tool, spec, shared) for tool in wanted]
        single = not request.parallel or request.named is not None or spec.capabilities.max_calls == 1
        node = _listed(spec.turn.calls, book.define("call", alt(*calls)), single=single, book=book)
        self.rules = book.rules
        rules.rules.update(dict.fromkeys(references(node), _ELSEWHERE))
        return node

    def _call(self, tool: Tool, spec: Spec, shared: _Shared) -> Node:
        assert spec.turn.calls is not None
        form = spec.turn.calls.forms[0]
        document = Document(_closed(tool.parameters), tool.name)
        report = Report(tool.name)
        paired = form.arguments is not None and form.arguments.object is not None
        compiler = SchemaCompiler(document, shared.book, style=_PAIRED if paired else _STYLE, budget=shared.budget, report=report)
        id_pattern = spec.capabilities.id_pattern
        try:
            writer = CallWriter(
                tool.name,
                form,
                compiler,
                shared.texts,
                id_pattern=id_pattern,
                structure=shared.structure,
                many_keys=shared.many_keys,
            )
            node = writer.node()
        except RecursionError:
            raise document.error(document.root, "properties", "schemas are nested too deeply", code="E413") from None
        self._warnings.update(dict.fromkeys(report.warnings))
        return shared.book.define(f"call-{tool.name}", node)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the calls of all tools are made with."""

    book: RuleBook
    texts: TextRules
    budget: Budget
    structure: tuple[Stop, ...]
    """What may follow a call."""
    many_keys: bool
    """There are so many keys that text values cannot have rules of their own for each."""


def _closed(parameters: Any) -> Any:
    """Return parameters with none allowed where they list none and say no more.

    Source: OpenAI's API, where leaving the parameters out means that there are none.
    """
    if not isinstance(parameters, Mapping) or parameters.get("required"):
        return parameters
    if parameters and parameters.get("properties") != {}:
        return parameters
    says_more = set(parameters) - {"type", "properties", "required", *_ABOUT}
    return parameters if says_more else {**parameters, "additionalProperties": False}


def _listed(calls: Calls, call: Node, *, single: bool, book: RuleBook) -> Node:
    """Return one call or more, in their section or without."""
    form, section = calls.forms[0], calls.section
    opened = _marker(section.open)
    closed = _marker(section.close)
    alone = rep(closed, 0, 1) if section.close_several_only else closed
    if form.json is not None and form.json.array:
        syntax = PYTHON if form.json.python else JSON
        more = EMPTY if single else rep(seq(syntax.comma(book, members=False), call), 0, None)
        listed = syntax.listing(book, seq(call, more), members=False, may_be_empty=False)
        return seq(opened, _marker(form.open), listed, closed)
    one = seq(_marker(form.open), call)
    if single:
        return one if section.several_only else seq(opened, one, alone)
    between = _separator(section.separator)
    if section.several_only:
        several = seq(opened, one, rep(seq(between, one), 1, None), closed)
        return alt(several, one)
    if section.close_several_only:
        return seq(opened, one, alt(seq(rep(seq(between, one), 1, None), closed), alone))
    return seq(opened, one, rep(seq(between, one), 0, None), closed)


def _marker(marker: Marker | None) -> Node:
    """Return a marker with the white space around it free."""
    if marker is None:
        return EMPTY
    before = Space(written=marker.before) if marker.before else EMPTY
    after = Space(written=marker.after) if marker.after else EMPTY
    return seq(before, literal(marker.core), after)


def _separator(text: str) -> Node:
    if not text.strip():
        return Space(written=text) if text else EMPTY
    return _marker(Marker(core=text.strip(), before=text[: len(text) - len(text.lstrip())], after=text[len(text.rstrip()) :]))
