"""Scratch repositories, and what stands in for a runner of GitHub's actions: the same shell, files and variables."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.drift_cases import CASES

ROOT = Path(__file__).parents[1]
ACTION: Mapping[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
BY_NAME = {case.name: case for case in CASES}
OLD = BY_NAME["opening of a call renamed"].base
NEW = BY_NAME["opening of a call renamed"].revised


def git(folder: Path, *arguments: str) -> str:
    """Return what git writes."""
    told = [
        "-c",
        "user.name=Tester",
        "-c",
        "user.email=tester@example.org",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "core.hooksPath=/dev/null",
    ]
    return subprocess.run(["git", *told, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def make_repository(folder: Path, files: Mapping[str, str]) -> Path:
    """Return a new repository whose first commit, tagged ``v1``, has these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    git(folder, "tag", "v1")
    return folder


def install_command(folder: Path) -> Path:
    """Return a folder with a command ``untemplate`` that runs the code under test."""
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "untemplate"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m untemplate "$@"\n')
    command.chmod(0o755)
    return folder


def clean_environment(**more: str) -> dict[str, str]:
    """Return the environment of a test's commands: of ours only what is needed to find programs and the code under test."""
    kept = ("PATH", "HOME", "PYTHONPATH", "LANG", "TMPDIR", "VIRTUAL_ENV", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "SSL_CERT_FILE")
    return {**{name: os.environ[name] for name in kept if name in os.environ}, "UNTEMPLATE_CACHE": "off", **more}


@dataclass(frozen=True)
class Ran:
    """What came of an action."""

    code: int
    written: str
    summary: str
    outputs: Mapping[str, str] = field(default_factory=dict)


def run_action(inputs: Mapping[str, str], folder: Path, *, runner: Path, install: bool = False) -> Ran:
    """Return what the action does in ``folder`` with these inputs, as a runner does it.

    Args:
        runner: a folder of the runner's own, for ``RUNNER_TEMP`` and the files that steps write to; earlier runs' results in it are found.
        install: run the step that installs; else a command that runs the code under test stands in its place.
    """
    unknown = set(inputs) - set(ACTION["inputs"])
    assert not unknown, f"the action has no inputs {unknown}"
    values = {f"inputs.{name}": str(inputs.get(name, told.get("default", ""))) for name, told in ACTION["inputs"].items()}
    values["github.action_path"] = str(ROOT)
    runner.mkdir(parents=True, exist_ok=True)
    files = {name: runner / name.lower() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for path in files.values():
        path.write_text("")
    if not install:
        install_command(runner / "untemplate" / "bin")
    written, code = "", 0
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input must come by a variable, or its text is run as shell"
        if step["name"] == "Install untemplate" and not install:
            continue
        given = {name: _EXPRESSION.sub(lambda found: values[found[1]], text) for name, text in step["env"].items()}
        script = runner / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        told = {"RUNNER_TEMP": str(runner), "GITHUB_ACTIONS": "true", "CI": "true", **{name: str(path) for name, path in files.items()}}
        # As GitHub runs `shell: bash`.
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**clean_environment(), **told, **given},
        )
        written, code = written + done.stdout + done.stderr, done.returncode
        if code:
            break
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return Ran(code, written, files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8"), outputs)
