"""Switches are proved by rendering: values, default and what they change."""

from __future__ import annotations

import pytest

from untemplate.infer.spec import infer_spec
from untemplate.spec.model import Switch
from untemplate.template import Template

CHAT = (
    "{%- for m in messages %}{{ '<|' ~ m.role ~ '|>' ~ m.content ~ '<|end|>' }}{% endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' }}TAIL{% endif %}"
)


def switches(head: str = "", tail: str = "") -> dict[str, Switch]:
    found = infer_spec(Template(head + CHAT.replace("TAIL", tail))).spec.switches
    return {switch.name: switch for switch in found}


def test_a_variable_that_changes_the_generation_prompt_is_a_switch() -> None:
    found = switches(tail="{% if not enable_thinking is defined or enable_thinking %}{{ '<think>' }}{% else %}{{ '</think>' }}{% endif %}")
    assert found["enable_thinking"] == Switch(name="enable_thinking", values=(True, False), default=True, changes=("generation",))


def test_grades_are_found_among_the_templates_own_words() -> None:
    head = "{% if reasoning_effort is defined and reasoning_effort == 'low' %}{{ 'Be quick.' }}{% endif %}"
    assert switches(head=head)["reasoning_effort"].values[0] == "low"


def test_a_text_that_is_printed_is_free() -> None:
    found = switches(head="{{ 'You are ' ~ (model_identity or 'nobody') ~ '.' }}")["model_identity"]
    assert found.free
    assert found.values == ()
    assert found.changes == ("prompt",)


@pytest.mark.parametrize("head", ["", "{% set x = unused_variable %}"])
def test_a_variable_without_effect_is_no_switch(head: str) -> None:
    assert switches(head=head) == {}
