"""Plain data to YAML text and back, such that every text survives and the same data gives the same bytes.

The writer is our own: every text value is double-quoted with JSON's escapes (which are YAML's too), so no reader can take
``no`` for a boolean or fold a U+0085 away, and no library's release can move a byte. Members of enumerations are our own
words and stand without quotes. Small collections stand on one line.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from untemplate.errors import SpecError

WIDTH = 100
"""A collection that fits into this many columns may stand on one line."""
_LONGEST_KEY = 1000
"""YAML's readers look 1024 characters ahead for the colon after a key."""
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_RESERVED = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_INVISIBLE = re.compile("[\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]")


# --- writing -----------------------------------------------------------------------------------------------------------


def dump_yaml(data: dict[str, Any]) -> str:
    """Return a mapping of plain data as YAML text that ends with one line feed."""
    return "".join(f"{line}\n" for line in _block_mapping(data))


def quote(text: str) -> str:
    """Return ``text`` in double quotes, valid in YAML and JSON alike, with all that cannot be seen escaped."""
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))


def _block_mapping(data: dict[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        name = _key(key)
        if len(name) > _LONGEST_KEY:
            yield f"? {name}"
            name = ""
        yield from _entry(f"{name}:", value)


def _block_list(data: list[Any]) -> Iterator[str]:
    for item in data:
        flow = _flow_if_small(item, WIDTH - 2)
        if flow is not None:
            yield f"- {flow}"
            continue
        lines = _block_mapping(item) if isinstance(item, dict) else _block_list(item)
        for index, line in enumerate(lines):
            yield f"{'  ' if index else '- '}{line}"


def _entry(head: str, value: Any) -> Iterator[str]:
    flow = _flow_if_small(value, WIDTH - len(head) - 1)
    if flow is not None:
        yield f"{head} {flow}"
        return
    yield head
    for line in _block_mapping(value) if isinstance(value, dict) else _block_list(value):
        yield f"  {line}"


def _flow_if_small(value: Any, width: int) -> str | None:
    """Return ``value`` on one line, or ``None`` where it is better spread over several."""
    if not isinstance(value, dict | list) or not value:
        return _flow(value)
    inner = list(value.values()) if isinstance(value, dict) else value
    nested = [item for item in inner if isinstance(item, dict | list) and item]
    if nested and (len(inner) > 1 or any(_is_nested(item) for item in nested)):
        return None
    if isinstance(value, dict) and any(len(_key(key)) > _LONGEST_KEY for key in value):
        return None
    text = _flow(value)
    return text if len(text) <= width else None


def _is_nested(value: Any) -> bool:
    return any(isinstance(item, dict | list) and item for item in (value.values() if isinstance(value, dict) else value))


def _flow(value: Any) -> str:
    match value:
        case StrEnum():
            return _key(value.value)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return quote(value)
        case int():
            return str(value)
        case float():
            # YAML 1.1 reads an exponent only after a point and with a sign.
            digits, mark, exponent = repr(value).partition("e")
            return f"{digits if '.' in digits else digits + '.0'}{mark}{exponent}"
        case list():
            return f"[{', '.join(_flow(item) for item in value)}]"
        case dict():
            return "{" + ", ".join(f"{_key(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"not plain data: {value!r}")


def _key(key: str) -> str:
    return key if _BARE.match(key) and key.lower() not in _RESERVED else quote(key)


# --- reading -----------------------------------------------------------------------------------------------------------


def load_yaml(text: str, where: str | None = None) -> Any:
    """Return the plain data of YAML or JSON text.

    JSON is read as JSON first: YAML 1.1 takes the number ``1e+20`` for text, and tabs for mistakes.

    Raises:
        SpecError: E501 for text that is not YAML, a repeated key, an alias, or nesting without end.
    """
    import yaml

    if text.lstrip().startswith(("{", "[")):
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(text, object_pairs_hook=_unrepeated)
    loader = _loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_repeats(node, where)
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        raise _broken(error, where) from error
    except ValueError as error:
        raise SpecError(f"not YAML that can be read: {error}", code="E501", where=where) from error
    except RecursionError as error:
        raise SpecError("nested too deeply", code="E501", where=where) from error
    finally:
        loader.dispose()


def find_line(text: str, path: str) -> int | None:
    """Return the line, from 1, of what stands at a codec's ``path`` in YAML text; of the nearest thing around it, if absent."""
    import yaml

    try:
        node = _loader(text).get_single_node()
    except (yaml.YAMLError, RecursionError):
        return None
    line = None
    # Keys may hold any character, so each step takes the longest key that the rest of the path starts with.
    while node is not None:
        line = node.start_mark.line + 1
        node, path, key_line = _step(node, path)
        line = key_line or line
    return line


def _step(node: Any, path: str) -> tuple[Any, str, int | None]:
    path = path.removeprefix(".")
    if node.id == "sequence" and (found := re.match(r"\[(\d+)\]", path)) and int(found[1]) < len(node.value):
        return node.value[int(found[1])], path[found.end() :], None
    if node.id == "mapping":
        named = [(key, value) for key, value in node.value if key.value and path.startswith(key.value)]
        if named:
            key, value = max(named, key=lambda pair: len(pair[0].value))
            return value, path[len(key.value) :], key.start_mark.line + 1
    return None, path, None


def _loader(text: str) -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key occurs twice")
    return members


def _refuse_repeats(root: Any, where: str | None) -> None:
    """Refuse a key that occurs twice in a mapping, and a node that occurs twice in the document (an alias)."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            raise SpecError("aliases are not allowed", code="E501", where=_at(where, node.start_mark), hint="write the value out")
        seen.add(id(node))
        if node.id == "sequence":
            waiting.extend(node.value)
        elif node.id == "mapping":
            keys: set[str] = set()
            for key, value in node.value:
                if key.id == "scalar" and key.value in keys:
                    raise SpecError(f"the key `{key.value}` occurs twice", code="E501", where=_at(where, key.start_mark))
                keys.add(key.value if key.id == "scalar" else "")
                waiting.append(value)


def _broken(error: Any, where: str | None) -> SpecError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return SpecError(f"not valid YAML: {problem}", code="E501", where=_at(where, mark) if mark else where)


def _at(where: str | None, mark: Any) -> str:
    return f"{where}:{mark.line + 1}" if where else f"line {mark.line + 1}"
