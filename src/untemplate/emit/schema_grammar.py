"""A grammar for a JSON Schema on its own."""

from __future__ import annotations

from typing import Any

from untemplate.emit.gbnf_text import gbnf_text
from untemplate.emit.grammar import Grammar
from untemplate.emit.tidy import tidy
from untemplate.lower.json_schema.compile import SchemaCompiler
from untemplate.lower.json_schema.document import Document
from untemplate.lower.json_schema.objects import Style
from untemplate.lower.rulebook import RuleBook


def json_schema_grammar(schema: Any, *, any_order: bool = False) -> Grammar:
    """Return a grammar of the JSON texts that fit ``schema`` (an object, ``True`` or ``False``).

    Keys of objects come in the order of ``properties``, undeclared ones last; with ``any_order``, in any.
    No value that fits is refused; what the grammar takes beyond that is in ``warnings``, with path and keyword.

    Raises:
        SchemaError: the schema is malformed, refers to nothing, or nothing fits it.
    """
    rules = RuleBook()
    compiler = SchemaCompiler(Document(schema), rules, style=Style(any_order=any_order))
    try:
        rules.rules["root"] = compiler.compile(compiler.document.root)
    except RecursionError:
        raise compiler.document.error(compiler.document.root, "properties", "schemas are nested too deeply", code="E413") from None
    return Grammar(text=gbnf_text(tidy(rules.rules, final=rules.final)), warnings=compiler.report.warnings)
