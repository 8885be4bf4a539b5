"""The JSON Schema of a tree file, read off the nodes: ``python -m untemplate.emit.peg_schema FILE`` writes it.

The copy in ``docs/`` is held to it by a test.
"""

from __future__ import annotations

import inspect
import sys
import typing
from typing import Any

from untemplate.emit.peg_json import DATA, FORMAT, NODES, node_name
from untemplate.peg import nodes
from untemplate.spec.codec import encode, field_types
from untemplate.spec.files import data_to_json, write_text

_NODE = {"$ref": "#/$defs/node"}
_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    object: {},
    nodes.JsonKind: {"enum": [kind.value for kind in nodes.JsonKind]},
}


def peg_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every tree file fits."""
    definitions = {node_name(kind): _node(kind) for kind in NODES}
    chosen = [{"if": {"properties": {"type": {"const": name}}}, "then": {"$ref": f"#/$defs/{name}"}} for name in definitions]
    node = {"type": "object", "properties": {"type": {"enum": list(definitions)}}, "required": ["type"], "allOf": chosen}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:untemplate:peg:{FORMAT}",
        "title": "untemplate lowered tree",
        "type": "object",
        "properties": {
            "format": {"const": FORMAT, "description": "The version of the file format."},
            "prefill": {"type": "string", "description": "Text of the turn that the prompt holds already; feed it first."},
            "keep": {"type": "integer", "description": "From where on in `prefill` its text belongs to the message."},
            "tools": {"type": "object", "description": "JSON Schema of the arguments, by tool: types arguments that are text."},
            "root": {"type": "string", "description": "The rule that a turn is."},
            "rules": {"type": "object", "additionalProperties": _NODE},
        },
        "required": ["format", "prefill", "keep", "tools", "root", "rules"],
        "additionalProperties": False,
        "$defs": {"node": node, **definitions},
    }


def _node(kind: type) -> dict[str, Any]:
    properties: dict[str, Any] = {"type": {"const": node_name(kind)}}
    required = ["type"]
    for each in field_types(kind):
        properties[each.name] = _data() if kind is nodes.Tag and each.name == "data" else _schema(each.hint)
        if each.required:
            required.append(each.name)
        else:
            properties[each.name] = {**properties[each.name], "default": encode(each.default)}
    about = " ".join((inspect.getdoc(kind) or "").replace("``", "`").split())
    described = {} if about.startswith(f"{kind.__name__}(") or not about else {"description": about}
    return {**described, "type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _data() -> dict[str, Any]:
    """Return the schema of what a tag carries."""
    options: list[dict[str, Any]] = [{"type": "null"}]
    for name, kind in DATA.items():
        members = {each.name: {"default": encode(each.default)} for each in field_types(kind)}
        options.append(
            {
                "type": "object",
                "properties": {"type": {"const": name}, **members},
                "required": ["type"],
                "additionalProperties": False,
                "description": " ".join((inspect.getdoc(kind) or "").split()),
            }
        )
    return {"anyOf": options}


def _schema(hint: Any) -> dict[str, Any]:
    if hint in _SCALARS:
        return _SCALARS[hint]
    members = typing.get_args(hint)
    if set(members) >= set(NODES):
        others = [member for member in members if member not in NODES]
        return {"anyOf": [_NODE, {"type": "null"}]} if type(None) in others else _NODE
    if typing.get_origin(hint) is tuple and members[-1] is Ellipsis:
        return {"type": "array", "items": _schema(members[0])}
    if typing.get_origin(hint) is tuple:
        return {"type": "array", "prefixItems": [_schema(member) for member in members], "minItems": len(members), "maxItems": len(members)}
    return {"anyOf": [{"type": "null"} if member is type(None) else _schema(member) for member in members]}


def main(arguments: list[str]) -> int:
    """Write the schema to the file named, or to standard output; return the exit code."""
    text = data_to_json(peg_schema())
    if arguments:
        write_text(arguments[0], text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
