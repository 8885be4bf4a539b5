"""The examples of README.md, run: ``python -m tests.readme`` writes their output into it, a test compares."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

from untemplate.cli.main import run

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_CONSOLE = re.compile(r"^```console\n\$ (?P<command>.+)\n(?P<output>(?s:.*?))^```$", re.MULTILINE)
_PYTHON = re.compile(r"^```python\n(?P<code>(?s:.*?))^```\n\n```text\n(?P<output>(?s:.*?))^```$", re.MULTILINE)


def run_command(line: str) -> str:
    """Return all that a command of the README writes, standard error included; ``| head -N`` cuts it."""
    line, _, cut = line.partition(" | head -")
    program, *arguments = shlex.split(line)
    assert program == "untemplate"
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
        code = run(arguments)
    assert code == 0, written.getvalue()
    lines = _without_chance(written.getvalue()).splitlines(keepends=True)
    return "".join(lines[: int(cut)] if cut else lines)


def run_python(code: str) -> str:
    """Return what a piece of Python in the README prints."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        exec(compile(code, str(README), "exec"), {})
    return _without_chance(written.getvalue())


def _without_chance(text: str) -> str:
    """Return text with made ids, which are random, told apart by nothing."""
    return re.sub(r'(["\']id["\']: ["\'])[A-Za-z0-9]{24}', r"\1k2vVJbUqQ0hWz6cX1mYtRn4e", text)


def renewed(text: str) -> str:
    """Return the README with the output that its examples have now."""
    text = _CONSOLE.sub(lambda found: f"```console\n$ {found['command']}\n{run_command(found['command'])}```", text)
    return _PYTHON.sub(lambda found: f"```python\n{found['code']}```\n\n```text\n{run_python(found['code'])}```", text)


if __name__ == "__main__":
    os.chdir(ROOT)
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
