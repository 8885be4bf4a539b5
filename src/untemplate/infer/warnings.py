"""Says what a spec leaves open: warnings with stable codes, and fields that the rendering cannot tell apart."""

from __future__ import annotations

from collections.abc import Sequence

from untemplate.spec.model import Ambiguity, Encoding, JsonType, ReasoningMode, Spec, SpecWarning, Support


def warnings_of(spec: Spec, notes: Sequence[str]) -> tuple[SpecWarning, ...]:
    """Return the warnings of a spec, in the order of its fields."""
    found: list[SpecWarning] = []
    if not spec.prompt.generation:
        found.append(SpecWarning(code="W310", message="no generation prompt was found: the start of a turn is taken from history"))
    if not spec.prompt.end_of_turn.content:
        found.append(
            SpecWarning(code="W311", message="no text ends a turn: the runtime must stop at the tokenizer's end-of-sequence token")
        )
    if spec.turn.calls is None and spec.capabilities.tools:
        found.append(
            SpecWarning(
                code="W320", message="the prompt shows tools, but no call is ever rendered and none is described in words we can read"
            )
        )
    if spec.turn.reasoning.mode is ReasoningMode.NONE:
        found.append(
            SpecWarning(code="W330", message="no reasoning markers in the template; an overlay can name them if the model writes some")
        )
    elif not spec.turn.reasoning.close:
        found.append(SpecWarning(code="W331", message="reasoning is opened, but what closes it is not shown"))
    found += [SpecWarning(code="W340", message=note) for note in notes]
    return tuple(found)


def ambiguities_of(spec: Spec) -> tuple[Ambiguity, ...]:
    """Return the fields that the rendering cannot tell apart."""
    found: list[Ambiguity] = []
    content, reasoning = spec.turn.content, spec.turn.reasoning
    beside = content.with_calls.open if content.with_calls is not None else None
    if beside is not None and beside in reasoning.open:
        found.append(
            Ambiguity(
                fields=("turn.content.with_calls.open", "turn.reasoning.open"), because="content beside a call is written as reasoning is"
            )
        )
    for form in spec.turn.calls.forms if spec.turn.calls is not None else ():
        values = form.arguments.values if form.arguments is not None else {}
        string = values.get(JsonType.STRING)
        if string is not None and string.encoding is Encoding.RAW and not (string.open or string.label):
            found.append(
                Ambiguity(
                    fields=("turn.calls.forms.arguments.values",),
                    because='strings are written without quotes: only the tool\'s schema tells "1" from 1',
                )
            )
    if spec.capabilities.content_with_calls is not Support.KEPT and spec.turn.calls is not None:
        found.append(Ambiguity(fields=("turn.content.with_calls",), because="content beside calls is not rendered"))
    return tuple(found)
