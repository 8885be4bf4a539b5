"""Seeded schemas as people write them, of all drafts, and values near them: valid ones, and ones that are nearly so."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

KEYS = ("a", "b", "ab", "kind", "é", 'q"')
TEXTS = ("", "a", "ab", "abc", "x-1", "é", 'q"', "\n", "\\", "😀", "1", "true", "null", "a b", "A1", "tab\t", "/", "ñandú", "longer text")
NUMBERS = (0, 1, -1, 2, 3, 5, 7, 10, 15, 100, 1000, -20, 0.5, -2.25, 1.5, 12.75, 1e-7, 1e20, 1.0, 100.0, 2.5e16, -3e17, 10**17)
PATTERNS: dict[str, str] = {
    # as a schema has it: as Python's ``re`` (ASCII) means the same
    "^a": "^a",
    "b$": r"b\Z",
    "^[a-z]*$": r"^[a-z]*\Z",
    "a.b|^x": "a[^\n\r\u2028\u2029]b|^x",
    r"^\d+$": r"^\d+\Z",
    "[^a]": "[^a]",
    "^(ab)*$": r"^(ab)*\Z",
    r"^\S{1,3}$": r"^\S{1,3}\Z",
    r"\w-\d": r"\w-\d",
    "": "",
    r"^\p{L}+$": "^[a-zA-Z\u00c0-\u00ff]+\\Z",
    "^(?!ab).*$": r"^(?!ab)[^\n\r]*\Z",
    "^a+?b??$": r"^a+?b??\Z",
    r"^(?:a|b){2,}$": r"^(?:a|b){2,}\Z",
    r"^[\w .-]+$": r"^[\w .-]+\Z",
    r"\bb\b": r"\bb\b",
    r"^\u0061\x62": "^ab",
    "^(a|ab)(c|bcd)?$": r"^(a|ab)(c|bcd)?\Z",
    "^.{2,}$": "^[^\n\r]{2,}\\Z",
    r"^\/|^[^/]*$": r"^/|^[^/]*\Z",
}
FORMATS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "date": (("2024-02-29", "1999-12-31"), ("2023-02-29", "1999-13-01", "")),
    "date-time": (("2024-01-31T10:00:00Z", "2024-01-31T10:00:00.5+02:00"), ("2024-01-31", "x")),
    "time": (("10:00:00Z",), ("25:00:00Z", "10")),
    "email": (("a@b.de",), ("a", "@b")),
    "ipv4": (("127.0.0.1",), ("127.0.0.256", "1.2.3")),
    "ipv6": (("::1", "1:2::3"), ("1::2::3", ":::")),
    "uuid": (("123e4567-e89b-12d3-a456-426614174000",), ("123e4567",)),
    "uri": (("http://a.de/x?y#z",), ("http://a b", "\\")),
    "hostname": (("a.de",), ("-a", "a..b")),
}
DRAFTS = {
    3: "http://json-schema.org/draft-03/schema#",
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    2019: "https://json-schema.org/draft/2019-09/schema",
    2020: "https://json-schema.org/draft/2020-12/schema",
}
Schema = Any


class SchemaMaker:
    """Makes one schema; the same seed makes the same one."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.draft = self.random.choice((4, 6, 7, 7, 2019, 2020, 2020, 2020, 2020))
        tangled = self.random.random() < 0.4
        self.keys = KEYS[:3] if tangled else KEYS
        """Few keys, texts and numbers, so that keywords meet."""
        self.texts = ("", "a", "ab", "b", "1") if tangled else TEXTS
        self.numbers = (0, 1, 2, 1.0, 1.5, 3, 10) if tangled else NUMBERS
        self.tangled = tangled
        self.defs = ["node", "leaf", "other"][: self.random.choice((0, 0, 1, 2, 3))]
        self.holder = "$defs" if self.draft >= 2019 else "definitions"

    def root(self) -> Schema:
        """Return a whole schema."""
        made = self.schema(self.random.choice((2, 3, 3, 4) if self.tangled else (1, 2, 2, 3)))
        if isinstance(made, bool):
            return made
        if self.defs:
            if "$ref" in made and self.draft < 2019:
                made = {"allOf": [made]}
            made = {**made, self.holder: {name: self.schema(2) for name in self.defs}}
        if self.draft != 2020 or self.chance(0.3):
            made = {"$schema": DRAFTS[self.draft], **made}
        return made

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, options: Any) -> Any:
        return self.random.choice(tuple(options))

    def schema(self, depth: int) -> Schema:
        flat: list[Callable[[], Schema]] = [self.number, self.string, self.string, self.words, self.listed, self.untyped, self.trivial]
        if depth <= 0:
            return self.pick(flat)()
        deep: list[Callable[[int], Schema]] = [
            self.object,
            self.object,
            self.object,
            self.array,
            self.array,
            self.several,
            self.several,
            self.opposite,
            self.conditional,
            self.union,
            self.mixed,
            self.optional,
            self.reference,
        ]
        return self.pick(flat)() if self.chance(0.2) else self.pick(deep)(depth - 1)

    def some(self, found: dict[str, Any], share: float = 0.35) -> dict[str, Any]:
        return {key: value for key, value in found.items() if self.chance(share)}

    def trivial(self) -> Schema:
        return self.pick(({}, {"description": "anything"}, self.boolean(True), {"title": "x", "default": 3}))

    def boolean(self, value: bool) -> Schema:
        return value if self.draft >= 6 else {} if value else {"not": {}}

    def number(self) -> Schema:
        return {"type": self.pick(("integer", "number")), **self.number_words()}

    def number_words(self) -> dict[str, Any]:
        limits = (0, 1, -1, 2, 3, 5, 10, 100, 0.5, -2.25, -20, 1e3, 99.5)
        found = self.some(
            {"minimum": self.pick(limits), "maximum": self.pick(limits), "multipleOf": self.pick((1, 2, 3, 5, 10, 0.5, 0.25, 0.1))}
        )
        if self.draft == 4:
            found |= {f"exclusive{name.capitalize()}": True for name in ("minimum", "maximum") if name in found and self.chance(0.4)}
            return found
        return found | self.some({"exclusiveMinimum": self.pick(limits), "exclusiveMaximum": self.pick(limits)}, 0.2)

    def string(self) -> Schema:
        return {"type": "string", **self.string_words()}

    def string_words(self) -> dict[str, Any]:
        return self.some(
            {"minLength": self.pick((0, 1, 2, 3)), "maxLength": self.pick((0, 1, 2, 5)), "pattern": self.pick(PATTERNS)}
        ) | self.some({"format": self.pick(FORMATS)}, 0.15)

    def words(self) -> Schema:
        names = ("null", "boolean", "string", "integer", "number", "array", "object")
        return {"type": self.pick((self.pick(names), self.random.sample(names, self.random.randint(1, 3))))}

    def listed(self) -> Schema:
        values = [self.value(self.pick((0, 0, 1, 2))) for _ in range(self.random.randint(1, 4))]
        values = list({json.dumps(value): value for value in values}.values())
        if self.draft >= 6 and self.chance(0.4):
            return {"const": values[0], **self.some({"type": self.pick(("string", "integer", "object", "array"))}, 0.1)}
        return {"enum": values, **self.some({"type": self.pick(("string", ["string", "null"], "number"))}, 0.15)}

    def value(self, depth: int) -> Any:
        flat = (None, True, False, self.pick(self.numbers), self.pick(self.numbers), self.pick(self.texts), self.pick(self.texts))
        if depth == 0 or self.chance(0.4):
            return self.pick(flat)
        if self.chance(0.5):
            return [self.value(depth - 1) for _ in range(self.random.randint(0, 3))]
        return {key: self.value(depth - 1) for key in self.random.sample(self.keys, self.random.randint(0, 3))}

    def untyped(self) -> Schema:
        return {**self.number_words(), **self.string_words(), **self.some({"required": ["a"], "minItems": 1, "maxProperties": 1}, 0.15)}

    def object(self, depth: int) -> Schema:
        keys = self.random.sample(self.keys, self.random.randint(0, min(4, len(self.keys))))
        found: dict[str, Any] = {"type": "object"} if self.chance(0.85) else {}
        if keys or self.chance(0.5):
            found["properties"] = {key: self.schema(depth) for key in keys}
        if self.chance(0.5):
            required = self.random.sample(keys or self.keys, self.random.randint(1, max(1, len(keys))))
            found["required"] = [*required, *([self.pick(self.keys)] if self.chance(0.15) else [])]
            found["required"] = list(dict.fromkeys(found["required"]))
        if self.chance(0.45):
            found["additionalProperties"] = self.pick((False, False, True, self.schema(depth - 1)))
        if self.chance(0.15):
            found["patternProperties"] = {self.pick(("^a", "b$", "é", "^.*$", "^[a-z]+$", "k")): self.schema(depth - 1)}
        found |= self.some({"minProperties": self.pick((0, 1, 2)), "maxProperties": self.pick((1, 2, 3))}, 0.1)
        if self.draft >= 6 and self.chance(0.1):
            found["propertyNames"] = self.pick(
                ({"maxLength": 2}, {"pattern": "^[a-z]*$"}, {"enum": ["a", "b", "kind"]}, {"not": {"const": "a"}})
            )
        if self.chance(0.12):
            found |= self.dependencies(depth)
        if self.draft >= 2019 and self.chance(0.12):
            found["unevaluatedProperties"] = self.pick((False, False, self.schema(depth - 1)))
            if self.chance(0.6):
                found[self.pick(("allOf", "anyOf"))] = [self.object(depth - 1) for _ in range(self.random.randint(1, 2))]
        return found

    def dependencies(self, depth: int) -> dict[str, Any]:
        names = {"a": self.pick((["b"], ["ab", "kind"]))}
        schemas = {self.pick(self.keys): self.schema(depth - 1)}
        if self.draft < 2019:
            return {"dependencies": {**self.some(names, 0.6), **self.some(schemas, 0.6)}}
        return {**self.some({"dependentRequired": names}, 0.6), **self.some({"dependentSchemas": schemas}, 0.6)}

    def array(self, depth: int) -> Schema:
        found: dict[str, Any] = {"type": "array"} if self.chance(0.85) else {}
        first = [self.schema(depth) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.25):
            found["prefixItems" if self.draft >= 2020 else "items"] = first
            if self.chance(0.5):
                found["items" if self.draft >= 2020 else "additionalItems"] = self.pick((self.boolean(False), self.schema(depth)))
        elif self.chance(0.85):
            found["items"] = self.schema(depth)
        found |= self.some({"minItems": self.pick((0, 1, 2)), "maxItems": self.pick((0, 1, 2, 3))}, 0.25)
        found |= self.some({"uniqueItems": True}, 0.1)
        if self.draft >= 6 and self.chance(0.12):
            found["contains"] = self.schema(depth - 1)
            if self.draft >= 2019:
                found |= self.some({"minContains": self.pick((0, 1, 2)), "maxContains": self.pick((1, 2))}, 0.25)
        if self.draft >= 2019 and self.chance(0.08):
            found["unevaluatedItems"] = self.pick((False, self.schema(depth)))
        return found

    def several(self, depth: int) -> Schema:
        keyword = self.pick(("allOf", "anyOf", "anyOf", "oneOf", "oneOf"))
        parts = [self.schema(depth) for _ in range(self.random.randint(1, 3))]
        return {**self.base(depth), keyword: parts}

    def base(self, depth: int) -> dict[str, Any]:
        if self.chance(0.6):
            return {}
        made = self.pick((self.object, self.array))(depth) if self.chance(0.6) else self.pick((self.number, self.string, self.untyped))()
        return made if isinstance(made, dict) else {}

    def opposite(self, depth: int) -> Schema:
        return {**self.base(depth), "not": self.schema(self.pick((0, depth)))}

    def conditional(self, depth: int) -> Schema:
        if self.draft < 7:
            return self.several(depth)
        test = {"properties": {"kind": {"const": self.pick(("a", "b", 1))}}, **self.some({"required": ["kind"]}, 0.6)}
        made = {"if": self.pick((test, self.schema(depth))), "then": self.schema(depth), "else": self.schema(depth)}
        return {**self.base(depth), **{key: value for key, value in made.items() if key == "if" or self.chance(0.8)}}

    def union(self, depth: int) -> Schema:
        """A discriminated union."""
        keyword = self.pick(("anyOf", "oneOf"))
        branches = []
        for tag in ("a", "b", "c")[: self.random.randint(2, 3)]:
            one = self.object(depth)
            fixed = {"const": tag} if self.draft >= 6 and self.chance(0.6) else {"enum": [tag]}
            one["properties"] = {"kind": fixed, **{key: value for key, value in one.get("properties", {}).items() if key != "kind"}}
            one["required"] = list(dict.fromkeys(["kind", *one.get("required", [])]))
            branches.append(one)
        return {keyword: branches}

    def mixed(self, depth: int) -> Schema:
        """Several types, with words for each."""
        kinds = self.random.sample(("null", "string", "number", "array", "object", "boolean"), 2)
        made: dict[str, Any] = {}
        for kind in kinds:
            match kind:
                case "string":
                    made |= self.string_words()
                case "number":
                    made |= self.number_words()
                case "array":
                    made |= {"items": self.schema(depth), **self.some({"maxItems": 2})}
                case "object":
                    made |= {"properties": {self.pick(self.keys): self.schema(depth)}, **self.some({"additionalProperties": False})}
        return {"type": kinds, **made}

    def optional(self, depth: int) -> Schema:
        inner = self.schema(depth)
        return self.pick(({"anyOf": [inner, {"type": "null"}]}, {"oneOf": [{"type": "null"}, inner], "default": None}))

    def reference(self, depth: int) -> Schema:
        if not self.defs:
            return self.schema(depth)
        target = {"$ref": f"#/{self.holder}/{self.pick(self.defs)}"}
        return self.pick((target, {"description": "x", **target}, {**self.base(depth), **target}, {"allOf": [target]}))


class Near:
    """Makes values along a schema, without minding how its keywords meet."""

    def __init__(self, seed: int, root: Schema, maker: SchemaMaker) -> None:
        self.random = random.Random(seed)
        self.root = root
        self.maker = maker
        maker.random = self.random

    def values(self, count: int) -> Iterator[Any]:
        """Yield ``count`` values, about half of them changed in one place."""
        for number in range(count):
            made = self.value(self.root, 5)
            yield self.changed(made) if number % 2 else made

    def value(self, schema: Schema, depth: int) -> Any:
        if not isinstance(schema, dict) or depth <= 0 or self.random.random() < 0.03:
            return self.maker.value(1)
        ways: list[Callable[[], Any]] = []
        rest = {
            key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "allOf", "$ref", "if", "not", "dependentSchemas")
        }
        for keyword in ("anyOf", "oneOf", "allOf"):
            ways += [partial(self.value, _merged(part, rest), depth - 1) for part in schema.get(keyword, ())]
        if "$ref" in schema:
            steps = schema["$ref"].split("/")
            target = self.root[steps[1]][steps[2]] if len(steps) == 3 else self.root
            ways.append(lambda: self.value(_merged(target, rest), depth - 1))
        ways += [partial(self.value, _merged(schema[keyword], rest), depth - 1) for keyword in ("if", "then", "else") if keyword in schema]
        if "allOf" in schema and all(isinstance(part, dict) for part in schema["allOf"]):
            everything = rest
            for part in schema["allOf"]:
                everything = _merged(part, everything)
            ways.append(lambda: self.value(everything, depth - 1))
        if ways and self.random.random() < 0.85:
            return self.random.choice(ways)()
        return self.plain(schema, depth)

    def plain(self, schema: dict[str, Any], depth: int) -> Any:
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kinds = schema.get("type")
        kind = self.random.choice(kinds) if isinstance(kinds, list) else kinds
        if kind is None:
            kind = self.random.choice([*_hinted(schema), "any"])
        match kind:
            case "object":
                return self.object(schema, depth)
            case "array":
                return self.array(schema, depth)
            case "string":
                return self.text(schema)
            case "integer" | "number":
                return self.number(schema, kind)
            case "boolean":
                return self.random.random() < 0.5
            case "null":
                return None
            case _:
                return self.maker.value(1)

    def number(self, schema: dict[str, Any], kind: str) -> Any:
        limits = [
            schema[key] for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if type(schema.get(key)) in (int, float)
        ]
        if limits and self.random.random() < 0.7:
            found = self.random.choice(limits) + self.random.choice((0, 0, 1, -1, 0.5, 0.001, -0.25))
        else:
            found = self.random.choice(NUMBERS)
        return int(found) if kind == "integer" and self.random.random() < 0.8 else found

    def text(self, schema: dict[str, Any]) -> str:
        if "format" in schema and self.random.random() < 0.9:
            good, bad = FORMATS[schema["format"]]
            return self.random.choice((*good, *good, *bad))
        if "pattern" in schema and self.random.random() < 0.6:
            hits = [
                text
                for text in (*TEXTS, "ab", "abab", "abbb", "x", "b", "abcd", "0123")
                if re.search(PATTERNS[schema["pattern"]], text, re.ASCII)
            ]
            if hits:
                return self.random.choice(hits)
        return self.random.choice(TEXTS)

    def array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        first = schema.get("prefixItems", schema.get("items") if isinstance(schema.get("items"), list) else [])
        rest = schema.get("items") if not isinstance(schema.get("items"), list) else schema.get("additionalItems")
        count = max(schema.get("minItems", 0), self.random.randint(0, min(4, schema.get("maxItems", 3))))
        found = [self.value(part, depth - 1) for part in first[: max(count, self.random.randint(0, len(first)))]]
        found += [self.value(rest, depth - 1) for _ in range(count - len(found))]
        if "contains" in schema and self.random.random() < 0.7:
            found.insert(self.random.randint(0, len(found)), self.value(schema["contains"], depth - 1))
        return found

    def object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        declared = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        found: dict[str, Any] = {}
        for key in [*declared, *[key for key in (*KEYS, "zz", "") if key not in declared]]:
            needed = key in schema.get("required", ())
            if not needed and self.random.random() > (0.6 if key in declared else 0.12):
                continue
            matching = [one for pattern, one in patterns.items() if re.search(pattern, key)]
            found[key] = self.value(declared.get(key, matching[0] if matching else schema.get("additionalProperties", True)), depth - 1)
        for key in schema.get("required", ()):
            found.setdefault(key, self.maker.value(0))
        return found

    def changed(self, value: Any) -> Any:
        """Return a value with one thing in it changed."""
        if isinstance(value, dict) and value and self.random.random() < 0.8:
            key = self.random.choice(list(value))
            match self.random.randint(0, 3):
                case 0:
                    return {name: one for name, one in value.items() if name != key}
                case 1:
                    return {**value, self.random.choice((*KEYS, "zz", "new")): self.maker.value(1)}
                case _:
                    return {**value, key: self.changed(value[key])}
        if isinstance(value, list) and value and self.random.random() < 0.8:
            index = self.random.randrange(len(value))
            match self.random.randint(0, 3):
                case 0:
                    return value[:index] + value[index + 1 :]
                case 1:
                    return [*value, self.random.choice((*value, self.maker.value(1)))]
                case _:
                    return [*value[:index], self.changed(value[index]), *value[index + 1 :]]
        if isinstance(value, int | float) and not isinstance(value, bool) and self.random.random() < 0.6:
            return self.random.choice((value + 1, value - 1, value + 0.5, -value, value * 10, float(value), str(value)))
        if isinstance(value, str) and self.random.random() < 0.6:
            return self.random.choice((value + "a", value[:-1], value + "\n", value.upper(), value * 2, [value]))
        return self.maker.value(1)


def _hinted(schema: dict[str, Any]) -> list[str]:
    hints = {
        "object": ("properties", "required", "additionalProperties", "patternProperties", "minProperties", "propertyNames"),
        "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
        "string": ("pattern", "minLength", "maxLength", "format"),
        "number": ("minimum", "maximum", "multipleOf", "exclusiveMinimum"),
    }
    return [kind for kind, words in hints.items() if any(word in schema for word in words)]


def _merged(part: Schema, rest: dict[str, Any]) -> Schema:
    if not isinstance(part, dict):
        return rest
    made = {**rest, **part}
    if "properties" in part and "properties" in rest:
        made["properties"] = {**rest["properties"], **part["properties"]}
    if "required" in part and "required" in rest:
        made["required"] = [*rest["required"], *part["required"]]
    return made
