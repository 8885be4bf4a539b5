"""Templates of one dialect share grammars and sample turns: what may differ between them, and what may not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from untemplate.golden.alike import Alike, reading_of
from untemplate.golden.artifacts import grammar_text
from untemplate.golden.deltas import deltas_text
from untemplate.golden.example_tools import EXAMPLE_TOOLS
from untemplate.spec.files import load_spec
from untemplate.spec.model import Capabilities, Spec, SpecWarning, TemplateInfo, Tokens

GOLDEN = Path(__file__).parents[2] / "golden"
NAMES = ("hermes_json_tags", "reasoning_prompt_opened", "function_parameter_tags", "channels_with_headers", "plain_chat")


def told_otherwise(spec: Spec) -> Spec:
    """Return a spec that reads the same turns and differs in all else."""
    able = spec.capabilities
    return replace(
        spec,
        template=TemplateInfo(name="another", sha256="f" * 64, source="gguf"),
        capabilities=Capabilities(
            max_calls=able.max_calls, id_pattern=able.id_pattern, reasoning=able.reasoning, tools=not able.tools, refusals=("no",)
        ),
        switches=(),
        prompt=replace(spec.prompt, roles={**spec.prompt.roles, "user": "<another>", "tool": "<tool>"}),
        tokens=Tokens(stops=spec.tokens.stops, preserved=("<x>",), triggers=("<y>",), ids={"<x>": 7}),
        warnings=(SpecWarning(code="W330", message="another"),),
        verification=None,
    )


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_part_of_the_reading_changes_neither_grammar_nor_deltas(name: str) -> None:
    spec = load_spec(GOLDEN / name / "spec.yaml")
    other = told_otherwise(spec)
    assert other != spec
    assert reading_of(other) == reading_of(spec)
    assert grammar_text(other, EXAMPLE_TOOLS) == grammar_text(spec, EXAMPLE_TOOLS)
    assert deltas_text(other) == deltas_text(spec)


def test_whatever_changes_a_text_changes_the_reading() -> None:
    specs = [load_spec(path) for path in sorted(GOLDEN.glob("*/spec.yaml"))]
    by_reading: dict[str, tuple[str, str]] = {}
    for path, spec in zip(sorted(GOLDEN.glob("*/spec.yaml")), specs, strict=True):
        texts = (path.with_name("grammar.gbnf").read_text(encoding="utf-8"), path.with_name("deltas.jsonl").read_text(encoding="utf-8"))
        assert by_reading.setdefault(reading_of(spec), texts) == texts, path
    assert len(by_reading) > 1
    spec = specs[0]
    assert spec.turn.calls is not None
    for other in (
        replace(spec, capabilities=replace(spec.capabilities, max_calls=7)),
        replace(spec, capabilities=replace(spec.capabilities, id_pattern="[a-z]")),
        replace(spec, turn=replace(spec.turn, calls=None)),
        replace(spec, tokens=replace(spec.tokens, stops=("<|another|>",))),
        replace(spec, prompt=replace(spec.prompt, generation=())),
    ):
        assert reading_of(other) != reading_of(spec)


def test_a_text_is_made_once_for_each_reading_and_the_oldest_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untemplate.golden.alike.MOST", 2)
    alike, made = Alike(), []
    for reading in ("a", "a", "b", "c", "b", "a"):
        alike.text("grammar", reading, (), lambda reading=reading: made.append(reading) or reading)
    assert made == ["a", "b", "c", "a"]
