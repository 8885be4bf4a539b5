"""A turn as the grammar writes it: the template's blocks in the template's order, from where the prompt leaves off.

White space of layout may be written or left out, as the parser takes it. The calls come from ``strict``, tool by tool.
"""

from __future__ import annotations

from untemplate.lower.ends import last_words
from untemplate.lower.marks import EMPTY, SPACE, any_of, chunks, is_marker, loose, white_after
from untemplate.lower.reasoning import meant_openings
from untemplate.lower.request import Request
from untemplate.lower.signs import Signs, begun_tokens, closing_tokens, first_token, form_openings, marker_texts, read_signs
from untemplate.lower.start import Start, is_in_content, state_of
from untemplate.peg import builder as b
from untemplate.peg.nodes import End, Gbnf, Node, Schema, Space, Until
from untemplate.spec.model import Block, ContentMode, Marker, PromptState, Spec


def written_turn(spec: Spec, request: Request, calls: Node | None, *, start: Start, from_trigger: bool) -> Node:
    """Return what may be written for a turn.

    Args:
        calls: the calls as the grammar writes them; ``None``: none may be written.
        start: what the prompt has written already.
        from_trigger: only what follows from the first call's opening on, for a grammar that wakes up there.
    """
    signs = read_signs(spec, with_calls=calls is not None)
    if calls is not None and from_trigger:
        return b.seq(calls, Space(written="\n"))
    opened = is_in_content(start, signs)
    parts = [EMPTY if opened else _reasoning(spec, signs, state_of(start, signs), start)]
    if request.grammar is not None:
        parts.append(Gbnf(text=request.grammar))
    elif request.has_schema:
        parts.append(_wrapped(signs, Schema(schema=request.response_schema, root=request.response_schema), opened=opened))
    else:
        required = calls is not None and request.tool_choice in ("required", "named")
        blocks = [block for block in spec.turn.blocks if block is not Block.REASONING]
        parts += [_block(spec, signs, block, calls, required=required, opened=opened) for block in blocks]
    unsaid = signs.header_blank if not start.prefill else ""
    return b.seq(Space(written=unsaid) if unsaid else EMPTY, *(part for part in parts if part != EMPTY), Space(written="\n"))


def _exact(marker: Marker) -> Node:
    """Return a marker as the template writes it, with the white space around it free."""
    before = [Space(written=marker.before)] if marker.before else []
    after = [Space(written=marker.after)] if marker.after else []
    return b.seq(*before, b.lit(marker.core), *after)


def _separator(signs: Signs) -> Node:
    return _exact(signs.frame.separator) if signs.frame is not None else EMPTY


def _reasoning(spec: Spec, signs: Signs, state: PromptState, start: Start) -> Node:
    """Return reasoning: its rest where the prompt has opened it, a whole block or nothing where it has not."""
    if not signs.reasoning_close:
        return EMPTY
    close = signs.reasoning_close[0]
    if state is PromptState.AFTER_REASONING:
        unsaid = close.after.removeprefix(white_after(start.prefill))
        return Space(written=unsaid) if unsaid else EMPTY
    ends = (*signs.ends, *([signs.frame.separator] if signs.frame is not None else []))
    implied = tuple(dict.fromkeys(first_token(marker.core) for marker in signs.content_open if is_marker(marker.core)))
    text = Until(stops=tuple(dict.fromkeys((close.core, *(chunks(end.core)[0] for end in ends)))), unbegun=implied)
    rest = b.seq(text, _exact(close), _separator(signs))
    if state is PromptState.REASONING:
        return rest
    opening = signs.reasoning_open[0] if spec.turn.reasoning.open and signs.reasoning_open else None
    blank = None if opening is None else "".join((opening.core + close.core).split())
    ways: list[Node] = [b.lit(text) for text in signs.empty_reasoning if "".join(text.split()) != blank]
    if opening is not None:
        ways.insert(0, b.seq(_exact(opening), rest))
    return b.optional(b.choice(*ways)) if ways else EMPTY


def _wrapped(signs: Signs, node: Node, *, opened: bool, free: bool = False) -> Node:
    """Return content inside its wrapper, whose close may be the end of the turn.

    ``opened``: the prompt has opened it; ``free``: it may be left out.
    """
    opens = [] if opened else [_exact(marker) for marker in signs.content_open[:1]]
    if free:
        opens = [b.optional(node) for node in opens]
    closes = [b.optional(_exact(marker)) for marker in signs.content_close[:1]]
    return b.seq(*opens, node, *closes)


def _block(spec: Spec, signs: Signs, block: Block, calls: Node | None, *, required: bool, opened: bool) -> Node:
    if block is Block.CALLS:
        if calls is None:
            return EMPTY
        lead = spec.turn.calls.section.lead if spec.turn.calls is not None else ""
        laid_out = b.seq(Space(written=lead), calls) if lead else calls
        return laid_out if required else b.optional(laid_out)
    if required:
        return _nothing_said(spec, signs, opened=opened)
    openings = [opening[0] for opening in form_openings(signs) if is_marker("".join(opening))]
    stops = [marker.core for marker in (*signs.content_close, *signs.reasoning_close)]
    stops += [*openings, *(chunks(end.core)[0] for end in signs.ends)]
    free = spec.turn.content.mode is ContentMode.WRAPPED_WITH_REASONING
    text = _wrapped(signs, _said(signs, stops), opened=opened, free=free)
    return b.optional(b.seq(text, b.optional(_separator(signs)) if signs.frame is not None else EMPTY))


def _said(signs: Signs, stops: list[str]) -> Node:
    """Return content: text without ``stops``, and without what the parser takes for the opening of a block."""
    wrappers = [first_token(marker.core) for marker in signs.content_open if is_marker(marker.core)]
    openings = tuple(dict.fromkeys((*wrappers, *(first_token(marker.core) for marker in signs.reasoning_open))))
    ends = dict.fromkeys((*wrappers, *closing_tokens(signs), *marker_texts(signs), *last_words(signs)))
    never = [b.lit(text) for text in dict.fromkeys((*stops, *begun_tokens(signs)))]
    meant = [*(b.seq(b.lit("\n"), loose(text)) for text in wrappers), *meant_openings(signs)]
    meant += [b.seq(loose(text), SPACE, End()) for text in ends]
    first = dict.fromkeys((*(node.text for node in never), *(chunks(text)[0] for text in (*ends, *openings)), "\n"))
    return Until(stops=tuple(first), confirm=any_of(*never, *dict.fromkeys(meant)), unbegun=openings)


def _nothing_said(spec: Spec, signs: Signs, *, opened: bool) -> Node:
    """Return what the template writes for no content before calls: the wrapper that it writes around none, or what the prompt left open."""
    beside = spec.turn.content.with_calls
    if not opened and beside is not None and beside.always and beside.open is not None and beside.close is not None:
        return b.optional(b.seq(_exact(beside.open), _exact(beside.close)))
    return _wrapped(signs, EMPTY, opened=opened) if opened or (spec.turn.content.always and signs.content_open) else EMPTY
