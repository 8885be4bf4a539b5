"""The options that describe one request, shared by ``grammar`` and ``parse``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.inputs import read_any_text, read_data, read_tool_choice, read_tools
from untemplate.errors import RequestError

if TYPE_CHECKING:
    from untemplate.parser import Parser
    from untemplate.spec.model import Spec


def with_request(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of a request, which it gets as ``request``, the arguments of ``build_parser``."""

    @click.option("--tools", metavar="FILE", help="Tools of the request, as JSON or YAML in OpenAI's shape.")
    @click.option("--tool-choice", metavar="CHOICE", default="auto", show_default=True, help="auto, none, required, or a tool's name.")
    @click.option("--parallel/--no-parallel", default=True, help="Whether several calls may stand in one turn (yes).")
    @click.option("--schema", metavar="FILE", help="JSON Schema of the response: the turn is one JSON value.")
    @click.option("--thinking/--no-thinking", default=True, help="Which generation prompt the request used (thinking).")
    @click.option("--prompt", metavar="FILE", help="The prompt's text or tail: decides where the turn starts.")
    @functools.wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        request = {
            "tools": read_tools(options.pop("tools")),
            "tool_choice": read_tool_choice(options.pop("tool_choice")),
            "parallel_tool_calls": options.pop("parallel"),
            "response_schema": _read_schema(options.pop("schema")),
            "enable_thinking": options.pop("thinking"),
            "prompt": _read_prompt(options.pop("prompt")),
        }
        return command(*args, request=request, **options)

    return wrapped


def make_parser(spec: Spec, request: dict[str, Any]) -> Parser:
    """Return the parser of a spec for the request of the command line."""
    from untemplate.parser import build_parser

    return build_parser(spec, **request)


def _read_schema(path: str | None) -> Any:
    if path is None:
        return None
    schema = read_data(path)
    if not isinstance(schema, dict | bool):
        raise RequestError("should be a JSON Schema: a mapping", code="E603", where=path)
    return schema


def _read_prompt(path: str | None) -> str | None:
    return None if path is None else read_any_text(path)
