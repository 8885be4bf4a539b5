"""The JSON Schema of a spec file, read off the dataclasses and their docstrings.

``python -m untemplate.spec.schema FILE`` writes it; the copy in ``docs/`` is held to it by a test.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from untemplate.spec import calls_model, model
from untemplate.spec.codec import FieldType, encode, field_types
from untemplate.spec.files import data_to_json, write_text

_SCALARS: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def spec_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every spec file fits, and no file that the codec refuses by shape."""
    definitions: dict[str, Any] = {}
    _define(model.Spec, definitions)
    root = definitions.pop("Spec")
    root["properties"]["format"] = {"const": model.FORMAT, "description": "The version of the file format."}
    root["required"] = ["format", *root["required"]]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:untemplate:spec:{model.FORMAT}",
        "title": "untemplate parser spec",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def _define(owner: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a reference to the schema of a dataclass, which is added to ``definitions`` on the way."""
    if owner.__name__ not in definitions:
        definitions[owner.__name__] = {}
        notes = _field_notes(owner)
        properties = {each.name: _property(each, notes.get(each.name), definitions) for each in field_types(owner)}
        schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if about := _class_note(owner):
            schema = {"description": about, **schema}
        if required := [each.name for each in field_types(owner) if each.required]:
            schema["required"] = required
        definitions[owner.__name__] = schema
    return {"$ref": f"#/$defs/{owner.__name__}"}


def _property(each: FieldType, note: str | None, definitions: dict[str, Any]) -> dict[str, Any]:
    schema = _schema(each.hint, definitions)
    if note:
        schema = {"description": note, **schema}
    if not each.required:
        schema["default"] = encode(each.default)
    return schema


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint is Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_schema(member, definitions) for member in members]}
    if origin is tuple and members[-1] is Ellipsis:
        return {"type": "array", "items": _schema(members[0], definitions)}
    if origin is tuple:
        items = [_schema(member, definitions) for member in members]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin is Mapping:
        return {
            "type": "object",
            "propertyNames": _schema(members[0], definitions),
            "additionalProperties": _schema(members[1], definitions),
        }
    if issubclass(hint, StrEnum):
        return _define_enum(hint, definitions)
    return _define(hint, definitions)


def _define_enum(owner: type[StrEnum], definitions: dict[str, Any]) -> dict[str, Any]:
    if owner.__name__ not in definitions:
        notes = _field_notes(owner)
        said = [f"`{member.value}`: {notes[member.name]}" for member in owner if member.name in notes]
        about = " ".join([_class_note(owner) or "", *said]).strip()
        definitions[owner.__name__] = {"enum": [member.value for member in owner], **({"description": about} if about else {})}
    return {"$ref": f"#/$defs/{owner.__name__}"}


# --- docstrings --------------------------------------------------------------------------------------------------------


@cache
def _class_notes() -> Mapping[str, ast.ClassDef]:
    trees = (ast.parse(inspect.getsource(module)) for module in (calls_model, model))
    return {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}


def _class_note(owner: type) -> str | None:
    note = ast.get_docstring(_class_notes()[owner.__name__])
    return " ".join(note.replace("``", "`").split()) if note else None


def _field_notes(owner: type) -> dict[str, str]:
    """Return the docstrings that stand beneath the fields (or members) of a class, by name."""
    body = _class_notes()[owner.__name__].body
    notes = {}
    for node, below in zip(body, body[1:], strict=False):
        match node, below:
            case (ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(note)))) | (
                ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(note))),
            ):
                notes[name] = " ".join(note.replace("``", "`").split())
    return notes


def main(arguments: list[str]) -> int:
    """Write the schema to the file named, or to standard output; return the exit code."""
    text = data_to_json(spec_schema())
    if arguments:
        write_text(arguments[0], text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
