"""A spec and a request as llama.cpp's own parser tree: the ``chat_parser`` of its ``/completion``. Experimental.

It fits the builds that have such a field: 11063 has it, 11549 has not. The tree reads the whole turn, what the prompt has begun
with included, behind the end of the prompt (``generation_prompt``). It is written from the spec and not from our own tree, whose
cuts, notes and journals theirs does not know.
"""

from __future__ import annotations

import json

from untemplate.emit.export import Exported, Loss
from untemplate.emit.llama_arena_calls import call_nodes
from untemplate.emit.llama_nodes import CONTENT, REASONING, Nodes, Number
from untemplate.lower.request import Request
from untemplate.lower.signs import Signs, read_signs
from untemplate.spec.model import CallForm, ContentMode, Marker, Spec, Text

BUILD = 11063
"""The build of llama.cpp that it was tried with."""
NOTES = (
    f"experimental: for llama.cpp build {BUILD}, as the string `chat_parser` of /completion; build 11549 has no such member",
    "a marker in the text is a marker there: quotes around it do not make it text, nor does what follows it",
)


def emit_llama_arena(spec: Spec, request: Request) -> Exported:
    """Return the tree as JSON text.

    Raises:
        SpecError: E517 when the calls are written in a way that the tree has no nodes for.
    """
    nodes = Nodes()
    signs = read_signs(spec, with_calls=bool(request.callable_tools))
    losses: tuple[Loss, ...] = ()
    calls: Number | None = None
    if request.callable_tools and spec.turn.calls is not None:
        calls, losses = call_nodes(nodes, spec, request)
    root = nodes.seq(_header(nodes, spec), _turn(nodes, spec, signs, calls), nodes.space(), nodes.end())
    text = json.dumps(nodes.data(root), ensure_ascii=False, indent=1) + "\n"
    return Exported(text=text, losses=(*losses, *_losses(spec)), notes=NOTES)


def _losses(spec: Spec) -> tuple[Loss, ...]:
    """Return what is left out of the tree."""
    if spec.turn.frame is not None and spec.turn.frame.separator.core.strip():
        return (Loss(field="content", message="the text between blocks that are messages of their own is dropped wherever it stands"),)
    return ()


def _header(nodes: Nodes, spec: Spec) -> Number:
    """Return the assistant's header, which the server puts before the text; where it does not, nothing."""
    return nodes.literals([*(entry.header for entry in spec.prompt.generation), ""])


def _turn(nodes: Nodes, spec: Spec, signs: Signs, calls: Number | None) -> Number:
    """Return blocks in any order, with text between them."""
    blocks = [
        _nothing_thought(nodes, signs),
        *_reasoning(nodes, signs),
        *([calls] if calls is not None else []),
        *_dropped(nodes, spec, signs),
    ]
    stops = _stops(signs, spec)
    text = nodes.tag(CONTENT, nodes.seq(nodes.any(), nodes.until(stops)))
    blanks = [nodes.literal(blank) for blank in dict.fromkeys((*signs.blank_opens, *signs.layouts)) if blank]
    behind = nodes.choice([*blocks, nodes.end()])
    layout = [nodes.seq(blank, nodes.peek(behind)) for blank in blanks]
    head = nodes.maybe(nodes.literals(signs.blank_opens)) if signs.blank_opens else nodes.nothing()
    return nodes.seq(head, nodes.repeat(nodes.choice([nodes.seq(nodes.choice(blocks), head), *layout, text])))


def _nothing_thought(nodes: Nodes, signs: Signs) -> Number:
    """Return what stands for no reasoning."""
    texts = [text for text in signs.empty_reasoning if text.strip()]
    return nodes.literals(texts) if texts else nodes.negate(nodes.nothing())


def _reasoning(nodes: Nodes, signs: Signs) -> list[Number]:
    if not signs.reasoning_open or not signs.reasoning_close:
        return []
    stops = [text for marker in signs.reasoning_close for text in (marker.before + marker.core, marker.core)]
    closed = nodes.choice([_marker(nodes, marker) for marker in signs.reasoning_close])
    thought = nodes.tag(REASONING, nodes.until(stops))
    opened = [_marker(nodes, marker) for marker in signs.reasoning_open]
    return [nodes.seq(nodes.choice(opened), thought, nodes.choice([closed, nodes.end()]))]


def _marker(nodes: Nodes, marker: Marker) -> Number:
    """Return a marker with as much of its layout as there is."""
    after = [marker.after[:size] for size in range(len(marker.after) + 1)]
    return nodes.seq(nodes.literals([marker.before, ""]), nodes.literal(marker.core), nodes.literals(after))


def _dropped(nodes: Nodes, spec: Spec, signs: Signs) -> list[Number]:
    """Return the markers around content, between blocks and at the end of a turn: text of nobody."""
    markers = [*signs.content_open, *signs.content_close, *signs.ends]
    if signs.frame is not None:
        markers.append(signs.frame.separator)
    if spec.turn.content.mode is ContentMode.WRAPPED_WITH_REASONING:
        markers += signs.reasoning_close
    return [_marker(nodes, marker) for marker in dict.fromkeys(markers) if marker.core.strip()]


def _stops(signs: Signs, spec: Spec) -> list[str]:
    """Return where text ends: at every marker, and at the layout before it."""
    markers = [*signs.reasoning_open, *signs.content_open, *signs.content_close, *signs.ends]
    markers += [signs.frame.separator] if signs.frame is not None else []
    found = [text for marker in markers for text in (marker.before + marker.core, marker.core)]
    if signs.forms:
        calls = [signs.section.open.core] if signs.section.open is not None else []
        calls += [first for form in signs.forms if (first := form.open.core or _first_text(form))]
        found += [layout + text for text in calls if text for layout in ("", *signs.layouts, signs.section.lead)]
    return [text for text in found if text.strip()]


def _first_text(form: CallForm) -> str:
    if form.json is not None:
        return "[" if form.json.array else "{"
    return form.fields[0].text if form.fields and isinstance(form.fields[0], Text) else ""
