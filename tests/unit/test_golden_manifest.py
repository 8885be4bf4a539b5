from __future__ import annotations

from pathlib import Path

import pytest

from untemplate.errors import SpecError
from untemplate.golden.manifest import ManifestEntry, expand_entries, load_manifest


def write_manifest(folder: Path, text: str) -> Path:
    path = folder / "golden.yaml"
    path.write_text(text)
    return path


def expanded(folder: Path, text: str) -> list[str]:
    path = write_manifest(folder, text)
    return [Path(entry.source).name for entry in expand_entries(load_manifest(path), path.parent)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models" / "deep").mkdir(parents=True)
    for name in ("b.jinja", "a.jinja", "deep/c.jinja", "tools.json"):
        (tmp_path / "models" / name).write_text("x")
    return tmp_path


def test_a_pattern_finds_sources_beside_the_manifest_in_order(folder: Path) -> None:
    assert expanded(folder, "sources: [{source: models/*.jinja}]") == ["a.jinja", "b.jinja"]
    assert expanded(folder, "sources: [{source: 'models/**/*.jinja'}]") == ["a.jinja", "b.jinja", "c.jinja"]
    assert expanded(folder, "sources: [{source: models/b.jinja}, {source: models/a.jinja}]") == ["b.jinja", "a.jinja"]
    assert expanded(folder, f"sources: [{{source: '{folder}/models/*.jinja'}}]") == ["a.jinja", "b.jinja"]


def test_options_of_an_entry_hold_for_every_source_that_it_finds(folder: Path) -> None:
    text = "sources: [{source: models/*.jinja, template: tool_use, tools: models/tools.json, warnings: [W330]}]"
    path = write_manifest(folder, text)
    for entry in expand_entries(load_manifest(path), folder):
        assert (entry.template, entry.tools, entry.warnings) == ("tool_use", str(folder / "models" / "tools.json"), ("W330",))


def test_files_of_an_installed_package_are_sources(folder: Path) -> None:
    assert expanded(folder, "sources: [{source: 'pip:hypothesis:version*'}]") == ["version.py"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("sources: [{source: models/*.gguf}]", "E520", "finds nothing"),
        ("sources: [{source: models/absent.jinja}]", "E520", "finds nothing"),
        ("sources: [{source: models/*.jinja, name: x}]", "E521", "cannot all be called"),
        ("sources: [{source: 'pip:no_such_package_here:*'}]", "E522", "not installed"),
        ("sources: [{source: 'pip:hypothesis'}]", "E522", "should be"),
        ("sources: [{sorce: x}]", "E502", "unknown key"),
        ("sources: x", "E504", "should be a list"),
        ("folder: x", "E503", "is missing"),
        ("sources: ]", "E501", "not valid YAML"),
    ],
)
def test_a_broken_manifest_is_an_error_with_its_place(text: str, code: str, message: str, folder: Path) -> None:
    path = write_manifest(folder, text)
    with pytest.raises(SpecError) as caught:
        expand_entries(load_manifest(path), folder)
    assert caught.value.code == code
    assert message in caught.value.message
    if code in ("E501", "E502", "E503", "E504"):
        assert str(caught.value.where).startswith(f"{path}:1")


def test_a_name_is_for_one_source(folder: Path) -> None:
    path = write_manifest(folder, "sources: [{source: models/a.jinja, name: first}]")
    (entry,) = expand_entries(load_manifest(path), folder)
    assert entry == ManifestEntry(source=str(folder / "models" / "a.jinja"), name="first")
