"""Infers how calls are written: section, forms, fields or JSON, arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from untemplate.infer.arguments import infer_arguments
from untemplate.infer.call_gaps import TOKENS, CutTurn, after_last_token, before_first_token, cut_calls, cut_fields, cut_json
from untemplate.infer.evidence import Notebook
from untemplate.infer.fields import merge, to_parts, unify
from untemplate.infer.json_calls import JsonSpans, read_call
from untemplate.infer.lists import ListCut
from untemplate.infer.markers import marker, split_first, split_last
from untemplate.probe.cases import Case, sentinel_case
from untemplate.spec.model import CallForm, Calls, Field, FieldName, Marker, Part, Section, Text
from untemplate.text import sentinels
from untemplate.text.align import Piece, Token, align
from untemplate.text.edges import common_suffix

Body = Callable[[Case], str | None]
"""Renders a case and returns its turn without the header; ``None`` where the template raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsFound:
    """The calls of a template and what is left around them for the other blocks."""

    calls: Calls
    leads: Mapping[str, str]
    """By case label: the text before the section (or the first call) back to the last sentinel, section opening taken off."""
    trails: Mapping[str, str]
    """By case label: the text behind the calls, to the end of the turn."""
    after: bool
    """Content stands behind the calls."""
    end: str | None = None
    """What ends a turn of calls, where only turns of two show it."""


GRID: tuple[Mapping[str, Any], ...] = (
    {"calls": 1},
    {"calls": 2},
    {"calls": 3},
    {"content": True, "calls": 1},
    {"content": True, "calls": 2},
    {"reasoning": True, "calls": 1},
    {"reasoning": True, "content": True, "calls": 1},
    {"reasoning": True, "calls": 2},
)


def infer_calls(
    body: Body, most: int, end: str, notebook: Notebook, *, content_end: str = "", special: tuple[str, ...] = ()
) -> CallsFound | None:
    """Return how calls are written, or ``None`` where no reading of the grid holds together.

    Some templates close a section behind the second call only, and again behind each that follows: where the grid as a whole
    does not hold together, turns of two calls are read alone.

    Args:
        most: how many calls of one turn are rendered (1 where the template takes one only).
        end: the end of a turn that calls tools.
        content_end: the end of a turn that does not.
    """
    bodies = {case.label: (case, text) for case in _grid(most) if (text := body(case)) is not None and _whole(case, text)}
    if not bodies:
        return None
    single = bodies.get("calls1")
    pairs = {label: found for label, found in bodies.items() if len(found[0].calls) == 2}
    found = _read(bodies, single, body, _trimmer(end), notebook, special)
    if found is None and pairs and single is not None:
        late = content_end if content_end.strip() and all(text.endswith(content_end) for _, text in pairs.values()) else end
        found = _read(pairs, single, body, _trimmer(late), notebook, special)
        found = found and _closed_late(found, single[1], late)
    return found


def _closed_late(found: CallsFound, single: str, end: str) -> CallsFound:
    """Return the calls of turns of two, with what one call alone leaves out: its section's close, and with that the end of the turn."""
    section = found.calls.section
    if section.close is None or not section.close.core or section.close.core in single:
        return found
    return replace(found, calls=replace(found.calls, section=replace(section, close_several_only=True)), end=end)


_Bodies = Mapping[str, tuple[Case, str]]


def _read(
    bodies: _Bodies, single: tuple[Case, str] | None, body: Body, trim: Callable[[str], str], notebook: Notebook, special: tuple[str, ...]
) -> CallsFound | None:
    jsons = {label: cut_json(text, case) for label, (case, text) in bodies.items()}
    if all(found is not None for found in jsons.values()):
        cuts = {label: found for label, found in jsons.items() if found is not None}
        result = _json_form(cuts, trim, special)
        if result is not None:
            _note(notebook, result, "json")
            return result
    fields = {label: cut_fields(text, case) for label, (case, text) in bodies.items()}
    turns = {label: cut for label, cut in fields.items() if cut is not None}
    alone = cut_fields(single[1], single[0]) if single is not None else None
    result = _field_form(turns, alone or next(iter(turns.values())), body, trim, special) if turns else None
    if result is not None:
        _note(notebook, result, "fields")
    return result


def _grid(most: int) -> list[Case]:
    return [sentinel_case(**blocks) for blocks in GRID if blocks["calls"] <= most]


def _whole(case: Case, text: str) -> bool:
    """Return whether every call of the case left its name and its values in the text, and content and reasoning too."""
    marks = [call.name for call in case.calls] + [str(value) for call in case.calls for value in call.arguments.values()]
    return all(mark in text for mark in marks)


def _trimmer(end: str) -> Callable[[str], str]:
    return lambda tail: tail[: len(tail) - len(end)] if end and tail.endswith(end) else tail


def _note(notebook: Notebook, found: CallsFound, how: str) -> None:
    form = found.calls.forms[0]
    notebook.note("turn.calls", "calls1|calls2", left=form.open.text, right=form.close.text if form.close else "", note=how)
    if found.calls.section.open is not None:
        notebook.note("turn.calls.section", "calls1|calls2", left=found.calls.section.open.text, note="what is left before the first call")


def _sectioned(
    turns: Mapping[str, CutTurn], cut: ListCut, special: tuple[str, ...], trim: Callable[[str], str]
) -> tuple[Section, dict[str, str], dict[str, str], bool]:
    """Return the section, the leads and the trails, and whether content follows the calls."""
    heads = dict(zip(turns, cut.heads, strict=True))
    several = [label for label, turn in turns.items() if len(turn.calls) > 1]
    open_text = _shared_opening(list(heads.values()), special)
    open_several = _shared_opening([heads[label] for label in several], special)
    close_text, several_only = cut.close, False
    if several and len(several) < len(turns) and open_several.strip() and not open_text.strip():
        several_only, open_text = True, open_several
        close_text = trim(before_first_token(turns[several[0]].tail))[len(cut.item_close) :]
    white = open_text[: len(open_text) - len(open_text.lstrip())]
    sectioned = several if several_only else list(turns)
    size = len(open_text) - (len(white) if open_text.strip() else 0)
    if not open_text.strip():
        size, open_text = 0, ""
    leads = {label: head[: len(head) - size] if label in sectioned else head for label, head in heads.items()}
    return (
        Section(open=marker(open_text.lstrip()), close=marker(close_text), separator=cut.separator, several_only=several_only),
        leads,
        {label: turn.tail[len(cut.item_close) :] for label, turn in turns.items()},
        any(sentinels.CONTENT in turn.tail for turn in turns.values()),
    )


def _shared_opening(heads: list[str], special: tuple[str, ...]) -> str:
    return common_suffix(heads, special=special, after_value=False, before_value=False)


def _json_form(cuts: Mapping[str, tuple[CutTurn, JsonSpans]], trim: Callable[[str], str], special: tuple[str, ...]) -> CallsFound | None:
    turns = {label: cut for label, (cut, _) in cuts.items()}
    best = max(turns, key=lambda label: len(turns[label].case.calls))
    calls_of = turns[best].case.calls
    spans = cuts[best][1]
    text = turns[best].calls
    json_call = read_call(spans, calls_of, _text_for(spans, text))
    if json_call is None:
        return None
    cut = cut_calls(turns, special=special, trim=trim)
    if cut is None:
        return None
    section, leads, trails, after = _sectioned(turns, cut, special, trim)
    if json_call.array or len(calls_of) == 1:
        section, opening, closing = _array_section(section, cut, json_call.array)
    else:
        opening, closing = cut.item_open, cut.item_close
    form = CallForm(open=_open(opening), close=marker(closing), json=json_call)
    return CallsFound(calls=Calls(section=section, forms=(form,)), leads=leads, trails=trails, after=after)


def _text_for(spans: JsonSpans, calls: Sequence[str]) -> str:
    """Return a text in which the first span's offsets hold: padding, then the call itself."""
    return " " * spans.spans[0].start + calls[0]


def _array_section(section: Section, cut: ListCut, array: bool) -> tuple[Section, str, str]:
    """Return the section of calls that are one array: the gaps belong to it, not to the items."""
    if not array:
        return section, cut.item_open, cut.item_close
    opened = (section.open.text if section.open else "") + cut.item_open
    closed = cut.item_close + (section.close.text if section.close else "")
    return Section(open=marker(opened), close=marker(closed), separator=""), "", ""


def _open(text: str) -> Marker:
    return marker(text) or Marker(core="")


def _field_form(
    turns: Mapping[str, CutTurn], single: CutTurn, body: Body, trim: Callable[[str], str], special: tuple[str, ...]
) -> CallsFound | None:
    cut = cut_calls(turns, special=special, trim=trim)
    if cut is None:
        return None
    section, leads, trails, after = _sectioned(turns, cut, special, trim)
    arguments_first = _starts_with_arguments(single.calls[0])
    lead = single.head[: len(single.head) - (len(cut.item_open) if arguments_first else 0)]

    def call_text(arguments: Mapping[str, Any]) -> str | None:
        case = replace(single.case, calls=(replace(single.case.calls[0], arguments=arguments),))
        text = body(case)
        return text[len(lead) :] if text is not None and text.startswith(lead) else None

    shortest = min((after_last_token(turn.head) for turn in turns.values()), key=len)
    found = infer_arguments(call_text, special=special, lead=shortest)
    if found is None:
        return None
    most = max(turns.values(), key=lambda turn: len(turn.calls))
    item_open = cut.item_open[: len(cut.item_open) - found.before] if arguments_first else cut.item_open
    before = () if arguments_first else unify([_before_arguments(align(call, TOKENS), found.before) for call in most.calls])
    if before is None:
        return None
    after_text = trim(found.after)
    close_text = section.close.text if section.close else ""
    if close_text and after_text.endswith(close_text):
        after_text = after_text[: len(after_text) - len(close_text)]
    trailing = after_text.rstrip() if section.separator[:1].isspace() or close_text == "" else after_text
    form = _assemble(item_open, before, trailing, found.arguments, single)
    return CallsFound(calls=Calls(section=section, forms=(form,)), leads=leads, trails=trails, after=after)


def _starts_with_arguments(call: str) -> bool:
    """Return whether a call's first sentinel is one of its arguments: name and id follow them."""
    first = align(call, TOKENS)[1]
    return isinstance(first, Token) and first.kind in ("key", "value")


def _before_arguments(pieces: tuple[Piece, ...], taken: int) -> tuple[Piece, ...]:
    """Return the pieces of a call before its arguments: up to the first key, less ``taken`` characters."""
    before: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Token) and piece.kind in ("key", "value"):
            break
        before.append(piece)
    last = before[-1]
    if isinstance(last, str) and taken:
        before[-1] = last[: len(last) - taken]
    return tuple(before)


def _assemble(item_open: str, before: tuple[Part, ...], after: str, arguments: Any, single: CutTurn) -> CallForm:
    turn = single.head + single.calls[0] + single.tail
    opening, rest = split_first(item_open, turn)
    *behind, last = align(after, TOKENS)
    closing_rest, closing = split_last(str(last), turn)
    fields: list[Part] = [Text(text=rest)] if rest else []
    fields += [*before, Field(field=FieldName.ARGUMENTS), *to_parts(behind)]
    if closing_rest:
        fields.append(Text(text=closing_rest))
    merged = merge(fields)
    form = CallForm(open=opening, close=closing, fields=merged, arguments=arguments)
    return replace(form, id_parts=_id_parts(merged))


def _id_parts(fields: tuple[Part, ...]) -> tuple[int, int] | None:
    """Return which parts together are the id, where the id that was given is ``functions.NAME:N`` and stands there as such."""
    names = [index for index, part in enumerate(fields) if isinstance(part, Field) and part.field is FieldName.NAME]
    if any(isinstance(part, Field) and part.field is FieldName.ID for part in fields) or not names:
        return None
    at = names[0]
    before = fields[at - 1] if at else None
    if not (isinstance(before, Text) and before.text.endswith("functions.")):
        return None
    after = fields[at + 1 : at + 3]
    is_counted = len(after) == 2 and isinstance(after[0], Text) and after[0].text == ":" and isinstance(after[1], Field)
    return (at - 1, at + 3) if is_counted and before.text == "functions." else None
