"""JSON Schemas to grammars, beside ``xllamacpp.json_schema_to_grammar`` on the same schemas: time, size, what each refuses.

A build of llama.cpp with llguidance in it converts nothing: it hands the schema on as ``%json``. Then its time is that of copying a
text, which the figures say.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import xllamacpp

import untemplate
from benchmarks.figures import Figure, at_most, is_full
from untemplate.emit.engine import read_back

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT.parent / "shared" / "schemas" / "sample.jsonl.gz"
EVERY = 10
"""Of the sample's schemas, one in so many is enough for a figure; ``--full`` takes all."""
TOOLS, PARAMETERS = 128, 20
PASSES = "the peer hands schemas on as %json: its time is that of a copy"

OWN: tuple[dict[str, Any], ...] = (
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "maxLength": 80},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
        },
        "required": ["city"],
        "additionalProperties": False,
    },
    {
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                "required": ["name"],
            }
        },
        "$ref": "#/$defs/node",
    },
    {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": kind}, "size": {"type": "number", "exclusiveMinimum": 0}},
                "required": ["kind", "size"],
            }
            for kind in ("circle", "square", "point")
        ]
    },
    {
        "type": "object",
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "at": {"type": "string", "format": "date-time"},
            "host": {"type": "string", "pattern": r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z]{2,})+$"},
            "port": {"type": "integer", "minimum": 1, "maximum": 65_535},
            "labels": {"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": {"type": "integer"}},
        },
        "required": ["id", "host"],
    },
    {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "minItems": 1, "maxItems": 200},
    {"enum": [f"value {number}" for number in range(2000)]},
)
"""As people write them."""


def run() -> list[Figure]:
    """Return the figures of our own schemas, of real ones where they are present, and of many tools."""
    figures = [*_side_by_side("own", OWN)]
    if SAMPLE.is_file():
        with gzip.open(SAMPLE, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line)["schema"] for line in lines]
        figures += _side_by_side("real", rows if is_full() else rows[::EVERY])
    return figures + _many_tools()


def _side_by_side(name: str, schemas: Sequence[Any]) -> list[Figure]:
    ours, our_texts = _converted(lambda schema: untemplate.json_schema_grammar(schema).text, schemas)
    theirs, their_texts = _converted(xllamacpp.json_schema_to_grammar, schemas)
    note = PASSES if any(text.startswith("%") for text in their_texts) else ""
    return [
        Figure(what=f"{name} schemas", value=len(schemas), unit=""),
        Figure(what=f"{name}: refused, ours", value=len(schemas) - len(our_texts), unit=""),
        Figure(what=f"{name}: refused, llama.cpp", value=len(schemas) - len(their_texts), unit=""),
        Figure(what=f"{name}: to grammar, ours", value=1000 * ours / len(schemas), unit="ms"),
        Figure(what=f"{name}: to grammar, llama.cpp", value=1000 * theirs / len(schemas), unit="ms", note=note),
        Figure(what=f"{name}: size, ours", value=sum(map(len, our_texts)) / len(schemas) / 1000, unit="kB"),
        Figure(what=f"{name}: size, llama.cpp", value=sum(map(len, their_texts)) / len(schemas) / 1000, unit="kB", note=note),
    ]


def _converted(convert: Callable[[Any], str], schemas: Sequence[Any]) -> tuple[float, list[str]]:
    """Return the processor time of converting all schemas once, and the grammars of those that were not refused."""
    texts: list[str] = []
    begin = time.process_time()
    for schema in schemas:
        try:
            texts.append(convert(schema))
        except (untemplate.UntemplateError, RuntimeError, ValueError):
            continue
    return time.process_time() - begin, texts


def tools(count: int = TOOLS, parameters: int = PARAMETERS) -> list[dict[str, Any]]:
    """Return tools of different parameters, four of them required, of the kinds that tools have."""
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "string", "description": "A text."},
        {"type": "integer", "minimum": 0, "maximum": 100},
        {"type": "string", "enum": ["low", "medium", "high"]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "boolean"},
        {"type": "number"},
        {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
    )
    made: list[dict[str, Any]] = []
    for number in range(count):
        properties = {f"p{number}_{place}": kinds[(number + place) % len(kinds)] for place in range(parameters)}
        schema = {"type": "object", "properties": properties, "required": list(properties)[:4]}
        made.append({"type": "function", "function": {"name": f"tool_{number}", "description": "Does it.", "parameters": schema}})
    return made


def _many_tools() -> list[Figure]:
    """Return the time and size of the grammar of many tools, in the dialect of a template of ours."""
    spec = untemplate.load_spec(ROOT / "golden" / "hermes_json_tags" / "spec.yaml")
    listed = tools()
    schemas = [tool["function"]["parameters"] for tool in listed]
    text = untemplate.build_parser(spec, tools=listed).grammar().text
    read_back(text)
    ratios = []
    for _ in range(7):
        ours = _seconds(lambda: untemplate.build_parser(spec, tools=listed).grammar())
        theirs = min(_seconds(lambda: [xllamacpp.json_schema_to_grammar(schema) for schema in schemas]) for _ in range(3))
        ratios.append(ours / theirs)
    note = PASSES if xllamacpp.json_schema_to_grammar(schemas[0]).startswith("%") else ""
    what = f"{TOOLS} tools of {PARAMETERS} parameters"
    return [
        at_most(f"{what}: over llama.cpp's schemas alone", min(ratios), 25, note=note),
        at_most(f"{what}: size", len(text) / 1e6, 1.5, "MB"),
    ]


def _seconds(action: Callable[[], object]) -> float:
    begin = time.process_time()
    action()
    return time.process_time() - begin
