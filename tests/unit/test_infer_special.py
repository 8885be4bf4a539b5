"""Reasoning that is never rendered, instructions in words, headers, vocabularies."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from untemplate.infer.hidden import mirror_close, mirror_open
from untemplate.infer.prompt import cut_at_role, infer_header
from untemplate.infer.spec import infer_spec
from untemplate.infer.vocabulary import with_vocabulary
from untemplate.parser import build_parser
from untemplate.source import Token
from untemplate.source.vocabulary import TokenType
from untemplate.spec.model import ContentMode, PromptState, ReasoningMode, Spec
from untemplate.template import Template

CHAT = (
    "{%- for m in messages %}{{ '<|' ~ m.role ~ '|>' }}{{ BODY }}{{ '<|end|>' }}{% endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' ~ TAIL }}{% endif %}"
)


def compiled(body: str = "m.content", tail: str = "''", tools: str = "") -> Spec:
    return infer_spec(Template(tools + CHAT.replace("BODY", body).replace("TAIL", tail))).spec


def test_a_constant_behind_which_content_is_kept_closes_reasoning() -> None:
    spec = compiled(body="m.content.split('<done>')[-1]")
    assert [marker.core for marker in spec.turn.reasoning.close] == ["<done>"]


def test_the_prompts_tail_opens_what_is_stripped() -> None:
    spec = compiled(body="m.content.split('</mull>')[-1]", tail="'<mull>\n'")
    assert spec.turn.reasoning.open[0].text == "<mull>\n"
    assert spec.turn.reasoning.close[0].core == "</mull>"
    assert spec.prompt.generation[0].state is PromptState.REASONING


def test_a_prompt_that_opens_a_thought_needs_no_closing_in_the_template() -> None:
    spec = compiled(tail="'<think>'")
    assert [marker.core for marker in spec.turn.reasoning.close] == ["</think>"]
    assert spec.prompt.generation[0].state is PromptState.REASONING


def test_a_prompt_that_opens_something_else_needs_one() -> None:
    assert compiled(tail="'<poem>'").turn.reasoning.mode is ReasoningMode.NONE


def test_a_closed_thought_in_the_prompt_is_told_from_the_marks_around_an_answer() -> None:
    body = "(m.content.split('<reply>')[-1] | replace('</reply>', ''))"
    spec = compiled(body=body, tail="('<mull>\n\n</mull>\n' if enable_thinking is defined and not enable_thinking else '')")
    assert [marker.core for marker in (*spec.turn.reasoning.open, *spec.turn.reasoning.close)] == ["<mull>", "</mull>"]
    assert spec.turn.content.mode is ContentMode.WRAPPED_WITH_REASONING
    message = build_parser(spec).parse("<mull>\nhm\n</mull>\n<reply>\nHi\n</reply>")
    assert (message.reasoning_content, message.content) == ("hm", "Hi")
    assert build_parser(spec).parse("Hi").content == "Hi"


def test_a_prompt_that_ends_in_a_closed_block_is_past_reasoning() -> None:
    assert compiled(body="m.content.split('</t>')[-1]", tail="'<t></t>'").prompt.generation[0].state is PromptState.AFTER_REASONING


def test_a_template_without_a_word_of_reasoning_has_none_and_says_so() -> None:
    spec = compiled()
    assert spec.turn.reasoning.mode is ReasoningMode.NONE
    assert "W330" in [warning.code for warning in spec.warnings]


@pytest.mark.parametrize(
    ("words", "opening", "array"),
    [
        ('write <call>\\n{"name": <n>, "arguments": <a>}\\n</call>', "<call>", False),
        ("respond with <|go|> followed by a JSON list of tools", "<|go|>", True),
        ('reply in <calls>[{"name": "x", "parameters": {}}, ...]</calls>', "<calls>", True),
    ],
)
def test_an_instruction_in_the_prompt_tells_how_to_call(words: str, opening: str, array: bool) -> None:
    told = "{% if tools %}{{ '" + words + "' }}{% for t in tools %}{{ t.function.name ~ '\\n' }}{% endfor %}{% endif %}"
    calls = compiled(tools=told).turn.calls
    assert calls is not None
    form = calls.forms[0]
    assert form.json is not None
    assert form.json.array is array
    opened = form.open.core or (calls.section.open.core if calls.section.open else "")
    assert opened == opening


def test_tools_without_a_word_on_calls_are_a_warning_not_a_guess() -> None:
    spec = compiled(tools="{% for t in tools or [] %}{{ t.function.name }}{% endfor %}")
    assert spec.turn.calls is None
    assert "W320" in [warning.code for warning in spec.warnings]


def test_a_header_is_cut_where_the_users_would_end() -> None:
    assert cut_at_role("<｜Assistant｜><think>", "<｜User｜>") == "<｜Assistant｜>"
    assert cut_at_role("<|x_assistant|>assistant<|mid|><think>", "<|x_user|>user<|mid|>") == "<|x_assistant|>assistant<|mid|>"
    assert cut_at_role("<|start|>assistant", "<|start|>user<|message|>") == "<|start|>assistant"


def test_an_empty_turn_text_keeps_the_header_empty() -> None:
    assert infer_header(["", "[TOOL_CALLS]"], []) == ""


def test_closings_mirror_openings() -> None:
    assert mirror_close("<think>") == "</think>"
    assert mirror_open("[/THINK]") == "[THINK]"
    assert mirror_close("</think>") is None
    assert mirror_open("word") is None


@dataclass
class Words:
    known: dict[str, int]
    complete: bool = True

    def find(self, text: str) -> Token | None:
        return Token(text=text, id=self.known[text], type=TokenType.CONTROL) if text in self.known else None


def test_a_marker_that_the_tokenizer_splits_is_a_warning() -> None:
    spec = compiled(body="m.content.split('</t>')[-1]", tail="'<t>'")
    held = with_vocabulary(spec, Words({"<t>": 7}))
    assert held.tokens.ids == {"<t>": 7}
    assert held.tokens.types == {"<t>": "control"}
    assert "</t>" in next(warning.message for warning in held.warnings if warning.code == "W360")


def test_an_incomplete_vocabulary_accuses_nobody() -> None:
    held = with_vocabulary(compiled(body="m.content.split('</t>')[-1]", tail="'<t>'"), Words({}, complete=False))
    assert "W360" not in [warning.code for warning in held.warnings]


def test_a_vocabulary_made_for_reasoning_is_a_hint() -> None:
    held = with_vocabulary(compiled(), Words({"<think>": 1, "</think>": 2, "<|end|>": 3}))
    assert "W361" in [warning.code for warning in held.warnings]


NULL_CONTENT = (
    "{%- for m in messages %}{% if m.role == 'user' %}{{ '<ask>' ~ m.content }}{% endif %}"
    "{%- if m.role == 'assistant' and m['content'] is none %}{% for c in m['tool_calls'] %}"
    "{%- if loop.first %}{{ '<say><uses><use>' }}{% else %}{{ '\\n<use>' }}{% endif %}"
    "{{- c['function']['name'] + '\\n' + c['function']['arguments'] + '</use>' }}CLOSE{% endfor %}{% endif %}"
    "{%- if m.role == 'assistant' and m['content'] is not none %}{{ '<say>' + m['content'] + '<end>' }}{% endif %}{% endfor %}"
    "{%- if add_generation_prompt %}{{ '<say>' }}{% endif %}"
)


@pytest.mark.parametrize(
    "close",
    [
        "{% if loop.last %}{{ '</uses><end>' }}{% endif %}",
        "{% if not loop.first %}{{ '</uses><end>' }}{% endif %}",
    ],
)
def test_calls_that_need_content_to_be_null_are_found_however_often_their_section_is_closed(close: str) -> None:
    spec = infer_spec(Template(NULL_CONTENT.replace("CLOSE", close))).spec
    calls = spec.turn.calls
    assert calls is not None
    assert calls.section.open is not None
    assert (calls.section.open.core, calls.section.separator) == ("<uses>", "\n")
    assert calls.section.close is not None
    assert calls.section.close.core == "</uses>"
    assert calls.section.close_several_only == ("loop.first" in close)
    assert spec.capabilities.empty_content == "null"
    assert spec.prompt.end_of_turn.content == ("<end>",)
