"""Quirks are data: a predicate, a reason and the fields that they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from untemplate.compiler import compile_source
from untemplate.errors import SpecError
from untemplate.infer.quirks import Quirk, apply_quirks, load_overlay, shipped_quirks
from untemplate.source import load_source
from untemplate.spec.model import ReasoningMode, Spec, TemplateInfo

SPEC = Spec(template=TemplateInfo(name="x", sha256="0", source="jinja"))


def quirk(**members: object) -> Quirk:
    return Quirk(**{"id": "q", "reason": "because", "when": {}, "set": {}, **members})  # type: ignore[arg-type]


def test_at_most_twelve_quirks_are_shipped_and_each_says_why() -> None:
    quirks = shipped_quirks()
    assert 0 < len(quirks) <= 12
    assert all(each.id and len(each.reason) > 20 and each.when for each in quirks)


def test_a_quirk_that_applies_is_listed_in_the_spec() -> None:
    changed = apply_quirks(SPEC, [quirk(when={"prompt_contains": "<tools>"}, set={"turn.any_order": True})], "a <tools> b", "")
    assert changed.turn.any_order
    assert [each.id for each in changed.quirks] == ["q"]


@pytest.mark.parametrize(
    "when",
    [
        {"prompt_contains": ["absent"]},
        {"prompt_lacks": ["prompt"]},
        {"source_contains": ["absent"]},
        {"spec": {"turn.reasoning.mode": "tagged"}},
        {"spec": {"turn.calls.forms.0.open.core": "x"}},
    ],
)
def test_a_predicate_that_does_not_hold_changes_nothing(when: dict[str, object]) -> None:
    assert apply_quirks(SPEC, [quirk(when=when, set={"turn.any_order": True})], "the prompt", "the source") == SPEC


def test_a_plus_adds_to_a_list() -> None:
    changed = apply_quirks(SPEC, [quirk(set={"turn.reasoning.open.+": {"core": "<a>"}, "turn.reasoning.open.++": {"core": "<b>"}})], "", "")
    assert [marker.core for marker in changed.turn.reasoning.open] == ["<a>", "<b>"]


def test_a_field_that_does_not_exist_is_an_error_with_its_path() -> None:
    with pytest.raises(SpecError, match="no_such"):
        apply_quirks(SPEC, [quirk(set={"turn.no_such": 1})], "", "")


def test_an_unknown_predicate_is_an_error() -> None:
    with pytest.raises(SpecError, match="model_name"):
        apply_quirks(SPEC, [quirk(when={"model_name": "x"})], "", "")


def test_a_users_overlay_names_tags_that_the_template_never_shows(tmp_path: Path) -> None:
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(
        "id: my-tags\nreason: my fine-tune thinks in tags\nset:\n  turn.reasoning.mode: tagged\n"
        '  turn.reasoning.open: [{core: "<think>"}]\n  turn.reasoning.close: [{core: "</think>"}]\n  turn.blocks: [reasoning, content]\n'
    )
    template = tmp_path / "t.jinja"
    template.write_text(
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
        "{% if add_generation_prompt %}<assistant>{% endif %}"
    )
    spec = compile_source(load_source(template), overlays=load_overlay(overlay)).spec
    assert spec.turn.reasoning.mode is ReasoningMode.TAGGED
    assert spec.quirks[-1].id == "my-tags"


@pytest.mark.parametrize("text", ["id: x\n", "- 1\n", "{", "id: x\nreason: y\nset: {}\nextra: 1\n"])
def test_a_broken_overlay_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "o.yaml"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        load_overlay(path)
    assert str(path) in str(caught.value)
