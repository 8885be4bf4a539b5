"""A sample turn written from a spec, in named pieces."""

from __future__ import annotations

from collections.abc import Iterator

from untemplate.cli.pieces import Kind, Piece, marker_piece
from untemplate.cli.sketch_calls import sketch_calls
from untemplate.spec.model import Block, ContentMode, Marker, PromptState, Spec

REASONING = "The user asks for the weather."
CONTENT = "Let me look."


def sketch_turn(spec: Spec) -> tuple[Piece, ...]:
    """Return a sample turn with every block that the template writes: its prompt, the turn, its end."""
    turn = spec.turn
    state, pieces = _prompt(spec)
    for block in turn.blocks:
        written = list(_block(spec, block, state))
        if turn.frame and written and any(piece.kind is not Kind.PROMPT for piece in pieces):
            pieces.extend(marker_piece(Kind.BETWEEN, turn.frame.separator))
        pieces.extend(written)
    ends = spec.prompt.end_of_turn
    end = (ends.calls if turn.calls is not None else ends.content) or ends.content
    if end:
        pieces.append(Piece(Kind.END, end[0]))
    return tuple(piece for piece in pieces if piece.text)


def _prompt(spec: Spec) -> tuple[PromptState, list[Piece]]:
    """Return the generation prompt of a turn that reasons, if there is one, and the state that it leaves."""
    prompts = sorted(spec.prompt.generation, key=lambda prompt: (prompt.state is PromptState.AFTER_REASONING, prompt.thinking is False))
    if not prompts:
        return PromptState.CONTENT, []
    pieces = [Piece(Kind.PROMPT, prompts[0].header), Piece(Kind.PROMPT, prompts[0].prefill)]
    return prompts[0].state, [piece for piece in pieces if piece.text]


def _block(spec: Spec, block: Block, state: PromptState) -> Iterator[Piece]:
    match block:
        case Block.REASONING:
            yield from _reasoning(spec, state)
        case Block.CONTENT:
            yield from _content(spec)
        case Block.CALLS if spec.turn.calls is not None:
            yield from sketch_calls(spec.turn.calls, 1 if spec.capabilities.max_calls == 1 else 2)


def _reasoning(spec: Spec, state: PromptState) -> Iterator[Piece]:
    reasoning = spec.turn.reasoning
    if state is PromptState.CONTENT:
        yield from _first(Kind.REASONING_OPENS, reasoning.open)
    if state is not PromptState.AFTER_REASONING:
        yield Piece(Kind.REASONING, REASONING)
        yield from _first(Kind.REASONING_CLOSES, reasoning.close)


def _content(spec: Spec) -> Iterator[Piece]:
    content, calls = spec.turn.content, spec.turn.calls
    wrapped = content.mode is not ContentMode.PLAIN
    beside = content.with_calls if calls is not None else None
    if content.after_reasoning is not None and Block.REASONING in spec.turn.blocks:
        yield from marker_piece(Kind.CONTENT_OPENS, content.after_reasoning)
    if beside is not None and beside.open is not None:
        yield from marker_piece(Kind.CONTENT_OPENS, beside.open)
    elif wrapped:
        yield from _first(Kind.CONTENT_OPENS, content.open)
    yield Piece(Kind.CONTENT, CONTENT)
    if beside is not None and beside.close is not None:
        yield from marker_piece(Kind.CONTENT_CLOSES, beside.close)
    elif wrapped:
        yield from _first(Kind.CONTENT_CLOSES, content.close)


def _first(kind: Kind, markers: tuple[Marker, ...]) -> Iterator[Piece]:
    for marker in markers[:1]:
        yield from marker_piece(kind, marker)
