from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from untemplate.compiler import Compiled, compile_source, compile_template
from untemplate.probe.cases import CallCase, Case
from untemplate.runtime.message import Message, ToolCall
from untemplate.source import load_source
from untemplate.spec.model import Encoding, JsonType, Marker, Spec, Value
from untemplate.verify.compare import case_of, compare
from untemplate.verify.report import Report, count_skipped
from untemplate.verify.verify import verify_at_length, verify_composed, verify_shortly

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.jinja"))


@cache
def compiled(name: str) -> Compiled:
    return compile_source(load_source(FIXTURES / f"{name}.jinja"), verify=False)


def shown(report: Report) -> list[str]:
    return [f"{each.kind} ({each.mode}): {each.difference.want!r} became {each.difference.got!r}" for each in report.mismatches]


@pytest.mark.parametrize("name", NAMES)
def test_every_fixture_reads_back(name: str) -> None:
    report = verify_shortly(compiled(name).spec, compiled(name).found)
    assert shown(report) == []
    assert report.read_back > 0


def test_a_compilation_records_what_was_read_back() -> None:
    spec = compile_template(FIXTURES / "hermes_json_tags.jinja")
    assert spec.verification is not None
    assert spec.verification.turns == spec.verification.read_back > 3


@pytest.mark.parametrize("name", NAMES)
def test_the_long_form_reads_whole_and_in_chunks_and_holds_the_grammar(name: str) -> None:
    spec = compiled(name).spec
    report = verify_at_length(spec, compiled(name).found, budget=200)
    assert shown(report) == []
    assert report.read_back == report.turns > 40
    renders_calls = compiled(name).found.most_calls > 0
    assert (report.grammar_checked > 100) == renders_calls


def test_the_same_seed_gives_the_same_report() -> None:
    spec, found = compiled("key_value_tags").spec, compiled("key_value_tags").found
    first, again = (verify_at_length(spec, found, seed=5, budget=30) for _ in range(2))
    assert first == again


def test_a_spec_alone_is_read_back_too() -> None:
    report = verify_composed(compiled("hermes_json_tags").spec, budget=60)
    assert shown(report) == []
    assert report.read_back > 40


def test_progress_is_told_after_each_message() -> None:
    steps: list[int] = []
    verify_composed(compiled("plain_chat").spec, budget=4, progress=steps.append)
    assert steps == [1, 2, 3, 4]


# --- a wrong spec is found, and the report points at what is wrong --------------------------------------------------------


def wrong(name: str, spec: Spec) -> Report:
    return verify_shortly(spec, compiled(name).found)


def test_a_wrong_close_of_reasoning_is_found_and_named() -> None:
    spec = compiled("reasoning_tagged").spec
    reasoning = replace(spec.turn.reasoning, close=(Marker(core="</thought>"),))
    report = wrong("reasoning_tagged", replace(spec, turn=replace(spec.turn, reasoning=reasoning)))
    found = next(each for each in report.mismatches if each.kind == "reasoning and content")
    assert found.difference.field.startswith("turn.reasoning")
    assert found.fault == "spec"
    assert found.rebuilt is not None
    assert "</thought>" in found.rebuilt


def test_a_wrong_encoding_of_a_type_is_found_and_named() -> None:
    spec = compiled("function_parameter_tags").spec
    assert spec.turn.calls is not None
    form = spec.turn.calls.forms[0]
    assert form.arguments is not None
    values = {**form.arguments.values, JsonType.STRING: Value(encoding=Encoding.JSON)}
    calls = replace(spec.turn.calls, forms=(replace(form, arguments=replace(form.arguments, values=values)),))
    report = wrong("function_parameter_tags", replace(spec, turn=replace(spec.turn, calls=calls)))
    assert not report.passed
    assert any(each.fault == "spec" for each in report.mismatches)


def test_a_missing_end_of_turn_is_found_and_named() -> None:
    spec = compiled("content_after_calls").spec
    prompt = replace(spec.prompt, end_of_turn=replace(spec.prompt.end_of_turn, content=(), calls=()))
    report = wrong("content_after_calls", replace(spec, prompt=prompt, tokens=replace(spec.tokens, stops=())))
    assert "prompt.end_of_turn" in {each.difference.field for each in report.mismatches}


def test_calls_that_the_spec_does_not_know_are_found_and_named() -> None:
    spec = compiled("hermes_json_tags").spec
    assert spec.turn.calls is not None
    form = replace(spec.turn.calls.forms[0], open=Marker(core="<other_call>", after="\n"))
    report = wrong("hermes_json_tags", replace(spec, turn=replace(spec.turn, calls=replace(spec.turn.calls, forms=(form,)))))
    assert {each.difference.field for each in report.mismatches} == {"turn.calls.forms[0].open"}


# --- comparing --------------------------------------------------------------------------------------------------------------


def one_call(**arguments: object) -> Case:
    return Case(calls=(CallCase("f", "id1", arguments),))


DIFFERENT = [
    (one_call(a=1), one_call(a="1"), "arguments", "turn.calls.forms[0].arguments.values.integer"),
    (one_call(a=True), one_call(a=1), "arguments", "turn.calls.forms[0].arguments.values.boolean"),
    (one_call(a=1, b=2), one_call(b=2, a=1), "arguments", "turn.calls.forms[0].arguments"),
    (one_call(a={"x": 1, "y": 2}), one_call(a={"y": 2, "x": 1}), "arguments", "turn.calls.forms[0].arguments.values.object"),
    (one_call(a=1.0), one_call(a=1), "arguments", "turn.calls.forms[0].arguments.values.number"),
    (one_call(), Case(), "calls", "turn.calls.forms[0].open"),
    (Case(calls=(*one_call().calls, *one_call().calls)), one_call(), "calls", "turn.calls.section.separator"),
    (one_call(), Case(calls=(CallCase("g", "id1", {}),)), "name", "turn.calls.forms[0].fields"),
    (Case(content="c"), Case(content="c\n"), "content", "prompt.end_of_turn"),
    (Case(content="c"), Case(content="> c"), "content", "turn.content.open"),
    (Case(reasoning="r", content="c"), Case(content="rc"), "reasoning", "turn.reasoning"),
    (Case(reasoning="r", content="c"), Case(reasoning="r\n", content="c"), "reasoning", "turn.reasoning.close"),
]


@pytest.mark.parametrize(("want", "got", "what", "field"), DIFFERENT)
def test_a_difference_points_at_the_field_that_is_likely_wrong(want: Case, got: Case, what: str, field: str) -> None:
    found = compare(want, got, compiled("hermes_json_tags").spec, ids=True)
    assert found is not None
    assert (found.what, found.field) == (what, field)


def test_white_space_at_the_ends_alone_is_told_apart() -> None:
    spec = compiled("plain_chat").spec
    edges, inside = (compare(Case(content="a b"), Case(content=text), spec, ids=False) for text in ("a b\n", "a  b"))
    assert edges is not None
    assert edges.edges_only
    assert inside is not None
    assert not inside.edges_only


def test_ids_are_compared_only_where_the_text_holds_them() -> None:
    spec = compiled("hermes_json_tags").spec
    other = Case(calls=(CallCase("f", "id2", {}),))
    assert compare(one_call(), other, spec, ids=False) is None
    assert compare(one_call(), other, spec, ids=True) is not None


@pytest.mark.parametrize("arguments", ['{"a": 1, "a": 2}', "[1]", '{"a": '])
def test_arguments_that_are_no_object_or_hold_a_key_twice_are_no_message(arguments: str) -> None:
    with pytest.raises(ValueError):
        case_of(Message(tool_calls=(ToolCall(id="1", name="f", arguments=arguments),)))


def test_reasons_are_counted_the_most_frequent_first() -> None:
    assert [(each.turns, each.because) for each in count_skipped(["b", "a", "b", "c"])] == [(2, "b"), (1, "a"), (1, "c")]
