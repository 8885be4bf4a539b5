"""The shared fault reports and peer vectors as data: what to feed to which parser, and what must come of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import untemplate

SHARED = Path(__file__).parents[3] / "shared"
REPORTS = SHARED / "reports"
CONFORMANCE = SHARED / "conformance"
CORPUS = SHARED / "corpus" / "templates"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file that has one a line; none where the file is absent."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()] if path.exists() else []


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """Return the fault reports; none where they are absent."""
    path = REPORTS / "reports.yaml"
    return tuple(yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))) if path.exists() else ()


@cache
def report_vectors() -> dict[str, dict[str, Any]]:
    """Return the vector of each fault report that has one, by the report's id."""
    return {vector["id"].removesuffix("#1"): vector for vector in read_lines(REPORTS / "vectors.jsonl")}


def template_of(entry: dict[str, Any]) -> Path:
    """Return the file of a report's template."""
    return REPORTS / "templates" / f"{entry['input'].get('template', entry['id'])}.jinja"


@cache
def spec_of(template: Path) -> untemplate.Spec:
    """Return what a template compiles to."""
    return untemplate.compile_template(template)


@dataclass(frozen=True)
class Turn:
    """One text of a report, and the message that it is."""

    id: str
    entry: dict[str, Any]
    pieces: tuple[str | bytes, ...]
    """As the report cuts it."""
    expected: dict[str, Any]
    tools: Any = None
    prompt: str | None = None
    truncated: bool = False
    request: dict[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in self.pieces)

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")

    @property
    def parser(self) -> untemplate.Parser:
        return parser_of(self.id)

    def build(self) -> untemplate.Parser:
        request = self.request or {"tools": self.tools, "prompt": self.prompt}
        return untemplate.build_parser(spec_of(template_of(self.entry)), **request, new_id=lambda: "made")


def turns() -> list[Turn]:
    """Return every text of every report that is a turn with a message."""
    found: list[Turn] = []
    for entry in entries():
        given, expected = entry["input"], entry["expected"]
        if "message" not in expected or "override" in given:
            continue
        texts = [(_pieces(given), expected["message"])]
        texts += [((text,), expected["message"]) for text in given.get("outputs", ())]
        if "also" in given:
            texts.append((_pieces(given["also"]), given["also"]["message"]))
        vector = report_vectors().get(entry["id"], {})
        for number, (pieces, message) in enumerate(texts):
            found.append(
                Turn(
                    id=entry["id"] + (f"-{number + 1}" if number else ""),
                    entry=entry,
                    pieces=pieces,
                    expected=message,
                    tools=given.get("tools"),
                    prompt=given.get("generation_prompt_tail"),
                    truncated=given.get("stop") == "length",
                    request=vector.get("request", {}),
                )
            )
    return found


def _pieces(given: dict[str, Any]) -> tuple[str | bytes, ...]:
    if "byte_chunks_hex" in given:
        return tuple(bytes.fromhex(piece) for piece in given["byte_chunks_hex"])
    if "bytes_hex" in given:
        return (bytes.fromhex(given["bytes_hex"]),)
    return tuple(given["chunks"]) if "chunks" in given else (given["output"],)


@cache
def parser_of(name: str) -> untemplate.Parser:
    """Return the parser of a turn, by its id; calls for which the model writes no id are all called ``made``."""
    (turn,) = [turn for turn in turns() if turn.id == name]
    return turn.build()
