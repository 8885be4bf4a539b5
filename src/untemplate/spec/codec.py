"""Frozen dataclasses to plain data and back, driven by their type hints alone.

Plain data is what JSON and YAML hold: mappings with text keys, lists, text, numbers, booleans and ``None``. A dataclass
is a mapping of its fields; a member of a union of dataclasses is told by the fields that it must have. Decoding is
strict: nothing unknown, nothing missing, nothing of another type, and every complaint names the place.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from untemplate.errors import SpecError

T = TypeVar("T")
Plain = Any
"""What JSON can hold. ``Any``, since a recursive alias helps no caller."""
Keep = Callable[[type, str], bool]
"""Whether a field of a class is written although it has its default."""


def keep_all(_owner: type, _name: str) -> bool:
    """Return ``True``: nothing is left out."""
    return True


@dataclasses.dataclass(frozen=True, slots=True)
class FieldType:
    """One field of a dataclass, as the codec sees it."""

    name: str
    hint: Any
    required: bool
    default: Any
    """The default's value; ``None`` where the field is required."""


@cache
def field_types(owner: type) -> tuple[FieldType, ...]:
    """Return the fields of a dataclass with their resolved types and defaults, in the order of the class."""
    hints = typing.get_type_hints(owner)
    return tuple(_field_type(each, hints[each.name]) for each in dataclasses.fields(owner))


def _field_type(each: dataclasses.Field[Any], hint: Any) -> FieldType:
    if each.default_factory is not dataclasses.MISSING:
        return FieldType(each.name, hint, False, each.default_factory())
    if each.default is not dataclasses.MISSING:
        return FieldType(each.name, hint, False, each.default)
    return FieldType(each.name, hint, True, None)


# --- dataclass -> plain data -------------------------------------------------------------------------------------------


def encode(value: object, keep: Keep = keep_all, path: str = "") -> Plain:
    """Return ``value`` as plain data; fields that equal their default are left out where ``keep`` says no.

    A member of a ``StrEnum`` is text already and stays itself, so that a writer can tell our words from a template's.

    Raises:
        SpecError: E506 for what neither YAML nor JSON can hold: half of a surrogate pair, ``nan``, a set.
    """
    match value:
        case StrEnum():
            return value
        case None | bool() | int():
            return value
        case str():
            return _checked_text(value, path)
        case float():
            if not math.isfinite(value):
                raise SpecError(f"{value} is not a number that JSON can hold", code="E506", where=path)
            return value
        case Mapping():
            return {_encode_key(key, path): encode(item, keep, join(path, str(key))) for key, item in value.items()}
        case list() | tuple():
            return [encode(item, keep, f"{path}[{index}]") for index, item in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_fields(value, keep, path)
    raise SpecError(f"a {type(value).__name__} cannot be written", code="E506", where=path)


def _encode_fields(value: Any, keep: Keep, path: str) -> dict[str, Plain]:
    owner: type = type(value)
    written = {}
    for each in field_types(owner):
        item = getattr(value, each.name)
        if each.required or item != each.default or keep(owner, each.name):
            written[each.name] = encode(item, keep, join(path, each.name))
    return written


def _encode_key(key: object, path: str) -> str:
    if isinstance(key, StrEnum):
        return key.value
    if not isinstance(key, str):
        raise SpecError(f"the key {key!r} is not text", code="E506", where=path)
    return _checked_text(key, path)


def _checked_text(text: str, path: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SpecError("text with half of a surrogate pair cannot be written as UTF-8", code="E506", where=path) from error
    return str(text)


# --- plain data -> dataclass -------------------------------------------------------------------------------------------


def decode(data: Plain, hint: type[T], path: str = "") -> T:
    """Return plain data as a value of the type ``hint``; mappings come back read-only, lists as tuples.

    Raises:
        SpecError: E502 for an unknown key, E503 for a missing one, E504 for another type; ``where`` is the path.
    """
    return typing.cast(T, _decode(data, hint, path))


def _decode(data: Plain, hint: Any, path: str) -> Any:
    if hint is Any:
        return _decode_any(data, path)
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _decode_union(data, typing.get_args(hint), path)
    if origin is tuple:
        return _decode_list(data, typing.get_args(hint), path)
    if origin is Mapping:
        return _decode_mapping(data, hint, path)
    if dataclasses.is_dataclass(hint):
        return _decode_fields(data, typing.cast(type, hint), path)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _decode_member(data, hint, path)
    return _decode_scalar(data, hint, path)


def _decode_scalar(data: Plain, hint: type, path: str) -> Any:
    # ``True`` is an ``int`` to Python and is none to a reader of the file.
    fits = type(data) is hint or (hint is float and type(data) is int)
    if not fits:
        raise _wrong_type(data, _SCALARS[hint], path)
    return data


def _decode_any(data: Plain, path: str) -> Plain:
    match data:
        case None | bool() | int() | str():
            return data
        case float() if math.isfinite(data):
            return data
        case list():
            return [_decode_any(item, f"{path}[{index}]") for index, item in enumerate(data)]
        case Mapping():
            return {_text_key(key, path): _decode_any(item, join(path, key)) for key, item in data.items()}
    raise _wrong_type(data, "a value that JSON can hold", path)


def _decode_union(data: Plain, members: tuple[Any, ...], path: str) -> Any:
    if data is None and type(None) in members:
        return None
    members = tuple(member for member in members if member is not type(None))
    if len(members) == 1:
        return _decode(data, members[0], path)
    if not isinstance(data, Mapping):
        raise _wrong_type(data, "a mapping", path)
    needed = {member: [each.name for each in field_types(member) if each.required] for member in members}
    for member, names in needed.items():
        if all(name in data for name in names):
            return _decode(data, member, path)
    choices = " or ".join(" and ".join(f"`{name}`" for name in names) for names in needed.values())
    raise SpecError(f"needs {choices}", code="E503", where=path)


def _decode_list(data: Plain, hints: tuple[Any, ...], path: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise _wrong_type(data, "a list", path)
    if hints[-1] is Ellipsis:
        hints = hints[:1] * len(data)
    if len(hints) != len(data):
        raise SpecError(f"should have {len(hints)} items, has {len(data)}", code="E504", where=path)
    return tuple(_decode(item, hint, f"{path}[{index}]") for index, (item, hint) in enumerate(zip(data, hints, strict=True)))


def _decode_mapping(data: Plain, hint: Any, path: str) -> Mapping[Any, Any]:
    if not isinstance(data, Mapping):
        raise _wrong_type(data, "a mapping", path)
    key_hint, item_hint = typing.get_args(hint)
    decoded = {}
    for key, item in data.items():
        name = _text_key(key, path)
        member = _decode(name, key_hint, join(path, name))
        decoded[member] = _decode(item, item_hint, join(path, name))
    return MappingProxyType(decoded)


def _decode_fields(data: Plain, owner: type, path: str) -> Any:
    if not isinstance(data, Mapping):
        raise _wrong_type(data, "a mapping", path)
    known = {each.name: each for each in field_types(owner)}
    for key in data:
        if key not in known:
            raise _unknown(str(key), "key", known, join(path, str(key)))
    missing = [each.name for each in known.values() if each.required and each.name not in data]
    if missing:
        raise SpecError("is missing", code="E503", where=join(path, missing[0]))
    return owner(**{name: _decode(item, known[name].hint, join(path, name)) for name, item in data.items()})


def _decode_member(data: Plain, hint: type[StrEnum], path: str) -> StrEnum:
    values = {member.value: member for member in hint}
    if not isinstance(data, str):
        raise _wrong_type(data, f"one of {_listed(values)}", path)
    if data not in values:
        raise _unknown(data, "value", values, path)
    return values[data]


# --- words of a complaint ----------------------------------------------------------------------------------------------

_SCALARS: Mapping[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def join(path: str, name: str) -> str:
    """Return the path of the member ``name`` of what stands at ``path``."""
    return f"{path}.{name}" if path else name


def _text_key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise SpecError(f"the key {key!r} is not text", code="E504", where=path, hint="put it in double quotes")
    return key


def _wrong_type(data: Plain, expected: str, path: str) -> SpecError:
    return SpecError(f"should be {expected}, is {_described(data)}", code="E504", where=path)


def _described(data: Plain) -> str:
    match data:
        case None:
            return "null"
        case bool():
            return "true" if data else "false"
        case int() | float():
            return f"the number {data}"
        case str():
            return f"the text {data[:40]!r}"
        case list():
            return "a list"
        case Mapping():
            return "a mapping"
    return f"a {type(data).__name__}"


def _unknown(name: str, kind: str, known: Iterable[str], path: str) -> SpecError:
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"known here: {_listed(known)}"
    return SpecError(f"unknown {kind} `{name}`", code="E502", where=path, hint=hint)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
