"""The GitHub action: its steps run with the shell, files and variables that a runner gives them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ci import ACTION, NEW, OLD, Ran, git, make_repository, needs_bash, needs_git, run_action
from untemplate.cli.main import run

pytestmark = [needs_git, needs_bash]


@pytest.fixture(scope="module")
def goldens(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of a repository whose goldens are as they should be."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "templates").mkdir()
    (folder / "templates" / "small.jinja").write_text(OLD, encoding="utf-8", newline="\n")
    (folder / "golden.yaml").write_text("sources: [{source: templates/*.jinja}]\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CI", raising=False)
        assert run(["golden", "update", str(folder / "golden.yaml"), "--quiet"]) == 0
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def repository(goldens: dict[str, str], tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository with a space", goldens)


Act = Callable[..., Ran]


@pytest.fixture(scope="module")
def act(tmp_path_factory: pytest.TempPathFactory) -> Act:
    """Run the action in a repository; all on one runner, so that no template is compiled twice."""
    runner = tmp_path_factory.mktemp("runner")
    return lambda repository, **inputs: run_action(
        {name.replace("_", "-"): text for name, text in inputs.items()}, repository, runner=runner
    )


def test_goldens_as_they_should_be_pass_and_the_summary_says_so(repository: Path, act: Act) -> None:
    done = act(repository)
    assert (done.code, done.outputs) == (0, {"exit-code": "0"}), done.written
    assert "**1 of 1 goldens are as they should be**" in done.summary
    assert git(repository, "status", "--short") == "", "a check writes nothing"


def test_a_changed_template_fails_with_annotations_and_a_summary(repository: Path, act: Act) -> None:
    (repository / "templates" / "small.jinja").write_text(NEW, encoding="utf-8", newline="\n")
    done = act(repository, arguments="--jobs=1\n")
    assert (done.code, done.outputs) == (1, {"exit-code": "1"})
    assert "::error file=golden/small/spec.yaml,title=golden-changed small::" in done.written
    assert "what opens a call changed" in done.summary
    assert "+      open: " in done.summary or '"<toolcall>"' in done.summary


def test_a_diff_takes_the_old_template_from_a_revision(repository: Path, act: Act) -> None:
    (repository / "templates" / "small.jinja").write_text(NEW, encoding="utf-8", newline="\n")
    done = act(repository, command="diff", new="templates/small.jinja", base="v1")
    assert (done.code, done.outputs["exit-code"]) == (1, "1")
    assert "::error file=templates/small.jinja,title=call_marker turn.calls.forms[0].open::breaking" in done.written
    assert "**breaking**" in done.summary
    git(repository, "commit", "--all", "--quiet", "--message", "second")
    assert act(repository, command="diff", new="templates/small.jinja", base="HEAD").code == 0


def test_a_diff_takes_two_files_and_fails_on_what_is_asked(repository: Path, act: Act) -> None:
    (repository / "new one.jinja").write_text(OLD.replace("You may call", "Call"), encoding="utf-8", newline="\n")
    given = {"command": "diff", "old": "templates/small.jinja", "new": "new one.jinja"}
    assert act(repository, **given).code == 0
    assert act(repository, **given, fail_on="any").code == 1


def test_templates_are_verified_by_name_and_by_glob(repository: Path, act: Act) -> None:
    (repository / "templates" / "with space.jinja").write_text(OLD, encoding="utf-8", newline="\n")
    done = act(repository, command="verify", sources="templates/*.jinja\n", arguments="--budget=10")
    assert done.code == 0, done.written
    assert "of 2 templates" in done.summary
    assert act(repository, command="verify", sources="templates/with space.jinja", arguments="--budget=5").code == 0


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"command": "chekc"}, "no command chekc"),
        ({"command": "diff"}, "diff needs the input new"),
        ({"command": "diff", "new": "templates/small.jinja"}, "diff needs the input old or base"),
        ({"command": "diff", "new": "templates/small.jinja", "base": "v9"}, "cannot be had at v9"),
        ({"command": "verify"}, "verify needs the input sources"),
        ({"command": "verify", "sources": "absent*.jinja"}, "E101"),
        ({"manifest": "absent.yaml"}, "absent.yaml"),
        ({"manifest": "$(touch ran); `touch ran`"}, "E500"),
    ],
)
def test_trouble_is_told_and_exits_with_2(inputs: dict[str, str], said: str, repository: Path, act: Act) -> None:
    done = act(repository, **inputs)
    assert done.code == 2
    assert said in done.written
    assert done.outputs == {"exit-code": "2"}
    assert not (repository / "ran").exists()


def test_results_are_kept_where_a_later_run_finds_them(repository: Path, act: Act) -> None:
    assert act(repository, cache=".kept").code == 0
    assert list((repository / ".kept").rglob("*.json"))


def test_every_input_is_used_and_described() -> None:
    used = {name for step in ACTION["runs"]["steps"] for text in step["env"].values() for name in re.findall(r"inputs\.([\w-]+)", text)}
    assert used == set(ACTION["inputs"])
    assert all(told["description"] for told in ACTION["inputs"].values())
