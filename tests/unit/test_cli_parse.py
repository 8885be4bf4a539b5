from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from untemplate.cli.main import run
from untemplate.compiler import compile_template
from untemplate.spec.files import dump_spec

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOOLS = [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
TURN = 'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich"}}\n</tool_call><|im_end|>\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dump_spec(compile_template(FIXTURES / "hermes_json_tags.jinja"), tmp_path / "spec.yaml")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    (tmp_path / "turn.txt").write_text(TURN, encoding="utf-8")
    return tmp_path


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))  # type: ignore[arg-type]


def test_a_turn_becomes_a_message(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["parse", str(folder / "spec.yaml"), str(folder / "turn.txt"), "--tools", str(folder / "tools.json")]) == 0
    captured = capsys.readouterr()
    message = json.loads(captured.out)
    assert (message["content"], message["finish_reason"], captured.err) == ("Let me look.", "tool_calls", "")
    (call,) = message["tool_calls"]
    assert call["function"]["name"] == "get_weather"
    assert json.loads(call["function"]["arguments"]) == {"city": "Zürich"}


def test_a_stream_is_events_that_add_up_to_the_message(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, TURN.encode())
    assert run(["parse", str(folder), "--tools", str(folder / "tools.json"), "--stream"]) == 0
    events = capsys.readouterr().out.split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    chunks = [json.loads(event.removeprefix("data: "))["choices"][0] for event in events[:-2]]
    assert "".join(chunk["delta"].get("content") or "" for chunk in chunks) == "Let me look."
    assert chunks[-1]["finish_reason"] == "tool_calls"


def test_the_spec_may_come_from_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    give_stdin(monkeypatch, (folder / "spec.yaml").read_bytes())
    assert run(["parse", "-", str(folder / "turn.txt"), "--tools", str(folder / "tools.json")]) == 0
    assert json.loads(capsys.readouterr().out)["finish_reason"] == "tool_calls"


def test_text_that_does_not_fit_is_said_and_fails_only_where_that_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "turn.txt").write_text('<tool_call>\n{"name": "get_weather", "arguments": {"city": ')
    command = ["parse", str(folder), str(folder / "turn.txt"), "--tools", str(folder / "tools.json")]
    assert run(command) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("warning: ")
    assert run([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert run([*command, "--strict"]) == 1


def test_a_turn_cut_by_the_token_limit_says_length(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "turn.txt").write_text("Let me")
    assert run(["parse", str(folder), str(folder / "turn.txt"), "--truncated"]) == 0
    assert json.loads(capsys.readouterr().out)["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "-"], "standard input cannot be both"),
        (["SPEC", "absent.txt"], "cannot be read"),
        (["absent.yaml", "TURN"], "there is no such file"),
        (["SPEC", "TURN", "--tools", "TURN"], "E60"),
        (["SPEC", "TURN", "--tool-choice", "nothing"], "not declared"),
        (["SPEC", "TURN", "--schema", "TOOLS"], "should be a JSON Schema"),
    ],
)
def test_a_request_that_cannot_be_is_one_message(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"SPEC": folder / "spec.yaml", "TURN": folder / "turn.txt", "TOOLS": folder / "tools.json"}
    assert run(["parse", *(str(names.get(each, each)) for each in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert "E999" not in captured.err
