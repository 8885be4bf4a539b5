"""Turns at the margins of their format: calls that end reasoning, words that a prompt begins with, spaces beside special tokens."""

from __future__ import annotations

import pytest

from tests import dialects as d
from tests.dialects import TOOLS
from tests.reading import calls, codes, read
from untemplate.infer.spec import infer_spec
from untemplate.spec.model import Spec
from untemplate.template import Template
from untemplate.verify.verify import verify_at_length

ACT, PING = ("act", {"count": 1}), ("ping", {})
CALL, ARGUMENT, CALL_END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
COUNTED = f'{CALL}functions.act:0{ARGUMENT}{{"count": 1}}'
JSON = '<tool_call>\n{"name": "act", "arguments": {"count": 1}}'
TAGS = "<tool_call>\n<function=act>\n<parameter=count>\n1\n</parameter>\n</function>"


# --- calls in reasoning whose close is left out ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "opening", "written"),
    [
        (d.COUNTED_IDS, "<think>", COUNTED),
        (d.COUNTED_IDS, "<think>", f"{COUNTED}\n"),
        (d.HERMES, "<think>\n", JSON),
        (d.FUNCTION_TAGS, "<think>\n", TAGS),
    ],
)
def test_a_call_ends_reasoning_although_its_last_marks_are_missing(spec, opening, written):
    message = read(spec, f"{opening}I must act.{written}", tools=TOOLS, add_generation_prompt=False)
    assert (message.reasoning_content, calls(message), message.content) == ("I must act.", [ACT], "")


def test_the_next_call_stands_for_the_close_of_one_in_reasoning():
    text = f"<think>Both.{COUNTED}{CALL}functions.ping:1{ARGUMENT}{{}}"
    message = read(d.COUNTED_IDS, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.reasoning_content, calls(message)) == ("Both.", [ACT, PING])


@pytest.mark.parametrize(
    ("spec", "text"), [(d.COUNTED_IDS, f"Like {COUNTED}"), (d.HERMES, f"Like {JSON}"), (d.FUNCTION_TAGS, f"Like {TAGS}")]
)
def test_prose_or_the_close_of_reasoning_stands_for_no_close_of_a_call(spec, text):
    for behind, answer in ((" or so", ""), ("</think>Yes.", "Yes.")):
        message = read(spec, f"<think>{text}{behind}", tools=TOOLS, add_generation_prompt=False)
        thought = text + behind if not answer else text
        assert (message.reasoning_content, message.content, calls(message)) == (thought, answer, [])


OPENED = "<|im_start|>assistant\n<think>\n"


def test_a_call_before_any_thought_ends_reasoning_whatever_follows():
    message = read(d.HERMES, f"{JSON}\n</tool_call>\nThat was it.", tools=TOOLS, prompt=OPENED)
    assert (message.reasoning_content, calls(message), message.content) == ("", [ACT], "\nThat was it.")


def test_a_call_behind_a_thought_does_not_where_prose_follows():
    text = f"Say {JSON}\n</tool_call>\nThat was it."
    message = read(d.HERMES, text, tools=TOOLS, prompt=OPENED)
    assert (message.reasoning_content, calls(message)) == (text, [])


# --- words with which a prompt begins reasoning ------------------------------------------------------------------------

WORDS = "My steps are these:\n"
BEGUN = (
    "{%- for m in messages %}{{ '<|' ~ m.role ~ '|>\n' }}"
    "{%- if m.role == 'assistant' and m.reasoning_content %}{{ m.reasoning_content ~ '\n[ANSWER]\n' }}{% endif %}"
    "{{ m.content ~ '<|end|>\n' }}{% endfor %}"
    f"{{%- if add_generation_prompt %}}{{{{ '<|assistant|>\n{WORDS}' }}}}{{% endif %}}"
)


@pytest.fixture(scope="module")
def begun() -> Spec:
    return infer_spec(Template(BEGUN)).spec


def test_words_that_only_the_prompt_writes_belong_to_the_reasoning(begun):
    for request in ({}, {"prompt": f"<|user|>\nhi<|end|>\n<|assistant|>\n{WORDS}"}):
        message = read(begun, "One.\n[ANSWER]\nYes.", **request)
        assert (message.reasoning_content, message.content) == (f"{WORDS}One.", "Yes.")


def test_they_are_content_where_reasoning_is_not_told_apart(begun):
    message = read(begun, "One.\n[ANSWER]\nYes.", extract_reasoning=False)
    assert (message.reasoning_content, message.content) == ("", f"{WORDS}One.\n[ANSWER]\nYes.")


def test_a_message_that_is_continued_is_not_given_them(begun):
    said = {"role": "assistant", "content": "Ye", "reasoning_content": "One."}
    message = read(begun, "s.", messages=[said], continue_final_message="content")
    assert (message.reasoning_content, message.content) == ("One.", "Yes.")
    message = read(begun, " Two.\n[ANSWER]\nYes.", messages=[said], continue_final_message="reasoning")
    assert (message.reasoning_content, message.content) == ("One. Two.", "Yes.")


def test_the_same_words_in_an_answer_open_no_reasoning(begun):
    message = read(begun, f"[ANSWER]\nYes.\n{WORDS}One.")
    assert (message.reasoning_content, message.content) == (WORDS.strip(), f"Yes.\n{WORDS}One.")


def test_turns_behind_such_a_prompt_are_read_back():
    inferred = infer_spec(Template(BEGUN))
    report = verify_at_length(inferred.spec, inferred.found, budget=60)
    assert (report.mismatches, report.read_back > 40) == ((), True)


# --- special tokens ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", ["", " ", "\n"])
def test_white_space_between_a_special_token_and_its_label_is_free(gap):
    channel, start = f"<|channel|>{gap}", f"<|start|>{gap}assistant"
    text = (
        f'{channel}analysis<|message|>Hm.<|end|>{start}{channel}commentary to=functions.act <|constrain|>{gap}json<|message|>{{"count": 1}}'
    )
    message = read(d.CHANNELS, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.reasoning_content, message.content, calls(message), codes(message)) == ("Hm.", "", [ACT], [])
    message = read(d.CHANNELS, f"{channel}analysis<|message|>Hm.<|end|>{start}{channel}final<|message|>Yes.", add_generation_prompt=False)
    assert (message.reasoning_content, message.content) == ("Hm.", "Yes.")


RECIPIENTS = (
    "{%- for m in messages %}{% set end = '<|more|>' if not loop.last and messages[loop.index0 + 1].role == m.role else '<|stop|>' %}"
    "{%- if m.role == 'assistant' %}"
    "{%- if m.reasoning_content %}{{ '<|start|>assistant to=me<|message|>' ~ m.reasoning_content ~ '<|more|>' }}{% endif %}"
    "{%- if m.tool_calls %}{% for c in m.tool_calls %}"
    "{{ '<|start|>assistant to=' ~ c.function.name ~ '<|message|><calls>' ~ (c.function.arguments | tojson) ~ '</calls>' }}"
    "{{ end if loop.last else '<|more|>' }}{% endfor %}"
    "{%- else %}{{ '<|start|>assistant to=you<|message|>' ~ m.content ~ '<|stop|>' }}{% endif %}"
    "{%- else %}{{ '<|start|>' ~ m.role ~ '<|message|>' ~ m.content ~ end }}{% endif %}{% endfor %}"
    "{%- if add_generation_prompt %}{{ '<|start|>assistant' }}{% endif %}"
)


def test_what_ends_a_message_of_reasoning_ends_one_of_content_before_a_call():
    spec = infer_spec(Template(RECIPIENTS)).spec
    text = ' to=you<|message|>I will act.<|more|><|start|>assistant to=act<|message|><calls>{"count": 1}</calls><|stop|>'
    message = read(spec, text, tools=TOOLS)
    assert (message.content, calls(message), codes(message)) == ("I will act.", [ACT], [])
    text = " to=you<|message|>It names <|more|> here.<|stop|>"
    assert read(spec, text, tools=TOOLS).content == "It names <|more|> here."


# --- arguments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "found"), [("[]", {}), ("[ ]", {}), ('[{"count": 1}]', {"count": 1}), ('[ {"count": 1} ]', {"count": 1})]
)
def test_a_list_is_no_arguments(written, found):
    for text in (f'{{"name": "act", "arguments": {written}}}', f'{{"arguments": {written}, "name": "act"}}'):
        message = read(d.HERMES, f"<tool_call>\n{text}\n</tool_call>", tools=TOOLS, add_generation_prompt=False)
        assert (calls(message), codes(message)) == ([("act", found)], ["repaired"])


# --- calls in the clothes of other formats -----------------------------------------------------------------------------

CALL_TEXT = '{"name": "act", "arguments": {"count": 1}}'
BARE = '{"name": "act", "parameters": {"count": 1}}'


@pytest.mark.parametrize(
    "written", [f"```json\n{CALL_TEXT}\n```", f"```\n{CALL_TEXT}\n```", f"{{{CALL_TEXT}}}", f"{{ {CALL_TEXT} }}", f"```json\n{CALL_TEXT}"]
)
def test_a_fence_or_a_second_brace_around_a_call_is_dropped(written):
    message = read(d.HERMES, f"Look.\n<tool_call>\n{written}\n</tool_call>", tools=TOOLS, add_generation_prompt=False)
    assert (message.content, calls(message), set(codes(message))) == ("Look.", [ACT], {"repaired"})


@pytest.mark.parametrize(
    "text", ["<tool_call>\n```json\n{}\n```\n</tool_call>", "<tool_call>{{}}</tool_call>", "<tool_call>```sh\nls\n```"]
)
def test_a_fence_with_something_else_in_it_stays_text(text):
    assert read(d.HERMES, text, tools=TOOLS, add_generation_prompt=False).content == text


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (f"Let me see.<|python_tag|>{BARE}", "Let me see."),
        (f"Let me see. <|run|> {BARE}", "Let me see. "),
        (f"<|run|>{BARE}<|stop|>", ""),
        (f"```json\n{BARE}\n```", ""),
        (f"```\n{BARE}\n```\n", ""),
    ],
)
def test_a_call_without_a_marker_counts_behind_a_special_token_or_in_a_fence_of_its_own(text, content):
    message = read(d.BARE_JSON, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.content, calls(message)) == (content, [ACT])
    assert "repaired" in codes(message)


@pytest.mark.parametrize(
    "text",
    [
        f"Let me see.\n{BARE}",
        f"As in\n```json\n{BARE}\n```",
        f"```json\n{BARE}\n```\nis how it looks.",
        'It says <|run|>{"name": "nope", "parameters": {}} there.',
        "It says <|run|> and {}.",
    ],
)
def test_json_in_prose_is_no_call(text):
    message = read(d.BARE_JSON, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.content, calls(message)) == (text, [])


@pytest.mark.parametrize("token", ["<|answer>", "<|answer|>", "<answer|>", "<｜tool▁outputs▁begin｜>", "<|tool-response|>"])
def test_the_token_at_which_a_model_was_to_stop_behind_a_call_is_dropped(token):
    for spec, text in ((d.HERMES, f"{JSON}\n</tool_call>"), (d.CUSTOM_QUOTES, "<|tool_call>call:act{count:1}<tool_call|>")):
        message = read(spec, f"{text}{token}\n", tools=TOOLS, add_generation_prompt=False)
        assert (message.content, calls(message), codes(message)) == ("", [ACT], ["stray_marker"])
        message = read(spec, f"{text}{token}Yes.", tools=TOOLS, add_generation_prompt=False)
        assert (message.content, calls(message)) == (f"{token}Yes.", [ACT])


@pytest.mark.parametrize("header", [" to=act<|channel|>commentary json", "<|channel|>commentary to=act <|constrain|>json"])
def test_a_namespace_that_is_left_out_before_a_declared_name_is_mended(header):
    message = read(d.CHANNELS, f'{header}<|message|>{{"count": 1}}<|call|>', tools=TOOLS, add_generation_prompt=False)
    assert (message.content, calls(message), codes(message)) == ("", [ACT], ["repaired"])
    text = f'{header.replace("act", "nope")}<|message|>{{"count": 1}}'
    assert read(d.CHANNELS, text, tools=TOOLS, add_generation_prompt=False).content == text
