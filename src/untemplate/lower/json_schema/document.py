"""One schema document: its subschemas by JSON pointer, and what references in it point to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from untemplate.errors import SchemaError
from untemplate.lower.json_schema.values import identity

_DATA = frozenset({"enum", "const", "default", "examples", "example"})
"""Keywords whose values are data, not schemas."""
_SINCE = {
    **dict.fromkeys(("const", "contains", "propertyNames"), 6),
    **dict.fromkeys(("if", "then", "else"), 7),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "$recursiveRef"), 2019),
    **dict.fromkeys(("prefixItems", "$dynamicRef"), 2020),
}
"""The draft that brought a keyword: a document that names an older one does not mean it."""
_IGNORED_SIBLINGS = frozenset({3, 4, 6, 7})


@dataclass(frozen=True, slots=True)
class Part:
    """A schema that a value must fit or, negated, must not. Equal keys are the same schema."""

    key: str
    schema: Any = field(compare=False)
    pointer: str = field(compare=False)
    """Where it stands, for messages."""
    negated: bool = False
    made: str | None = field(default=None, compare=False)
    """The keyword that it was made up from, which stands at ``pointer``; its own keywords count in every draft."""

    @property
    def opposite(self) -> Part:
        """The same schema, negated the other way."""
        return Part(self.key, self.schema, self.pointer, not self.negated, self.made)


@dataclass(frozen=True, slots=True)
class Wrapped:
    """Stands as a subschema for a part of its own; only made here, never read from a document."""

    part: Part


def escape(step: str) -> str:
    """Return a key as a step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1") if "~" in step or "/" in step else step


def child(part: Part, schema: Any, *steps: str | int) -> Part:
    """Return the subschema of ``part`` that stands at ``steps``."""
    if isinstance(schema, Wrapped):
        return schema.part
    tail = f"/{escape(str(steps[0]))}/{escape(str(steps[1]))}" if len(steps) == 2 else "".join(f"/{escape(str(step))}" for step in steps)
    return Part(part.key + tail, schema, part.pointer + tail, made=part.made)


def derived(part: Part, schema: Any, tag: str) -> Part:
    """Return a schema made up from a keyword of ``part``; ``tag``, which begins with the keyword, tells it from others of its kind."""
    return Part(f"{part.key}!{tag}", schema, part.pointer, made=tag.removeprefix("not/").split("/")[0])


class Document:
    """A root schema with an index of its ids and anchors, made when the first reference needs it."""

    def __init__(self, root: Any, tool: str | None = None) -> None:
        self.root_schema = root
        self.tool = tool
        self.root = Part("", root, "")
        self.draft = _draft(root)
        self._ids: dict[str, str] | None = None
        self._dynamic: dict[str, dict[str, str]] = {}
        """Where a dynamic anchor stands, by its name and the URL of its resource."""
        self._identities: dict[str, frozenset[Hashable]] = {}

    @property
    def siblings_count(self) -> bool:
        """Keywords beside ``$ref`` count: since draft 2019-09, and where no draft is named."""
        return self.draft not in _IGNORED_SIBLINGS

    def means(self, keyword: str, part: Part) -> bool:
        """Tell whether a keyword of ``part`` counts in the draft that the document names."""
        return part.made is not None or _SINCE.get(keyword, 0) <= self.draft

    def identities(self, key: str, values: Iterable[Any]) -> frozenset[Hashable]:
        """Return what tells the values of an ``enum`` apart; ``key`` is that of the schema that lists them."""
        if key not in self._identities:
            self._identities[key] = frozenset(identity(value) for value in values)
        return self._identities[key]

    def error(self, part: Part, keyword: str, message: str, *, hint: str | None = None, code: str | None = None) -> SchemaError:
        """Return the error for a keyword of ``part``."""
        return SchemaError(message, pointer=part.pointer, keyword=keyword, tool=self.tool, hint=hint, code=code)

    def resolve(self, part: Part, reference: str, keyword: str = "$ref") -> Part:
        """Return what a reference in ``part`` points to.

        Raises:
            SchemaError: E411 when it points to nothing in this document.
        """
        if keyword != "$ref" and (dynamic := self._outermost(keyword, reference)) is not None:
            return dynamic
        if reference.startswith("#/") or reference in ("#", ""):
            found = self._at("", reference[1:])
            if found is not None and not self._has_ids:
                return found
        target = self._by_id(part, reference)
        if target is None and reference.startswith("#"):
            target = self._at("", reference[1:])
        if target is None:
            raise self.error(
                part,
                keyword,
                f"{reference!r} points to nothing in this schema",
                code="E411",
                hint="Put the schema under $defs and refer to it with #/$defs/NAME.",
            )
        return target

    def is_open(self, keyword: str, reference: str) -> bool:
        """Tell whether a dynamic reference has several targets, none of which is that of the root, so that the way to it decides."""
        self._index()
        return keyword != "$ref" and len(self._dynamic.get(_anchor(reference), {})) > 1 and self._outermost(keyword, reference) is None

    def _outermost(self, keyword: str, reference: str) -> Part | None:
        """Return the target of a dynamic reference in the root's own resource, which every way to it has passed."""
        self._index()
        pointer = self._dynamic.get(_anchor(reference), {}).get(self._root_base())
        return None if pointer is None else self._at(pointer, "")

    def _root_base(self) -> str:
        own = self.root_schema.get("$id", self.root_schema.get("id")) if isinstance(self.root_schema, Mapping) else None
        return urldefrag(own)[0] if isinstance(own, str) and not own.startswith("#") else ""

    @property
    def _has_ids(self) -> bool:
        return len(self._index()) > 1

    def _by_id(self, part: Part, reference: str) -> Part | None:
        index = self._index()
        base = self._base_of(part)
        url, fragment = urldefrag(urljoin(base, reference) if base else reference)
        start = index.get(url)
        if start is None and not reference.startswith("#"):
            wanted = url.rsplit("/", 1)[-1]
            start = next((at for known, at in index.items() if wanted and known.rsplit("/", 1)[-1] == wanted), None)
        if start is None:
            start = index.get(reference.split("#", 1)[0]) if not reference.startswith("#") else ""
            if start is None:
                return None
        if not fragment or fragment.startswith("/"):
            return self._at(start, fragment)
        anchor = index.get(f"{url}#{fragment}", index.get(f"#{fragment}"))
        return self._at(anchor, "") if anchor is not None else None

    def _base_of(self, part: Part) -> str:
        best, base = -1, ""
        for url, pointer in self._index().items():
            if "#" not in url and len(pointer) > best and (part.pointer + "/").startswith(pointer + "/"):
                best, base = len(pointer), url
        return base

    def _at(self, start: str, fragment: str) -> Part | None:
        """Return the subschema at a pointer below ``start``; steps may be percent-escaped."""
        found = self.root_schema
        pointer = ""
        for raw in (start + fragment).split("/")[1:]:
            step = raw.replace("~1", "/").replace("~0", "~")
            for name in (step, unquote(raw).replace("~1", "/").replace("~0", "~")):
                if isinstance(found, Mapping) and name in found:
                    found = found[name]
                elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                    found = found[int(name)]
                else:
                    continue
                pointer += f"/{escape(name)}"
                break
            else:
                return None
        return Part(pointer, found, pointer)

    def _index(self) -> dict[str, str]:
        """Return the pointer of each schema with an id, by absolute URL, and of each anchor, by ``URL#anchor`` and ``#anchor``."""
        if self._ids is None:
            self._ids = {"": ""}
            for schema, pointer, base in _walk(self.root_schema, "", ""):
                self._ids.setdefault(base, pointer)
                for keyword in ("$anchor", "$dynamicAnchor", "$id", "id"):
                    name = schema.get(keyword)
                    if not isinstance(name, str):
                        continue
                    if keyword in ("$id", "id"):
                        if not name.startswith("#"):
                            continue
                        name = name[1:]
                    self._ids.setdefault(f"{base}#{name}", pointer)
                    self._ids.setdefault(f"#{name}", pointer)
                if schema.get("$recursiveAnchor") is True:
                    self._ids.setdefault("#", pointer)
                    self._dynamic.setdefault("", {}).setdefault(base, pointer)
                if isinstance(schema.get("$dynamicAnchor"), str):
                    self._dynamic.setdefault(schema["$dynamicAnchor"], {}).setdefault(base, pointer)
        return self._ids


def _anchor(reference: str) -> str:
    return reference.partition("#")[2]


def _walk(schema: Any, pointer: str, base: str) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    """Yield each object that may be a schema, with its pointer and the URL of the resource that it belongs to."""
    if isinstance(schema, Mapping):
        own = schema.get("$id", schema.get("id"))
        if isinstance(own, str) and not own.startswith("#"):
            base = urldefrag(urljoin(base, own))[0]
        yield schema, pointer, base
        for key, value in schema.items():
            if key not in _DATA:
                yield from _walk(value, f"{pointer}/{escape(str(key))}", base)
    elif isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from _walk(value, f"{pointer}/{number}", base)


def _draft(root: Any) -> int:
    """Return the draft that ``$schema`` names: 3, 4, 6, 7, 2019 or 2020 (also where none is named)."""
    name = root.get("$schema") if isinstance(root, Mapping) else None
    if isinstance(name, str):
        for mark, draft in (("draft-03", 3), ("draft-04", 4), ("draft-06", 6), ("draft-07", 7), ("2019-09", 2019)):
            if mark in name:
                return draft
    return 2020
