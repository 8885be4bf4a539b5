"""A spec as tables for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from untemplate.cli.layouts import sketch_form, sketch_parts
from untemplate.cli.pieces import Kind, Piece, Row
from untemplate.cli.visible import visible
from untemplate.spec.codec import encode

if TYPE_CHECKING:
    from untemplate.spec.model import Arguments, GenerationPrompt, Marker, Spec

STYLES = {
    Kind.REASONING_OPENS: "bold magenta",
    Kind.REASONING_CLOSES: "bold magenta",
    Kind.REASONING: "magenta",
    Kind.CONTENT_OPENS: "bold green",
    Kind.CONTENT_CLOSES: "bold green",
    Kind.SECTION_OPENS: "bold blue",
    Kind.SECTION_CLOSES: "bold blue",
    Kind.CALL_OPENS: "bold cyan",
    Kind.CALL_CLOSES: "bold cyan",
    Kind.CALL: "cyan",
    Kind.NAME: "bold yellow",
    Kind.ID: "yellow",
    Kind.KEY: "blue",
    Kind.BETWEEN: "bold red",
    Kind.END: "bold red",
    Kind.PROMPT: "dim",
}
"""What is not here is shown plain."""


def painted(pieces: Iterable[Piece]) -> Text:
    """Return pieces as coloured text, every control character visible; a line feed that follows something ends the line too."""
    text = Text(overflow="fold")
    begun = ends = False
    for piece in pieces:
        for line in _AFTER_LINE_FEEDS.split(piece.text):
            text.append(
                ("\n" if ends and line.strip("\n") and not line.startswith("\n") else "") + visible(line), style=STYLES.get(piece.kind, "")
            )
            begun = begun or bool(line.strip("\n"))
            ends = begun and (line.endswith("\n") if line else ends)
    return text


_AFTER_LINE_FEEDS = re.compile(r"(?<=\n)(?!\n)")


def turn_table(rows: Iterable[Row]) -> Table:
    """Return a turn as a table of two columns: what it is, and the text."""
    table = _table("", "")
    for row in rows:
        table.add_row(Text(row.label.value, style=STYLES.get(row.label, "")), painted(row.pieces))
    return table


# --- markers -----------------------------------------------------------------------------------------------------------


def markers_table(spec: Spec) -> Table:
    """Return the markers of a spec: what each is for, its core, and the white space around it."""
    table = _table("marker", "text", "before", "after")
    for kind, marker in _markers(spec):
        style = STYLES.get(kind, "")
        table.add_row(
            Text(kind.value), *(Text(visible(each), style, overflow="fold") for each in (marker.core, marker.before, marker.after))
        )
    return table


def _markers(spec: Spec) -> Iterator[tuple[Kind, Marker]]:
    turn = spec.turn
    if turn.frame:
        yield Kind.BETWEEN, turn.frame.separator
    yield from ((Kind.REASONING_OPENS, marker) for marker in turn.reasoning.open)
    yield from ((Kind.REASONING_CLOSES, marker) for marker in turn.reasoning.close)
    yield from ((Kind.CONTENT_OPENS, marker) for marker in turn.content.open)
    yield from ((Kind.CONTENT_CLOSES, marker) for marker in turn.content.close)
    if turn.calls is None:
        return
    section = turn.calls.section
    yield from ((kind, marker) for kind, marker in ((Kind.SECTION_OPENS, section.open), (Kind.SECTION_CLOSES, section.close)) if marker)
    for form in turn.calls.forms:
        yield Kind.CALL_OPENS, form.open
        if form.close:
            yield Kind.CALL_CLOSES, form.close


# --- calls -------------------------------------------------------------------------------------------------------------


def calls_table(spec: Spec) -> Table | None:
    """Return how calls and their arguments are written; ``None`` where the template shows none."""
    if spec.turn.calls is None:
        return None
    table = _table("", "")
    for form in spec.turn.calls.forms:
        table.add_row("a call", painted(sketch_form(form)))
        if form.arguments is not None:
            for what, text in _argument_rows(form.arguments):
                table.add_row(what, text)
    if spec.turn.calls.section.separator:
        table.add_row("between two", painted((Piece(Kind.BETWEEN, spec.turn.calls.section.separator),)))
    return table


def _argument_rows(arguments: Arguments) -> Iterator[tuple[str, Text]]:
    yield "arguments", Text(arguments.encoding.value)
    if arguments.object is not None:
        yield "a pair", painted(sketch_parts(arguments.object.pair))
    for json_type, value in arguments.values.items():
        label = f", labelled {value.label}" if value.label is not None else ""
        marks = f", between {value.open} and {value.close}" if value.open or value.close else ""
        yield f"{json_type.value} values", Text(visible(f"{value.encoding.value}{marks}{label}"))


# --- the rest ----------------------------------------------------------------------------------------------------------


def prompts_table(spec: Spec) -> Table:
    """Return the generation prompts with the state that each leaves a turn in."""
    table = _table("generation prompt", "text", "the turn starts in")
    for prompt in spec.prompt.generation:
        head, tail = Piece(Kind.PROMPT, prompt.header), Piece(Kind.REASONING_OPENS, prompt.prefill)
        table.add_row(_condition(prompt), painted((head, tail)), prompt.state.value.replace("_", " "))
    return table


def _condition(prompt: GenerationPrompt) -> str:
    said = [f"{name}={value!r}" for name, value in prompt.when.items()]
    if prompt.tools is not None:
        said.append("with tools" if prompt.tools else "without tools")
    return ", ".join(said) or "default"


def capabilities_table(spec: Spec, *, verbose: bool) -> Table:
    """Return what conversations the template takes; ``verbose``: also the template's own words for what it refuses."""
    table = _table("", "")
    for name, value in encode(spec.capabilities).items():
        if name == "refusals":
            continue
        shown = {True: "yes", False: "no", None: "-"}.get(value, value)
        table.add_row(name.replace("_", " "), visible(str(shown)))
    refusals = spec.capabilities.refusals
    if refusals and not verbose:
        table.add_row("refusals", f"{len(refusals)}, shown with --verbose")
    for refusal in refusals if verbose else ():
        table.add_row("refusal", visible(refusal))
    return table


def switches_table(spec: Spec) -> Table | None:
    """Return the variables that change the prompt or the turn; ``None`` where there are none."""
    if not spec.switches:
        return None
    table = _table("switch", "values", "default", "changes")
    for switch in spec.switches:
        values = ", ".join(visible(str(value)) for value in switch.values)
        table.add_row(switch.name, values, visible(str(switch.default)), ", ".join(switch.changes))
    return table


def tokens_table(spec: Spec) -> Table:
    """Return the texts that an engine must know of, and their token ids where the source has a vocabulary."""
    table = _table("", "")
    for name, texts in (("stops", spec.tokens.stops), ("triggers", spec.tokens.triggers), ("preserved", spec.tokens.preserved)):
        shown = [f"{visible(text)} ({spec.tokens.ids[text]})" if text in spec.tokens.ids else visible(text) for text in texts]
        table.add_row(name, Text("  ".join(shown) or "-", overflow="fold"))
    return table


def _table(*headers: str) -> Table:
    table = Table(box=None, show_header=any(headers), header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for index, header in enumerate(headers):
        table.add_column(header, overflow="fold", no_wrap=index == 0)
    return table
