from __future__ import annotations

from dataclasses import replace

from untemplate.cli.layouts import sketch_form
from untemplate.cli.pieces import Kind, Piece, group_rows
from untemplate.cli.sketch import sketch_turn
from untemplate.cli.tables import painted
from untemplate.spec.model import (
    Arguments,
    Block,
    CallForm,
    Calls,
    Capabilities,
    Content,
    ContentMode,
    Encoding,
    EndOfTurn,
    Field,
    FieldName,
    Frame,
    GenerationPrompt,
    JsonCall,
    JsonType,
    Marker,
    PairList,
    Prompt,
    PromptState,
    Reasoning,
    ReasoningMode,
    Section,
    Spec,
    TemplateInfo,
    Text,
    Turn,
    Value,
)

PAIR = (Text(text="<p="), Field(field=FieldName.KEY), Text(text=">"), Field(field=FieldName.VALUE), Text(text="</p>"))
FIELDS = (Text(text="<f="), Field(field=FieldName.NAME), Text(text=">"), Field(field=FieldName.ARGUMENTS), Text(text="</f>"))
FORM = CallForm(
    open=Marker(core="<call>", after="\n"),
    close=Marker(core="</call>", before="\n"),
    fields=FIELDS,
    arguments=Arguments(encoding=Encoding.PAIRS, object=PairList(pair=PAIR), values={JsonType.STRING: Value(encoding=Encoding.RAW)}),
)
THINK = Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<think>"),), close=(Marker(core="</think>", after="\n\n"),))
SPEC = Spec(
    template=TemplateInfo(name="demo", sha256="0" * 64, source="jinja"),
    prompt=Prompt(generation=(GenerationPrompt(text="<bot>\n"),), end_of_turn=EndOfTurn(content=("<eos>",), calls=("<end>\n",))),
    turn=Turn(
        blocks=(Block.REASONING, Block.CONTENT, Block.CALLS),
        reasoning=THINK,
        calls=Calls(section=Section(open=Marker(core="<calls>"), close=Marker(core="</calls>"), separator="\n"), forms=(FORM,)),
    ),
)


def text_of(spec: Spec) -> str:
    return "".join(piece.text for piece in sketch_turn(spec))


def with_form(form: CallForm) -> Spec:
    assert SPEC.turn.calls is not None
    return replace(SPEC, turn=replace(SPEC.turn, calls=replace(SPEC.turn.calls, forms=(form,))))


def test_a_turn_is_written_with_all_its_blocks() -> None:
    assert text_of(SPEC) == (
        "<bot>\n<think>The user asks for the weather.</think>\n\nLet me look."
        "<calls><call>\n<f=get_weather><p=city>Paris</p><p=days>3</p></f>\n</call>\n"
        "<call>\n<f=get_weather><p=city>Rome</p><p=days>1</p></f>\n</call></calls><end>\n"
    )


def test_a_call_is_one_row_and_white_space_goes_with_what_it_follows() -> None:
    rows = [(row.label.value, row.text) for row in group_rows(sketch_turn(SPEC))]
    assert rows == [
        ("prompt", "<bot>\n"),
        ("reasoning opens", "<think>"),
        ("reasoning", "The user asks for the weather."),
        ("reasoning closes", "</think>\n\n"),
        ("content", "Let me look."),
        ("calls open", "<calls>"),
        ("call opens", "<call>\n"),
        ("call", "<f=get_weather><p=city>Paris</p><p=days>3</p></f>"),
        ("call closes", "\n</call>\n"),
        ("call opens", "<call>\n"),
        ("call", "<f=get_weather><p=city>Rome</p><p=days>1</p></f>"),
        ("call closes", "\n</call>"),
        ("calls close", "</calls>"),
        ("end of turn", "<end>\n"),
    ]


def test_names_keys_and_values_of_a_call_are_told_apart() -> None:
    kinds = {piece.text: piece.kind for piece in sketch_turn(SPEC)}
    assert (kinds["get_weather"], kinds["city"], kinds["Paris"], kinds["><p="]) == (Kind.NAME, Kind.KEY, Kind.VALUE, Kind.CALL)
    form = CallForm(open=Marker(core=""), close=None, json=JsonCall(name=("name",), arguments=("arguments",)))
    kinds = {piece.text: piece.kind for piece in sketch_turn(with_form(form))}
    assert (kinds["get_weather"], kinds["city"], kinds['"Paris"'], kinds["3"]) == (Kind.NAME, Kind.KEY, Kind.VALUE, Kind.VALUE)


def test_the_prompt_opens_reasoning_only_once() -> None:
    opened = GenerationPrompt(text="<bot>\n<think>", prefill="<think>", state=PromptState.REASONING)
    closed = GenerationPrompt(text="<bot>\n<think></think>", prefill="<think></think>", state=PromptState.AFTER_REASONING, thinking=False)
    spec = replace(SPEC, prompt=replace(SPEC.prompt, generation=(closed, opened)))
    assert text_of(spec).startswith("<bot>\n<think>The user asks")
    spec = replace(SPEC, prompt=replace(SPEC.prompt, generation=(closed,)))
    assert text_of(spec).startswith("<bot>\n<think></think>Let me look.")


def test_json_calls_follow_their_key_paths_order_and_extra_members() -> None:
    json = JsonCall(
        name=("function", "name"), arguments=("function", "args"), id=("id",), array=True, order=("id", "type"), extra={"type": "function"}
    )
    form = CallForm(open=Marker(core=""), close=None, json=json)
    first, second = '"function": {"name": "get_weather", "args": {"city": "Paris", "days": 3}}', '"city": "Rome", "days": 1'
    assert f'<calls>[{{"id": "callid001", "type": "function", {first}}}, {{"id": "callid002"' in text_of(with_form(form))
    assert second in text_of(with_form(form))


def test_a_name_that_is_the_key_and_python_literals_are_written_so() -> None:
    form = CallForm(open=Marker(core=""), close=None, json=JsonCall(name_is_key=True, python=True))
    assert "{'get_weather': {'city': 'Paris', 'days': 3}}" in text_of(with_form(form))


def test_a_template_of_one_call_shows_one() -> None:
    spec = replace(SPEC, capabilities=Capabilities(max_calls=1))
    assert text_of(spec).count("get_weather") == 1
    assert SPEC.turn.calls is not None
    several = replace(
        spec, turn=replace(spec.turn, calls=replace(SPEC.turn.calls, section=replace(SPEC.turn.calls.section, several_only=True)))
    )
    assert "<calls>" not in text_of(several)


def test_content_is_wrapped_framed_and_wrapped_otherwise_beside_calls() -> None:
    content = Content(mode=ContentMode.WRAPPED, open=(Marker(core="<say>"),), close=(Marker(core="</say>"),))
    spec = replace(SPEC, turn=replace(SPEC.turn, content=content, frame=Frame(separator=Marker(core="<|next|>")), calls=None))
    assert "</think>\n\n<|next|><say>Let me look.</say><eos>" in text_of(spec)


def test_a_spec_without_markers_is_content_alone() -> None:
    assert [(row.label, row.text) for row in group_rows(sketch_turn(Spec(template=SPEC.template)))] == [(Kind.CONTENT, "Let me look.")]


def test_a_form_is_shown_in_one_line_with_its_fields_in_capitals() -> None:
    assert "".join(piece.text for piece in sketch_form(FORM)) == "<call>\n<f=NAME>ARGUMENTS</f>\n</call>"
    form = CallForm(open=Marker(core="!"), close=None, json=JsonCall(name=("function", "name"), arguments=("args",), array=True))
    assert "".join(piece.text for piece in sketch_form(form)) == "![{function.name: NAME, args: ARGUMENTS}, …]"


def test_line_feeds_are_seen_and_end_a_line_once_something_stands_on_it() -> None:
    pieces = (Piece(Kind.CALL, "\n<a>\n\n"), Piece(Kind.CALL, "\n"), Piece(Kind.NAME, "b"), Piece(Kind.CALL, "\n"))
    assert painted(pieces).plain == "\\n<a>\\n\\n\\n\nb\\n"
