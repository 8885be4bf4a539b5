"""Sessions: bytes, tokens, marks, ends; events for clients."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import ClassVar

import pytest

import untemplate
from tests import dialects as d
from tests.dialects import TOOLS
from tests.reading import Client, fields, stream
from untemplate.errors import ParseError, RequestError
from untemplate.parser import build_parser, random_id
from untemplate.runtime.decode import Utf8Decoder
from untemplate.runtime.message import Message, ToolCall
from untemplate.runtime.sse import stream_events

CALL = "<tool_call>act<arg_key>text</arg_key><arg_value>北京</arg_value></tool_call>"


def parser(spec=d.KEY_VALUE_TAGS, **request):
    return build_parser(spec, tools=TOOLS, add_generation_prompt=False, **request)


class TestBytes:
    def test_half_a_character_waits(self):
        data = CALL.encode()
        for place in range(len(data)):
            session, client = parser().session(), Client()
            client.add(session.feed_bytes(data[:place]))
            client.add(session.feed_bytes(data[place:]))
            message, deltas = session.finish()
            client.add(deltas)
            assert json.loads(message.tool_calls[0].arguments) == {"text": "北京"}
            assert client.fields() == fields(message)

    def test_broken_bytes_become_one_replacement_character(self):
        session = parser().session()
        session.feed_bytes(bytes.fromhex("61e6803d62"))
        session.feed_bytes(b"\xff\xe6\x80")
        assert session.finish()[0].content == "a\ufffd=b\ufffd\ufffd"

    def test_half_a_character_of_another_encoding_becomes_a_replacement_character(self):
        session = parser().session()
        assert session.feed("a\ud83d\ude00\udcffb")[0].content == "a\ufffd\ufffd\ufffdb"
        session.finish()[0].content.encode()

    def test_a_decoder_can_be_copied_in_the_middle_of_a_character(self):
        decoder = Utf8Decoder()
        assert decoder.feed(b"\xe5\x8c") == ""
        other = decoder.copy()
        assert (decoder.feed(b"\x97"), other.finish()) == ("北", "\ufffd")


class TestTokens:
    IDS: ClassVar[dict[str, int]] = {"<tool_call>": 7, "</tool_call>": 8, "</think>": 9, "<think>": 10}

    def session(self):
        return parser(replace(d.KEY_VALUE_TAGS, tokens=replace(d.KEY_VALUE_TAGS.tokens, ids=self.IDS))).session()

    def read(self, *tokens):
        session, client = self.session(), Client()
        for token in tokens:
            piece, number = token if isinstance(token, tuple) else (token, 1)
            client.add(session.feed_token(piece if isinstance(piece, bytes) else piece.encode(), number))
        message, deltas = session.finish()
        client.add(deltas)
        assert client.fields() == fields(message)
        return message

    def test_a_marker_without_text_counts_by_its_id(self):
        message = self.read((b"", 7), "ping", (b"", 8))
        assert [call.name for call in message.tool_calls] == ["ping"]

    def test_a_marker_that_is_spelled_out_is_prose(self):
        message = self.read("<tool", "_call", ">ping</", "tool_call> and <think", ">x")
        assert (message.content, message.tool_calls) == ("<tool_call>ping</tool_call> and <think>x", ())

    def test_a_marker_between_quotes_counts_when_it_is_one_token(self):
        message = self.read((b"", 10), "so `", (b"</think>", 9), "` is it")
        assert (message.reasoning_content, message.content) == ("so `", "` is it")

    def test_text_that_is_not_the_markers_own_is_text(self):
        assert self.read(("hello", 7)).content == "hello"

    def test_a_marker_is_one_with_white_space_beside_it_in_its_token(self):
        message = self.read((b" <think>", 10), "hm", (b"</think>\n", 9), "Hi")
        assert (message.reasoning_content, message.content) == ("hm", "\nHi")

    @pytest.mark.parametrize("pieces", [("<|im_", "end|>"), ("<|im_end|>",), ((b"", 11),), ((b"<|im_end|>", 11),)])
    def test_what_ends_a_turn_ends_it_however_it_is_spelled(self, pieces):
        spec = replace(d.HERMES, tokens=replace(d.HERMES.tokens, ids={"<|im_end|>": 11, "<tool_call>": 7}))
        session = build_parser(spec, tools=TOOLS, add_generation_prompt=False).session()
        for piece in ("Hi", *pieces, "more"):
            session.feed_token(*(piece if isinstance(piece, tuple) else (piece.encode(), 1)))
        message = session.finish()[0]
        assert (message.content, [each.code for each in message.diagnostics]) == ("Hi", ["text_after_end"])

    @pytest.mark.parametrize("doubtful", [("<tool_call>", 70), ("hello", 7)])
    def test_ids_of_another_vocabulary_do_not_count_from_where_they_disagree_with_the_text(self, doubtful):
        message = self.read("<thi", "nk>x", doubtful, "<tool", "_call>ping</", "tool_call>")
        assert [call.name for call in message.tool_calls] == ["ping"]
        assert message.content.startswith("<think>x")

    def test_tokens_cut_anywhere_and_marked_anywhere_read_as_the_whole(self):
        tokens = [(b"<think>", 10), (b"h\xe5\x8c", 1), (b"\x97m", 1), (b"", 9), (b"\n\nx ", 1), (b"<tool_call>", 7), (b"ping", 1), (b"", 8)]
        whole = self.read(*tokens)
        assert (whole.reasoning_content, whole.content, [call.name for call in whole.tool_calls]) == ("h北m", "\n\nx ", ["ping"])
        for place in range(len(tokens) + 1):
            session = self.session()
            for token in tokens[:place]:
                session.feed_token(*token)
            mark = session.mark()
            for token in reversed(tokens):
                session.feed_token(*token)
            session.rewind(mark)
            for token in tokens[place:]:
                session.feed_token(*token)
            assert fields(session.finish()[0]) == fields(whole)

    def test_half_characters_and_marks(self):
        session = self.session()
        session.feed_token(b"\xe5\x8c", 1)
        mark = session.mark()
        session.feed_token(b"", 7)
        session.rewind(mark)
        session.feed_token(b"\x97 <think", 1)
        session.feed_token(b"><|user|>x", 1)
        message = session.finish()[0]
        assert message.content == "北 <think>"
        assert [(each.code, each.position) for each in message.diagnostics] == [("text_after_end", len("北 <think><|user|>"))]


class TestMarks:
    def test_rewinding_forgets_what_came_since(self):
        whole = "<think>a</think>One. " + CALL
        for place in range(len(whole)):
            session = parser(new_id=lambda: "x").session()
            session.feed(whole[:place])
            mark = session.mark()
            session.feed("<tool_call>ping</tool_call> and more <think>x")
            session.rewind(mark)
            session.feed(whole[place:])
            assert session.finish()[0] == parser(new_id=lambda: "x").parse(whole)

    def test_a_session_tells_how_many_deltas_a_rewind_makes_void(self):
        session = parser().session()
        deltas = session.feed("One")
        mark = session.mark()
        assert session.given == mark.given == len(deltas)
        session.feed(" <")
        assert session.given - mark.given == 1
        session.rewind(mark)
        assert session.given == mark.given

    def test_what_was_sent_bounds_how_far_a_session_goes_back(self):
        session = parser().session()
        first = session.mark()
        session.feed("<tool_c")
        waiting = session.mark()
        session.sent()
        session.rewind(first)  # nothing was given yet
        session.feed("One")
        session.sent()
        second = session.mark()
        session.feed(", two")
        session.rewind(second)
        for early in (first, waiting):
            with pytest.raises(RequestError) as error:
                session.rewind(early)
            assert error.value.code == "E608"
        session.feed(".")
        assert session.finish()[0].content == "One."

    def test_a_mark_may_be_used_twice(self):
        session = parser().session()
        session.feed("One")
        mark = session.mark()
        for _ in range(2):
            session.feed(", two")
            session.rewind(mark)
        session.feed(".")
        assert session.message().content == "One."


class TestEnds:
    def test_feeding_or_finishing_a_finished_session_is_the_callers_error(self):
        session = parser().session()
        mark = session.mark()
        session.finish()
        for late in (lambda: session.feed("x"), session.finish, lambda: session.rewind(mark)):
            with pytest.raises(RequestError):
                late()

    def test_length_wins_over_calls(self):
        assert parser().parse(CALL, truncated=True).finish_reason == "length"
        assert parser().parse(CALL).finish_reason == "tool_calls"
        assert parser().parse("Hi").finish_reason == "stop"
        assert parser().parse("Hi", partial=True).finish_reason is None

    def test_strict_raises_for_what_does_not_fit(self):
        assert parser().parse("Hi", strict=True).content == "Hi"
        with pytest.raises(ParseError) as error:
            parser().parse("</think>Hi", strict=True)
        assert (error.value.message, error.value.position) == ("stray_marker", 8)


class TestShapes:
    def test_a_message_is_openais(self):
        call = ToolCall(id="i", name="f", arguments="{}")
        message = Message(reasoning_content="r", tool_calls=(call,)).to_dict()
        assert message == {
            "role": "assistant",
            "content": None,
            "reasoning_content": "r",
            "tool_calls": [{"id": "i", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        }
        assert Message().to_dict() == {"role": "assistant", "content": ""}

    def test_a_call_begins_with_its_header(self):
        session = parser(new_id=lambda: "i").session()
        first, *rest = session.feed(CALL + "<tool_call>")
        header = {"index": 0, "id": "i", "type": "function", "function": {"name": "act", "arguments": ""}}
        assert first.to_dict() == {"tool_calls": [header]}
        assert [delta.to_dict() for delta in rest] == [{"tool_calls": [{"index": 0, "function": {"arguments": '{"text": "北京"}'}}]}]

    def test_ids_are_random_letters_and_digits(self):
        assert len({random_id() for _ in range(100)}) == 100
        assert random_id().isalnum()
        assert len(random_id()) == 24

    def test_ids_of_a_call_stay(self):
        message, client = stream(parser(), CALL + CALL)
        assert [call["id"] for call in client.calls] == [call.id for call in message.tool_calls]
        assert message.tool_calls[0].id != message.tool_calls[1].id


class TestEvents:
    def events(self, **options):
        text = "<think>hm</think>Hi " + CALL
        written = list(stream_events(parser().session(), [text[:9], text[9:].encode()], model="m", id="c", **options))
        assert written[-1] == "data: [DONE]\n\n"
        return [json.loads(event.removeprefix("data: ")) for event in written[:-1]]

    def test_the_role_comes_first_and_the_finish_reason_last(self):
        events = self.events(usage={"total_tokens": 3})
        assert events[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
        assert events[-2]["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "tool_calls", "logprobs": None}
        assert (events[-1]["choices"], events[-1]["usage"]) == ([], {"total_tokens": 3})
        assert {event["object"] for event in events} == {"chat.completion.chunk"}

    def test_reasoning_under_another_name(self):
        deltas = [event["choices"][0]["delta"] for event in self.events(reasoning_field="reasoning")]
        assert {"reasoning": "hm"} in deltas
        assert not any("reasoning_content" in delta for delta in deltas)


def test_public_names_are_found_when_they_are_used():
    assert untemplate.build_parser is build_parser
    assert untemplate.Message is Message
    assert set(untemplate.__all__) <= set(dir(untemplate))
    with pytest.raises(AttributeError):
        untemplate.nothing  # noqa: B018
