"""The grammar of a whole turn for llguidance, in its own Lark dialect: free text and calls in one grammar, nothing wakes it up."""

from __future__ import annotations

from untemplate.emit.export import Exported, grammar_losses
from untemplate.emit.lark import emit_lark
from untemplate.emit.turn_grammar import begun_block
from untemplate.lower.request import Request
from untemplate.lower.start import Start
from untemplate.lower.strict import StrictCalls
from untemplate.lower.turn import lower_turn
from untemplate.spec.model import Spec


def emit_llguidance(spec: Spec, request: Request, start: Start) -> Exported:
    """Return the grammar of a turn as llguidance reads it.

    Raises:
        SchemaError: the parameters of a tool are malformed, or nothing fits them.
    """
    strict = StrictCalls()
    arena = lower_turn(spec, request, strict=strict, start=start)
    text, warnings = emit_lark(arena, given=strict.rules, behind=begun_block(spec, start))
    return Exported(text=text, losses=grammar_losses((*strict.warnings, *warnings)))
