from __future__ import annotations

from dataclasses import replace

from untemplate.drift.units import compare_units, with_unit
from untemplate.spec.model import (
    Arguments,
    Block,
    CallForm,
    Calls,
    Encoding,
    Field,
    FieldName,
    Marker,
    Prompt,
    Section,
    Spec,
    SpecWarning,
    TemplateInfo,
    Text,
    Tokens,
    Turn,
)

FORM = CallForm(
    open=Marker(core="<call>"),
    close=Marker(core="</call>"),
    fields=(Field(field=FieldName.NAME), Text(text=" "), Field(field=FieldName.ARGUMENTS)),
    arguments=Arguments(encoding=Encoding.JSON),
)
SPEC = Spec(
    template=TemplateInfo(name="demo", sha256="0" * 64, source="jinja"),
    prompt=Prompt(roles={"user": "<user>"}),
    turn=Turn(blocks=(Block.CONTENT, Block.CALLS), calls=Calls(section=Section(), forms=(FORM,))),
    tokens=Tokens(ids={"<a.b[0]>": 1}),
)


def with_form(form: CallForm) -> Spec:
    return replace(SPEC, turn=replace(SPEC.turn, calls=Calls(section=Section(), forms=(form,))))


def names(old: Spec, new: Spec) -> list[str]:
    return [unit.name for unit in compare_units(old, new)]


def test_a_marker_is_one_unit_whatever_of_it_changed() -> None:
    new = with_form(replace(FORM, open=Marker(core="<CALL>", before="\n", after="\n")))
    (unit,) = compare_units(SPEC, new)
    assert unit.name == "turn.calls.forms[0].open"
    assert unit.old == {"core": "<call>", "before": "", "after": ""}
    assert unit.new == {"core": "<CALL>", "before": "\n", "after": "\n"}


def test_a_list_of_parts_is_one_unit() -> None:
    assert names(SPEC, with_form(replace(FORM, fields=(Text(text="x"), *FORM.fields)))) == ["turn.calls.forms[0].fields"]


def test_a_mapping_with_keys_of_any_kind_is_one_unit() -> None:
    assert names(SPEC, replace(SPEC, tokens=Tokens(ids={"<a.b[0]>": 2, "<c>": 3}))) == ["tokens.ids"]
    assert names(SPEC, replace(SPEC, prompt=Prompt(roles={"user": "<u>"}))) == ["prompt.roles"]


def test_units_come_in_the_order_of_the_spec() -> None:
    new = replace(with_form(replace(FORM, close=None, open=Marker(core="x"))), prompt=Prompt(roles={}), tokens=Tokens())
    assert names(SPEC, new) == ["prompt.roles", "turn.calls.forms[0].open", "turn.calls.forms[0].close", "tokens.ids"]


def test_provenance_and_remarks_are_no_difference() -> None:
    info = TemplateInfo(name="other", sha256="1" * 64, source="gguf")
    assert names(SPEC, replace(SPEC, template=info, warnings=(SpecWarning(code="W1", message="x"),))) == []


def test_a_spec_can_be_given_one_unit_of_another() -> None:
    new = replace(with_form(replace(FORM, open=Marker(core="<CALL>"), close=None)), tokens=Tokens())
    by_name = {unit.name: unit for unit in compare_units(SPEC, new)}
    assert with_unit(SPEC, by_name["turn.calls.forms[0].close"]) == with_form(replace(FORM, close=None))


def test_a_unit_that_alone_makes_no_spec_gives_none() -> None:
    two = replace(SPEC, turn=replace(SPEC.turn, calls=Calls(section=Section(), forms=(FORM, replace(FORM, close=None)))))
    (unit,) = compare_units(SPEC, two)
    assert unit.name == "turn.calls.forms[1]"
    assert with_unit(SPEC, unit) is None
