"""Compile a model's chat template into a parser spec and a GBNF grammar, and read the model's text with them.

The names below are imported when they are first used, so that ``import untemplate`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from untemplate.errors import (
        GrammarError,
        InferenceError,
        ParseError,
        RequestError,
        SchemaError,
        SourceError,
        SpecError,
        TemplateError,
        TemplateRefusal,
        UntemplateError,
    )
    from untemplate.parser import Parser, build_parser
    from untemplate.runtime.message import Delta, Diagnostic, Message, ToolCall
    from untemplate.runtime.session import Session

_HOMES = {
    "compile_template": "untemplate.compiler",
    "load_spec": "untemplate.spec.files",
    "dump_spec": "untemplate.spec.files",
    "Spec": "untemplate.spec.model",
    "build_parser": "untemplate.parser",
    "Parser": "untemplate.parser",
    "Session": "untemplate.runtime.session",
    "Message": "untemplate.runtime.message",
    "ToolCall": "untemplate.runtime.message",
    "Delta": "untemplate.runtime.message",
    "Diagnostic": "untemplate.runtime.message",
    "Grammar": "untemplate.emit.grammar",
    "json_schema_grammar": "untemplate.emit.schema_grammar",
    **dict.fromkeys(
        (
            "GrammarError",
            "InferenceError",
            "ParseError",
            "RequestError",
            "SchemaError",
            "SourceError",
            "SpecError",
            "TemplateError",
            "TemplateRefusal",
            "UntemplateError",
        ),
        "untemplate.errors",
    ),
}

__all__ = [
    "Delta",
    "Diagnostic",
    "Grammar",
    "GrammarError",
    "InferenceError",
    "Message",
    "ParseError",
    "Parser",
    "RequestError",
    "SchemaError",
    "Session",
    "SourceError",
    "Spec",
    "SpecError",
    "TemplateError",
    "TemplateRefusal",
    "ToolCall",
    "UntemplateError",
    "build_parser",
    "compile_template",
    "dump_spec",
    "json_schema_grammar",
    "load_spec",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
