from __future__ import annotations

from untemplate.cli.annotate import Kind, cut_turn, group_rows, sketch_call
from untemplate.spec.model import (
    Arguments,
    Block,
    CallForm,
    Calls,
    Encoding,
    EndOfTurn,
    Field,
    FieldName,
    JsonCall,
    Marker,
    PairList,
    Prompt,
    Reasoning,
    ReasoningMode,
    Section,
    Spec,
    TemplateInfo,
    Text,
    Turn,
)

PAIR = (Text(text="<p="), Field(field=FieldName.KEY), Text(text=">"), Field(field=FieldName.VALUE), Text(text="</p>"))
FIELDS = (Text(text="<f="), Field(field=FieldName.NAME), Text(text=">"), Field(field=FieldName.ARGUMENTS), Text(text="</f>"))
FORM = CallForm(
    open=Marker(core="<call>", after="\n"),
    close=Marker(core="</call>", before="\n"),
    fields=FIELDS,
    arguments=Arguments(encoding=Encoding.PAIRS, object=PairList(pair=PAIR)),
)
SPEC = Spec(
    template=TemplateInfo(name="demo", sha256="0" * 64, source="jinja"),
    prompt=Prompt(end_of_turn=EndOfTurn(content=("<end>\n",), calls=("<end>\n",))),
    turn=Turn(
        blocks=(Block.REASONING, Block.CONTENT, Block.CALLS),
        reasoning=Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<think>"),), close=(Marker(core="</think>", after="\n\n"),)),
        calls=Calls(section=Section(separator="\n"), forms=(FORM,)),
    ),
)
TURN = "<think>I wonder.</think>\n\nI say.\n<call>\n<f=look><p=city>Paris</p></f>\n</call><end>\n"
VALUES = {"I wonder.": Kind.REASONING, "I say.": Kind.CONTENT, "look": Kind.NAME, "city": Kind.KEY, "Paris": Kind.VALUE}


def test_the_pieces_of_a_turn_add_up_to_it() -> None:
    assert "".join(piece.text for piece in cut_turn(TURN, SPEC, VALUES)) == TURN


def test_every_marker_and_value_of_a_turn_is_named() -> None:
    kinds = {piece.text: piece.kind for piece in cut_turn(TURN, SPEC, VALUES)}
    assert kinds["<think>"] is Kind.REASONING_OPENS
    assert kinds["</think>"] is Kind.REASONING_CLOSES
    assert kinds["<call>"] is Kind.CALL_OPENS
    assert kinds["</call>"] is Kind.CALL_CLOSES
    assert kinds["<end>"] is Kind.END
    assert kinds["><p="] is Kind.CALL
    assert {text: kinds[text] for text in VALUES} == VALUES


def test_a_call_is_one_row_and_layout_goes_with_what_it_follows() -> None:
    rows = [(row.label.value, row.text) for row in group_rows(cut_turn(TURN, SPEC, VALUES))]
    assert rows == [
        ("reasoning opens", "<think>"),
        ("reasoning", "I wonder."),
        ("reasoning closes", "</think>\n\n"),
        ("content", "I say.\n"),
        ("call opens", "<call>\n"),
        ("call", "<f=look><p=city>Paris</p></f>\n"),
        ("call closes", "</call>"),
        ("end of turn", "<end>\n"),
    ]


def test_a_turn_of_a_spec_without_markers_is_content() -> None:
    spec = Spec(template=SPEC.template)
    assert [(row.label, row.text) for row in group_rows(cut_turn("I say.", spec, VALUES))] == [(Kind.CONTENT, "I say.")]


def test_a_call_is_sketched_with_its_fields_in_capitals() -> None:
    assert "".join(piece.text for piece in sketch_call(FORM)) == "<call>\n<f=NAME>ARGUMENTS</f>\n</call>"


def test_a_json_call_is_sketched_by_its_key_paths() -> None:
    form = CallForm(open=Marker(core="["), close=None, json=JsonCall(name=("function", "name"), arguments=("args",), array=True))
    assert "".join(piece.text for piece in sketch_call(form)) == "[[{function.name: NAME, args: ARGUMENTS}, …]"
