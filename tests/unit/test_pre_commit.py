"""The hooks, run by the real pre-commit in a scratch repository; the code under test stands in for the hooks' own environment.

That environment needs a package index: ``tests/e2e/test_ci_from_nothing.py`` makes it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.ci import NEW, OLD, ROOT, clean_environment, git, install_command, make_repository, needs_git
from untemplate.cli.main import run

pytestmark = [needs_git, pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with goldens whose hooks are ours, but for the environment that they run in."""
    local = {"repo": "local", "hooks": [{**hook, "language": "system"} for hook in HOOKS]}
    folder = tmp_path / "repository"
    (folder / "templates").mkdir(parents=True)
    (folder / "templates" / "small.jinja").write_text(OLD, encoding="utf-8", newline="\n")
    (folder / "golden.yaml").write_text("sources: [{source: templates/*.jinja}]\n")
    monkeypatch.delenv("CI", raising=False)
    assert run(["golden", "update", str(folder / "golden.yaml"), "--quiet"]) == 0
    return make_repository(folder, {".pre-commit-config.yaml": yaml.safe_dump({"repos": [local]}), "notes.txt": "text\n"})


def hook(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    base = clean_environment(PRE_COMMIT_HOME=str(repository.parent / "home"), PRE_COMMIT_COLOR="never")
    commands = install_command(repository.parent / "bin")
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", *arguments],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
        env={**base, "PATH": f"{commands}:{base['PATH']}"},
    )


def test_the_hooks_pass_on_goldens_and_fail_on_a_template_that_was_changed(repository: Path) -> None:
    done = hook(repository, "--all-files")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == len(HOOKS)
    (repository / "templates" / "small.jinja").write_text(NEW, encoding="utf-8", newline="\n")
    git(repository, "add", "--all")
    done = hook(repository)
    assert done.returncode == 1
    assert "small/spec.yaml: changed" in done.stdout
    assert "breaking: turn.calls.forms[0].open: what opens a call changed" in done.stdout
    assert done.stdout.count("Failed") == 1, "what the new template writes a parser still reads"


def test_a_commit_of_other_files_runs_no_hook(repository: Path) -> None:
    (repository / "notes.txt").write_text("other text\n")
    git(repository, "add", "--all")
    done = hook(repository)
    assert done.returncode == 0
    assert done.stdout.count("Skipped") == len(HOOKS)


def test_a_template_that_does_not_compile_fails_both_hooks_with_what_is_wrong(repository: Path) -> None:
    (repository / "templates" / "small.jinja").write_text("{% if %}")
    git(repository, "add", "--all")
    done = hook(repository)
    assert done.returncode == 1
    assert done.stdout.count("Failed") == len(HOOKS)
    assert "E201" in done.stdout


def test_pre_commit_itself_finds_nothing_wrong_with_the_list_of_hooks() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_hook_runs_for_files_of_that_name_and_not_for_names_that_end_so() -> None:
    pattern = re.compile(HOOKS[0]["files"])
    for path in (
        "golden.yaml",
        "a/golden.yaml",
        "tokenizer_config.json",
        "m/tokenizer_config.json",
        "golden/x/spec.yaml",
        "a/golden/x",
        "t.jinja",
    ):
        assert pattern.search(path), path
    for path in ("notgolden.yaml", "my_tokenizer_config.json", "a/olden/x", "ungolden/x", "golden.yaml.txt"):
        assert not pattern.search(path), path
