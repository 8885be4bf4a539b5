from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from untemplate.cli.main import run
from untemplate.compiler import compile_template
from untemplate.spec.files import dump_spec, spec_from_data

FIXTURES = Path(__file__).parents[2] / "fixtures"
HERMES = FIXTURES / "hermes_json_tags.jinja"
TAGGED = FIXTURES / "reasoning_tagged.jinja"


def test_inspect_shows_the_turn_and_every_marker(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", str(HERMES)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = captured.out.splitlines()
    assert any(line.split() == ["call", "opens", "<tool_call>\\n"] for line in lines)
    assert any('{"name": "get_weather", "arguments": {"city":' in line for line in lines)
    assert any(line.split()[:2] == ["stops", "<|im_end|>"] for line in lines)


@pytest.mark.parametrize("fixture", sorted(FIXTURES.glob("*.jinja")), ids=lambda path: path.stem)
def test_inspect_fits_80_columns_without_colour_when_piped(fixture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["inspect", str(fixture), "--verbose"])
    out = capsys.readouterr().out
    assert (code, "\x1b" in out) == (0, False)
    assert [line for line in out.splitlines() if len(line) > 80] == []
    assert [line for line in out.splitlines() if line != line.rstrip()] == []


def test_inspect_tells_the_same_of_a_spec_and_of_its_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump_spec(compile_template(HERMES), tmp_path / "spec.yaml")
    assert run(["inspect", str(tmp_path / "spec.yaml")]) == 0
    of_spec = capsys.readouterr().out
    assert run(["inspect", str(HERMES)]) == 0
    assert capsys.readouterr().out == of_spec


@pytest.mark.parametrize(("form", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_inspect_writes_data_that_holds_the_spec_and_the_turn(form: str, load: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", str(HERMES), "--format", form]) == 0
    data = load(capsys.readouterr().out)  # type: ignore[operator]
    assert spec_from_data(data["spec"]) == compile_template(HERMES)
    assert {"is": "call opens", "text": "<tool_call>\n"} in data["turn"]


def test_explain_shows_what_a_field_was_read_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", str(TAGGED), "turn.reasoning"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("turn.reasoning")
    assert "probe content|reasoning+content" in out
    assert "+ <think>" in out
    assert "turn.calls" not in out


def test_explain_of_a_field_within_a_field_shows_what_is_around_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", str(TAGGED), "turn.reasoning.open[0].core"]) == 0
    assert capsys.readouterr().out.startswith("turn.reasoning")


def test_explain_offers_the_nearest_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", str(TAGGED), "turn.resoning"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hint: did you mean `turn.reasoning`?" in captured.err


def test_explain_writes_evidence_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", str(TAGGED), "--format", "json"]) == 0
    evidence = json.loads(capsys.readouterr().out)
    assert all(entry["probe"] for entries in evidence.values() for entry in entries)
    assert "turn.reasoning" in evidence


@pytest.mark.parametrize("command", ["inspect", "explain"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("absent.jinja", None),
        ("broken.jinja", "{% if %}"),
        ("endless.jinja", "{% for i in range(99999999) %}{% for j in range(99999999) %}x{% endfor %}{% endfor %}"),
        ("huge.jinja", "{{ 'x' * 1000000000 }}"),
        ("tokenizer_config.json", "{}"),
        ("model.gguf", "GGUF\x03\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("spec.yaml", "format: 99\n"),
    ],
)
def test_bad_input_is_one_message_that_names_the_file(
    command: str, name: str, content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    assert run([command, str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: E")
    assert "E999" not in captured.err
    assert path.stem in captured.err
