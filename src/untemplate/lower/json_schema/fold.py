"""Takes a schema apart: booleans, references, opposites, and each keyword by its handler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from untemplate.lower.json_schema.document import Document, Part, Wrapped
from untemplate.lower.json_schema.gather import Branch
from untemplate.lower.json_schema.keywords import HANDLERS
from untemplate.lower.json_schema.negate import negation
from untemplate.lower.json_schema.report import Report

_HOLDERS = ("properties", "items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "patternProperties", "prefixItems")


def gather(document: Document, report: Report, parts: Iterable[Part]) -> Branch:
    """Return what ``parts`` say together."""
    branch = Branch(document, report, fold)
    branch.add(*parts)
    return branch


def fold(branch: Branch, part: Part) -> None:
    """Add a schema to a branch.

    Raises:
        SchemaError: E411 for a reference that points to nothing, E413 for too many schemas at one place.
    """
    schema = part.schema
    if isinstance(schema, Wrapped):
        branch.add(schema.part.opposite if part.negated else schema.part)
    elif isinstance(schema, bool):
        branch.dead = branch.dead or schema == part.negated
    elif not isinstance(schema, Mapping):
        branch.report.add(part.pointer, _holder(part), f"{schema!r:.40} is no schema; any value is taken")
    elif part.negated:
        branch.parts.append(part)
        branch.choose(negation(branch, part), part.made or next(iter(schema), "not"), part)
    elif isinstance(schema.get("$ref"), str) and not branch.document.siblings_count:
        branch.add(branch.document.resolve(part, schema["$ref"]))
    else:
        branch.parts.append(part)
        for keyword, value in schema.items():
            handler = HANDLERS.get(keyword)
            if handler is None or branch.dead:
                continue
            if branch.document.means(keyword, part):
                handler(branch, part, value)
            else:
                branch.report.add(
                    part.pointer, keyword, f"draft {branch.document.draft}, which the schema names, does not have it; it is ignored"
                )


def _holder(part: Part) -> str:
    steps = [step for step in part.pointer.split("/") if step in _HOLDERS]
    return steps[-1] if steps else "type"
