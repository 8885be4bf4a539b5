"""How a call or a pair is written, in one line, with its fields in capitals."""

from __future__ import annotations

from untemplate.cli.pieces import Kind, Piece
from untemplate.spec.model import CallForm, FieldName, JsonCall, Part, Text

_FIELD_KINDS = {FieldName.NAME: Kind.NAME, FieldName.ID: Kind.ID, FieldName.COUNTER: Kind.ID, FieldName.KEY: Kind.KEY}


def sketch_parts(parts: tuple[Part, ...]) -> tuple[Piece, ...]:
    """Return parts as pieces, each field as its name in capitals: ``<parameter=KEY>VALUE</parameter>``."""
    return tuple(_sketch_part(part) for part in parts)


def _sketch_part(part: Part) -> Piece:
    if isinstance(part, Text):
        return Piece(Kind.CALL, part.text)
    return Piece(_FIELD_KINDS.get(part.field, Kind.VALUE), part.field.value.upper())


def sketch_form(form: CallForm) -> tuple[Piece, ...]:
    """Return one form of a call as pieces, with its own markers around it."""
    inner = sketch_parts(form.fields) if form.json is None else (Piece(Kind.CALL, _sketch_json(form.json)),)
    close = (Piece(Kind.CALL_CLOSES, form.close.text),) if form.close else ()
    return (Piece(Kind.CALL_OPENS, form.open.text), *inner, *close)


def _sketch_json(layout: JsonCall) -> str:
    if layout.name_is_key:
        text = "{NAME: ARGUMENTS}"
    else:
        paths = {"NAME": layout.name, "ARGUMENTS": layout.arguments, "ID": layout.id or ()}
        members = [f"{key}: {value}" for key, value in layout.extra.items()]
        members += [f"{'.'.join(path)}: {what}" for what, path in paths.items() if path]
        text = "{" + ", ".join(members) + "}"
    return f"[{text}, …]" if layout.array else text
