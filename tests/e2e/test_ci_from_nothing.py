"""The hooks and the action in environments of their own, which pip makes from this folder and its index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.ci import OLD, ROOT, clean_environment, git, make_repository, needs_bash, needs_git, run_action
from untemplate.cli.main import run

pytestmark = [
    pytest.mark.e2e,
    needs_git,
    pytest.mark.skipif(os.environ.get("UNTEMPLATE_E2E") != "full", reason="installs from a package index: run `make e2e`"),
]
NO_INDEX = ("No matching distribution", "Could not find a version", "Connection refused", "Temporary failure in name resolution")


def skip_without_an_index(written: str) -> None:
    if any(sign in written for sign in NO_INDEX):
        pytest.skip("there is no package index to install from")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    folder = tmp_path / "made"
    (folder / "templates").mkdir(parents=True)
    (folder / "templates" / "small.jinja").write_text(OLD, encoding="utf-8", newline="\n")
    (folder / "golden.yaml").write_text("sources: [{source: templates/*.jinja}]\n")
    monkeypatch.delenv("CI", raising=False)
    assert run(["golden", "update", str(folder / "golden.yaml"), "--quiet"]) == 0
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
def test_pre_commit_installs_the_hooks_from_this_folder(files: dict[str, str], tmp_path: Path) -> None:
    ours = tmp_path / "untemplate"
    ours.mkdir()
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, ours / name)
    shutil.copytree(ROOT / "src", ours / "src", ignore=shutil.ignore_patterns("__pycache__"))
    make_repository(ours, {})
    hooks = [{"id": "untemplate-golden"}, {"id": "untemplate-verify"}]
    config = {"repos": [{"repo": str(ours), "rev": git(ours, "rev-parse", "HEAD").strip(), "hooks": hooks}]}
    repository = make_repository(tmp_path / "repository", {**files, ".pre-commit-config.yaml": yaml.safe_dump(config)})
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
        env={**clean_environment(PRE_COMMIT_HOME=str(tmp_path / "home"), PRE_COMMIT_COLOR="never"), "PYTHONPATH": ""},
    )
    skip_without_an_index(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == 2


@needs_bash
def test_the_action_installs_itself(files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    repository = make_repository(tmp_path / "repository", files)
    done = run_action({"python": sys.executable}, repository, runner=tmp_path / "runner", install=True)
    skip_without_an_index(done.written)
    assert (done.code, done.outputs) == (0, {"exit-code": "0"}), done.written
    assert (tmp_path / "runner" / "untemplate" / "bin" / "untemplate").is_file()
