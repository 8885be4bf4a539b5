"""Calls as tags of a structural tag: the text before the arguments, the arguments in a style that xgrammar knows, the text behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from untemplate.lower.request import Tool
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Arguments, Block, CallForm, Encoding, Field, FieldName, JsonType, PairList, Section, Spec, Text, Value

Format = dict[str, Any]
_ID, _KEY = "zqIDqz", "zqKEYqz"
_ARGUMENTS = re.compile(rf'\{{\s*"{_KEY}"\s*:\s*0\s*\}}')
_STYLES = {
    "<parameter=KEY>VALUE</parameter>": "qwen_xml",
    '<parametername="KEY">VALUE</parameter>': "minimax_xml",
    "<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>": "glm_xml",
    '<｜DSML｜parametername="KEY"string="TYPE">VALUE</｜DSML｜parameter>': "deepseek_xml",
}
"""Layouts of one pair, white space left out. Source: xgrammar's documentation of its styles."""
_GEMMA_MARKS = ('<|"|>', '<|"|>')


def call_tags(spec: Spec, tools: Sequence[Tool]) -> list[Format] | None:
    """Return one tag for each tool; ``None`` where the calls are written in no way that xgrammar knows."""
    assert spec.turn.calls is not None
    form = spec.turn.calls.forms[0]
    pieces = [_pieces(spec, form, tool) for tool in tools]
    return None if any(each is None for each in pieces) else [_tag(each) for each in pieces if each is not None]


def _tag(pieces: list[Format | str]) -> Format:
    """Return pieces as a tag: the first text begins it, the last one ends it."""
    merged: list[Format | str] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    begin = merged.pop(0) if isinstance(merged[0], str) else ""
    end = merged.pop() if merged and isinstance(merged[-1], str) else ""
    content: list[Format] = [{"type": "const_string", "value": piece} if isinstance(piece, str) else piece for piece in merged]
    inner = content[0] if len(content) == 1 else {"type": "sequence", "elements": content}
    return {"type": "tag", "begin": begin, "content": inner, "end": end}


def _pieces(spec: Spec, form: CallForm, tool: Tool) -> list[Format | str] | None:
    return _json_pieces(spec, form, tool) if form.json is not None else _field_pieces(spec, form, tool)


def _json_pieces(spec: Spec, form: CallForm, tool: Tool) -> list[Format | str] | None:
    layout = form.json
    assert layout is not None
    assert spec.turn.calls is not None
    if layout.python or layout.arguments_as_text or layout.indent is not None:
        return None
    alone = replace(form, json=replace(layout, array=False, id_start=None))
    turn = replace(spec.turn, frame=None, blocks=(Block.CALLS,), calls=replace(spec.turn.calls, section=Section(), forms=(alone,)))
    text = compose(turn, calls=[ComposedCall(name=tool.name, id=_ID, arguments={_KEY: 0})])
    if layout.array:
        text = text.removeprefix(form.open.text).removesuffix(form.close.text if form.close is not None else "")
    found = _ARGUMENTS.search(text)
    if found is None:
        return None
    pattern = "[0-9]+" if layout.id_start is not None else _id_pattern(spec)
    return [*_with_ids(text[: found.start()], pattern), _schema(tool, "json"), *_with_ids(text[found.end() :], pattern)]


def _with_ids(text: str, pattern: str) -> list[Format | str]:
    pieces: list[Format | str] = []
    for index, part in enumerate(text.split(_ID)):
        if index:
            pieces.append({"type": "regex", "pattern": pattern})
        pieces.append(part)
    return pieces


def _id_pattern(spec: Spec) -> str:
    return (spec.capabilities.id_pattern or "[A-Za-z0-9_-]+").strip("^$")


def _field_pieces(spec: Spec, form: CallForm, tool: Tool) -> list[Format | str] | None:
    assert form.arguments is not None
    style = argument_style(form)
    if style is None:
        return None
    pieces: list[Format | str] = [form.open.text]
    for part in form.fields:
        match part:
            case Text(text=text):
                pieces.append(text)
            case Field(field=FieldName.NAME):
                pieces.append(tool.name)
            case Field(field=FieldName.ID):
                pieces.append({"type": "regex", "pattern": _id_pattern(spec)})
            case Field(field=FieldName.COUNTER):
                pieces.append({"type": "regex", "pattern": "[0-9]+"})
            case Field(field=FieldName.ARGUMENTS):
                pieces.append(_schema(tool, style))
            case _:
                return None
    if form.close is not None:
        pieces.append(form.close.text)
    return _with_braces_inside(pieces) if style == "gemma" else pieces


def _with_braces_inside(pieces: list[Format | str]) -> list[Format | str] | None:
    """Return the pieces with the braces around the arguments left to the style, which writes them itself."""
    place = next(index for index, piece in enumerate(pieces) if isinstance(piece, dict) and piece["type"] == "json_schema")
    before, after = pieces[place - 1], pieces[place + 1] if place + 1 < len(pieces) else ""
    if not isinstance(before, str) or not isinstance(after, str) or not (before.endswith("{") and after.startswith("}")):
        return None
    return [*pieces[: place - 1], before[:-1], pieces[place], after[1:], *pieces[place + 2 :]]


def _schema(tool: Tool, style: str) -> Format:
    schema = tool.parameters or {"type": "object", "properties": {}}
    if style in ("json", "gemma"):
        made: Format = {"type": "json_schema", "json_schema": schema}
    elif isinstance(schema, dict) and not schema.get("properties") and not schema.get("additionalProperties"):
        return {"type": "regex", "pattern": "[ \\n]*"}
    else:
        made = {"type": "json_schema", "json_schema": schema}
    return made if style == "json" else {**made, "style": style}


def argument_style(form: CallForm) -> str | None:
    """Return xgrammar's name for the way in which the arguments of a call of fields are written, ``None`` for any other."""
    arguments = form.arguments
    if arguments is None or arguments.encoding in (Encoding.JSON, Encoding.RAW):
        return "json"
    pairs = arguments.object
    if arguments.encoding is not Encoding.PAIRS or pairs is None:
        return None
    if _is_gemma(arguments, pairs):
        return "gemma"
    style = _STYLES.get(_layout(pairs))
    return style if style is not None and _plain_values(arguments) else None


def _layout(pairs: PairList) -> str:
    texts = (part.text if isinstance(part, Text) else part.field.value.upper() for part in pairs.pair)
    return "".join("".join(texts).split())


def _plain_values(arguments: Arguments) -> bool:
    """Return whether strings stand as they are and other values are JSON, or Python's words for what JSON has too."""
    for kind, value in arguments.values.items():
        scalar = kind in (JsonType.BOOLEAN, JsonType.NULL)
        fits = value.encoding is Encoding.RAW if kind is JsonType.STRING else value.encoding is Encoding.JSON or scalar
        if not fits or value.open or value.close or value.guard is not None:
            return False
    return True


def _is_gemma(arguments: Arguments, pairs: PairList) -> bool:
    string = arguments.values.get(JsonType.STRING, Value(encoding=Encoding.JSON))
    nested = arguments.notation is not None and arguments.notation.object is not None
    return _layout(pairs) == "KEY:VALUE" and pairs.separator == "," and (string.open, string.close) == _GEMMA_MARKS and nested
