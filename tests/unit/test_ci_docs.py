"""The recipes of docs/ci.md: every block of it is run, in a repository such as it speaks of."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.ci import OLD, ROOT, clean_environment, git, install_command, make_repository, needs_bash, needs_git, run_action

pytestmark = [needs_git, needs_bash]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
TAMED = OLD.replace("You may call", "Call")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def shell(repository: Path, script: str, *, expected: int = 0) -> str:
    commands = install_command(repository.parent / "bin")
    base = clean_environment()
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
        env={**base, "PATH": f"{commands}:{base['PATH']}", "UNTEMPLATE_CACHE": str(repository.parent / "kept")},
    )
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository to which the page's first recipe was applied, and whose template was revised since ``v1``."""
    folder = make_repository(tmp_path_factory.mktemp("docs") / "repository", {"templates/small.jinja": OLD})
    shell(folder, blocks("sh")[0])
    assert git(folder, "diff", "--cached", "--name-only").splitlines()[0] == "golden.yaml"
    git(folder, "commit", "--quiet", "--message", "goldens")
    return folder


def test_the_commands_for_any_ci_pass_on_goldens_and_write_their_reports(repository: Path) -> None:
    shell(repository, blocks("sh")[1])
    assert "testsuite" in (repository / "goldens.xml").read_text()
    assert "1 of 1 goldens are as they should be" in (repository / "goldens.md").read_text()


def test_each_step_of_the_workflow_runs(repository: Path) -> None:
    (workflow,) = [yaml.safe_load(text) for text in blocks("yaml") if "jobs:" in text]
    steps = workflow["jobs"]["templates"]["steps"]
    ours = [step for step in steps if step["uses"].startswith("OWNER/untemplate@")]
    assert [step["with"].get("command", "check") for step in ours] == ["check", "diff", "verify"]
    for number, step in enumerate(ours):
        given = {name: str(value) for name, value in step["with"].items()}
        done = run_action(given, repository, runner=repository.parent / f"runner{number}")
        assert done.code == 0, done.written
        assert done.summary.startswith("## untemplate")


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_each_target_of_the_makefile_runs(repository: Path) -> None:
    (recipe,) = blocks("make")
    (repository / "Makefile").write_text(recipe, encoding="utf-8")
    assert "1 golden is as it should be" in shell(repository, "make check-templates")
    shell(repository, "make verify-templates diff-templates SINCE=v1")
    (repository / "templates" / "small.jinja").write_text(TAMED, encoding="utf-8", newline="\n")
    try:
        assert "golden update" in shell(repository, "make check-templates", expected=2), "make itself exits with 2"
        assert "golden/small/spec.yaml" in shell(repository, "make update-templates")
        shell(repository, "make check-templates")
        shell(repository, "make diff-templates SINCE=v1")
    finally:
        git(repository, "checkout", "--quiet", "--", "golden", "templates")


def test_the_hooks_that_the_page_names_are_there() -> None:
    (config,) = [yaml.safe_load(text) for text in blocks("yaml") if "hooks:" in text]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in config["repos"][0]["hooks"]] == [hook["id"] for hook in hooks]


def test_the_page_names_the_version_that_this_is() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    assert set(re.findall(r"\bv\d+\.\d+\.\d+\b", PAGE)) == {f"v{version[1]}"}
