"""Every shared fault report that says something of grammars, held with an engine that shares no code with this project."""

from __future__ import annotations

import copy
import json
import re

import pytest

import untemplate
from tests.e2e.reports import REPORTS, entries, spec_of, turns
from untemplate.emit.engine import read_back
from untemplate.errors import SchemaError
from untemplate.spec.compose import ComposedCall, compose

if not entries():
    pytest.skip("the shared fault reports are absent", allow_module_level=True)

TEMPLATES = ("qwen_hermes", "qwen_xml", "glm47", "lfm2", "mistral_list", "mistral_args", "kimi_k2", "deepseek_dsml", "minimax_m2", "gemma4")
SCHEMAS = [entry for entry in entries() if "tools" in entry["input"] and entry["expected"].get("grammar", {}).get("compiles")]
each_schema = pytest.mark.parametrize("entry", SCHEMAS, ids=[entry["id"] for entry in SCHEMAS])
TURNS = [turn for turn in turns() if "grammar" in turn.entry["expected"] or "triggered" in turn.entry["expected"]]


def report(name):
    (entry,) = [entry for entry in entries() if entry["id"] == name]
    return entry


def spec(name):
    return spec_of(REPORTS / "templates" / f"{name}.jinja")


def name_of(tool):
    return tool["function"]["name"]


def grammar_of(template, tools, name):
    choice = {"type": "function", "function": {"name": name}}
    return untemplate.build_parser(spec(template), tools=tools, tool_choice=choice, add_generation_prompt=False).grammar()


def written(template, name, arguments):
    call = ComposedCall(name=name, id="functions." + name + ":0" if template == "kimi_k2" else "abcdefghi", arguments=arguments)
    return compose(spec(template).turn, calls=[call])


def test_every_report_on_grammars_is_held():
    held = {entry["id"] for entry in SCHEMAS} | {"gbnf-fail-open", "gbnf-opaque-error"} | {turn.entry["id"] for turn in TURNS}
    assert held >= {entry["id"] for entry in entries() if entry["kind"] in ("grammar-schema", "grammar-trigger")} - {"trg-unused-token"}
    assert held >= {entry["id"] for entry in entries() if "grammar" in entry["expected"]}


# --- schemas -----------------------------------------------------------------------------------------------------------


@each_schema
def test_arguments_that_fit_are_written_and_others_are_not(entry):
    tools, said = entry["input"]["tools"], entry["expected"]["grammar"]
    name = name_of(tools[0])
    engine = read_back(grammar_of("qwen_hermes", tools, name).text)
    alone = read_back(untemplate.json_schema_grammar(tools[0]["function"].get("parameters") or {"type": "object"}).text)
    for arguments in said.get("accept_args", ()):
        assert engine.accepts(written("qwen_hermes", name, arguments)), arguments
        assert alone.accepts(json.dumps(arguments, ensure_ascii=False)), arguments
    for arguments in said.get("reject_args", ()):
        assert not engine.accepts(written("qwen_hermes", name, arguments)), arguments
        assert not alone.accepts(json.dumps(arguments, ensure_ascii=False)), arguments


@each_schema
@pytest.mark.parametrize("template", TEMPLATES)
def test_arguments_that_fit_are_written_in_every_format(entry, template):
    tools = entry["input"]["tools"]
    name = name_of(tools[0])
    engine = read_back(grammar_of(template, tools, name).text)
    for arguments in entry["expected"]["grammar"].get("accept_args", ()):
        text = written(template, name, arguments)
        assert engine.accepts(text), text[engine.reach(text) :]


@each_schema
def test_a_grammar_keeps_to_what_every_reader_of_gbnf_takes(entry):
    said, tools = entry["expected"]["grammar"], entry["input"]["tools"]
    for template in TEMPLATES:
        text = grammar_of(template, tools, name_of(tools[0])).text
        rules = re.findall(r"^(\S+) ::=", text, re.MULTILINE)
        charset = said.get("rule_name_charset", "[a-zA-Z0-9-]")
        assert all(re.fullmatch(f"{charset}+", rule) for rule in rules)
        assert len(rules) == len(set(rules))
        plain = re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]', "", text)
        bounds = [int(bound) for bound in re.findall(r"\d+", " ".join(re.findall(r"\{[\d,]+\}", plain)))]
        assert max(bounds, default=0) <= said.get("max_repetition", 1000)


def test_a_bound_that_is_widened_is_named_by_tool_path_and_keyword():
    entry = report("gbnf-large-maxlength")
    warnings = grammar_of("qwen_hermes", entry["input"]["tools"], "report").warnings
    assert {(found.tool, found.path, found.keyword) for found in warnings} >= {
        ("report", "/properties/findings/items/properties/goal", "maxLength"),
    }
    assert all(found.tool and found.path and found.keyword in str(found) for found in warnings)


def test_every_tool_without_parameters_can_be_called():
    entry = report("gbnf-empty-object")
    for tool, arguments in zip(entry["input"]["tools"], ({}, {"o": {}}, {}, {}), strict=True):
        for template in TEMPLATES:
            engine = read_back(grammar_of(template, entry["input"]["tools"], name_of(tool)).text)
            assert engine.accepts(written(template, name_of(tool), arguments))


def test_a_response_schema_is_held_and_never_ignored():
    entry = report("gbnf-fail-open")
    schema, said = entry["input"]["response_format"], entry["expected"]["grammar"]
    for grammar in (
        untemplate.json_schema_grammar(schema),
        untemplate.build_parser(spec("qwen_hermes"), response_schema=schema, add_generation_prompt=False).grammar(),
    ):
        engine = read_back(grammar.text)
        assert not grammar.lazy
        assert all(engine.accepts(text) for text in said["accept"])
        assert not any(engine.accepts(text) for text in said["reject"])


def test_a_schema_that_cannot_be_resolved_is_an_error_that_names_tool_path_and_keyword():
    entry = report("gbnf-opaque-error")
    with pytest.raises(SchemaError) as caught:
        untemplate.build_parser(spec("qwen_hermes"), tools=entry["input"]["tools"]).grammar()
    for words in entry["expected"]["error_contains"]:
        assert words in str(caught.value)


# --- turns -------------------------------------------------------------------------------------------------------------


def accepts(grammar, text):
    """Tell whether the grammar lets a model write this turn: a lazy one from its first trigger on."""
    if grammar.lazy:
        places = [text.index(word) for word in grammar.triggers if word in text]
        if not places:
            return True
        text = text[min(places) :]
    return read_back(grammar.text).accepts(text)


def said(member):
    found = [turn for turn in TURNS if member in turn.entry["expected"].get("grammar", turn.entry["expected"])]
    assert found
    return pytest.mark.parametrize("turn", found, ids=[turn.id for turn in found])


@said("accept_output")
def test_the_grammar_lets_the_model_write_the_reported_turn(turn):
    assert accepts(turn.parser.grammar(), turn.text) is turn.entry["expected"]["grammar"]["accept_output"]
    request = {**turn.request, "tool_choice": "required"}
    required = untemplate.build_parser(turn.parser.spec, **request).grammar()
    assert not required.lazy
    assert read_back(required.text).accepts(turn.text.rstrip("\n")) or read_back(required.text).accepts(turn.text)


def test_no_parameter_comes_twice_and_none_that_is_required_is_missing():
    (turn,) = [turn for turn in TURNS if turn.id == "gbnf-parameter-order"]
    grammar = turn.parser.grammar()
    path, pattern = "<parameter=path>\nsrc\n</parameter>\n", "<parameter=pattern>\nfoo\n</parameter>\n"
    assert path in turn.text
    assert pattern in turn.text
    assert accepts(grammar, turn.text.replace(path + pattern, pattern + path))
    assert accepts(grammar, turn.text.replace(path, ""))
    assert not accepts(grammar, turn.text.replace(pattern, ""))
    assert not accepts(grammar, turn.text.replace(pattern, pattern + pattern))


@pytest.mark.parametrize("turn", [turn for turn in TURNS if "triggered" in turn.entry["expected"]], ids=lambda turn: turn.id)
def test_prose_does_not_wake_the_grammar_up(turn):
    grammar = turn.parser.grammar()
    assert grammar.lazy
    assert grammar.triggers
    assert any(word in turn.text for word in grammar.triggers) is turn.entry["expected"]["triggered"]
    assert not any(re.match(pattern, turn.text) for pattern in grammar.trigger_patterns)


@said("emitted")
def test_without_tools_nothing_is_lazy_and_any_answer_may_be_written(turn):
    grammar = turn.parser.grammar()
    assert (grammar.lazy, grammar.triggers, grammar.trigger_patterns) == (False, (), ())
    assert read_back(grammar.text).accepts(turn.text)


@said("independent_of")
def test_a_grammar_does_not_depend_on_descriptions(turn):
    tools = copy.deepcopy(turn.tools)
    for tool in tools:
        tool["function"]["description"] = "Another text."
        for schema in tool["function"]["parameters"]["properties"].values():
            schema["description"] = "Says <parameter= and more."
    other = untemplate.build_parser(turn.parser.spec, **{**turn.request, "tools": tools}).grammar()
    assert other == turn.parser.grammar()
