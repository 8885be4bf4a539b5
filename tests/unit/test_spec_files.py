from __future__ import annotations

import json
import stat
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given

from tests.strategies import SPECS
from untemplate.errors import SpecError
from untemplate.spec.compare import ChangeKind, compare_specs
from untemplate.spec.files import dump_spec, load_spec, spec_from_text, spec_to_data, spec_to_json, spec_to_yaml, write_text
from untemplate.spec.model import Block, Content, Marker, Reasoning, ReasoningMode, Spec, Switch, TemplateInfo, Tokens, Turn
from untemplate.spec.schema import spec_schema

INFO = TemplateInfo(name="demo", sha256="0" * 64, source="jinja")
THINK = Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<think>", after="\n"),), close=(Marker(core="</think>", before="\n"),))
SPEC = Spec(template=INFO, turn=Turn(blocks=(Block.REASONING, Block.CONTENT), reasoning=THINK), tokens=Tokens(ids={"<think>": 7}))
ROOT = Path(__file__).parents[2]


def test_every_text_is_double_quoted_and_our_own_words_are_not() -> None:
    lines = spec_to_yaml(SPEC).splitlines()
    assert "    mode: tagged" in lines
    assert '    open: [{core: "<think>", after: "\\n"}]' in lines
    assert "  blocks: [reasoning, content]" in lines
    assert '  ids: {"<think>": 7}' in lines


def test_white_space_that_cannot_be_seen_is_escaped() -> None:
    text = spec_to_yaml(Spec(template=TemplateInfo(name="\x85\xa0\u2028\ufeff", sha256="", source="jinja")))
    assert 'name: "\\u0085\\u00a0\\u2028\\ufeff"' in text


def test_a_number_with_an_exponent_stays_a_number_for_yaml() -> None:
    spec = Spec(template=INFO, switches=(Switch(name="x", values=(1e20, 1e-7, 2.5)),))
    assert yaml.safe_load(spec_to_yaml(spec))["switches"][0]["values"] == [1e20, 1e-7, 2.5]
    assert spec_from_text(spec_to_json(spec)) == spec


def test_a_key_longer_than_yaml_looks_ahead_survives() -> None:
    spec = Spec(template=INFO, tokens=Tokens(ids={"<" + "x" * 2000 + ">": 1, "b": 2}))
    assert spec_from_text(spec_to_yaml(spec)) == spec


@pytest.mark.parametrize("name", ["spec.yaml", "spec.yml", "spec.json", "spec"])
def test_a_spec_file_is_read_back(tmp_path: Path, name: str) -> None:
    dump_spec(SPEC, tmp_path / name)
    assert load_spec(tmp_path / name) == SPEC


def test_the_name_decides_between_yaml_and_json(tmp_path: Path) -> None:
    dump_spec(SPEC, tmp_path / "spec.json")
    assert json.loads((tmp_path / "spec.json").read_bytes())["format"] == 1


@pytest.mark.parametrize(
    ("old", "new", "code", "path"),
    [
        ("core:", "corr:", "E502", ": turn.reasoning.open[0].corr"),
        ("mode: tagged", "mode: tagd", "E502", ": turn.reasoning.mode"),
        ("format: 1", "format: 2", "E505", ": format"),
        ("format: 1", "format: true", "E504", ": format"),
        ("format: 1", "forma: 1", "E503", ""),
        ("sha256:", "sha:", "E502", ": template.sha"),
        ("quirks: []", "quirks: 2024-01-01", "E504", ": quirks"),
        ("quirks: []", "quirks: []\nquirks: []", "E501", ""),
        ("quirks: []", "quirks: [&a [], *a]", "E501", ""),
        ("quirks: []", "quirks: ]", "E501", ""),
    ],
)
def test_a_broken_spec_names_file_line_and_place(old: str, new: str, code: str, path: str) -> None:
    text = spec_to_yaml(SPEC).replace(old, new, 1)
    line = text[: text.index(new)].count("\n") + 1
    with pytest.raises(SpecError) as caught:
        spec_from_text(text, "s.yaml")
    assert (caught.value.code, caught.value.message.count("\n")) == (code, 0)
    at = line + (1 if "\n" in new else 0)
    assert caught.value.where in (f"s.yaml:{at}{path}", f"s.yaml:{line}{path}")


NO_SPECS = ["", "- 1", "format", "format: 1\nx: \x00", "[" * 5000, "{" * 5000, "%YAML 3\n---\n", "a: !!python/name:os.system"]


@pytest.mark.parametrize("text", NO_SPECS)
def test_text_that_is_no_spec_at_all_is_an_error(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec_from_text(text, "s.yaml")
    assert str(caught.value.where).startswith("s.yaml")


def test_a_key_that_occurs_twice_in_json_is_refused() -> None:
    with pytest.raises(SpecError, match="occurs twice"):
        spec_from_text('{"format": 1, "format": 1}')


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_an_error_with_its_name(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "spec.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SpecError) as caught:
        load_spec(path)
    assert (caught.value.code, caught.value.where) == ("E500", str(path))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    dump_spec(SPEC, tmp_path / "spec.yaml")
    before = (tmp_path / "spec.yaml").read_bytes()
    with pytest.raises(SpecError):
        dump_spec(Spec(template=TemplateInfo(name="\ud800", sha256="", source="jinja")), tmp_path / "spec.yaml")
    assert (tmp_path / "spec.yaml").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["spec.yaml"]


def test_a_folder_that_cannot_be_made_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SpecError) as caught:
        write_text(tmp_path / "file" / "spec.yaml", "x")
    assert caught.value.code == "E500"


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("old")
    path.chmod(0o640)
    write_text(path, "new\n")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new\n", 0o640)


# --- the schema --------------------------------------------------------------------------------------------------------


def test_the_published_schema_is_the_one_of_the_code() -> None:
    published = (ROOT / "docs" / "spec.schema.json").read_text(encoding="utf-8")
    assert json.loads(published) == spec_schema(), "run `make schema`"


@given(SPECS)
def test_every_spec_fits_the_schema(spec: Spec) -> None:
    VALIDATOR.validate(json.loads(spec_to_json(spec)))


VALIDATOR = jsonschema.Draft202012Validator(spec_schema())


def test_the_schema_is_one_and_refuses_what_the_codec_refuses() -> None:
    jsonschema.Draft202012Validator.check_schema(spec_schema())
    for change in ({"format": 2}, {"extra": 1}, {"turn": {"blocks": ["nothing"]}}, {"tokens": {"ids": {"a": "b"}}}):
        assert not VALIDATOR.is_valid({**spec_to_data(SPEC), **change})


def test_a_field_of_the_schema_is_explained() -> None:
    marker = spec_schema()["$defs"]["Marker"]
    assert marker["description"].startswith("Literal text that decides")
    assert marker["properties"]["before"]["description"].startswith("White space written before the core")


# --- comparing ---------------------------------------------------------------------------------------------------------


def test_equal_specs_have_no_changes() -> None:
    assert compare_specs(SPEC, spec_from_text(spec_to_yaml(SPEC))) == ()


def test_each_change_has_its_place_and_both_values() -> None:
    think = Reasoning(mode=ReasoningMode.TAGGED, open=(*THINK.open, Marker(core="<t>")), close=(Marker(core="</t>", before="\n"),))
    new = Spec(template=INFO, turn=Turn(blocks=SPEC.turn.blocks, reasoning=think, content=Content(always=True)))
    changes = {each.path: each for each in compare_specs(SPEC, new)}
    assert list(changes) == ["tokens.ids.<think>", "turn.content.always", "turn.reasoning.close[0].core", "turn.reasoning.open[1]"]
    assert (changes["tokens.ids.<think>"].kind, changes["tokens.ids.<think>"].old) == (ChangeKind.REMOVED, 7)
    assert (changes["turn.content.always"].old, changes["turn.content.always"].new) == (False, True)
    assert (changes["turn.reasoning.close[0].core"].old, changes["turn.reasoning.close[0].core"].new) == ("</think>", "</t>")
    assert changes["turn.reasoning.open[1]"].new == {"core": "<t>", "before": "", "after": ""}
