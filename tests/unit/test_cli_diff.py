from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.drift_cases import CASES
from untemplate.cli.main import run
from untemplate.compiler import compile_template
from untemplate.spec.files import dump_spec


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    by_name = {case.name: case for case in CASES}
    (tmp_path / "old.jinja").write_text(by_name["nothing changed"].base, newline="\n")
    for name, case in (
        ("renamed", "opening of a call renamed"),
        ("prompt", "system text changed only"),
        ("comment", "comment changed only"),
    ):
        (tmp_path / f"{name}.jinja").write_text(by_name[case].revised, newline="\n")
    return tmp_path


@pytest.mark.parametrize(
    ("new", "options", "code", "verdict"),
    [
        ("old", [], 0, "same"),
        ("comment", [], 0, "same"),
        ("prompt", [], 1, "cosmetic"),
        ("prompt", ["--fail-on", "compatible"], 0, "cosmetic"),
        ("renamed", [], 1, "breaking"),
        ("renamed", ["--fail-on", "breaking"], 1, "breaking"),
    ],
)
def test_the_exit_code_follows_the_verdict(
    new: str, options: list[str], code: int, verdict: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["diff", str(folder / "old.jinja"), str(folder / f"{new}.jinja"), *options]
    assert run([*command, "--format", "json"]) == code
    assert json.loads(capsys.readouterr().out)["verdict"] == verdict
    assert run(command) == code
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{verdict}: ")


def test_a_finding_has_the_fields_that_scripts_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["diff", str(folder / "old.jinja"), str(folder / "renamed.jinja"), "--format", "json"])
    first = json.loads(capsys.readouterr().out)["findings"][0]
    assert {"kind", "path", "old", "new", "severity", "explanation"} <= first.keys()
    assert (first["kind"], first["path"], first["severity"]) == ("call_marker", "turn.calls.forms[0].open", "breaking")
    assert first["new"]["core"] == "<toolcall>"
    assert first["proof"]["turn"].startswith("<toolcall>")


def test_a_person_sees_both_sides_and_the_turn_that_breaks_in_80_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["diff", str(folder / "old.jinja"), str(folder / "renamed.jinja")])
    out = capsys.readouterr().out
    assert 'core: "<tool_call>"  core: "<toolcall>"' in out
    assert "a new turn, as its template renders it: <toolcall>" in out
    assert [line for line in out.splitlines() if len(line) > 80] == []
    assert "\x1b" not in out


def test_a_spec_is_compared_with_a_template(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump_spec(compile_template(folder / "old.jinja"), folder / "spec.yaml")
    assert run(["diff", str(folder / "spec.yaml"), str(folder / "old.jinja")]) == 0
    assert run(["diff", str(folder / "spec.yaml"), str(folder / "renamed.jinja")]) == 1
    assert "breaking" in capsys.readouterr().out


@pytest.mark.parametrize("pair", [("old.jinja", "absent.jinja"), ("-", "-")])
def test_trouble_is_exit_code_2(pair: tuple[str, str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *(each if each == "-" else str(folder / each) for each in pair)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.startswith("error: ")) == ("", True)
