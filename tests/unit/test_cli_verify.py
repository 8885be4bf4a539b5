from __future__ import annotations

import json
from pathlib import Path

import pytest

from untemplate.cli.main import run
from untemplate.compiler import compile_template
from untemplate.spec.files import spec_to_yaml

FIXTURES = Path(__file__).parents[2] / "fixtures"
HERMES = str(FIXTURES / "hermes_json_tags.jinja")


@pytest.fixture
def wrong_spec(tmp_path: Path) -> str:
    """A spec whose content closes at a full stop: turns with one inside cannot be read back."""
    text = spec_to_yaml(compile_template(FIXTURES / "content_wrapped.jinja"))
    opening = text.split('content:\n    mode: wrapped\n    open: [{core: "')[1].split('"')[0]
    path = tmp_path / "spec.yaml"
    path.write_text(text.replace(f'close: [{{core: "{opening[0]}/{opening[1:]}"', 'close: [{core: "."'), encoding="utf-8")
    return str(path)


def test_a_template_that_reads_back_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", HERMES, "--budget", "40"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1].startswith("hermes_json_tags: ")
    assert captured.err == ""


def test_the_same_seed_gives_the_same_report(capsys: pytest.CaptureFixture[str]) -> None:
    reports = []
    for seed in ("1", "1"):
        assert run(["verify", HERMES, "--budget", "160", "--seed", seed, "--format", "json"]) == 0
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]
    assert json.loads(reports[0])["passed"] is True


def test_a_turn_that_is_not_read_back_is_shown_with_what_was_meant_and_read(wrong_spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", wrong_spec, "--budget", "40"]) == 1
    out = capsys.readouterr().out
    assert "  the turn: " in out
    assert "  meant: " in out
    assert "  read: " in out
    assert [line for line in out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("form", ["json", "markdown", "sarif", "junit", "github"])
def test_a_mismatch_is_in_every_format(form: str, wrong_spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", wrong_spec, "--budget", "20", "--format", form]) == 1
    out = capsys.readouterr().out
    assert "content" in out
    if form in ("json", "sarif"):
        json.loads(out)
