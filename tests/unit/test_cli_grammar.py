from __future__ import annotations

import json
from pathlib import Path

import pytest

from untemplate.cli.main import run
from untemplate.compiler import compile_template
from untemplate.emit.engine import Engine
from untemplate.spec.files import dump_spec

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOOLS = [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dump_spec(compile_template(FIXTURES / "hermes_json_tags.jinja"), tmp_path / "spec.yaml")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    return tmp_path


def test_a_required_call_is_written_and_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["grammar", str(folder), "--tools", str(folder / "tools.json"), "--tool-choice", "required"]) == 0
    captured = capsys.readouterr()
    engine = Engine(captured.out)
    assert engine.accepts(CALL)
    assert not engine.accepts(CALL.replace("get_weather", "get_whether"))
    assert not engine.accepts("Hello")
    assert captured.err == ""


def test_a_lazy_grammar_says_so_and_json_has_its_triggers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["grammar", str(folder), "--tools", str(folder / "tools.json")]
    assert run(command) == 0
    assert "lazy" in capsys.readouterr().err
    assert run([*command, "--format", "json", "-o", str(folder / "grammar.json")]) == 0
    data = json.loads((folder / "grammar.json").read_text())
    assert (data["lazy"], data["triggers"], data["stops"]) == (True, ["<tool_call>"], ["<|im_end|>"])


def test_a_response_schema_is_the_whole_turn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "schema.json").write_text('{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}')
    assert run(["grammar", str(folder), "--schema", str(folder / "schema.json")]) == 0
    engine = Engine(capsys.readouterr().out)
    assert engine.accepts('{"a": 1}')
    assert not engine.accepts("1")


def test_what_a_grammar_cannot_say_is_a_warning_with_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "array", "uniqueItems": True}}}}]
    (folder / "tools.json").write_text(json.dumps(tools))
    assert run(["grammar", str(folder), "--tools", str(folder / "tools.json"), "--tool-choice", "required"]) == 0
    err = capsys.readouterr().err
    assert "warning: W401" in err
    assert "uniqueItems" in err


def test_a_schema_that_nothing_fits_is_an_error_with_tool_and_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tools.json").write_text(
        json.dumps([{"name": "f", "parameters": {"type": "object", "properties": {"x": False}, "required": ["x"]}}])
    )
    assert run(["grammar", str(folder), "--tools", str(folder / "tools.json"), "--tool-choice", "required"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: E4")
    assert "where: f/" in captured.err
