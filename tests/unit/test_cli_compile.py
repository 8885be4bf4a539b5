from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from untemplate.cli.inputs import read_spec
from untemplate.cli.main import run
from untemplate.compiler import compile_template
from untemplate.spec.files import load_spec, spec_from_text, spec_to_yaml

FIXTURES = Path(__file__).parents[2] / "fixtures"
HERMES = FIXTURES / "hermes_json_tags.jinja"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_spec_of_a_single_source_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", str(HERMES), "--no-cache"]) == 0
    assert capsys.readouterr().out == spec_to_yaml(compile_template(HERMES))
    assert run(["compile", str(HERMES), "--no-cache", "--format", "json"]) == 0
    assert spec_from_text(capsys.readouterr().out) == compile_template(HERMES)


def test_three_files_are_written_for_each_source(tmp_path: Path) -> None:
    assert run(["compile", str(HERMES), "-o", str(tmp_path / "out"), "--no-cache"]) == 0
    written = tree(tmp_path / "out")
    assert sorted(written) == [f"hermes_json_tags/{name}" for name in ("evidence.yaml", "grammar.gbnf", "spec.yaml")]
    assert load_spec(tmp_path / "out" / "hermes_json_tags" / "spec.yaml") == compile_template(HERMES)


def test_tools_and_the_name_are_the_users(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "open_door", "parameters": {"type": "object"}}]))
    options = ["--tools", str(tmp_path / "tools.json"), "--name", "mine", "--no-cache"]
    assert run(["compile", str(HERMES), "-o", str(tmp_path / "out"), *options]) == 0
    assert b"open_door" in tree(tmp_path / "out")["mine/grammar.gbnf"]
    assert load_spec(tmp_path / "out" / "mine" / "spec.yaml").template.name == "mine"


def test_a_source_that_fails_is_named_and_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.jinja").write_text("{% for")
    sources = [str(tmp_path / "broken.jinja"), str(HERMES), str(tmp_path / "absent.jinja")]
    assert run(["compile", *sources, "-o", str(tmp_path / "out"), "--no-cache"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"where: {tmp_path / 'broken.jinja'}" in captured.err
    assert f"where: {tmp_path / 'absent.jinja'}" in captured.err
    assert "1 of 3 compiled" in captured.err
    assert {path.parts[-2] for path in (tmp_path / "out").rglob("*.*")} == {"hermes_json_tags"}


def test_two_sources_of_one_name_do_not_overwrite_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "more").mkdir()
    shutil.copy(FIXTURES / "json_lines.jinja", tmp_path / "more" / "hermes_json_tags.jinja")
    command = ["compile", str(HERMES), str(tmp_path / "more" / "hermes_json_tags.jinja"), "-o", str(tmp_path / "out"), "--no-cache", "-v"]
    assert run(command) == 0
    assert "written to `hermes_json_tags-2`" in capsys.readouterr().err
    written = tree(tmp_path / "out")
    assert written["hermes_json_tags/spec.yaml"] != written["hermes_json_tags-2/spec.yaml"]


def test_processes_change_no_byte(tmp_path: Path) -> None:
    sources = [str(FIXTURES / f"{name}.jinja") for name in ("hermes_json_tags", "json_lines", "plain_chat")]
    for jobs in ("1", "2"):
        assert run(["compile", *sources, "-o", str(tmp_path / jobs), "--jobs", jobs, "--no-cache", "--quiet"]) == 0
    assert tree(tmp_path / "1") == tree(tmp_path / "2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["HERMES", "HERMES"], "several sources need `-o DIR`"),
        (["HERMES", "HERMES", "-o", "OUT", "--name", "x"], "`--name` is for a single source"),
        (["HERMES", "-o", "FILE"], "this is a file, not a folder"),
        (["SPEC", "-o", "OUT"], "this is a spec"),
        (["HERMES", "-o", "OUT", "--tools", "FILE"], "E60"),
        (["HERMES", "-o", "OUT", "--template", "nope"], "E103"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_is_one_message_and_writes_nothing(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x: [")
    (tmp_path / "spec.yaml").write_text(spec_to_yaml(compile_template(HERMES)))
    names = {"HERMES": HERMES, "OUT": tmp_path / "out", "FILE": tmp_path / "file", "SPEC": tmp_path / "spec.yaml"}
    assert run(["compile", "--no-cache", *(str(names.get(each, each)) for each in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert not (tmp_path / "out").exists()


def test_a_disk_that_refuses_leaves_nothing_half_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "out" / "hermes_json_tags" / "grammar.gbnf"
    blocked.mkdir(parents=True)
    assert run(["compile", str(HERMES), "-o", str(tmp_path / "out"), "--no-cache"]) == 2
    assert str(blocked) in capsys.readouterr().err
    assert tree(tmp_path / "out") == {}


def test_a_folder_holds_one_spec_whatever_its_form(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for form, name in (("yaml", "spec.yaml"), ("json", "spec.json"), ("yaml", "spec.yaml")):
        assert run(["compile", str(HERMES), "-o", str(out), "--format", form, "--no-cache", "-q"]) == 0
        assert [path.name for path in (out / "hermes_json_tags").glob("spec.*")] == [name]
        assert read_spec(str(out / "hermes_json_tags")).template.name == "hermes_json_tags"


def test_a_folder_of_another_name_is_told_of_among_many_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.jinja").write_text(HERMES.read_text())
    sources = [str(tmp_path / folder / "m.jinja") for folder in ("a", "b")]
    assert run(["compile", *sources, "-o", str(tmp_path / "out"), "--no-cache"]) == 0
    assert "written to `m-2`" in capsys.readouterr().err


def test_a_missing_choice_is_told_without_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "x"]) == 2
    said = capsys.readouterr().err
    assert "response-template" in said
    assert "\\t" not in said
