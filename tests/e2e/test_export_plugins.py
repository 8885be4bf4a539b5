"""The plugins, driven as vLLM and SGLang drive them: by stand-ins for their classes (see ``vllm_standin`` and ``sglang_standin``)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.declared import NOW, weather
from tests.e2e import sglang_standin, vllm_standin
from tests.e2e.model_requests import NAMES, fixture
from untemplate.emit.plugins import emit_plugin
from untemplate.parser import build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import GenerationPrompt, PromptState, ReasoningMode, Spec, Support

CALLING = [name for name in NAMES if fixture(name).turn.calls is not None]
TOOLS = [weather(), NOW]
CALL = (ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": "Paris <b>", "days": 3}),)
Read = tuple[str, str, list[tuple[str, str]]]


@pytest.fixture(autouse=True)
def _no_modules_left() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("vllm", "sglang") or name.startswith("plugin_"):
            del sys.modules[name]


@dataclass(frozen=True)
class Written:
    prompt: GenerationPrompt
    text: str
    read: Read
    """As our own parser reads it."""


def turns(spec: Spec) -> Iterator[Written]:
    """Yield turns of every mixture of blocks, behind each of the template's generation prompts."""
    for prompt in {entry.text: entry for entry in spec.prompt.generation}.values():
        before = prompt.text or spec.prompt.roles.get("assistant", "")
        for reasoning, content, calls in (
            (None, "Hello.", ()),
            ("I think.", "Hello.", ()),
            ("Hm.", "Let me see.", CALL),
            (None, None, CALL),
        ):
            fits = spec.capabilities.content_with_calls is Support.KEPT or not (content and calls)
            thinks = bool(spec.turn.reasoning.close) and (calls or spec.turn.reasoning.mode is ReasoningMode.TAGGED)
            text = compose(spec.turn, reasoning=reasoning, content=content, calls=calls)
            if not fits or (reasoning and not thinks) or not text.startswith(prompt.prefill):
                continue
            text = text[len(prompt.prefill) :]
            message = build_parser(spec, prompt=before, tools=TOOLS).parse(text)
            calls_read = [(call.name, call.arguments) for call in message.tool_calls]
            yield Written(prompt, text, (message.reasoning_content or "", message.content or "", calls_read))


class Tokenizer:
    """One character a token."""

    def decode(self, ids: list[int], skip_special_tokens: bool = True) -> str:
        assert not skip_special_tokens
        return "".join(map(chr, ids))


def request(**asked: Any) -> Any:
    return SimpleNamespace(
        **{
            "tools": TOOLS,
            "tool_choice": "auto",
            "parallel_tool_calls": True,
            "skip_special_tokens": True,
            "structured_outputs": None,
            **asked,
        }
    )


def vllm_parsers(name: str, folder: Path) -> tuple[type, type]:
    path = folder / f"plugin_vllm_{name}.py"
    path.write_text(emit_plugin(fixture(name), "vllm").text, encoding="utf-8")
    return vllm_standin.load_plugin(path)


@pytest.mark.parametrize("name", CALLING)
def test_vllm_reads_a_whole_turn_as_we_do(name: str, tmp_path: Path) -> None:
    reasoning, tools = vllm_parsers(name, tmp_path)
    spec = fixture(name)
    tried = 0
    for turn in turns(spec):
        parser = vllm_standin.DelegatingParser(reasoning, tools, Tokenizer(), TOOLS)
        asked = parser.adjust_request(request())
        assert asked.skip_special_tokens is False
        parser.set_prompt_token_ids([*map(ord, turn.prompt.text or spec.prompt.roles.get("assistant", ""))])
        thought, content, calls = parser.parse(turn.text, asked, enable_auto_tools=True)
        assert (thought or "", content or "", [(call.name, call.arguments) for call in calls]) == turn.read
        tried += 1
    assert tried


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("name", CALLING)
def test_vllm_streams_a_turn_as_we_do(name: str, size: int, tmp_path: Path) -> None:
    reasoning, tools = vllm_parsers(name, tmp_path)
    spec = fixture(name)
    for turn in turns(spec):
        parser = vllm_standin.DelegatingParser(reasoning, tools, Tokenizer(), TOOLS)
        asked = parser.adjust_request(request())
        prompt = [*map(ord, turn.prompt.text or spec.prompt.roles.get("assistant", ""))]
        thought, content, calls = "", "", {}
        for at in range(0, len(turn.text), size):
            chunk = turn.text[at : at + size]
            delta = parser.parse_delta(chunk, [*map(ord, chunk)], asked, prompt, finished=at + size >= len(turn.text))
            thought += (delta.reasoning if delta else None) or ""
            content += (delta.content if delta else None) or ""
            for part in delta.tool_calls if delta else ():
                known = calls.setdefault(part.index, ["", ""])
                known[0] += part.function.name or ""
                known[1] += part.function.arguments or ""
        assert (thought, content, [(called, arguments) for called, arguments in calls.values()]) == turn.read


def test_vllm_alone_with_the_tool_parser_leaves_reasoning_in_content(tmp_path: Path) -> None:
    _, tools = vllm_parsers("reasoning_tagged", tmp_path)
    parser = vllm_standin.DelegatingParser(None, tools, Tokenizer(), TOOLS)
    text = compose(fixture("reasoning_tagged").turn, reasoning="Hm.", content="Yes.", calls=CALL)
    _, content, calls = parser.parse(text, parser.adjust_request(request()), enable_auto_tools=True)
    assert content == "<think>\nHm.\n</think>\n\nYes."
    assert [call.name for call in calls] == ["get_weather"]


@pytest.mark.parametrize(
    "asked", [{"tool_choice": "required"}, {"tool_choice": {"function": {"name": "now"}}}, {"parallel_tool_calls": False}]
)
def test_vllm_constrains_what_a_request_insists_on(asked: dict[str, Any], tmp_path: Path) -> None:
    reasoning, tools = vllm_parsers("hermes_json_tags", tmp_path)
    adjusted = vllm_standin.DelegatingParser(reasoning, tools, Tokenizer(), TOOLS).adjust_request(request(**asked))
    tag = json.loads(adjusted.structured_outputs.structural_tag)
    assert tag["type"] == "structural_tag"
    assert '"<tool_call>' in json.dumps(tag)
    assert vllm_standin.DelegatingParser(reasoning, tools, Tokenizer(), TOOLS).adjust_request(request()).structured_outputs is None


def test_vllm_is_told_where_reasoning_ends(tmp_path: Path) -> None:
    reasoning, _ = vllm_parsers("reasoning_tagged", tmp_path)
    parser = reasoning(Tokenizer())
    for text, ended in (
        ("<|im_start|>assistant\n", False),
        ("<|im_start|>assistant\n<think>\nHm", False),
        ("<|im_start|>assistant\n<think>\nHm.\n</think>\n\n", True),
        ("<|im_start|>assistant\nYes", True),
    ):
        assert parser.is_reasoning_end([*map(ord, text)]) is ended, text
    ids = [*map(ord, "Hm.</think>Yes")]
    assert parser.is_reasoning_end_streaming(ids, ids[-1:])
    assert "".join(map(chr, parser.extract_content_ids(ids))) == "Yes"
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == ("<think>", "</think>")


class Tool:
    """What SGLang hands to a detector: a model with ``model_dump``."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def model_dump(self, exclude_none: bool = False) -> dict[str, Any]:
        return self._data


@pytest.mark.parametrize("size", [None, 1, 5])
@pytest.mark.parametrize("name", CALLING)
def test_sglang_reads_a_turn_as_we_do(name: str, size: int | None, tmp_path: Path) -> None:
    path = tmp_path / f"plugin_sglang_{name}.py"
    path.write_text(emit_plugin(fixture(name), "sglang").text, encoding="utf-8")
    sglang_standin.load_plugin(path)
    for turn in turns(fixture(name)):
        forced = turn.prompt.state is PromptState.REASONING if turn.prompt.thinking is None else turn.prompt.thinking
        reasoning = sglang_standin.ReasoningParser("untemplate", forced)
        tools = sglang_standin.FunctionCallParser([Tool(tool) for tool in TOOLS], "untemplate")
        if size is None:
            thought, rest = reasoning.parse_non_stream(turn.text)
            content, calls = tools.parse_non_stream(rest)
            assert (thought, content, [(call.name, call.parameters) for call in calls]) == turn.read
            continue
        thought, content, read = "", "", {}
        chunks = [reasoning.parse_stream_chunk(turn.text[at : at + size]) for at in range(0, len(turn.text), size)]
        for part, rest in [*chunks, reasoning.parse_stream_end()]:
            thought += part
            text, calls = tools.parse_stream_chunk(rest) if rest else ("", [])
            content += text
            _add(read, calls)
        text, calls = tools.parse_stream_end()
        _add(read, calls)
        assert (thought, content + text, [tuple(call) for call in read.values()]) == turn.read
        kept = [call["name"] for call in tools.detector.prev_tool_call_arr]
        assert kept == [called for called, _ in turn.read[2]]


def _add(read: dict[int, list[str]], calls: list[sglang_standin.ToolCallItem]) -> None:
    for call in calls:
        known = read.setdefault(call.tool_index, ["", ""])
        known[0] += call.name or ""
        known[1] += call.parameters
