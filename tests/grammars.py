"""Words for tests of grammars: what the engine takes, as claims."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from untemplate.emit.engine import read_back
from untemplate.emit.grammar import Grammar
from untemplate.emit.schema_grammar import json_schema_grammar


def written(value: Any) -> str:
    """Return a value as ``json.dumps`` writes it."""
    return json.dumps(value, ensure_ascii=False)


def taken(schema: Any, values: Iterable[Any], **options: Any) -> list[Any]:
    """Return those of ``values`` that the grammar of a schema takes."""
    engine = read_back(json_schema_grammar(schema, **options).text)
    return [value for value in values if engine.accepts(written(value))]


def sort_out(schema: Any, good: Iterable[Any], bad: Iterable[Any], **options: Any) -> Grammar:
    """Check that the grammar of a schema takes all ``good`` values and no ``bad`` one, and return it."""
    grammar = json_schema_grammar(schema, **options)
    engine = read_back(grammar.text)
    refused = [value for value in good if not engine.accepts(written(value))]
    leaked = [value for value in bad if engine.accepts(written(value))]
    assert (refused, leaked) == ([], []), grammar.text
    return grammar


def keywords(grammar: Grammar) -> list[tuple[str, str | None]]:
    """Return what a grammar warns of, as (path, keyword)."""
    return [(warning.path, warning.keyword) for warning in grammar.warnings]
