"""Stand-ins for the parts of SGLang 0.5.23 that a parser plugin meets, written after them: same names, same calls, no GPU."""

from __future__ import annotations

import importlib.util
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class ToolCallItem:
    tool_index: int
    parameters: str
    name: str | None = None


@dataclass
class StreamingParseResult:
    normal_text: str = ""
    calls: list[ToolCallItem] = field(default_factory=list)


@dataclass
class ReasoningResult:
    normal_text: str = ""
    reasoning_text: str = ""


class BaseFormatDetector:
    def __init__(self) -> None:
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []


class BaseReasoningFormatDetector:
    def __init__(
        self, think_start_token: str, think_end_token: str, force_reasoning: bool = False, stream_reasoning: bool = True, **options: Any
    ) -> None:
        self.think_start_token, self.think_end_token = think_start_token, think_end_token
        self._in_reasoning = force_reasoning


class FunctionCallParser:
    """Hands text to the detector of a name, as SGLang's serving layer has it."""

    ToolCallParserEnum: dict[str, type] = {}

    def __init__(self, tools: list[Any], name: str) -> None:
        self.tools, self.detector = tools, self.ToolCallParserEnum[name]()

    def parse_non_stream(self, text: str) -> tuple[str, list[ToolCallItem]]:
        known = self.detector.has_tool_call(text)
        found = self.detector.detect_and_parse(text, self.tools)
        return (found.normal_text, found.calls) if found.calls or known else (text, [])

    def parse_stream_chunk(self, text: str) -> tuple[str, list[ToolCallItem]]:
        found = self.detector.parse_streaming_increment(text, self.tools)
        return found.normal_text, found.calls

    def parse_stream_end(self) -> tuple[str, list[ToolCallItem]]:
        found = self.detector.finish(self.tools)
        return found.normal_text, found.calls


class ReasoningParser:
    DetectorMap: dict[str, type] = {}

    def __init__(self, name: str, force_reasoning: bool) -> None:
        self.detector: Any = self.DetectorMap[name](stream_reasoning=True, force_reasoning=force_reasoning, tool_call_parser_active=True)

    def parse_non_stream(self, text: str) -> tuple[str, str]:
        found = self.detector.detect_and_parse(text)
        return found.reasoning_text, found.normal_text

    def parse_stream_chunk(self, text: str) -> tuple[str, str]:
        found = self.detector.parse_streaming_increment(text)
        return found.reasoning_text, found.normal_text

    def parse_stream_end(self) -> tuple[str, str]:
        found = self.detector.finish()
        return found.reasoning_text, found.normal_text


MODULES: dict[str, dict[str, Any]] = {
    "sglang": {},
    "sglang.srt": {},
    "sglang.srt.function_call": {},
    "sglang.srt.function_call.base_format_detector": {"BaseFormatDetector": BaseFormatDetector},
    "sglang.srt.function_call.core_types": {"StreamingParseResult": StreamingParseResult, "ToolCallItem": ToolCallItem},
    "sglang.srt.function_call.function_call_parser": {"FunctionCallParser": FunctionCallParser},
    "sglang.srt.parser": {},
    "sglang.srt.parser.reasoning_parser": {
        "BaseReasoningFormatDetector": BaseReasoningFormatDetector,
        "ReasoningParser": ReasoningParser,
        "StreamingParseResult": ReasoningResult,
    },
}


def load_plugin(path: Path) -> None:
    """Load a plugin file and let it register its parsers."""
    for name, members in MODULES.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.register()
