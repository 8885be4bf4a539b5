from __future__ import annotations

import importlib
import subprocess
import sys

import click
import pytest

from untemplate.cli import main as main_module
from untemplate.cli.commands import COMMANDS
from untemplate.cli.main import run
from untemplate.cli.visible import shortened, visible
from untemplate.errors import SpecError


def test_help_lists_every_command_without_importing_one(capsys: pytest.CaptureFixture[str]) -> None:
    script = "import sys; from untemplate.cli.main import run; print(run(['--help']), sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert all(f"  {name} " in done.stdout for name in COMMANDS)
    loaded = done.stderr
    for heavy in ("rich", "yaml", "jinja2", "deepdiff", "llguidance", "untemplate.spec", *(f"untemplate.cli.{name}" for name in COMMANDS)):
        assert f"'{heavy}'" not in loaded, heavy


@pytest.mark.parametrize("name", COMMANDS)
def test_a_listed_command_exists_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = getattr(importlib.import_module(f"untemplate.cli.{name}"), name)
    assert isinstance(command, click.Command)
    assert run([name, "--help"]) == 0
    assert "Usage: untemplate " + name in capsys.readouterr().out


def test_an_unknown_command_offers_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspct"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no such command `inspct`: did you mean `inspect`?" in captured.err


def test_an_error_says_what_where_and_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise SpecError("is \x1b[31mbroken", code="E502", where="spec.yaml:3: turn", hint="mend it")

    monkeypatch.setattr(main_module.untemplate, "main", fail)
    assert run([]) == 2
    assert capsys.readouterr().err == "error: E502 is \\x1b[31mbroken\nwhere: spec.yaml:3: turn\nhint: mend it\n"


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), RecursionError("deep"), MemoryError()])
def test_a_fault_of_ours_is_one_message_and_no_traceback(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(main_module.untemplate, "main", fail)
    monkeypatch.delenv("UNTEMPLATE_TRACEBACK", raising=False)
    assert run([]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: E999 untemplate itself failed: {type(error).__name__}")
    assert "Traceback" not in captured.err


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("untemplate ")


def test_what_steers_a_terminal_is_made_visible() -> None:
    assert visible("a\x1b[2J\x85\u202e\n\t🙂é<｜") == "a\\x1b[2J\\x85\\u202e\\n\\t🙂é<｜"
    assert visible("a\nb\r", keep_lines=True) == "a\nb\\r"


def test_a_long_text_loses_its_middle() -> None:
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert shortened("abc", 3) == "abc"
    assert [len(shortened("x" * 50, width)) for width in range(1, 9)] == list(range(1, 9))
