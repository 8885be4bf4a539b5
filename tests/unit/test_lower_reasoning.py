"""Where reasoning opens and closes, and what ends it otherwise."""

from __future__ import annotations

import pytest

from tests import dialects as d
from tests.dialects import TOOLS
from tests.reading import calls, codes, read, stream
from untemplate.parser import build_parser

OPENED = "<|im_start|>assistant\n<think>\n"
CLOSED = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
CALL = "<tool_call>\n<function=ping>\n</function>\n</tool_call>"


def both(spec, text, **request):
    message = read(spec, text, **request)
    return message.reasoning_content, message.content


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("weigh it\n</think>\n\nAnswer.", ("weigh it", "Answer.")),
        ("weigh it</think>Answer.", ("weigh it", "Answer.")),
        ("weigh it\n\n</think>\n\n\nAnswer.", ("weigh it\n", "\nAnswer.")),
        ("</think>\n\nAnswer.", ("", "Answer.")),
        ("\n</think>\n\nAnswer.", ("", "Answer.")),
        ("still at it", ("still at it", "")),
        ('The `</think>` tag, or "</think>", is kept.\n</think>\n\nDone.', ('The `</think>` tag, or "</think>", is kept.', "Done.")),
        ("one<|im_end|>", ("one", "")),
    ],
)
def test_reasoning_that_the_prompt_opened(text, found):
    assert both(d.FUNCTION_TAGS, text, prompt=OPENED) == found


def test_reasoning_comes_as_it_is_written():
    session = build_parser(d.FUNCTION_TAGS, prompt=OPENED).session()
    assert [delta.to_dict() for delta in session.feed("weigh")] == [{"reasoning_content": "weigh"}]
    assert session.feed("</th") == []
    assert [delta.to_dict() for delta in session.feed("ick")] == [{"reasoning_content": "</thick"}]


def test_a_close_where_none_is_open_is_dropped_at_the_very_start_and_kept_later():
    message = read(d.FUNCTION_TAGS, "</think>\n\nHello.", prompt=CLOSED)
    assert (message.content, codes(message)) == ("Hello.", ["stray_marker"])
    assert both(d.FUNCTION_TAGS, "Hello.</think>\n\nMore.", prompt=CLOSED) == ("", "Hello.</think>\n\nMore.")


def test_reasoning_opens_again_between_pieces_of_content():
    assert both(d.KEY_VALUE_TAGS, "<think>a</think>One. <think>b</think>Two.", add_generation_prompt=False) == ("ab", "One. Two.")


def test_an_opening_marker_at_the_end_is_dropped():
    message = read(d.FUNCTION_TAGS, f"go\n</think>\n\n{CALL}\n<think>\n", prompt=OPENED, tools=TOOLS)
    assert (message.reasoning_content, message.content, calls(message), codes(message)) == ("go", "", [("ping", {})], ["stray_marker"])


def test_an_opening_marker_whose_first_tag_comes_twice():
    message = read(d.CUSTOM_QUOTES, "<|channel><|channel>thought\nhm\n<channel|>Fine.", add_generation_prompt=False)
    assert (message.reasoning_content, message.content, codes(message)) == ("hm", "Fine.", ["repaired"])


def test_the_marker_quoted_in_content_is_text():
    text = "Write `<think>` or '<think>' to think."
    assert both(d.FUNCTION_TAGS, text, prompt=CLOSED) == ("", text)


class TestACallInside:
    def test_counts_when_it_is_whole_and_the_end_follows(self):
        message = read(d.FUNCTION_TAGS, f"I should.\n{CALL}", prompt=OPENED, tools=TOOLS)
        assert (message.reasoning_content, message.content, calls(message)) == ("I should.", "", [("ping", {})])

    def test_counts_when_structure_or_the_close_follows(self):
        message = read(d.FUNCTION_TAGS, f"I should.\n{CALL}\n{CALL}\n</think>\n\nDone.", prompt=OPENED, tools=TOOLS)
        assert (message.reasoning_content, message.content, len(message.tool_calls)) == ("I should.", "Done.", 2)

    def test_is_text_when_text_follows(self):
        text = '[THINK]Think about [TOOL_CALLS]act[ARGS]{"count":1} and more[/THINK][TOOL_CALLS]ping[ARGS]{}'
        message = read(d.NAME_ARGS, text, add_generation_prompt=False, tools=TOOLS)
        assert message.reasoning_content == 'Think about [TOOL_CALLS]act[ARGS]{"count":1} and more'
        assert calls(message) == [("ping", {})]

    @pytest.mark.parametrize("text", [CALL.replace("ping", "nope"), CALL[:-14] + "x", "<tool_call> is a marker"])
    def test_is_text_when_it_is_not_whole_or_not_declared(self, text):
        message = read(d.FUNCTION_TAGS, f"So {text}", prompt=OPENED, tools=TOOLS)
        assert (message.reasoning_content, message.tool_calls) == (f"So {text}", ())


class TestWithoutExtraction:
    @pytest.mark.parametrize(
        ("spec", "prompt", "text", "content"),
        [
            (d.FUNCTION_TAGS, OPENED, "hm\n</think>\n\nHi", "<think>\nhm\n</think>\n\nHi"),
            (d.FUNCTION_TAGS, CLOSED, "Hi", "Hi"),
            (d.NAME_ARGS, None, "[THINK]hm[/THINK]Hi", "[THINK]hm[/THINK]Hi"),
            (
                d.CHANNELS,
                None,
                "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi",
                "<|channel|>analysis<|message|>hm<|end|>Hi",
            ),
            (
                d.WRAPPED_CONTENT,
                None,
                "<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Hi<|END_RESPONSE|>",
                "<|START_THINKING|>hm<|END_THINKING|>Hi",
            ),
            (d.OPEN_SEP_CLOSE, None, "<|open|>response<|sep|>Hi<|close|>response<|sep|>", "Hi"),
        ],
    )
    def test_reasoning_and_its_markers_stay_in_content(self, spec, prompt, text, content):
        assert both(spec, text, prompt=prompt, extract_reasoning=False) == ("", content)


class TestChannels:
    def test_header_noise_is_dropped(self):
        text = "<|channel|>commentary to=assistant<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi"
        assert both(d.CHANNELS, text) == ("hm", "Hi")

    def test_the_end_of_a_block_is_not_the_end_of_the_turn(self):
        text = "<|think|>hm<|end|><|begin|>assistant<|content|>Hi<|end|>"
        assert both(d.SEPARATE_BLOCKS, text) == ("hm", "Hi")

    def test_an_answer_in_the_commentary_channel(self):
        assert both(d.CHANNELS, "<|channel|>commentary<|message|>Hi<|return|>") == ("", "Hi")


def test_a_header_that_the_model_repeats_is_dropped():
    message = read(d.WRAPPED_CONTENT, "<|CHATBOT_TOKEN|>Hi<|END_OF_TURN_TOKEN|>")
    assert (message.content, codes(message)) == ("Hi", ["repaired"])


class TestMarkersCutAtTheEnd:
    @pytest.mark.parametrize("text", ["<|channel|>", "<|chan", "<|channel|>analysis<|message|>"])
    def test_special_tokens_are_dropped(self, text):
        message = read(d.CHANNELS, text, truncated=True)
        assert (message.content, message.reasoning_content, message.finish_reason) == ("", "", "length")
        assert len(message.diagnostics) == 1

    def test_other_text_is_kept(self):
        assert both(d.FUNCTION_TAGS, "a < b and <t", prompt=CLOSED) == ("", "a < b and <t")


def test_every_beginning_of_a_turn_is_read_without_an_error():
    text = f"hm\n</think>\n\nSo:\n{CALL}\n"
    parser = build_parser(d.FUNCTION_TAGS, prompt=OPENED, tools=TOOLS)
    for size in range(len(text)):
        stream(parser, [text[:size]], truncated=True)
