"""Stand-ins for the parts of vLLM 0.33 that a parser plugin meets, written after them: same names, same calls, no GPU.

``vllm.parser.abstract_parser.DelegatingParser`` is the part that matters: how text goes to the reasoning parser first, then to the tool
parser.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class DeltaFunctionCall:
    name: str | None = None
    arguments: str | None = None


@dataclass
class DeltaToolCall:
    index: int
    id: str | None = None
    type: str | None = None
    function: DeltaFunctionCall | None = None


@dataclass
class DeltaMessage:
    role: str | None = None
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[DeltaToolCall] = field(default_factory=list)


@dataclass
class FunctionCall:
    name: str
    arguments: str
    id: str | None = None


@dataclass
class ToolCall:
    function: FunctionCall
    id: str = "made"
    type: str = "function"


@dataclass
class ExtractedToolCallInformation:
    tools_called: bool
    tool_calls: list[ToolCall]
    content: str | None = None


@dataclass
class StructuredOutputsParams:
    structural_tag: str | None = None


class ReasoningParser:
    engine_based_streaming = False

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        return


class ToolParser:
    supports_required_and_named = True
    structural_tag_model: str | None = None
    engine_based_streaming = False

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None) -> None:
        self.prev_tool_call_arr: list[Any] = []
        self.model_tokenizer = tokenizer

    def get_remaining_unstreamed_args(self) -> str:
        return ""


class Manager:
    """``ToolParserManager`` and ``ReasoningParserManager``: names to classes, found in the module that registered them."""

    def __init__(self) -> None:
        self.lazy: dict[str, tuple[str, str]] = {}

    def register_module(self, name: str) -> Any:
        def decorate(cls: type) -> type:
            self.lazy[name] = (cls.__module__, cls.__name__)
            return cls

        return decorate

    def get(self, name: str) -> type:
        module, cls = self.lazy[name]
        found: type = getattr(importlib.import_module(module), cls)
        return found


class DelegatingParser:
    """Takes a turn apart with both parsers, as vLLM's serving layer has it."""

    def __init__(self, reasoning_cls: type | None, tool_cls: type | None, tokenizer: Any, tools: list[Any] | None) -> None:
        self._reasoning_parser: Any = reasoning_cls(tokenizer, model_config=None) if reasoning_cls is not None else None
        self._tool_parser: Any = tool_cls(tokenizer, tools) if tool_cls is not None else None
        parsers = [parser for parser in (self._reasoning_parser, self._tool_parser) if parser is not None]
        self._engine_based = all(parser.engine_based_streaming for parser in parsers)
        if self._reasoning_parser is None and hasattr(self._tool_parser, "skip_reasoning_parsing"):
            self._tool_parser.skip_reasoning_parsing = True
        self._ended = self._checked = self._started = False

    def adjust_request(self, request: Any) -> Any:
        for parser in (self._reasoning_parser, self._tool_parser):
            request = parser.adjust_request(request) if parser is not None else request
        return request

    def set_prompt_token_ids(self, ids: Sequence[int]) -> None:
        if self._reasoning_parser is not None:
            self._reasoning_parser.set_prompt_token_ids(ids)

    def parse(self, output: str, request: Any, enable_auto_tools: bool) -> tuple[str | None, str | None, list[FunctionCall]]:
        reasoning, content = self._reasoning_parser.extract_reasoning(output, request) if self._reasoning_parser else (None, output)
        if self._tool_parser is None:
            return reasoning, content, []
        found = self._tool_parser.extract_tool_calls(content or "", request)
        if request.tool_choice == "none" or not enable_auto_tools:
            return reasoning, found.content, []
        assert not self._tool_parser.supports_required_and_named or request.tool_choice == "auto"
        return reasoning, found.content or None, [call.function for call in found.tool_calls]

    def parse_delta(self, text: str, ids: list[int], request: Any, prompt_ids: list[int], *, finished: bool) -> DeltaMessage | None:
        if not self._checked:
            self._checked = True
            self.set_prompt_token_ids(prompt_ids)
            self._ended = self._reasoning_parser is None or self._reasoning_parser.is_reasoning_end(prompt_ids)
        assert self._engine_based, "the other way of streaming is not stood in for"
        delta: DeltaMessage | None = None
        if not self._ended:
            delta = self._reasoning_parser.extract_reasoning_streaming("", text, text, [], ids, ids)
            if self._reasoning_parser.has_engine_confirmed_reasoning_end():
                self._ended = True
                ids = self._reasoning_parser.extract_content_ids(ids)
                flushed = self._reasoning_parser.finish_streaming()
                text = ((delta.content if delta else None) or "") + ((flushed.content if flushed else None) or "")
                if self._tool_parser is not None and delta is not None:
                    delta.content = None
        if self._ended and self._tool_parser is not None:
            thought = delta.reasoning if delta is not None else None
            delta = self._tool_parser.extract_tool_calls_streaming("", text, text, [], ids, ids, request)
            if thought:
                delta = delta or DeltaMessage()
                delta.reasoning = delta.reasoning or thought
        elif self._ended and delta is None:
            delta = DeltaMessage(content=text)
        return self._flush(delta) if finished else delta

    def _flush(self, delta: DeltaMessage | None) -> DeltaMessage | None:
        for parser in (self._reasoning_parser, self._tool_parser):
            if parser is None or (parser is self._reasoning_parser and self._ended):
                continue
            more = parser.finish_streaming()
            if more is not None:
                delta = delta or DeltaMessage()
                delta.content = (delta.content or "") + (more.content or "")
                delta.reasoning = (delta.reasoning or "") + (more.reasoning or "")
                delta.tool_calls = [*delta.tool_calls, *more.tool_calls]
        return delta


TOOL_PARSERS, REASONING_PARSERS = Manager(), Manager()
MODULES: dict[str, dict[str, Any]] = {
    "vllm": {},
    "vllm.entrypoints": {},
    "vllm.entrypoints.generate": {},
    "vllm.entrypoints.generate.base": {},
    "vllm.entrypoints.generate.base.protocol": {
        each.__name__: each
        for each in (DeltaFunctionCall, DeltaMessage, DeltaToolCall, ExtractedToolCallInformation, FunctionCall, ToolCall)
    },
    "vllm.reasoning": {"ReasoningParser": ReasoningParser, "ReasoningParserManager": REASONING_PARSERS},
    "vllm.sampling_params": {"StructuredOutputsParams": StructuredOutputsParams},
    "vllm.tool_parsers": {"ToolParser": ToolParser, "ToolParserManager": TOOL_PARSERS},
}


def load_plugin(path: Path) -> tuple[type, type]:
    """Return the reasoning parser and the tool parser that a plugin file registers, loaded as vLLM's plugin loader does."""
    for name, members in MODULES.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return REASONING_PARSERS.get("untemplate"), TOOL_PARSERS.get("untemplate")
