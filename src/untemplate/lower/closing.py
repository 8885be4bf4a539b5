"""What ends a call: its closing markers, with those that are missing or written twice tolerated where the meaning is certain."""

from __future__ import annotations

from untemplate.lower.marks import EMPTY, NEVER, SPACE, any_of, is_marker, many
from untemplate.lower.tags import Code
from untemplate.peg import builder as b
from untemplate.peg.nodes import Beginning, End, Node

_AT_END = b.peek(b.seq(SPACE, End()))
_REPAIRED = b.note(Code.REPAIRED)


def spaced_chunks(chunks: tuple[str, ...]) -> Node:
    """Return the chunks in order, with free white space before each."""
    nodes: list[Node] = []
    for chunk in chunks:
        nodes += [SPACE, b.lit(chunk)]
    return b.seq(*nodes) if nodes else EMPTY


def begun(chunks: tuple[str, ...]) -> Node:
    """Return the beginning of the chunks, cut by the end of the text inside one of them."""
    ways = [b.seq(spaced_chunks(chunks[:size]), SPACE, Beginning(text=chunk)) for size, chunk in enumerate(chunks) if is_marker(chunk)]
    return any_of(*ways)


def cut_close(chunks: tuple[str, ...]) -> Node:
    """Return the beginning of the chunks at the very end, noted as what it is."""
    return b.seq(begun(chunks), b.note(Code.CUT_MARKER))


def close_after_value(chunks: tuple[str, ...]) -> Node:
    """Return the close of a call whose arguments end by themselves: it never fails, and what is missing is noted."""
    if not chunks:
        return EMPTY
    brackets = ")" if chunks[0][0] in "]}" else "]})"
    return b.seq(
        stray_brackets(b.seq(SPACE, b.lit(chunks[0])), brackets), any_of(*_forms(chunks), _AT_END, _REPAIRED), doubled_close(chunks)
    )


def close_of_whole(chunks: tuple[str, ...], structure: Node, *, ended: bool) -> Node:
    """Return the close of a call that counts only as a whole: its last marks may be missing where structure or the end follows.

    ``ended``: the arguments end by themselves, so that all of it may be missing.
    """
    follow = b.peek(b.seq(SPACE, any_of(End(), structure)))
    parts = [chunks[:size] for size in range(len(chunks) - 1, -1 if ended else 0, -1)]
    return any_of(spaced_chunks(chunks), *(b.seq(spaced_chunks(part), follow, _REPAIRED) for part in parts))


def close_after_pairs(chunks: tuple[str, ...], structure: Node, opening: tuple[str, ...]) -> Node:
    """Return the close of a call whose arguments are pairs: it fails where neither it, structure nor the end follows.

    ``opening``: the chunks that begin a further pair.
    """
    if not chunks:
        return EMPTY
    cut = b.seq(SPACE, any_of(*(Beginning(text=text) for text in (*chunks[:1], *opening[:1]) if is_marker(text))), b.note(Code.CUT_MARKER))
    unclosed = b.seq(any_of(cut, b.seq(SPACE, End())), b.note(Code.UNCLOSED_CALL))
    implied = b.seq(b.peek(b.seq(SPACE, structure)), _REPAIRED)
    return any_of(unclosed, *_forms(chunks), implied)


def confirm_close(chunks: tuple[str, ...], structure: Node, inside: Node) -> Node:
    """Return the look-ahead that tells the close of a call from a text that quotes some of it.

    ``inside``: what never follows a call; where it does, all of the call was quoted.
    """
    parts = [chunks[start:] for start in range(1, len(chunks)) if is_marker(chunks[start])]
    parts += [chunks[:size] for size in range(len(chunks) - 1, -1, -1)]
    doubled = _with_brackets(chunks)
    cut = [b.seq(spaced_chunks(part), SPACE, any_of(End(), structure)) for part in parts]
    if not chunks:
        return b.seq(SPACE, any_of(End(), structure))
    guard = b.negate(b.seq(SPACE, inside)) if inside != NEVER else EMPTY
    return any_of(b.seq(_repeated(chunks), guard), *cut, doubled, begun(chunks))


def _forms(chunks: tuple[str, ...]) -> list[Node]:
    """Return the close whole, without its beginning, and without its end."""
    options = [_repeated(chunks), b.seq(_with_brackets(chunks), _REPAIRED)]
    options += [b.seq(spaced_chunks(chunks[start:]), _REPAIRED) for start in range(1, len(chunks)) if is_marker(chunks[start])]
    options.append(cut_close(chunks))
    for size in range(len(chunks) - 1, 0, -1):
        options += [b.seq(spaced_chunks(chunks[:size]), _AT_END), b.seq(spaced_chunks(chunks[:size]), _REPAIRED)]
    return options


def _repeated(chunks: tuple[str, ...]) -> Node:
    """Return the chunks in order; a marker among them may come twice."""
    nodes: list[Node] = []
    for chunk in chunks[:-1]:
        again = many(b.seq(SPACE, b.lit(chunk), _REPAIRED)) if is_marker(chunk) else EMPTY
        nodes += [SPACE, b.lit(chunk), again]
    return b.seq(*nodes, spaced_chunks(chunks[-1:]))


def _with_brackets(chunks: tuple[str, ...]) -> Node:
    """Return a close whose first chunk is a bracket, with brackets too many behind it."""
    if len(chunks) < 2 or chunks[0] not in ("]", "}", ")") or not is_marker(chunks[1]):
        return NEVER
    return b.seq(SPACE, b.lit(chunks[0]), SPACE, b.chars("]})", 1, 3, emit=False), spaced_chunks(chunks[1:]))


def doubled_close(chunks: tuple[str, ...]) -> Node:
    """Return the last marker of a close, written again."""
    return many(b.seq(SPACE, b.lit(chunks[-1]), _REPAIRED)) if chunks and is_marker(chunks[-1]) else EMPTY


def stray_brackets(follow: Node, brackets: str = "]})") -> Node:
    """Return closing brackets that models write once too often, where ``follow`` stands behind them."""
    return b.optional(b.seq(SPACE, b.chars(brackets, 1, 3, emit=False), b.peek(follow), _REPAIRED))
