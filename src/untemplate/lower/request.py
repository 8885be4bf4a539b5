"""One request to a model: what the lowering of a spec depends on beside the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untemplate.errors import RequestError


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that the model may call."""

    name: str
    parameters: Any
    """The JSON Schema of its arguments; ``{}`` where none was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a caller asks of one turn."""

    tools: tuple[Tool, ...] = ()
    tool_choice: str = "auto"
    """``auto``, ``none``, ``required`` or, with ``named``, ``named``."""
    named: str | None = None
    parallel: bool = True
    extract_reasoning: bool = True
    response_schema: Any = None
    has_schema: bool = False
    """A response schema is given (it may be ``true``)."""
    grammar: str | None = None

    @property
    def callable_tools(self) -> tuple[Tool, ...]:
        """The tools whose calls are read: none with ``tool_choice="none"`` or a response schema."""
        return () if self.tool_choice == "none" or self.has_schema else self.tools


def read_tools(tools: Sequence[Any] | None) -> tuple[Tool, ...]:
    """Return OpenAI tool dicts (wrapped in ``{"type": "function", "function": …}`` or not) as tools, later duplicates left out.

    Raises:
        RequestError: a tool has no name.
    """
    found: dict[str, Tool] = {}
    for index, tool in enumerate(tools or ()):
        function = tool.get("function", tool) if isinstance(tool, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if not isinstance(name, str) or not name.strip():
            raise RequestError("a tool needs a name", where=f"tools[{index}]", hint='Give {"type": "function", "function": {"name": …}}.')
        assert isinstance(function, Mapping)
        found.setdefault(name.strip(), Tool(name=name.strip(), parameters=function.get("parameters") or {}))
    return tuple(found.values())


def read_tool_choice(choice: Any, tools: tuple[Tool, ...]) -> tuple[str, str | None]:
    """Return OpenAI's ``tool_choice`` as (mode, name).

    Raises:
        RequestError: an unknown mode, or the name of a tool that is not declared.
    """
    if choice is None:
        return "auto", None
    if isinstance(choice, str):
        if choice not in ("auto", "none", "required"):
            raise RequestError(
                f"{choice!r} is no tool choice", where="tool_choice", hint='Use "auto", "none", "required" or name a function.'
            )
        if choice == "required" and not tools:
            raise RequestError("a call is required but no tools are given", where="tool_choice", hint="Give tools.")
        return choice, None
    function = choice.get("function", choice) if isinstance(choice, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if name not in {tool.name for tool in tools}:
        raise RequestError(f"tool {name!r} is not declared", where="tool_choice", hint="Name one of the given tools.")
    return "named", name
