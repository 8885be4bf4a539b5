"""A request for llama.cpp's ``/completion``: the grammar of a turn with all that the server needs beside it.

The server returns the model's text as it is; a session of ours reads it (``examples/llama_server.py``). Source: the server's own
reading of these fields, which are the ones its chat endpoint fills in by itself (and overwrites, so that endpoint is of no use here).
"""

from __future__ import annotations

import json
from typing import Any

from untemplate.emit.export import Exported, grammar_losses
from untemplate.emit.grammar import Grammar
from untemplate.emit.turn_grammar import turn_grammar
from untemplate.lower.request import Request
from untemplate.lower.start import Start
from untemplate.spec.model import Spec

WORD, FULL_PATTERN = 1, 3
"""Types of triggers: a word anywhere in the text; an expression for all of the text, whose first group begins the grammar."""


def emit_llama_server(spec: Spec, request: Request, start: Start) -> Exported:
    """Return the members of a ``/completion`` request, without the prompt, as JSON text.

    Raises:
        SchemaError: the parameters of a tool are malformed, or nothing fits them.
    """
    grammar = turn_grammar(spec, request, start)
    text = json.dumps(llama_request(spec, grammar, start), ensure_ascii=False, indent=2) + "\n"
    return Exported(text=text, losses=grammar_losses(grammar.warnings), notes=_notes(grammar))


def llama_request(spec: Spec, grammar: Grammar, start: Start) -> dict[str, Any]:
    """Return the members of a ``/completion`` request for a grammar."""
    return {
        "grammar": grammar.text,
        "grammar_lazy": grammar.lazy,
        "grammar_triggers": _triggers(grammar) if grammar.lazy else [],
        "preserved_tokens": list(dict.fromkeys((*grammar.preserved_tokens, *grammar.triggers))),
        "stop": list(grammar.stops),
        "generation_prompt": _generation_prompt(spec, start),
    }


def _triggers(grammar: Grammar) -> list[dict[str, Any]]:
    """Return what wakes a lazy grammar: expressions that leave reasoning alone, or words where there is no reasoning."""
    if grammar.trigger_patterns:
        return [{"type": FULL_PATTERN, "value": pattern} for pattern in grammar.trigger_patterns]
    return [{"type": WORD, "value": word} for word in grammar.triggers]


def _generation_prompt(spec: Spec, start: Start) -> str:
    """Return what the prompt ends with: the assistant's header and what of the turn is there already."""
    for entry in spec.prompt.generation:
        if entry.prefill == start.prefill and entry.text:
            return entry.text
    return start.prefill


def _notes(grammar: Grammar) -> tuple[str, ...]:
    notes = ["add `prompt` (and `stream`), and read the text with `untemplate parse` or a session"]
    if grammar.lazy:
        notes.append("the grammar is lazy: it sleeps until a call begins")
    return tuple(notes)
