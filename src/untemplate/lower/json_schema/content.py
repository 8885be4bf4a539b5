"""What a schema says, apart from where it stands: equal for schemas that the same values fit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

_ABOUT = frozenset({"title", "description", "$comment", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"})
"""Keywords that say nothing of values."""
_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", "dependentRequired", "$defs", "definitions"})
"""Keywords whose value has a schema under each name."""
_DATA = frozenset({"enum", "const"})


def content_of(schema: Any) -> Hashable | None:
    """Return something equal for equal schemas, whatever describes them; ``None`` where references lead out of it."""
    if not isinstance(schema, Mapping):
        return (type(schema).__name__, repr(schema))
    found: list[Hashable] = []
    for keyword, value in schema.items():
        if keyword in _ABOUT:
            continue
        if keyword in _REFERENCES:
            return None
        if keyword in _DATA:
            said: Hashable | None = repr(value)
        elif type(value) is str:
            said = value
        elif keyword in _NAMED and isinstance(value, Mapping):
            said = _all((name, content_of(one)) for name, one in value.items())
        elif isinstance(value, Mapping):
            said = content_of(value)
        elif isinstance(value, list):
            said = _all((None, content_of(one)) for one in value)
        else:
            said = (type(value).__name__, repr(value))
        if said is None:
            return None
        found.append((keyword, said))
    return tuple(found)


def _all(pairs: Iterable[tuple[Any, Hashable | None]]) -> Hashable | None:
    listed = tuple(pairs)
    return None if any(said is None for _, said in listed) else listed
