"""Calls as a part of a response template: one region a call where that can be, one for all calls where they are one list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from untemplate.emit.export import Loss
from untemplate.emit.response_template_anchors import END, Delimiter, Pattern, delimit, either, loose, one_of, pattern_of, quote
from untemplate.emit.response_template_edges import CallEdges, call_edges
from untemplate.emit.response_template_forms import (
    CallHead,
    adjacent_head,
    field_head,
    json_head,
    key_head,
    late_id,
    python_head,
    trailing_text,
    ungrouped,
)
from untemplate.emit.response_template_values import Pairs, read_pairs
from untemplate.lower.signs import Signs
from untemplate.spec.model import Arguments, CallForm, Encoding, FieldName, JsonType, Notation, PairList, Spec, Text, Value
from untemplate.spec.model import Field as Place

_SCALARS = (JsonType.STRING, JsonType.INTEGER, JsonType.NUMBER, JsonType.BOOLEAN, JsonType.NULL)

_NAMED: dict[str, Any] = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
"""A call whose name was read by the opening, and whose content is its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsField:
    """The field of calls, and what it loses."""

    field: dict[str, Any] | None
    """``None`` where the calls cannot be read at all."""
    start: str | None
    """A pattern for what a call begins with."""
    whole: str | None = None
    """A pattern for calls from beginning to end, with the end of the turn behind them; ``None`` where none has a marker at both."""
    strays: tuple[Delimiter, ...] = ()
    """What may stand behind a call and belongs to no block."""
    losses: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()


def calls_field(spec: Spec, signs: Signs, *, richly: bool) -> CallsField:
    """Return the field of the calls of a spec that has some.

    Args:
        richly: with what only transformers reads: Python call lists, ids behind the arguments, ids inside JSON.
    """
    assert spec.turn.calls is not None
    edges = call_edges(spec, signs)
    form = spec.turn.calls.forms[0]
    if form.json is not None:
        return _json_calls(form, edges, richly=richly)
    if richly and _is_python_list(form, edges):
        return _python_list(edges)
    return _field_calls(spec.turn.calls.forms, edges, richly=richly)


def _json_calls(form: CallForm, edges: CallEdges, *, richly: bool) -> CallsField:
    layout = form.json
    assert layout is not None
    if layout.name_is_key:
        return _keyed_calls(form, edges)
    if layout.python:
        return _python_calls(form, edges)
    beside = adjacent_head(form) if not form.open.core and not edges.separator else None
    if beside is not None:
        named: dict[str, Any] = {"content": "json", "transform": _NAMED}
        return _regions(form, beside, edges, named, previous="}", tail=_after_brace(form))
    root = "" if layout.array else "content."
    function: dict[str, Any] = {"name": f"{{{root}{'.'.join(layout.name)}}}", "arguments": f"{{{root}{'.'.join(layout.arguments)}}}"}
    ids, notes = _json_ids(form, root, richly=richly)
    body = {"content": "json", "transform": {"type": "function", **ids, "function": function}}
    head = json_head(form)
    if not layout.array:
        return _regions(form, head, edges, body, previous="}", notes=notes)
    opens = [(edges.lead, _required(edges.section_open), *head.delimiter)]
    closes = _list_closes(form, edges)
    field = {**delimit("open", opens), **closes, **body, "transform_each": True}
    return CallsField(field=field, start=_start(edges, head), notes=notes)


def _json_ids(form: CallForm, root: str, *, richly: bool) -> tuple[dict[str, str], tuple[str, ...]]:
    layout = form.json
    assert layout is not None
    if layout.id is None or layout.id_start is not None:
        return {}, ()
    if richly:
        return {"id": f"{{{root}{'.'.join(layout.id)}}}"}, ("a call whose id the model leaves out is not read at all",)
    return {}, ("ids are left to the runtime (vLLM and SGLang make their own), so that a call without one is read too",)


def _required(alternatives: tuple[str, ...]) -> tuple[str, ...]:
    """Return the alternatives that are not empty, if any."""
    return tuple(text for text in alternatives if text) or ("",)


def _list_closes(form: CallForm, edges: CallEdges) -> dict[str, Any]:
    """Return what closes the region of a whole list of calls."""
    own = form.close.core if form.close is not None else ""
    if own:
        return delimit("close", [((own,), edges.behind)])
    if edges.section_close:
        return delimit("close", [(edges.section_close, edges.behind)])
    return {"close_pattern": either(*(pattern_of(end) for end in edges.ends), rf"(?<=\]){END}")}


def _start(edges: CallEdges, head: CallHead) -> str:
    section = _required(edges.section_open)[-1]
    return quote(section) if section and not head.marked else either(*([quote(section)] if section else []), head.start)


def _regions(
    form: CallForm,
    head: CallHead,
    edges: CallEdges,
    body: dict[str, Any],
    *,
    previous: str,
    tail: Delimiter = (),
    losses: tuple[Loss, ...] = (),
    notes: tuple[str, ...] = (),
) -> CallsField:
    """Return a field with one region a call.

    Args:
        previous: what the text of a call ends with: tells the next call that has no marker of its own.
        tail: what closes a call, ``()`` where only what follows does.
    """
    tail = tail or (((form.close.core,),) if form.close is not None and form.close.core else ())
    start = ungrouped(pattern_of(head.delimiter))
    if head.marked:
        opens = [(edges.lead, edges.section_open, *_spaced(edges, head))]
        closes = delimit("close", [(*tail, edges.after)]) if tail else {"close_pattern": edges.stops(start, previous)}
    else:
        glue = quote(previous + edges.separator)
        sectioned = f"(?:{one_of(edges.lead)}{one_of(_required(edges.section_open))}|(?<={glue}))"
        opens = [(Pattern(sectioned if any(edges.section_open) else one_of(edges.lead)), *head.delimiter)]
        closes = {"close_pattern": pattern_of(tail) + edges.stops(start, previous[-1:], own=not tail)}
        if any(edges.section_open) and edges.separator:
            notes = (*notes, f"text that looks like {previous + edges.separator!r} and the beginning of a call is taken for a call")
    field = {**delimit("open", opens), **closes, "repeats": True, **body}
    strays = edges.strays(_last_text(form)) if head.marked and tail else ()
    whole = edges.whole(start, _last_text(form)) if head.marked and tail else None
    return CallsField(field=field, start=_start(edges, head), whole=whole, strays=strays, losses=losses, notes=notes)


def _last_text(form: CallForm) -> str:
    """Return what a call ends with."""
    closed = form.close.core if form.close is not None else ""
    return closed or trailing_text(form).strip()


def _spaced(edges: CallEdges, head: CallHead) -> Delimiter:
    """Return a head, with free white space before it where it stands in a section and is a pattern anyway."""
    if any(isinstance(piece, Pattern) for piece in head.delimiter) and any(edges.section_open):
        return (Pattern(r"\s*"), *head.delimiter)
    return head.delimiter


def _keyed_calls(form: CallForm, edges: CallEdges) -> CallsField:
    """Return calls whose only key is the tool's name, which only a pattern can read: ``{"name": {…}}``."""
    layout = form.json
    assert layout is not None
    if layout.arguments:
        return CallsField(field=None, start=None, losses=(Loss(field="calls", message="the name is a key inside the call's JSON"),))
    body = {"content": "json", "transform": _NAMED}
    head = key_head(form)
    if not layout.array:
        return _regions(form, head, edges, body, previous="}", tail=_after_brace(form))
    item = Pattern(r'\{\s*"(?P<name>[^"\\]+)"\s*:\s*(?=\{)')
    section = one_of(_required(edges.section_open))
    opens = Pattern(rf"(?:{one_of(edges.lead)}{section}\s*\[\s*|(?<=\}}, )){item.source}")
    last = either(*(quote(text) for text in edges.section_close), r"(?<=\])" + END)
    closes = rf"\s*\}}(?:\s*,\s*(?={ungrouped(item.source)})|\s*\]\s*{last})"
    field = {"open_pattern": opens.source, "close_pattern": closes, "repeats": True, **body}
    loss = Loss(field="calls.arguments.array", message="an array of objects with objects inside is cut where it looks like the next call")
    return CallsField(field=field, start=quote(_required(edges.section_open)[-1]), losses=(loss,))


def _after_brace(form: CallForm) -> Delimiter:
    close = quote(form.close.core) if form.close is not None else ""
    return (Pattern(rf"\s*\}}\s*{close}"),)


def _python_calls(form: CallForm, edges: CallEdges) -> CallsField:
    """Return calls that are Python dicts of a name and arguments."""
    layout = form.json
    assert layout is not None
    head = None if layout.array else python_head(form)
    if head is None:
        return CallsField(field=None, start=None, losses=(Loss(field="calls", message="a Python literal, which no content parser reads"),))
    pairs = read_pairs(_python_arguments())
    body = _pairs_body(pairs)
    close = form.close.core if form.close is not None else ""
    tail = (Pattern(rf"\s*\}}\s*\}}\s*{quote(close)}"),)
    return _regions(form, head, edges, body, previous="}}", tail=tail, losses=pairs.losses, notes=pairs.notes)


def _python_arguments() -> Arguments:
    """Return the layout of the pairs of a Python dict."""
    values = dict.fromkeys(JsonType, Value(encoding=Encoding.PYTHON))
    pair = (Place(field=FieldName.KEY), Text(text=": "), Place(field=FieldName.VALUE))
    return Arguments(encoding=Encoding.PAIRS, object=PairList(pair=pair, separator=", ", key_quotes=("'", '"')), values=values)


def _field_calls(forms: tuple[CallForm, ...], edges: CallEdges, *, richly: bool) -> CallsField:
    form = forms[0]
    arguments = form.arguments
    assert arguments is not None
    alike = [each for each in forms if each.json is None and each.arguments == arguments]
    if any(each.close != form.close for each in alike):
        closes = tuple(each.close.core for each in alike if each.close is not None)
        form = replace(form, close=None)
        edges = replace(edges, section_close=tuple(dict.fromkeys((*edges.section_close, *closes))))
    losses: tuple[Loss, ...] = ()
    if len(alike) < len(forms):
        losses = (
            Loss(
                field="calls",
                message=f"{len(forms) - len(alike)} of the {len(forms)} ways in which the model may write a call are not read",
            ),
        )
    closing = trailing_text(form)
    pairs: Pairs | None = None
    begins, body = "{", {"content": "json"}
    if arguments.encoding is Encoding.PYTHON:
        arguments = _python_arguments()
    if arguments.encoding is Encoding.PAIRS:
        pairs = read_pairs(arguments, behind=loose(closing.strip()) if form.close is not None and form.close.core else "")
        begins, body = _begins(arguments, form), _pairs_body(pairs)
    head = field_head(alike, begins)
    body, notes = _with_ids(body, form, head, richly=richly)
    tail: Delimiter = ()
    if closing.strip() and (pairs is None or form.close is None or not form.close.core):
        tail = (Pattern(rf"\s*{loose(closing.strip())}\s*" + (quote(form.close.core) if form.close is not None else "")),)
    if pairs is not None:
        losses, notes = (*losses, *pairs.losses), (*notes, *pairs.notes)
    previous = closing.rstrip() + (form.close.core if form.close is not None else "") or "}"
    return _regions(form, head, edges, body, previous=previous, tail=tail, losses=losses, notes=notes)


def _begins(arguments: Arguments, form: CallForm) -> str:
    """Return the characters that pairs may begin with: of their own opening, of a pair, of what closes a call without any."""
    assert arguments.object is not None
    first = arguments.object.pair[0]
    texts = [arguments.object.open, first.text if isinstance(first, Text) else "", trailing_text(form)]
    texts.append(form.close.core if form.close is not None else "")
    return "".join(text.strip()[:1] for text in texts)


def _pairs_body(pairs: Pairs) -> dict[str, Any]:
    return {"content": "xml-inline", "content_args": dict(pairs.content_args)}


def _with_ids(body: dict[str, Any], form: CallForm, head: CallHead, *, richly: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    function = {"name": "{name}", "arguments": "{content}"}
    ids = {"id": "{id}"} if head.has_id else {}
    notes: tuple[str, ...] = ()
    if late_id(form):
        notes = ("the id behind the arguments is not read: runtimes make their own",)
    return {**body, "transform": {"type": "function", **ids, "function": function}}, notes


def _is_python_list(form: CallForm, edges: CallEdges) -> bool:
    """Return whether the calls are a list of Python calls with keyword arguments, as a whole: ``[f(x=1), g()]``."""
    arguments = form.arguments
    pairs = arguments.object if arguments is not None else None
    if arguments is None or pairs is None or form.open.core or not any(text.endswith("[") for text in edges.section_open):
        return False
    names = [part.field for part in form.fields if isinstance(part, Place)]
    texts = "".join(part.text for part in form.fields if isinstance(part, Text)) + (form.close.core if form.close is not None else "")
    pair = "".join(part.text if isinstance(part, Text) else part.field.value for part in pairs.pair)
    written = {value.encoding for value in arguments.values.values()}
    return (
        names == [FieldName.NAME, FieldName.ARGUMENTS]
        and texts.strip() == "()"
        and "".join(pair.split()) == "key=value"
        and edges.separator.strip() == pairs.separator.strip() == ","
        and written <= {Encoding.JSON, Encoding.PYTHON, Encoding.NOTATION}
        and (arguments.notation is None or _is_python(arguments.notation))
    )


def _is_python(notation: Notation) -> bool:
    """Return whether nested values are Python's dicts and lists, whichever quotes and words stand in them."""
    members, items = notation.object, notation.array
    if members is None or items is None:
        return False
    pair = "".join(part.text if isinstance(part, Text) else part.field.value for part in members.pair)
    return (
        "".join(pair.split()) in ("'key':value", '"key":value')
        and (members.open, members.separator.strip(), members.close) == ("{", ",", "}")
        and (items.open, items.separator.strip(), items.close) == ("[", ",", "]")
    )


def _python_list(edges: CallEdges) -> CallsField:
    opened = [text.removesuffix("[") for text in edges.section_open if text]
    closed = [text.strip().removeprefix("]") for text in edges.section_close]
    start = either(*(quote(text) for text in opened)) + r"(?=\[\s*[A-Za-z_][\w.-]*\()"
    opens: Delimiter = (edges.lead, Pattern(start))
    ends = [(Pattern(r"(?<=\])"), tuple(closed), edges.behind)] if closed and all(closed) else [*edges.ends, (Pattern(rf"(?<=\]){END}"),)]
    function = {"name": "{name}", "arguments": "{arguments}"}
    field = {
        **delimit("open", [opens]),
        **delimit("close", ends),
        "content": "python-call-list",
        "transform": {"type": "function", "function": function},
        "transform_each": True,
    }
    notes = ("integers beyond 2^53 and escapes such as \\x00 are refused by the reader of Python call lists",)
    return CallsField(field=field, start=start, notes=notes)
