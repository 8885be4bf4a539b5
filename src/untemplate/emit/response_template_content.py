"""The content readers of response templates that we emit: text, JSON with its dialects, inline tags, Python call lists."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

_MARK = "\x01{}\x02"
_BARE_KEY = re.compile(r'"(?:\\.|[^"\\])*"|(?<=[{,])(\s*)(\w+)(\s*):')


class ReadError(Exception):
    """Content that is not what its field says; runtimes drop the region or raise."""


def read_content(text: str, kind: str, args: Mapping[str, Any]) -> Any:
    """Return the value of a region's text.

    Raises:
        ReadError: when the text is not of that kind.
    """
    match kind:
        case "text":
            return text.strip() if args.get("strip", True) else text
        case "json":
            return _json(text, args)
        case "xml-inline":
            return _tags(text, args)
        case "python-call-list":
            return _python_calls(text)
        case _:
            raise ReadError(f"unknown kind {kind}")


def _json(text: str, args: Mapping[str, Any]) -> Any:
    strings: list[str] = []

    def kept(match: re.Match[str]) -> str:
        strings.append(match.group(1))
        return _MARK.format(len(strings) - 1)

    written = text
    for opened, closed in args.get("string_delims", ()):
        written = re.sub(f"{re.escape(opened)}(.*?){re.escape(closed)}", kept, written, flags=re.DOTALL)
    if args.get("unquoted_keys"):
        written = _BARE_KEY.sub(lambda m: m.group() if m.group(2) is None else f'{m.group(1)}"{m.group(2)}"{m.group(3)}:', written)
    for index, string in enumerate(strings):
        written = written.replace(_MARK.format(index), json.dumps(string))
    try:
        return json.loads(written)
    except ValueError as error:
        if args.get("allow_non_json"):
            return text.strip()
        raise ReadError(f"not JSON: {error}") from error


def _tags(text: str, args: Mapping[str, Any]) -> dict[str, Any]:
    reader = args.get("value_parser")
    found = {}
    for match in re.finditer(args["tag_pattern"], text, re.DOTALL):
        value = match.group("value") or ""
        found[match.group("key")] = value if reader is None else read_content(value, reader["name"], reader.get("args", {}))
    return found


def _python_calls(text: str) -> list[dict[str, Any]]:
    """Return calls such as ``[f(x=1)]``; names with dashes or dots are no Python, so they are set aside first."""
    names: list[str] = []

    def plain(match: re.Match[str]) -> str:
        names.append(match.group("name") or "")
        return f"_n{len(names) - 1}_{match.group('sign')}"

    string = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
    marked = re.sub(
        rf"{string}|(?P<name>[A-Za-z_][\w.-]*)\s*(?P<sign>[(=])", lambda m: m.group() if m.group("name") is None else plain(m), text
    )
    words = re.sub(
        rf"({string})|\b(true|false|null)\b", lambda m: m.group(1) or {"true": "True", "false": "False", "null": "None"}[m.group(2)], marked
    )
    try:
        tree = ast.parse(words.strip(), mode="eval").body
        if not isinstance(tree, ast.List):
            raise ReadError("not a list of calls")
        return [_python_call(item, names) for item in tree.elts]
    except (SyntaxError, ValueError, KeyError) as error:
        raise ReadError(f"not Python calls: {error}") from error


def _python_call(node: ast.expr, names: list[str]) -> dict[str, Any]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
        raise ReadError("not a call with keyword arguments")
    arguments = {_named(each.arg or "", names): ast.literal_eval(each.value) for each in node.keywords}
    return {"name": _named(node.func.id, names), "arguments": arguments}


def _named(mark: str, names: list[str]) -> str:
    return names[int(mark.strip("_n"))]
