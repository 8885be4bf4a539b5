from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from untemplate.cli.inputs import looks_like_spec, read_data, read_spec, read_tool_choice, read_tools
from untemplate.errors import RequestError, SpecError
from untemplate.spec.files import dump_spec, spec_to_json, spec_to_yaml
from untemplate.spec.model import Spec, TemplateInfo

SPEC = Spec(template=TemplateInfo(name="demo", sha256="0" * 64, source="jinja"))
FUNCTION = {"name": "get_weather", "parameters": {"type": "object"}}
TOOL = {"type": "function", "function": FUNCTION}


def test_a_spec_is_told_from_a_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump_spec(SPEC, tmp_path / "out" / "spec.yaml")
    dump_spec(SPEC, tmp_path / "spec.json")
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "format: 1"}')
    (tmp_path / "x.jinja").write_text("{{ messages }}")
    assert looks_like_spec(str(tmp_path / "out"))
    assert looks_like_spec(str(tmp_path / "spec.json"))
    assert not looks_like_spec(str(tmp_path / "tokenizer_config.json"))
    assert not looks_like_spec(str(tmp_path / "x.jinja"))
    assert not looks_like_spec(str(tmp_path / "absent"))
    for text, expected in ((spec_to_yaml(SPEC), True), (spec_to_json(SPEC), True), ("{{ messages }}", False)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode()))))  # type: ignore[arg-type]
        assert looks_like_spec("-") is expected
        assert sys.stdin.read() == text


def test_a_spec_is_read_from_the_folder_that_compile_made(tmp_path: Path) -> None:
    dump_spec(SPEC, tmp_path / "spec.yaml")
    assert read_spec(str(tmp_path)) == read_spec(str(tmp_path / "spec.yaml")) == SPEC


def test_a_template_in_the_place_of_a_spec_gets_a_hint(tmp_path: Path) -> None:
    (tmp_path / "x.jinja").write_text("{{ messages }}")
    with pytest.raises(SpecError) as caught:
        read_spec(str(tmp_path / "x.jinja"))
    assert "untemplate compile" in str(caught.value.hint)


@pytest.mark.parametrize("shape", [[TOOL], [FUNCTION], {"tools": [TOOL]}, TOOL, FUNCTION])
def test_tools_are_read_in_the_shapes_that_people_keep_them_in(tmp_path: Path, shape: object) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(shape))
    assert read_tools(str(tmp_path / "tools.json")) == [TOOL]


@pytest.mark.parametrize("content", ["[", "3", '[{"type": "function"}]', '[{"function": {"name": 3}}]', "[3]"])
def test_tools_of_another_shape_are_an_error_with_file_and_place(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tools.json"
    path.write_text(content)
    with pytest.raises(RequestError) as caught:
        read_tools(str(path))
    assert str(caught.value.where).startswith(str(path))


def test_data_that_is_absent_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        read_data(str(tmp_path / "absent.json"))
    assert caught.value.where == str(tmp_path / "absent.json")


def test_a_tool_choice_is_a_word_or_a_name() -> None:
    assert read_tool_choice("required") == "required"
    assert read_tool_choice("get_weather") == {"type": "function", "function": {"name": "get_weather"}}
