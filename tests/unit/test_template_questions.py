"""What a template can tell of a variable's value."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from untemplate.infer.switches import find_switches
from untemplate.probe.find_shape import find_opening
from untemplate.probe.prober import Prober
from untemplate.template import Template

VALUES: tuple[Any, ...] = (True, False, None, 0, 1, 3, "", "low", "high", "zfreeqtext", [], ["low"], {"a": 1})
ABSENT = object()
MESSAGES = [{"role": "user", "content": "Hi"}]

ASKING = {
    "truth": "{% if x %}a{% else %}b{% endif %}",
    "defined and true": "{% if x is defined and x is true %}a{% endif %}",
    "default": "{% if not x | default(true) %}a{% elif x|default('low', true) == 'low' %}b{% endif %}",
    "equal": "{{ 'a' if x == 'low' else 'b' if 1 != x else 'c' }}",
    "one of": "{% if x in ['low', 0] or x not in ('high',) %}a{% endif %}",
    "handed on": "{% set y = x if x is defined else 'low' %}{% if y == 'low' %}a{% elif y %}b{% endif %}",
    "or": "{% set y = x or false %}{{ 'a' if y is string else 'b' }}",
}
SHOWING = {
    "printed": "{{ x }}",
    "printed by another name": "{% set y = x or 'low' %}{{ y }}",
    "value of and": "{{ x and 'a' }}",
    "member": "{% if x.a %}a{% endif %}",
    "filtered": "{% if x | string | length > 3 %}a{% endif %}",
    "compared": "{% if x == messages %}a{% endif %}",
    "counted": "{% for each in x or [] %}a{% endfor %}",
    "given to a macro": "{% macro m(z) %}{{ z }}{% endmacro %}{{ m(x) }}",
    "compared twice": "{% if 0 < x|int < 2 %}a{% endif %}",
}


def _given(value: Any) -> dict[str, Any]:
    return {} if value is ABSENT else {"x": value}


def _rendered(template: Template, value: Any) -> str | None:
    try:
        return template.render(MESSAGES, **_given(value))
    except Exception:  # noqa: BLE001 - that it fails is what it renders
        return None


@pytest.mark.parametrize("text", [*ASKING.values(), *SHOWING.values()], ids=[*ASKING, *SHOWING])
def test_values_of_which_a_template_tells_the_same_render_the_same(text: str) -> None:
    template = Template(text)
    for one, other in itertools.combinations((*VALUES, ABSENT), 2):
        told = [template.telling(_given(value)) for value in (one, other)]
        if repr(told[0]) == repr(told[1]):
            assert _rendered(template, one) == _rendered(template, other), (one, other)


@pytest.mark.parametrize("text", ASKING.values(), ids=ASKING)
def test_a_template_that_asks_little_of_a_value_cannot_tell_it_from_others(text: str) -> None:
    template = Template(text)
    assert template.telling({"x": "zfreeqtext"}) == template.telling({"x": "zotherqtext"})
    assert template.telling({"x": "zfreeqtext"}) != {"x": "zfreeqtext"}


@pytest.mark.parametrize("text", SHOWING.values(), ids=SHOWING)
def test_a_value_that_may_show_is_told_whole(text: str) -> None:
    assert Template(text).telling({"x": "zfreeqtext"}) == {"x": "zfreeqtext"}


def test_a_variable_that_has_a_value_when_it_is_not_given_is_told_whole() -> None:
    template = Template(
        "{% if bos_token %}a{% endif %}{% if tools %}b{% endif %}{% if x %}c{% endif %}", special_tokens={"bos_token": "<s>"}
    )
    assert template.telling({"bos_token": "", "tools": [], "x": False}) == {"bos_token": "", "tools": []}


def test_a_switch_that_is_only_true_or_false_is_rendered_once_for_each() -> None:
    text = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if effort == 'high' and add_generation_prompt %}<t>{% endif %}"
    )
    prober = find_opening(Prober(Template(text)))
    assert prober is not None
    asked: list[dict[str, Any]] = []
    render = prober.template.render

    def counted(messages: Any, **variables: Any) -> str:
        asked.append(variables)
        return render(messages, **variables)

    prober.template.render = counted  # type: ignore[method-assign]
    (switch,) = find_switches(prober, ["effort"], ["low", "high", "medium"])
    assert "high" in switch.values
    assert {each["effort"] for each in asked if "effort" in each} == {"high"}
