"""Calls as nodes of llama.cpp's parser trees: one choice for each tool, with its parameters by name and type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from untemplate.emit.export import Loss
from untemplate.emit.llama_nodes import (
    ARG,
    ARG_CLOSE,
    ARG_NAME,
    ARG_OPEN,
    ARG_STRING,
    ARG_VALUE,
    TOOL,
    TOOL_ARGS,
    TOOL_CLOSE,
    TOOL_ID,
    TOOL_NAME,
    TOOL_OPEN,
    Nodes,
    Number,
)
from untemplate.errors import SpecError
from untemplate.lower.request import Request, Tool
from untemplate.spec.model import Arguments, CallForm, Encoding, Field, FieldName, JsonCall, JsonType, PairList, Part, Spec, Text

_IDS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-:."


def call_nodes(nodes: Nodes, spec: Spec, request: Request) -> tuple[Number, tuple[Loss, ...]]:
    """Return all calls of a turn with their section, and what is lost.

    Raises:
        SpecError: E517 when no way of writing a call has nodes.
    """
    calls = spec.turn.calls
    assert calls is not None
    tools = [tool for tool in request.callable_tools if request.named in (None, tool.name)]
    forms = [form for form in calls.forms if _known(form)]
    if not forms:
        raise SpecError("llama.cpp's tree has no nodes for calls that are written so", code="E517", hint="use `peg-json` or `llama-server`")
    section = calls.section
    each = nodes.choice([_call(nodes, form, tool) for form in forms for tool in tools])
    array = forms[0].json is not None and forms[0].json.array
    between = nodes.seq(nodes.space(), nodes.literal("," if array else section.separator.strip()), nodes.space())
    listed = nodes.seq(each, nodes.repeat(nodes.seq(between, each)))
    if array:
        form = forms[0]
        form_close = nodes.literal(form.close.core if form.close is not None else "")
        listed = nodes.seq(
            nodes.literal(form.open.core), nodes.space(), nodes.literal("["), nodes.space(), listed, nodes.space(), nodes.literal("]")
        )
        listed = nodes.seq(listed, nodes.space(), form_close)
    opened = nodes.literal(section.open.core) if section.open is not None else nodes.nothing()
    bare = section.several_only or (section.open is not None and forms[0].open.core.strip() != "")
    closed = nodes.literal(section.close.core) if section.close is not None and section.close.core else nodes.nothing()
    opened = nodes.maybe(opened) if bare else opened
    closed = nodes.maybe(closed) if bare else closed
    whole = nodes.seq(nodes.space(), opened, nodes.space(), listed, nodes.maybe(nodes.seq(nodes.space(), closed)))
    return whole, _losses(calls.forms, forms)


def _known(form: CallForm) -> bool:
    """Return whether nodes can read a form: with the name before the arguments, which tells the types of their values."""
    if form.json is not None:
        layout = form.json
        return not layout.arguments_as_text and (
            layout.name_is_key or _key_place(layout, layout.name) < _key_place(layout, layout.arguments)
        )
    names = [part.field for part in form.fields if isinstance(part, Field)]
    arguments = form.arguments
    if arguments is None or FieldName.ARGUMENTS not in names or arguments.encoding not in (Encoding.JSON, Encoding.PYTHON, Encoding.PAIRS):
        return False
    return FieldName.NAME in names[: names.index(FieldName.ARGUMENTS)]


def _key_place(layout: JsonCall, path: tuple[str, ...]) -> float:
    return layout.order.index(path[0]) + len(path) / 100 if path and path[0] in layout.order else 0.5


def _losses(forms: Sequence[CallForm], known: Sequence[CallForm]) -> tuple[Loss, ...]:
    losses = []
    if len(known) < len(forms):
        losses.append(
            Loss(field="calls", message=f"{len(forms) - len(known)} of the {len(forms)} ways in which a call may be written are not read")
        )
    for form in known:
        if form.arguments is None or not _own_notation(form.arguments):
            continue
        for kind, value in form.arguments.values.items():
            if value.encoding is Encoding.NOTATION:
                losses.append(
                    Loss(field=f"calls.arguments.{kind.value}", message="stays text: it is written in the template's own notation")
                )
    return tuple(dict.fromkeys(losses))


def _call(nodes: Nodes, form: CallForm, tool: Tool) -> Number:
    if form.json is not None:
        body = _json_call(nodes, form, form.json, tool)
    else:
        body = _field_call(nodes, form, tool)
    return nodes.tag(TOOL, body)


# --- JSON --------------------------------------------------------------------------------------------------------------


def _json_call(nodes: Nodes, form: CallForm, layout: JsonCall, tool: Tool) -> Number:
    array = layout.array
    opened = nodes.whole(TOOL_OPEN, nodes.literal("" if array else form.open.core))
    closed = nodes.whole(TOOL_CLOSE, nodes.literal("" if array or form.close is None else form.close.core))
    if layout.name_is_key:
        name = nodes.seq(nodes.literal('"'), nodes.whole(TOOL_NAME, nodes.literal(tool.name)), nodes.literal('"'))
        members = [nodes.seq(name, _colon(nodes), nodes.tag(TOOL_ARGS, nodes.object()))]
    else:
        members = [_member(nodes, layout, (key,), tool) for key in layout.order or _keys(layout)]
    return nodes.seq(opened, nodes.space(), _object(nodes, members), nodes.space(), closed)


def _keys(layout: JsonCall) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path[0] for path in (layout.name, layout.arguments, layout.id or ()) if path))


def _object(nodes: Nodes, members: Sequence[Number]) -> Number:
    comma = nodes.seq(nodes.space(), nodes.literal(","), nodes.space())
    listed = [part for index, member in enumerate(members) for part in ((comma, member) if index else (member,))]
    return nodes.seq(nodes.literal("{"), nodes.space(), *listed, nodes.space(), nodes.literal("}"))


def _colon(nodes: Nodes) -> Number:
    return nodes.seq(nodes.space(), nodes.literal(":"), nodes.space())


def _member(nodes: Nodes, layout: JsonCall, path: tuple[str, ...], tool: Tool) -> Number:
    """Return one member of a call: the name, the arguments, the id, an object around these, or one that says nothing."""
    mark = "'" if layout.python else '"'
    key = nodes.seq(nodes.literal(f"{mark}{path[-1]}{mark}"), _colon(nodes))
    paths = [layout.name, layout.arguments, *([layout.id] if layout.id is not None else [])]
    inside = list(dict.fromkeys(each[: len(path) + 1] for each in paths if each[: len(path)] == path and len(each) > len(path)))
    if path == layout.name:
        value = nodes.seq(nodes.literal(mark), nodes.whole(TOOL_NAME, nodes.literal(tool.name)), nodes.literal(mark))
    elif path == layout.arguments:
        value = nodes.tag(TOOL_ARGS, nodes.object())
    elif path == layout.id:
        value = nodes.choice(
            [nodes.seq(nodes.literal('"'), nodes.whole(TOOL_ID, nodes.string_content()), nodes.literal('"')), nodes.json()]
        )
    elif inside:
        value = _object(nodes, [_member(nodes, layout, each, tool) for each in inside])
    else:
        value = nodes.json()
    return nodes.seq(key, value)


# --- fields ------------------------------------------------------------------------------------------------------------


def _field_call(nodes: Nodes, form: CallForm, tool: Tool) -> Number:
    """Return a call of fields: what is before the arguments opens it, what is behind them closes it."""
    place = next(index for index, part in enumerate(form.fields) if isinstance(part, Field) and part.field is FieldName.ARGUMENTS)
    before = [nodes.literal(form.open.core), nodes.space()]
    for index, part in enumerate(form.fields[:place]):
        before.append(_part(nodes, part, form.fields[index + 1 :], tool))
    close = form.close.core if form.close is not None else ""
    behind = [_part(nodes, part, form.fields[place + 2 + index :], tool) for index, part in enumerate(form.fields[place + 1 :])]
    assert form.arguments is not None
    following = "".join(part.text for part in form.fields[place + 1 :] if isinstance(part, Text)).strip() + close
    arguments = _arguments(nodes, form.arguments, tool, following)
    closed = nodes.whole(TOOL_CLOSE, nodes.seq(*behind, nodes.space(), nodes.literal(close)))
    return nodes.seq(nodes.whole(TOOL_OPEN, nodes.nothing()), *before, nodes.space(), arguments, nodes.space(), closed)


def _part(nodes: Nodes, part: Part, rest: Sequence[Part], tool: Tool) -> Number:
    match part:
        case Text(text=text):
            core = text.strip()
            return nodes.seq(nodes.space(), nodes.literal(core), nodes.space()) if core else nodes.space()
        case Field(field=field):
            following = next((each.text for each in rest if isinstance(each, Text)), "")
            return _field(nodes, field, following, tool)
        case _:
            assert_never(part)


def _field(nodes: Nodes, field: FieldName, following: str, tool: Tool) -> Number:
    """Return a field of a call; ``following``: the next text behind it."""
    match field:
        case FieldName.NAME:
            return nodes.whole(TOOL_NAME, nodes.literal(tool.name))
        case FieldName.ID:
            inner = nodes.until([following]) if following.strip() else nodes.chars([(each, each) for each in _IDS])
            return nodes.whole(TOOL_ID, inner)
        case FieldName.COUNTER:
            return nodes.chars([("0", "9")])
        case FieldName.FREE:
            return nodes.until([following if following.strip() else "\n"])
        case FieldName.ARGUMENTS | FieldName.KEY | FieldName.VALUE | FieldName.TYPE:
            raise SpecError(f"a call has {field.value!r} where llama.cpp's tree has no node for it", code="E517")
        case _:
            assert_never(field)


def _arguments(nodes: Nodes, arguments: Arguments, tool: Tool, following: str) -> Number:
    if arguments.encoding is not Encoding.PAIRS:
        return nodes.tag(TOOL_ARGS, nodes.object())
    pairs = arguments.object
    assert pairs is not None
    properties = tool.parameters.get("properties") if isinstance(tool.parameters, Mapping) else None
    known = properties if isinstance(properties, Mapping) else {}
    each = nodes.choice(
        [_pair(nodes, pairs, arguments, str(name), schema, following) for name, schema in known.items()] or [nodes.negate(nodes.nothing())]
    )
    between = nodes.seq(nodes.space(), nodes.literal(pairs.separator.strip()), nodes.space())
    listed = nodes.maybe(nodes.seq(each, nodes.repeat(nodes.seq(between, each))))
    opened, closed = pairs.open.strip(), pairs.close.strip()
    return nodes.seq(nodes.literal(opened), nodes.space(), listed, nodes.space(), nodes.literal(closed))


def _pair(nodes: Nodes, pairs: PairList, arguments: Arguments, name: str, schema: Any, following: str) -> Number:
    """Return one argument of a tool, whose schema tells whether its text is a string or JSON."""
    made: list[Number] = [nodes.whole(ARG_OPEN, nodes.nothing())]
    values = arguments.values
    for index, part in enumerate(pairs.pair):
        match part:
            case Text(text=text):
                made.append(_around(nodes, text, beside_value=index > 0 and _is_value(pairs.pair[index - 1])))
            case Field(field=FieldName.KEY) if any(_is_value(each) for each in pairs.pair[index:]):
                made.append(nodes.choice([_quoted(nodes, mark, name) for mark in pairs.key_quotes]))
            case Field(field=FieldName.KEY):
                made.append(nodes.literal(name))
            case Field(field=FieldName.TYPE):
                made.append(nodes.literals([value.label for value in values.values() if value.label is not None]))
            case Field(field=FieldName.VALUE):
                ends = _behind(pairs.pair[index + 1 :], name)
                stops = [ends] if ends.strip() else [text for text in (pairs.separator, pairs.close, following) if text]
                made.append(_value(nodes, arguments, stops, string=_is_string(schema)))
            case Field(field=field):
                raise SpecError(f"an argument has {field.value!r} where llama.cpp's tree has no node for it", code="E517")
            case _:
                assert_never(part)
    made.append(nodes.whole(ARG_CLOSE, nodes.nothing()))
    return nodes.tag(ARG, nodes.seq(*made))


def _is_value(part: Part) -> bool:
    return isinstance(part, Field) and part.field is FieldName.VALUE


def _around(nodes: Nodes, text: str, *, beside_value: bool) -> Number:
    """Return the text of a pair: white space at its ends is free, but where a value ends, all of it is layout or none."""
    core = text.strip()
    if not core:
        return nodes.space()
    lead = text[: len(text) - len(text.lstrip())]
    trail = text[len(text.rstrip()) :]
    before = nodes.literals([lead, ""]) if beside_value else nodes.space()
    return nodes.seq(before, nodes.literal(core), nodes.literals([trail, ""]))


def _quoted(nodes: Nodes, mark: str, name: str) -> Number:
    return nodes.seq(nodes.literal(mark), nodes.whole(ARG_NAME, nodes.literal(name)), nodes.literal(mark))


def _behind(parts: Sequence[Part], name: str) -> str:
    """Return the text of a pair behind its value, in which the key may stand once more."""
    return "".join(part.text if isinstance(part, Text) else name for part in parts)


def _value(nodes: Nodes, arguments: Arguments, stops: Sequence[str], *, string: bool) -> Number:
    written = arguments.values.get(JsonType.STRING)
    ends = [text for stop in stops for text in (stop, stop.lstrip()) if text.strip()] or ["\n"]
    if string and written is not None and written.encoding is Encoding.RAW:
        inner = nodes.tag(ARG_STRING, nodes.until([written.close] if written.close else ends))
        return nodes.seq(nodes.literal(written.open), inner, nodes.literal(written.close))
    if string:
        return nodes.tag(ARG_VALUE, nodes.json())
    after = nodes.peek(nodes.seq(nodes.space(), nodes.literals([end.strip() for end in ends])))
    options = [nodes.seq(nodes.tag(ARG_VALUE, nodes.json()), after)]
    if _own_notation(arguments):
        marks = sorted({(value.open, value.close) for value in arguments.values.values() if value.open and value.close})
        options.append(nodes.seq(nodes.tag(ARG_STRING, nodes.nested(marks)), after))
    return nodes.choice([*options, nodes.tag(ARG_STRING, nodes.until(ends))])


def _own_notation(arguments: Arguments) -> bool:
    """Return whether objects and arrays are written as neither JSON nor Python has them."""
    notation = arguments.notation
    if notation is None or all(value.encoding is not Encoding.NOTATION for value in arguments.values.values()):
        return False
    string = notation.values.get(JsonType.STRING)
    quoted = notation.object is None or any(mark in notation.object.key_quotes[:1] for mark in "\"'")
    return not quoted or (string is not None and string.encoding not in (Encoding.JSON, Encoding.PYTHON))


def _is_string(schema: Any) -> bool:
    """Return whether a parameter is a string and nothing else."""
    return isinstance(schema, Mapping) and (
        schema.get("type") == "string" or all(isinstance(each, str) for each in schema.get("enum", [None]))
    )
