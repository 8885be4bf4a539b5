"""Response templates, read by transformers' own reader: whole and as a stream."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.export_turns import FIXTURES, TOOLS, Rendered, difference, rendered
from untemplate.compiler import compile_template
from untemplate.emit.response_template import Profile, emit_response_template, response_template
from untemplate.emit.response_template_content import ReadError
from untemplate.emit.response_template_reader import read_turn
from untemplate.parser import build_parser
from untemplate.spec.model import Spec

chat_parsing = pytest.importorskip("transformers.utils.chat_parsing", reason="transformers 5.13 or newer: pip install '.[interop]'")
SHARED = Path(__file__).parents[3] / "shared"
VECTORS = SHARED / "conformance" / "vectors.jsonl"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.jinja"))
LOSSY = {"nested_xml_values"}
"""Fixtures of which something is lost; ``docs/runtimes.md`` says what."""

_UNCLOSED = "a call inside reasoning that never closes: only a pattern can end reasoning there, which the portable profile does not use"
_NESTED = "nested values in the template's own notation: no content parser reads them"
NOT_READ = {
    Profile.PORTABLE: {
        "Qwen3.5-4B#11": _UNCLOSED,
        "Qwen3.5-4B#12": _UNCLOSED,
        "MiniMax-M3#12": _NESTED,
        "MiniMax-M3#13": _NESTED,
        "MiniMax-M3#14": _NESTED,
        "MiniMax-M3#16": _NESTED,
        "openai-gpt-oss-120b#13": "a call to a tool that is not declared, without JSON",
        "google-gemma-4-31B-it#23": "a close of reasoning that closes nothing stands at the end of the turn, and is content",
    }
}
"""Conformance vectors that a response template cannot say, with the reason."""
NOT_READ[Profile.TRANSFORMERS] = {
    **{name: why for name, why in NOT_READ[Profile.PORTABLE].items() if why is not _UNCLOSED},
    "google-gemma-4-31B-it#26": "half an opening before the whole one is content, which this profile joins to what follows",
}


def streamed(template: dict[str, Any], prompt: str, text: str, tools: Any, size: int) -> dict[str, Any]:
    parser = chat_parsing.ResponseParser(template, prefix=prompt, tools=tools)
    for at in range(0, len(text), size):
        parser.feed(text[at : at + size])
    return parser.finalize()[0]


def failures(found: Rendered, template: dict[str, Any]) -> list[str]:
    """Return what transformers reads otherwise than we do, of turns whose values name no marker."""
    told = []
    for turn in found.turns:
        if not turn.plain:
            continue
        try:
            got = chat_parsing.parse_response(turn.text, template, prefix=turn.prompt, tools=TOOLS)
        except ValueError as problem:
            told.append(f"{turn.text!r}: {problem}")
            continue
        wrong = difference(turn.message, got)
        if wrong is not None:
            told.append(f"{turn.text!r}: {wrong}")
    return told


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in LOSSY])
def test_transformers_reads_what_the_fixtures_render(name: str, profile: Profile) -> None:
    found = rendered(FIXTURES / f"{name}.jinja")
    made = emit_response_template(found.spec, profile)
    template = json.loads(made.text)
    assert any(turn.plain for turn in found.turns)
    assert failures(found, template) == []


@pytest.mark.parametrize("name", sorted(LOSSY))
def test_what_is_lost_is_said_before_transformers_shows_it(name: str) -> None:
    found = rendered(FIXTURES / f"{name}.jinja")
    made = emit_response_template(found.spec)
    assert made.losses
    assert failures(found, json.loads(made.text)) != []


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("name", NAMES)
def test_a_stream_reads_as_the_whole_does(name: str, size: int) -> None:
    found = rendered(FIXTURES / f"{name}.jinja")
    template, _, _ = response_template(found.spec)
    for turn in found.turns[:: 1 if size > 1 else 4]:
        try:
            whole = chat_parsing.parse_response(turn.text, template, prefix=turn.prompt, tools=TOOLS)
        except ValueError:
            continue
        assert streamed(template, turn.prompt, turn.text, TOOLS, size) == whole


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("name", NAMES)
def test_our_plain_reader_agrees_with_transformers(name: str, profile: Profile) -> None:
    found = rendered(FIXTURES / f"{name}.jinja")
    template, _, _ = response_template(found.spec, profile)
    for turn in found.turns:
        try:
            ours = read_turn(template, turn.text, prefix=turn.prompt, tools=TOOLS)
        except ReadError:
            ours = None
        try:
            theirs = chat_parsing.parse_response(turn.text, template, prefix=turn.prompt, tools=TOOLS)
        except ValueError:
            theirs = None
        assert ours == theirs


# --- conformance vectors -----------------------------------------------------------------------------------------------


def vectors() -> list[dict[str, Any]]:
    """Return the vectors of whole turns from whose prompt the turn starts; a response template has no other requests."""
    if not VECTORS.exists():
        return []
    found = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    return [vector for vector in found if _applies(vector)]


def _applies(vector: dict[str, Any]) -> bool:
    request = vector["request"]
    asked = request["extract_reasoning"] and request["add_generation_prompt"] and not request["continue_final_message"]
    return bool(asked and request["response_schema"] is None and not vector["partial"])


@cache
def spec_of(name: str) -> Spec:
    return compile_template(SHARED / "corpus" / "templates" / name)


@cache
def template_of(name: str, profile: Profile) -> dict[str, Any]:
    return response_template(spec_of(name), profile)[0]


@pytest.mark.skipif(not VECTORS.exists(), reason="the shared conformance vectors are absent")
@pytest.mark.parametrize("profile", Profile)
def test_transformers_reads_the_conformance_vectors(profile: Profile) -> None:
    """As they are expected; where we have decided otherwise, as we do."""
    wrong = {}
    for vector in vectors():
        template, tools = template_of(vector["template"], profile), vector["request"]["tools"]
        ours = build_parser(spec_of(vector["template"]), prompt=vector["prompt"], tools=tools).parse(vector["output"]).to_dict()
        try:
            got = chat_parsing.parse_response(vector["output"], template, prefix=vector["prompt"], tools=tools)
        except ValueError as problem:
            wrong[vector["id"]] = str(problem)
            continue
        expect = {**vector["expect"], "tool_calls": [{"function": call} for call in vector["expect"]["tool_calls"]]}
        problem = difference(_stripped(expect), _stripped(got))
        if problem is not None and difference(_stripped(ours), _stripped(got)) is not None:
            wrong[vector["id"]] = problem
        assert streamed(template, vector["prompt"], vector["output"], tools, 7) == got
    told = NOT_READ[profile]
    assert wrong.keys() == told.keys(), {key: value for key, value in wrong.items() if key not in told}


def _stripped(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value.strip() if isinstance(value, str) else value for key, value in message.items()}


# --- the templates that TRL ships --------------------------------------------------------------------------------------

TRL = {
    "glm4moe": "glm4moe",
    "gptoss": "gptoss",
    "llama3_1": "llama3",
    "qwen3": "qwen3",
    "qwen3_5_think": "qwen3_5",
    "nemotron_3_nano": "nemotron_3",
    "lfm2_v2": "lfm2_2_5",
    "lfm2_2_5": "lfm2_2_5",
    "gemma4": "gemma4",
    "deepseek_r1_distill": "deepseek_r1_distill",
}
"""Chat templates of TRL, and the name of the response template that it has for each, written by hand."""


def trl_folder() -> Path | None:
    """Return TRL's package folder, which need not be importable (it wants torch): installed, or unpacked at ``UNTEMPLATE_TRL``."""
    if given := os.environ.get("UNTEMPLATE_TRL"):
        return Path(given)
    found = importlib.util.find_spec("trl")
    return Path(next(iter(found.submodule_search_locations))) if found is not None and found.submodule_search_locations else None


@cache
def trl_templates() -> dict[str, Any]:
    """Return the response templates in TRL's source, whose module is not imported."""
    folder = trl_folder()
    assert folder is not None
    space: dict[str, Any] = {"_SUPPORTS_PARSE_RESPONSE_TOOLS": True}
    for node in ast.parse((folder / "chat_template_utils.py").read_text(encoding="utf-8")).body:
        text = ast.unparse(node)
        wanted = isinstance(node, ast.Assign | ast.For) and text.startswith(("_LFM2", "_XML_INLINE", "for _ in range"))
        if wanted or (isinstance(node, ast.Assign) and text.split(" = ")[0] in {f"{name}_template" for name in TRL.values()}):
            exec(compile(ast.Module([node], []), "trl", "exec"), space)
    return space


@pytest.mark.skipif(trl_folder() is None, reason="TRL is not installed; unpack its wheel and name it in UNTEMPLATE_TRL")
@pytest.mark.parametrize("name", TRL)
def test_ours_reads_all_that_the_hand_written_one_reads(name: str) -> None:
    folder = trl_folder()
    assert folder is not None
    found = rendered(folder / "chat_templates" / f"{name}.jinja")
    theirs = trl_templates()[f"{TRL[name]}_template"]
    ours, _, _ = response_template(found.spec, Profile.TRANSFORMERS)
    read = {"theirs": 0, "ours": 0}
    for turn in found.turns:
        right = {}
        for whose, template in (("theirs", theirs), ("ours", ours)):
            try:
                got = chat_parsing.parse_response(turn.text, template, prefix=turn.prompt, tools=TOOLS)
                right[whose] = difference(_stripped(dict(turn.message)), _stripped(got)) is None
            except ValueError:
                right[whose] = False
            read[whose] += right[whose]
        assert right["ours"] or not right["theirs"], turn.text
    assert read["ours"] >= read["theirs"]
    assert read["ours"] > 0
