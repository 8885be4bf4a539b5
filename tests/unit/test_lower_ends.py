"""Ends of turn that neither a template nor its source names: special tokens behind which nothing comes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import dialects as d
from tests.dialects import TOOLS
from tests.reading import calls, codes, read
from untemplate.compiler import compile_source
from untemplate.parser import build_parser
from untemplate.source.model import SourceKind, TemplateSource
from untemplate.spec.model import EndOfTurn

CALL = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
ENDS = ["</s>", "<eos>", "<|endoftext|>", "<｜end▁of▁sentence｜>", "<｜eos:opensource｜>"]
BARE = "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}{{ eos_token }}\n{% endfor %}<|assistant|>\n"


def unnamed(spec):
    """Return a spec as a template gives it that ends its turns with a token that the source does not name."""
    return replace(
        spec,
        template=replace(spec.template, special_tokens={}),
        prompt=replace(spec.prompt, end_of_turn=EndOfTurn()),
        tokens=replace(spec.tokens, stops=()),
    )


SPEC = unnamed(d.HERMES)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("after", ["", "\n", "</s>", " <|endoftext|>\n"])
def test_a_special_token_at_the_end_ends_the_turn(end, after):
    message = read(SPEC, f"Hello \n{end}{after}")
    assert (message.content, codes(message)) == ("Hello \n", ["stray_marker"])
    message = read(SPEC, CALL + end + after, tools=TOOLS)
    assert (message.content, calls(message), codes(message)) == ("", [("ping", {})], ["stray_marker"])
    message = read(SPEC, f'{{"a": 1}}{end}{after}', response_schema={"type": "object"})
    assert (message.content, codes(message)) == ('{"a": 1}', ["stray_marker"])
    message = read(unnamed(d.FUNCTION_TAGS), f"weigh it{end}{after}", prompt="<|im_start|>assistant\n<think>\n")
    assert (message.reasoning_content, message.content, codes(message)) == ("weigh it", "", ["stray_marker"])


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("text", ["It is {}.", "It is `{}`", "{} and {} end turns", "{}\nHello", "It is {}s"])
def test_a_special_token_before_other_text_or_in_quotes_is_text(end, text):
    message = read(SPEC, text.format(end, end))
    assert (message.content, codes(message)) == (text.format(end, end), [])


@pytest.mark.parametrize("text", ["1 <| 2 |>", "<|" + "x" * 65 + "|>", "<|a|", "<||>", "</st>", "<|a\n|>"])
def test_what_is_no_token_is_text(text):
    assert read(SPEC, f"Hello {text}").content == f"Hello {text}"


def test_a_call_without_its_close_ends_where_the_turn_does():
    text = "<tool_call>\n<function=act_again>\n<parameter=path>\nParis\n</parameter></s>"
    assert calls(read(unnamed(d.FUNCTION_TAGS), text, tools=TOOLS, add_generation_prompt=False)) == [("act_again", {"path": "Paris"})]


def test_what_waits_for_the_end_of_a_token_is_bounded():
    session = build_parser(SPEC).session()
    assert session.feed("Hi <|" + "x" * 64)[0].content == "Hi "
    assert session.feed("x")[0].content == "<|" + "x" * 65


@pytest.mark.parametrize("end", ENDS)
def test_where_an_end_is_named_other_tokens_are_text(end):
    assert read(d.HERMES, f"Hello {end}").content == f"Hello {end}"
    named = replace(SPEC, template=replace(SPEC.template, special_tokens={"eos_token": "<|done|>"}))
    assert read(named, f"Hello {end}").content == f"Hello {end}"


@pytest.mark.parametrize(("special", "left"), [({}, ""), ({"eos_token": "</s>"}, ""), ({"eos_token": "<|done|>"}, "</s>")])
def test_a_template_that_ends_turns_with_the_tokenizers_end(special, left):
    source = TemplateSource(
        name="bare", kind=SourceKind.JINJA, path="bare", templates={"default": BARE}, chosen="default", special_tokens=special
    )
    assert read(compile_source(source).spec, "Hello</s>").content == f"Hello{left}"
