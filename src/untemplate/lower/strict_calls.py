"""One call of one tool as a grammar writes it: a JSON value, or literal text with fields."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from untemplate.lower import charset
from untemplate.lower.json_schema.compile import SchemaCompiler
from untemplate.lower.json_schema.document import Part, derived
from untemplate.lower.json_schema.syntax import JSON, Syntax
from untemplate.lower.json_schema.syntaxes import PYTHON, TEXT
from untemplate.lower.marks import chunks, next_chunk
from untemplate.lower.shapes import EMPTY, chars, literal, rep, seq
from untemplate.lower.strict_pairs import PairWriter, Tail
from untemplate.lower.text_rules import Stop, TextRules
from untemplate.peg.nodes import Node
from untemplate.spec.model import Arguments, CallForm, Encoding, Field, FieldName, JsonCall, Text

_DIGITS = rep(chars(charset.of("0123456789")), 1, 4)
_IN_ID = charset.of(f"{string.ascii_letters}{string.digits}_-.:")
_LONGEST_ID = 64


class CallWriter:
    """Writes the calls of one tool."""

    def __init__(
        self,
        name: str,
        form: CallForm,
        compiler: SchemaCompiler,
        texts: TextRules,
        *,
        id_pattern: str | None,
        structure: tuple[Stop, ...],
        many_keys: bool,
    ) -> None:
        self.name = name
        self.form = form
        self.compiler = compiler
        self.rules = compiler.rules
        self.texts = texts
        self.id_pattern = None if id_pattern is None else f"^(?:{id_pattern})$"
        self.structure = structure
        self.many_keys = many_keys

    def node(self) -> Node:
        """Return the call without the marker that opens it; what closes it is there, but in a list of JSON calls."""
        if self.form.json is not None:
            body = self._json(self.form.json)
            return body if self.form.json.array else seq(body, *self._closing())
        return self._fields()

    def _closing(self) -> list[Node]:
        return [literal(self.form.close.text)] if self.form.close is not None else []

    def _parameters(self, syntax: Syntax) -> Node:
        compiler = self.compiler.sibling(syntax)
        root = compiler.document.root
        node = compiler.parts((root, derived(root, {"type": "object"}, "object")), f"{self.name}-arguments")
        if node is None:
            raise compiler.document.error(root, "type", "no arguments can fit", code="E412", hint="Parameters are a schema of type object.")
        return node

    def _json(self, call: JsonCall) -> Node:
        syntax: Syntax = PYTHON if call.python else JSON
        arguments = seq(literal('"'), self._parameters(TEXT), literal('"')) if call.arguments_as_text else self._parameters(syntax)
        value: dict[str, Any] = {}
        if call.name_is_key:
            _put(value, (*call.arguments, self.name), _Holder(arguments))
            return self._members(value, syntax)
        value = dict.fromkeys(call.order)
        for path, constant in call.extra.items():
            _put(value, tuple(path.split(".")), constant)
        _put(value, call.name, self.name)
        _put(value, call.arguments, _Holder(arguments))
        if call.id is not None:
            _put(value, call.id, _Holder(self._json_id(call, syntax)))
        return self._members(value, syntax)

    def _json_id(self, call: JsonCall, syntax: Syntax) -> Node:
        compiler = self.compiler.sibling(syntax)
        pattern = r"^\d{1,4}$" if call.id_start is not None else self.id_pattern
        schema = {"type": "string", "pattern": pattern or rf"^[A-Za-z0-9_.:-]{{1,{_LONGEST_ID}}}$"}
        node = compiler.parts((Part("\0id", schema, ""),), "call-id")
        assert node is not None
        return node

    def _members(self, value: Mapping[str, Any], syntax: Syntax) -> Node:
        """Return an object with members in order; a holder stands for a value that is written elsewhere."""
        members: list[Node] = []
        for key, one in value.items():
            if isinstance(one, _Holder):
                node = one.node
            elif isinstance(one, dict) and any(isinstance(inner, _Holder | dict) for inner in one.values()):
                node = self._members(one, syntax)
            else:
                node = self.rules.define("constant", syntax.constant(self.rules, one))
            members += [syntax.comma(self.rules, members=True)] if members else []
            members.append(syntax.member(self.rules, syntax.fixed_key(self.rules, key), node))
        return syntax.listing(self.rules, seq(*members), members=True, may_be_empty=False)

    def _fields(self) -> Node:
        """Return a call of literal text and fields."""
        fields = self.form.fields
        nodes: list[Node] = []
        done = False
        for index, part in enumerate(fields):
            match part:
                case Text(text=text):
                    nodes.append(literal(text))
                case Field(field=FieldName.NAME):
                    nodes.append(literal(self.name))
                case Field(field=FieldName.COUNTER):
                    nodes.append(_DIGITS)
                case Field(field=FieldName.ID):
                    nodes.append(self._id(next_chunk((*fields, *self._close_part()), index)))
                case Field(field=FieldName.ARGUMENTS):
                    arguments, taken = self._arguments(index)
                    nodes.append(arguments)
                    if taken is None:
                        done = True
                        break
                    fields = fields[: index + 1] + tuple(Text(text="") for _ in range(taken)) + fields[index + 1 + taken :]
                    nodes += self._rest(fields[index + 1 + taken :], index + 1 + taken)
                    break
                case _:
                    pass
        return seq(*nodes) if done else seq(*nodes, *self._closing())

    def _rest(self, parts: tuple[Text | Field, ...], at: int) -> list[Node]:
        nodes: list[Node] = []
        for offset, part in enumerate(parts):
            if isinstance(part, Text):
                nodes.append(literal(part.text))
            elif part.field is FieldName.NAME:
                nodes.append(literal(self.name))
            elif part.field is FieldName.COUNTER:
                nodes.append(_DIGITS)
            elif part.field is FieldName.ID:
                nodes.append(self._id(next_chunk((*self.form.fields, *self._close_part()), at + offset)))
        return nodes

    def _close_part(self) -> tuple[Text, ...]:
        return (Text(text=self.form.close.text),) if self.form.close is not None and self.form.close.core else ()

    def _id(self, following: str) -> Node:
        if self.id_pattern:
            compiler = self.compiler
            body = compiler.raw_text({"type": "string", "pattern": self.id_pattern}, "call-id")
            if body is not None:
                return body
        return self.rules.define("call-id", rep(chars(charset.difference(_IN_ID, charset.of(following[:1]))), 1, _LONGEST_ID))

    def _arguments(self, index: int) -> tuple[Node, int | None]:
        """Return the arguments, and how many parts behind them they take in; ``None``: all of them and the close."""
        layout: Arguments | None = self.form.arguments
        if layout is None:
            return EMPTY, 0
        if layout.object is not None:
            return self._pairs(layout, index)
        return self._parameters(PYTHON if layout.encoding is Encoding.PYTHON else JSON), 0

    def _pairs(self, layout: Arguments, index: int) -> tuple[Node, int | None]:
        texts: list[str] = []
        behind = self.form.fields[index + 1 :]
        taken = 0
        for part in behind:
            if isinstance(part, Text):
                texts.append(part.text)
            elif part.field is FieldName.NAME:
                texts.append(self.name)
            else:
                break
            taken += 1
        everything = taken == len(behind)
        if everything and self.form.close is not None:
            texts.append(self.form.close.text)
        tail = Tail("".join(texts), tuple(chunk for text in texts for chunk in chunks(text)), self.structure)
        writer = PairWriter(layout, self.compiler, self.texts, tail, many_keys=self.many_keys)
        return writer.node(self.compiler.document.root), None if everything else taken


class _Holder:
    """Stands in a JSON call for a value that is written elsewhere."""

    def __init__(self, node: Node) -> None:
        self.node = node


def _put(value: dict[str, Any], path: tuple[str, ...], item: Any) -> None:
    for step in path[:-1]:
        if not isinstance(value.get(step), dict):
            value[step] = {}
        value = value[step]
    value[path[-1]] = item
