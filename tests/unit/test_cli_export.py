from __future__ import annotations

import json
from pathlib import Path

import pytest

from untemplate.cli.main import run
from untemplate.compiler import compile_template
from untemplate.spec.files import dump_spec

FIXTURES = Path(__file__).parents[2] / "fixtures"


def spec_of(name: str, folder: Path) -> str:
    dump_spec(compile_template(FIXTURES / f"{name}.jinja"), folder / "spec.yaml")
    return str(folder / "spec.yaml")


def test_a_response_template_goes_to_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", spec_of("hermes_json_tags", tmp_path), "--to", "response-template"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["fields"].keys() == {"tool_calls", "content"}
    assert captured.err == ""


def test_the_profile_decides_on_the_names_of_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = spec_of("reasoning_tagged", tmp_path)
    for profile, name in (("portable", "thinking"), ("transformers", "reasoning_content")):
        assert run(["export", spec, "--to", "response-template", "--profile", profile]) == 0
        assert name in json.loads(capsys.readouterr().out)["fields"]


def test_what_is_lost_is_said_and_writes_nothing_unless_it_is_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["export", spec_of("nested_xml_values", tmp_path), "--to", "response-template", "-o", str(tmp_path / "out.json")]
    assert run(command) == 1
    captured = capsys.readouterr()
    assert "warning: lost: calls.arguments.object" in captured.err
    assert not (tmp_path / "out.json").exists()
    assert run([*command, "--allow-lossy"]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["version"] == 1


def test_a_patched_configuration_keeps_everything_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tokenizer_config.json").write_text('{\n    "b": 1.50,\n    "a": "é"\n}\n', encoding="utf-8")
    command = ["export", spec_of("hermes_json_tags", tmp_path), "--to", "response-template", "--patch"]
    assert run([*command, str(tmp_path / "tokenizer_config.json")]) == 0
    patched = json.loads(capsys.readouterr().out)
    assert list(patched) == ["b", "a", "response_template"]
    assert run([*command, str(tmp_path / "absent.json")]) == 2
    assert "absent.json" in capsys.readouterr().err
