"""Tools from files, in the shapes that people keep them in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from untemplate.errors import RequestError, SpecError
from untemplate.spec.files import read_text
from untemplate.spec.yaml_text import load_yaml

_HINT = 'a tool is {"type": "function", "function": {"name": …, "description": …, "parameters": {…}}}'


def load_tools(path: str | Path) -> list[dict[str, Any]]:
    """Return the tools in a JSON or YAML file.

    Raises:
        RequestError: E601 when it cannot be read, E602 when it holds something else.
    """
    return tools_from_data(load_data(path), str(path))


def load_data(path: str | Path) -> Any:
    """Return the plain data in a JSON or YAML file.

    Raises:
        RequestError: E601 when it cannot be read or is neither.
    """
    try:
        text = read_text(path)
    except SpecError as error:
        hint = "check the path; a file of JSON or YAML in UTF-8 is wanted, `-` is standard input"
        raise RequestError(error.message, code="E601", where=error.where, hint=hint) from error
    return data_from_text(text, str(path))


def data_from_text(text: str, where: str) -> Any:
    """Return the plain data of JSON or YAML text. What a JSON file is told of its mistakes are JSON's.

    Raises:
        RequestError: E601 when it is neither.
    """
    try:
        return load_yaml(text, where)
    except SpecError as error:
        broken = RequestError(error.message, code="E601", where=error.where, hint="correct the file at this line")
        if not where.endswith(".json") and not text.lstrip().startswith(("{", "[")):
            raise broken from error
    try:
        json.loads(text)
    except ValueError as error:
        place = f"{where}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else where
        told = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise RequestError(f"not JSON: {told}", code="E601", where=place, hint="correct the file at this line") from error
    except RecursionError:
        pass
    raise broken


def tools_from_data(data: Any, where: str) -> list[dict[str, Any]]:
    """Return tools in OpenAI's shape: from a list, a list under ``tools``, or one alone; a bare function is wrapped.

    Raises:
        RequestError: E602 for data of another shape.
    """
    if isinstance(data, dict):
        data = data.get("tools", [data])
    if not isinstance(data, list):
        raise RequestError("should be a list of tools", code="E602", where=where, hint=_HINT)
    return [_tool(item, f"{where}: [{index}]") for index, item in enumerate(data)]


def _tool(item: Any, where: str) -> dict[str, Any]:
    function = item.get("function", item) if isinstance(item, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise RequestError("this tool has no name", code="E602", where=where, hint=_HINT)
    return item if "function" in item else {"type": "function", "function": item}
