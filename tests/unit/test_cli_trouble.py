"""What a user is told when a file is not what it should be: one error with a code, its place, and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import untemplate
from untemplate.cli.main import run
from untemplate.source.hub import _said

TEMPLATE = Path(__file__).parents[2] / "fixtures" / "hermes_json_tags.jinja"


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("spec") / "spec.yaml"
    untemplate.dump_spec(untemplate.compile_template(TEMPLATE), path)
    return str(path)


def told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines on standard error of a command that fails."""
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


@pytest.mark.parametrize("command", [["grammar"], ["parse"], ["export", "--to", "lark"]])
def test_a_spec_that_is_not_there_is_told_with_how_to_make_one(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    error, where, hint = told([*command, "missing.yaml"], capsys)
    assert error == "error: E500 there is no such file"
    assert where == "where: missing.yaml"
    assert "untemplate compile" in hint


def test_a_file_of_the_request_that_is_not_there_is_told_with_a_hint(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["grammar", spec, "--tools", "missing"], ["grammar", spec, "--prompt", "missing"], ["parse", spec, "missing"]):
        error, where, hint = told(arguments, capsys)
        assert (error, where) == ("error: E601 cannot be read: No such file or directory", "where: missing")
        assert hint.startswith("hint: check the path")


@pytest.mark.parametrize(
    ("name", "text", "message", "line"),
    [
        ("tools.json", '[{"name": "f"}\n{"name": "g"}]', "not JSON: Expecting ',' delimiter", ":2"),
        ("tools", '[{"name": "f"', "not JSON: Expecting", ":1"),
        ("tools.json", "name: [", "not JSON: Expecting value", ":1"),
        ("tools.yaml", "name: [", "not valid YAML", ":2"),
        ("tools.json", '{"name": "f", "name": "g"}', "the key `name` occurs twice", ""),
    ],
)
def test_broken_tools_are_called_what_they_are(
    name: str, text: str, message: str, line: str, spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    error, where, hint = told(["grammar", spec, "--tools", str(tmp_path / name)], capsys)
    assert error.startswith(f"error: E601 {message}")
    assert where.startswith(f"where: {tmp_path / name}{line}")
    assert hint == "hint: correct the file at this line"


def test_a_name_that_no_file_can_have_is_no_fault_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("compile", "grammar"):
        error, _where, hint = told([command, "a" * 5000], capsys)
        assert error == "error: E100 cannot be opened: File name too long"
        assert hint == "hint: Check the path and its permissions."


def test_a_file_that_cannot_be_written_is_told_with_a_hint(spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    for arguments in (
        ["export", spec, "--to", "response-template", "-o", str(tmp_path)],
        ["compile", str(TEMPLATE), "-o", str(tmp_path / "file")],
        ["export", spec, "--to", "response-template", "--patch", str(tmp_path / "file")],
    ):
        assert told(arguments, capsys)[2].startswith("hint: give ")


def test_a_summary_that_cannot_be_written_is_told_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error, _where, hint = told(["verify", str(TEMPLATE), "--budget", "1", "--summary", str(tmp_path)], capsys)
    assert error == "error: E500 the summary cannot be written: Is a directory"
    assert "--summary" in hint


def test_an_empty_manifest_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "golden.yaml").write_text("")
    _error, where, hint = told(["golden", "check", str(tmp_path / "golden.yaml")], capsys)
    assert where == f"where: {tmp_path / 'golden.yaml'}"
    assert "sources:" in hint


def test_what_would_be_other_with_tools_is_said_without_them(spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "f"}]))
    (tmp_path / "turn.txt").write_text("Hello")
    for arguments in (["parse", spec, str(tmp_path / "turn.txt")], ["export", spec, "--to", "lark"]):
        for more, said in ((["--tools", str(tmp_path / "tools.json")], False), ([], True)):
            assert run([*arguments, *more]) == 0
            assert ("note: no tools were given" in capsys.readouterr().err) is said
    assert run(["export", spec, "--to", "response-template"]) == 0
    assert "no tools were given" not in capsys.readouterr().err, "it is for every request"


def test_what_the_hub_said_is_told_without_what_stands_before_it() -> None:
    assert _said(Exception("(Request ID: 1)\n\nGot: ConnectError: no such host. Try again.")) == "ConnectError: no such host"
