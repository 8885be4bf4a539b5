"""A spec's layout as one short line without white space: what two templates share that are read by the same parser."""

from __future__ import annotations

from untemplate.spec.model import Arguments, CallForm, Encoding, JsonType, Marker, Section, Spec, Text

_PLAIN = (Encoding.RAW, Encoding.JSON)


def call_key(spec: Spec) -> str | None:
    """Return how calls are written, such as ``<tool_call>{name,arguments}</tool_call>``; ``None`` where there are none."""
    calls = spec.turn.calls
    if calls is None:
        return None
    form = calls.forms[0]
    body = _json_key(form) if form.json is not None else _fields_key(form)
    return "".join(f"{_core(_around(calls.section).open)}{body}{_core(_around(calls.section).close)}".split())


def reasoning_key(spec: Spec) -> str | None:
    """Return the markers of reasoning, such as ``<think>…</think>``; ``None`` where there are none."""
    reasoning = spec.turn.reasoning
    if not reasoning.close:
        return None
    opened = reasoning.open[0].core if reasoning.open else ""
    return f"{opened}…{reasoning.close[0].core}"


def _around(section: Section) -> Section:
    return Section() if section.several_only else section


def _core(marker: Marker | None) -> str:
    return marker.core if marker is not None else ""


def _json_key(form: CallForm) -> str:
    layout = form.json
    assert layout is not None
    name = "NAME" if layout.name_is_key else ".".join(layout.name)
    members = [name, ".".join(layout.arguments), *([".".join(layout.id)] if layout.id is not None else [])]
    text = f"{{{','.join(member for member in members if member)}}}" + ("python" if layout.python else "")
    return _core(form.open) + (f"[{text}]" if layout.array else text) + _core(form.close)


def _fields_key(form: CallForm) -> str:
    parts = [part.text if isinstance(part, Text) else part.field.value.upper() for part in form.fields]
    text = "".join(parts).replace("ARGUMENTS", _arguments_key(form.arguments) if form.arguments is not None else "")
    return _core(form.open) + text + _core(form.close)


def _arguments_key(arguments: Arguments) -> str:
    if arguments.object is None:
        return "{}" if arguments.encoding is not Encoding.PYTHON else "{}python"
    pair = "".join(part.text if isinstance(part, Text) else part.field.value.upper() for part in arguments.object.pair)
    string = arguments.values.get(JsonType.STRING)
    if string is not None and string.open:
        pair = pair.replace("VALUE", f"{string.open}VALUE{string.close}")
    nested = {arguments.values[kind].encoding for kind in (JsonType.OBJECT, JsonType.ARRAY) if kind in arguments.values}
    return pair + ("" if nested <= set(_PLAIN) else f"({'/'.join(sorted(each.value for each in nested - set(_PLAIN)))})")
