from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from untemplate.compiler import Compiled, compile_source
from untemplate.probe.cases import Case
from untemplate.source import load_source
from untemplate.spec.model import Spec
from untemplate.turns.cases import CONTENT, REASONING, call, long_cases, named_call, short_cases
from untemplate.turns.composed import composed_modes
from untemplate.turns.kinds import PROPERTIES, SAMPLES
from untemplate.turns.losses import find_losses, find_rewriting, same_case, writes_ids
from untemplate.turns.render import Mode, NotRendered, RenderedTurn, make_modes, render_turn
from untemplate.turns.strings import marker_texts
from untemplate.turns.tools import EVERYTHING, ZERO, make_tools

FIXTURES = Path(__file__).parents[2] / "fixtures"


@cache
def compiled(name: str) -> Compiled:
    return compile_source(load_source(FIXTURES / f"{name}.jinja"), verify=False)


def spec_of(name: str) -> Spec:
    return compiled(name).spec


def modes_of(name: str) -> tuple[Mode, ...]:
    return make_modes(spec_of(name), compiled(name).found, make_tools())


def rendered(name: str, case: Case, mode: int = 0) -> RenderedTurn | NotRendered:
    return render_turn(case, modes_of(name)[mode], compiled(name).found.header)


def turn(name: str, case: Case, mode: int = 0) -> RenderedTurn:
    found = rendered(name, case, mode)
    assert isinstance(found, RenderedTurn), found
    return found


# --- messages ----------------------------------------------------------------------------------------------------------


def test_the_same_seed_makes_the_same_messages_and_another_seed_others() -> None:
    spec = spec_of("hermes_json_tags")
    first, again, other = (list(long_cases(spec, seed, 260)) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_a_budget_bounds_the_messages() -> None:
    assert len(list(long_cases(spec_of("plain_chat"), 0, 7))) == 7


def test_long_cases_hold_every_kind_of_value_every_count_of_calls_and_every_combination_of_blocks() -> None:
    made = [each.case for each in long_cases(spec_of("reasoning_tagged"), 0, 400)]
    assert {len(case.calls) for case in made} == {0, 1, 2, 3, 4}
    combinations = {(bool(case.reasoning), bool(case.content), bool(case.calls)) for case in made}
    assert combinations == {(r, c, k) for r in (True, False) for c in (True, False) for k in (True, False)} - {(False, False, False)}
    values = [value for case in made for each in case.calls for value in each.arguments.values()]
    assert {type(value) for value in values} == {str, int, float, bool, type(None), dict, list}
    assert {} in values
    assert [] in values
    assert "" in values
    assert any(not each.arguments for case in made for each in case.calls)


def test_every_value_is_of_the_type_that_the_tool_declares() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in make_tools()}
    for made in long_cases(spec_of("hermes_json_tags"), 1, 400):
        for each in made.case.calls:
            jsonschema.validate(dict(each.arguments), schemas[each.name])


def test_a_sample_stands_under_a_declared_key() -> None:
    assert all(key in PROPERTIES and values for key, values in SAMPLES.values())


def test_messages_name_the_markers_of_the_template_itself() -> None:
    spec = spec_of("function_parameter_tags")
    texts = [str(dict(each.arguments)) for made in long_cases(spec, 0, 300) for each in made.case.calls]
    contents = [made.case.content or "" for made in long_cases(spec, 0, 300)]
    for mark in marker_texts(spec):
        assert any(mark in text for text in texts), mark
        assert any(mark in text for text in contents), mark


def test_no_message_names_what_ends_a_turn_or_reasoning_inside_of_it() -> None:
    spec = spec_of("reasoning_tagged")
    ends = [end.strip() for end in (*spec.prompt.end_of_turn.content, *spec.prompt.end_of_turn.calls, *spec.tokens.stops)]
    closes = [marker.core for marker in spec.turn.reasoning.close]
    assert ends
    assert closes
    for made in long_cases(spec, 2, 400):
        text = json.dumps([made.case.content, [dict(each.arguments) for each in made.case.calls]], ensure_ascii=False)
        assert not any(end in text for end in ends)
        assert not any(close in (made.case.reasoning or "") for close in closes)


def test_short_cases_of_a_plain_chat_are_content_alone() -> None:
    assert [bool(made.case.calls or made.case.reasoning) for made in short_cases(spec_of("plain_chat"))] == [False]


def test_short_cases_call_only_tools_that_are_given_for_them() -> None:
    names = {each.name for made in short_cases(spec_of("hermes_json_tags")) for each in made.case.calls}
    assert names <= {EVERYTHING, ZERO}


# --- rendering and cutting -----------------------------------------------------------------------------------------------


def test_prompt_and_turn_together_are_the_whole_rendering() -> None:
    case = Case(content=CONTENT, calls=(call(0, city="Paris"),))
    found = turn("hermes_json_tags", case)
    whole = found.mode.base + (found.mode.calling.turn(case) or "")
    assert found.prompt + found.text == whole
    assert found.text.startswith(CONTENT)
    assert found.prompt.endswith(found.mode.generation)


def test_a_turn_that_disagrees_with_its_prompt_follows_the_header() -> None:
    modes = modes_of("reasoning_prompt_opened")
    opened = next(mode for mode in modes if mode.generation != compiled("reasoning_prompt_opened").found.header)
    found = render_turn(Case(content="Yes."), opened, compiled("reasoning_prompt_opened").found.header)
    assert isinstance(found, RenderedTurn)
    assert (found.prompt + found.text).endswith(found.mode.plain.turn(Case(content="Yes.")) or "?")
    assert found.text.rstrip().startswith("Yes.") or "Yes." in found.text


def test_a_refusal_is_told_in_words_that_do_not_depend_on_the_text() -> None:
    case = Case(content=CONTENT, calls=(call(0, city="Paris"), call(1, city="Rome")))
    reasons = {
        found.because
        for name in sorted(path.stem for path in FIXTURES.glob("*.jinja"))
        if isinstance(found := rendered(name, case), NotRendered)
    }
    assert reasons
    assert all(CONTENT not in reason and len(reason) < 60 for reason in reasons)


def test_each_setting_of_thinking_that_changes_something_is_a_mode() -> None:
    names = [mode.name for mode in modes_of("reasoning_prompt_opened")]
    assert names[0] == "default"
    assert len(names) == len(set(names))


def test_a_spec_alone_writes_what_its_template_writes() -> None:
    case = Case(reasoning=REASONING, content=CONTENT, calls=(call(0, city="Paris"), call(1, ZERO)))
    spec = spec_of("reasoning_tagged")
    by_spec = composed_modes(spec)[0].calling.turn(case)
    assert by_spec == modes_of("reasoning_tagged")[0].calling.turn(case)


# --- what cannot be told ---------------------------------------------------------------------------------------------------


class Echo:
    """A template as a function of messages, for what no fixture does."""

    def __init__(self, write: object) -> None:
        self.write = write

    shape = modes_of("plain_chat")[0].plain.shape

    def turn(self, case: Case) -> str | None:
        return self.write(case)  # type: ignore[operator]


def echoed(write: object, case: Case) -> RenderedTurn:
    writer = Echo(write)
    mode = replace(modes_of("plain_chat")[0], plain=writer, calling=writer, base="", generation="")
    found = render_turn(case, mode, "")
    assert isinstance(found, RenderedTurn)
    return found


CALL = named_call(0, EVERYTHING, {"query": " b ", "city": None, "count": 1})

LOSSY = [
    ("reasoning is not rendered", lambda case: case.content, Case(reasoning="r", content="c")),
    ("content is not rendered", lambda case: case.reasoning, Case(reasoning="r", content="c")),
    ("white space at the ends of content is trimmed", lambda case: (case.content or "").strip(), Case(content=" c\n")),
    ("white space behind content is trimmed", lambda case: (case.content or "").rstrip(), Case(content=" c\n")),
    ("blank lines are collapsed", lambda case: "\n".join((case.content or "").split()), Case(content="a\n\n\nb")),
    ("only the first call is rendered", lambda case: str(case.calls[:1]), Case(calls=(CALL, CALL))),
    ("calls are not rendered", lambda case: case.content or "", Case(content="c", calls=(CALL,))),
    (
        "keys of arguments are sorted",
        lambda case: json.dumps([dict(each.arguments) for each in case.calls], sort_keys=True),
        Case(calls=(CALL,)),
    ),
    (
        "null arguments are dropped",
        lambda case: str([{k: v for k, v in each.arguments.items() if v is not None} for each in case.calls]),
        Case(calls=(CALL,)),
    ),
    (
        "white space at the ends of string arguments is trimmed",
        lambda case: str([[str(v).strip() for v in each.arguments.values()] for each in case.calls]),
        Case(calls=(named_call(0, EVERYTHING, {"query": " b "}),)),
    ),
    ("content is written as reasoning is", lambda case: f"{case.reasoning or ''}{case.content or ''}", Case(content="c")),
]


@pytest.mark.parametrize(("because", "write", "case"), LOSSY, ids=[because for because, _, _ in LOSSY])
def test_what_a_template_loses_is_found_by_rendering_and_named(because: str, write: object, case: Case) -> None:
    lost = find_losses(echoed(write, case))
    assert because in lost.because
    assert not same_case(lost.apply(case), case)


def test_a_template_that_writes_all_of_it_loses_nothing() -> None:
    case = Case(reasoning=" r ", content="a\n\n\nb ", calls=(CALL,))
    assert find_losses(echoed(repr, case)).losses == ()


def test_text_that_comes_out_in_other_words_is_rewritten() -> None:
    assert (
        find_rewriting(echoed(lambda case: (case.content or "").replace("<think>", ""), Case(content="a <think> b")))
        == "content is rewritten"
    )
    assert find_rewriting(echoed(lambda case: case.content, Case(content="a <think> b"))) is None


def test_ids_count_as_written_only_where_others_would_change_the_text() -> None:
    case = Case(calls=(CALL,))
    assert writes_ids(echoed(lambda case: case.calls[0].id, case))
    assert not writes_ids(echoed(lambda case: case.calls[0].name, case))


@pytest.mark.parametrize("value", [1.0, True, "1", [1], {"a": 1}])
def test_messages_of_other_types_are_not_the_same(value: object) -> None:
    one = Case(calls=(named_call(0, EVERYTHING, {"count": 1}),))
    assert not same_case(one, Case(calls=(named_call(0, EVERYTHING, {"count": value}),)))
