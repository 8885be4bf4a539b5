"""The goldens of this repository: what the fixtures compile to, byte for byte, and what their streams add up to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from untemplate.emit.engine import Engine
from untemplate.golden.run import check_goldens
from untemplate.parser import build_parser
from untemplate.spec.files import load_spec, spec_to_yaml
from untemplate.turns.cases import SHORT_KEYS, SHORT_NAMES
from untemplate.turns.tools import make_tools

ROOT = Path(__file__).parents[2]
GOLDENS = sorted(path for path in (ROOT / "golden").iterdir() if path.is_dir())


def test_the_fixtures_compile_to_the_goldens_byte_for_byte() -> None:
    report = check_goldens(ROOT / "golden.yaml")
    told = [f"{each.name}/{each.file} {each.state}" for each in report.differences]
    assert report.fine, f"run `make golden` and read the diff: {told}, {report.orphans}, {report.unexpected}"


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda path: path.name)
def test_a_golden_spec_is_written_as_it_is_read(golden: Path) -> None:
    assert spec_to_yaml(load_spec(golden / "spec.yaml")) == (golden / "spec.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda path: path.name)
def test_every_sample_turn_is_read_without_a_remark_and_its_deltas_add_up(golden: Path) -> None:
    content = reasoning = ""
    calls: list[list[str]] = []
    for line in (golden / "deltas.jsonl").read_text(encoding="utf-8").splitlines():
        entry: dict[str, Any] = json.loads(line)
        if "turn" in entry:
            content, reasoning, calls = "", "", []
        elif "delta" in entry:
            content += entry["delta"].get("content", "")
            reasoning += entry["delta"].get("reasoning_content", "")
            for piece in entry["delta"].get("tool_calls", ()):
                if "id" in piece:
                    calls.append([piece["function"]["name"], ""])
                calls[piece["index"]][1] += piece["function"]["arguments"]
        else:
            message = entry["message"]
            assert "diagnostics" not in entry
            assert (content, reasoning) == (message["content"] or "", message.get("reasoning_content", ""))
            functions = [call["function"] for call in message.get("tool_calls", ())]
            assert calls == [[function["name"], function["arguments"]] for function in functions]


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda path: path.name)
def test_a_golden_grammar_loads_and_writes_the_calls_that_the_parser_reads(golden: Path) -> None:
    assert Engine((golden / "grammar.gbnf").read_text(encoding="utf-8")) is not None
    spec = load_spec(golden / "spec.yaml")
    choice = "auto" if spec.turn.calls is None else "required"
    engine = Engine(build_parser(spec, tools=make_tools(SHORT_KEYS, SHORT_NAMES), tool_choice=choice).grammar().text)
    ends = ("", *spec.prompt.end_of_turn.content, *spec.prompt.end_of_turn.calls)
    for line in (golden / "deltas.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry.get("turn") == ("content" if spec.turn.calls is None else "a call"):
            assert any(engine.accepts(entry["text"].removesuffix(end)) for end in ends), entry["text"]
