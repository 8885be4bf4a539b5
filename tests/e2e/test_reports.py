"""Every shared fault report, held: what it says of rendering, analysis, GGUF files, turns, values and markers.

A report is data (``../shared/reports/reports.yaml``); a test here takes all reports that say something of its subject. What they
say of grammars stands in ``test_reports_grammar.py``.
"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
import tracemalloc

import pytest

import untemplate
from tests.e2e.reports import entries, report_vectors, spec_of, template_of, turns
from tests.reading import Client, cut, fields, load_strictly, stream
from tests.steps import steps
from tests.unit.test_source_gguf import STRING, header, pair, text
from untemplate.compiler import compile_source
from untemplate.errors import InferenceError, TemplateError
from untemplate.infer.quirks import load_overlay
from untemplate.source import load_source
from untemplate.spec.model import Capabilities, FieldName, ReasoningMode, Spec, Support, Text
from untemplate.template import Template, render_conversation

if not entries():
    pytest.skip("the shared fault reports are absent", allow_module_level=True)

OUT_OF_REACH = {
    "trg-unused-token": "free text that excludes control tokens needs the host's token list, which no request carries; "
    "that the parser takes such a token as text is held by test_a_token_of_no_meaning_is_text",
}
"""Reports that no test of a whole report can hold, each with the reason."""

GRAMMAR_KINDS = {"grammar-schema"}
"""Held by ``test_reports_grammar.py``."""

KEPT = Support.KEPT
EVERYTHING = Capabilities(tools=True, calls=KEPT, tool_results=KEPT, reasoning=KEPT)
"""For templates that never render an assistant's turn, so that nothing can be inferred."""


def saying(*members, where="expected"):
    """Return the reports that have one of the members, as parameters."""
    found = [entry for entry in entries() if any(member in entry[where] for member in members)]
    assert found, members
    return pytest.mark.parametrize("entry", found, ids=[entry["id"] for entry in found])


TURNS = [turn for turn in turns() if turn.id != "rsn-budget-cut"]
NEEDING_THE_HOST = [turn for turn in turns() if turn.id == "rsn-budget-cut"]
"""Read right only with a hint that no text carries."""
each_turn = pytest.mark.parametrize("turn", TURNS, ids=[turn.id for turn in TURNS])


def test_every_report_is_held():
    held = {turn.entry["id"] for turn in (*TURNS, *NEEDING_THE_HOST)} | OUT_OF_REACH.keys()
    held |= {
        entry["id"] for entry in entries() if entry["kind"] in GRAMMAR_KINDS or entry["expected"].keys() & {"rendered", "rendered_contains"}
    }
    held |= {"tmpl-no-tool-role", "ana-system-first-raise", "ana-marker-not-in-template", "gguf-template-not-loaded", "gguf-no-template"}
    held |= {"perf-quadratic"}
    assert held == {entry["id"] for entry in entries()}


# --- rendering ---------------------------------------------------------------------------------------------------------


def capabilities(entry):
    try:
        return spec_of(template_of(entry)).capabilities
    except InferenceError:
        return EVERYTHING


def template(entry):
    given = entry["input"]
    source = given["template_source"] if "template_source" in given else template_of(entry).read_text("utf-8")
    clock = {"clock": lambda: datetime.datetime.fromisoformat(given["clock"])} if "clock" in given else {}
    return Template(source, **clock)


def variables(entry):
    return {"tools": entry["input"].get("tools"), **entry["input"].get("vars", {})}


@saying("rendered", "rendered_contains")
def test_messages_render_as_reported(entry):
    messages = entry["input"]["messages"]
    plain = "rendered" in entry["expected"] and "raw_error" not in entry["input"]
    if plain:
        rendered = template(entry).render(messages, **variables(entry))
    else:
        rendered = render_conversation(template(entry), messages, capabilities(entry), **variables(entry)).text
    if "rendered" in entry["expected"]:
        assert rendered == entry["expected"]["rendered"]
    else:
        assert entry["expected"]["rendered_contains"] in rendered


@saying("raw_error", where="input")
def test_what_a_template_refuses_raises_with_its_own_words_unless_it_is_prepared(entry):
    with pytest.raises(TemplateError) as caught:
        template(entry).render(entry["input"]["messages"], **variables(entry))
    assert caught.value.code == "E210"
    assert caught.value.message in template_of(entry).read_text("utf-8")


@saying("analysis")
def test_analysis_succeeds_where_a_template_refuses_some_conversations(entry):
    assert isinstance(spec_of(template_of(entry)), Spec)


@saying("capabilities")
def test_a_role_that_a_template_does_not_know_is_a_capability_and_its_messages_still_render(entry):
    found = capabilities(entry)
    assert (found.tool_results is KEPT) == entry["expected"]["capabilities"]["supports_tool_role"]
    assert (found.calls is KEPT) == entry["expected"]["capabilities"]["supports_tool_calls"]
    rendered = render_conversation(template(entry), entry["input"]["messages"], found)
    assert rendered.notes
    assert "not found" in rendered.text
    assert "get-profile" in rendered.text


@saying("id_format")
def test_the_form_of_ids_that_a_template_demands_is_found(entry):
    pattern = capabilities(entry).id_pattern
    assert pattern is not None
    wanted = re.compile(entry["expected"]["id_format"])
    for sample in ("abcdefghi", "123456789", "a1b2c3d4e"):
        assert wanted.fullmatch(sample)
        assert re.fullmatch(pattern, sample)
    assert not re.fullmatch(pattern, "call_0fypS1hVX")


# --- analysis ----------------------------------------------------------------------------------------------------------


@saying("markers")
def test_markers_are_found_by_rendering_only_what_the_template_takes(entry):
    wanted = entry["expected"]["markers"]
    calls = spec_of(template_of(entry)).turn.calls
    assert calls is not None
    (form,) = calls.forms
    assert (form.open.core, form.close.core) == (wanted["call_open"], wanted["call_close"])
    kinds = [part.text if isinstance(part, Text) else part.field for part in form.fields]
    assert kinds == [FieldName.NAME, wanted["name_args_sep"], FieldName.ARGUMENTS]


@saying("override", where="input")
def test_reasoning_that_a_template_does_not_show_is_said_and_can_be_named_by_an_overlay(entry, tmp_path):
    shown = spec_of(template_of(entry))
    assert shown.turn.reasoning.mode is ReasoningMode.NONE
    assert any("reasoning" in warning.message and "overlay" in warning.message for warning in shown.warnings)
    named = entry["input"]["override"]["reasoning"]
    fields = {"turn.reasoning.mode": "tagged", "turn.blocks": ["reasoning", "content"]}
    fields |= {f"turn.reasoning.{side}": [{"core": named[side], "before": "", "after": "\n"}] for side in ("open", "close")}
    fields["turn.reasoning.close"] = [{"core": named["close"], "before": "\n", "after": "\n\n"}]
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(json.dumps({"id": "thinks", "reason": "The model writes think tags.", "set": fields}), "utf-8")
    spec = compile_source(load_source(template_of(entry)), overlays=load_overlay(overlay)).spec
    assert [quirk.id for quirk in spec.quirks] == ["thinks"]
    message = untemplate.build_parser(spec).parse(entry["input"]["output"])
    assert message.content == entry["expected"]["message"]["content"]
    assert message.reasoning_content == entry["expected"]["message"]["reasoning_content"]


# --- GGUF --------------------------------------------------------------------------------------------------------------


def report(name):
    (entry,) = [entry for entry in entries() if entry["id"] == name]
    return entry


def test_a_gguf_file_is_the_source_of_its_template(tmp_path):
    entry = report("gguf-template-not-loaded")
    template = entry["input"]["metadata"]["tokenizer.chat_template"]
    path = tmp_path / "model.gguf"
    path.write_bytes(header([pair("tokenizer.chat_template", STRING, text(template))]))
    source = load_source(path)
    assert (source.kind, source.text) == (entry["expected"]["template_source"], template)


def test_a_gguf_file_without_a_template_is_an_error_that_names_the_key_and_a_way_out(tmp_path):
    entry = report("gguf-no-template")
    ((key, value),) = entry["input"]["metadata"].items()
    path = tmp_path / "old.gguf"
    path.write_bytes(header([pair(key, STRING, text(value))]))
    done = subprocess.run([sys.executable, "-m", "untemplate", "compile", path], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "tokenizer.chat_template" in done.stderr
    assert "--vocabulary" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("adds", [True, False])
def test_a_leading_bos_is_stripped_only_where_the_tokenizer_adds_one(tmp_path, adds):
    entry = report("gguf-double-bos")
    bos = entry["input"]["metadata"]["bos"]
    pairs = [
        pair("tokenizer.chat_template", STRING, text(entry["input"]["template_source"])),
        pair("tokenizer.ggml.tokens", 9, b"\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00" + text(bos)),
        pair("tokenizer.ggml.bos_token_id", 4, b"\x00\x00\x00\x00"),
        pair("tokenizer.ggml.add_bos_token", 7, bytes([adds])),
    ]
    path = tmp_path / "model.gguf"
    path.write_bytes(header(pairs))
    rendered = entry["expected"]["rendered"]
    assert load_source(path).strip_added_bos(rendered) == (rendered.removeprefix(bos) if adds else rendered)


# --- turns -------------------------------------------------------------------------------------------------------------


def check(turn, message, client):
    """Demand the reported message, and that the flags of its calls are diagnostics."""
    wanted, calls = turn.expected, turn.expected["tool_calls"]
    assert message.content == wanted["content"]
    assert message.reasoning_content == wanted["reasoning_content"]
    assert [call.name for call in message.tool_calls] == [call["name"] for call in calls]
    for index, (call, expected) in enumerate(zip(message.tool_calls, calls, strict=True)):
        assert call.complete is expected.get("complete", True)
        arguments = load_strictly(call.arguments + ("" if call.complete else '"}'))
        assert json.dumps(arguments) == json.dumps(expected["arguments"]), "the order of keys counts"
        assert index == expected.get("index", index)
        assert call.id == expected.get("id", call.id)
    found = [each.code for each in message.diagnostics]
    assert any("repaired" in call for call in calls) <= ("repaired" in found)
    assert found.count("unknown_tool") == sum("unknown_tool" in call for call in calls)
    keys = [each.message for each in message.diagnostics if each.code == "schema_error"]
    assert keys == [key for call in calls for key in call.get("schema_errors", ())]
    expected = turn.entry["expected"]
    if "arguments_text" in expected:
        assert client.calls[0]["arguments"] == expected["arguments_text"]
    complete = any(call.complete for call in message.tool_calls)
    assert message.finish_reason == ("length" if turn.truncated else "tool_calls" if complete else "stop")
    assert message.finish_reason == expected.get("finish_reason", message.finish_reason)


@each_turn
def test_a_reported_turn_is_the_reported_message(turn):
    for pieces in (turn.pieces, [turn.data], list(turn.text), [bytes([byte]) for byte in turn.data]):
        check(turn, *stream(turn.parser, pieces, truncated=turn.truncated))


@each_turn
def test_a_reported_turn_is_the_same_message_at_every_cut(turn):
    whole = turn.parser.parse(turn.text, truncated=turn.truncated)
    for place in range(1, len(turn.text)):
        assert stream(turn.parser, cut(turn.text, [place]), truncated=turn.truncated)[0] == whole, place


@each_turn
def test_what_was_sent_of_a_reported_turn_is_never_taken_back(turn):
    reasoning, content, calls = fields(turn.parser.parse(turn.text, truncated=turn.truncated))
    session, client = turn.parser.session(), Client()
    for character in turn.text:
        client.add(session.feed(character))
        assert reasoning.startswith(client.reasoning)
        assert content.startswith(client.content)
        for mine, (name, arguments) in zip(client.calls, calls, strict=False):
            assert mine["name"] == name
            assert arguments.startswith(mine["arguments"])
    assert len(client.calls) <= len(calls)


def test_reasoning_goes_on_behind_a_close_that_the_host_says_it_put_in():
    (turn,) = [turn for turn in NEEDING_THE_HOST if turn.id == "rsn-budget-cut"]
    thought, close, rest = turn.text.partition("</think>\n\n")
    for pieces in ((thought, close), (thought.rstrip(), "\n" + close)):
        for chunks in ([rest], rest):
            session, client = turn.parser.session(), Client()
            client.add(session.feed(pieces[0]))
            client.add(session.feed_injected(pieces[1]))
            for chunk in chunks:
                client.add(session.feed(chunk))
            message, deltas = session.finish()
            client.add(deltas)
            check(turn, message, client)


def test_a_close_that_was_put_in_counts_where_the_host_says_nothing_and_the_second_one_is_reported():
    (turn,) = [turn for turn in NEEDING_THE_HOST if turn.id == "rsn-budget-cut"]
    message = turn.parser.parse(turn.text)
    assert message.reasoning_content == "step one"
    assert message.content == "and step two\n</think>\n\nAnswer."
    assert [(found.code, turn.text[: found.position].count("</think>")) for found in message.diagnostics] == [("stray_marker", 1)]


@saying("round_trip")
def test_a_reported_message_renders_to_what_the_model_wrote(entry):
    (turn,) = [turn for turn in TURNS if turn.entry is entry]
    spec = spec_of(template_of(entry))
    reply = turn.parser.parse(turn.text).to_dict()
    messages = [{"role": "user", "content": "hi"}, reply]
    assert turn.text in render_conversation(template(entry), messages, spec.capabilities, tools=turn.tools).text


@saying("delta_counts")
def test_a_call_is_named_once(entry):
    (turn,) = [turn for turn in TURNS if turn.entry is entry]
    session = turn.parser.session()
    deltas = [delta for piece in turn.pieces for delta in session.feed(piece)] + session.finish()[1]
    pieces = [part for delta in deltas for part in delta.to_dict().get("tool_calls", ())]
    assert sum("id" in part for part in pieces) == entry["expected"]["delta_counts"]["id"]
    assert sum("name" in part["function"] for part in pieces) == entry["expected"]["delta_counts"]["name"]


@saying("timing")
def test_arguments_are_sent_as_they_come(entry):
    (turn,) = [turn for turn in TURNS if turn.entry is entry]
    session, client = turn.parser.session(), Client()
    given = ""
    for piece in turn.pieces[1:-1]:
        client.add(session.feed(turn.pieces[0]) if not given else [])
        client.add(session.feed(piece))
        given += piece
        sent = client.calls[0]["arguments"].partition('"content": "')[2]
        held = len(json.dumps(given)) - 2 - len(sent)
        assert 0 <= held <= len(r"\n"), "only a line break may wait: it may be the layout of the close"


def test_a_token_of_no_meaning_is_text():
    entry = report("trg-unused-token")
    spec = spec_of(template_of(report("mrk-marker-word-in-content")))
    for piece in entry["input"]["pieces"]:
        assert untemplate.build_parser(spec, tools=entry["input"]["tools"]).parse(piece).content == piece


def test_the_vectors_say_what_the_reports_say():
    texts = {turn.id: turn for turn in TURNS}
    for name, vector in report_vectors().items():
        if name in texts:
            assert vector["output"] == texts[name].text
            assert vector["expect"]["content"] == texts[name].expected["content"]


# --- performance -------------------------------------------------------------------------------------------------------


def long_turns(entry, size):
    line = "x = 'a' < 3\n"
    value = line * (size // len(line))
    opening = "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\n"
    tail = entry["input"]["generation_prompt_tail"]
    return {
        "argument": (tail, opening + value + "\n</parameter>\n</function>\n</tool_call>"),
        "reasoning": ("<think>\n", value + "\n</think>\n\nDone."),
        "content": (tail, value),
    }


def work(spec, tools, prompt, turn):
    session = untemplate.build_parser(spec, prompt=prompt, tools=tools).session()

    def stream():
        for character in turn:
            session.feed(character)
        session.finish()

    return steps(stream)


@pytest.mark.parametrize("where", ["argument", "reasoning", "content"])
def test_twice_the_text_takes_twice_the_work(where):
    entry = report("perf-quadratic")
    spec, tools = spec_of(template_of(entry)), entry["input"]["tools"]
    (factor,) = re.findall(r"<= ([\d.]+) \* time", entry["expected"]["scaling"])
    short, long = (long_turns(entry, size)[where] for size in (15_000, 30_000))
    assert work(spec, tools, *long) <= float(factor) * work(spec, tools, *short)


@pytest.mark.parametrize("where", ["argument", "reasoning", "content"])
def test_memory_grows_with_the_text_and_not_with_its_pieces(where):
    entry = report("perf-quadratic")
    prompt, turn = long_turns(entry, 60_000)[where]
    session = untemplate.build_parser(spec_of(template_of(entry)), prompt=prompt, tools=entry["input"]["tools"]).session()
    tracemalloc.start()
    try:
        for place in range(0, len(turn), 4):
            session.feed(turn[place : place + 4])
        assert tracemalloc.get_traced_memory()[1] < 60 * len(turn)
    finally:
        tracemalloc.stop()
