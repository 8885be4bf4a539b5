"""Headers of blocks that are messages of their own, where the model writes one that no block has.

A header begins and ends with the same special tokens in every block: ``<|channel|>final<|message|>``. One that is none of the known
ones is dropped; what its last token opens is content. Decided in ``docs/decisions/0069-headers-that-no-block-has.md``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from untemplate.lower.marks import NEVER, SPACE, any_of, loose, special_token
from untemplate.lower.signs import Signs, form_openings, without_namespace
from untemplate.lower.tags import Code
from untemplate.peg import builder as b
from untemplate.peg.nodes import Node, Repeat

_FIRST = re.compile(r"<\|[^<>|]+\|>")
_LAST = re.compile(r"<\|[^<>|]+\|>$")
_LONGEST = 120
"""Characters of a header between its tokens, so that what waits for its end is bounded."""


def unknown_header(signs: Signs) -> Node:
    """Return a header that no block has, up to its last token, or to what shows that it is broken off; never one that names a recipient."""
    tokens = _tokens(signs)
    if signs.frame is None or tokens is None:
        return NEVER
    first, last = tokens
    written = form_openings(replace(signs, forms=signs.written_forms))
    openings = [*written, *map(without_namespace, written)]
    recipients = any_of(*(loose(*opening) for opening in openings if opening and not opening[0].startswith(first)))
    known = [*(marker.core for marker in (*signs.reasoning_open, *signs.content_open)), *signs.frame.ignored]
    known += [" ".join(opening) for opening in openings if opening and opening[0].startswith(first) and "".join(opening) != first]
    usual = b.negate(any_of(*(b.seq(b.lit(first), SPACE, loose(core.removeprefix(first))) for core in known)))
    ends = [marker.core for marker in (*signs.content_close, *signs.reasoning_close, *signs.ends, signs.frame.separator)]
    broken_off = b.peek(any_of(b.lit(first), *(loose(core) for core in ends if core)))
    letter = b.chars("^<", emit=False)
    words = Repeat(item=letter if recipients == NEVER else b.seq(b.negate(recipients), letter), maximum=_LONGEST)
    constrained = b.optional(b.seq(b.negate(any_of(broken_off, b.lit(last))), special_token(("<|", "|>")), words))
    return b.atomic(b.seq(usual, b.lit(first), words, constrained, any_of(broken_off, b.lit(last)), b.note(Code.REPAIRED)))


def _tokens(signs: Signs) -> tuple[str, str] | None:
    """Return the special tokens with which every header begins and ends, ``None`` where there are none such."""
    cores = [marker.core for marker in (*signs.reasoning_open, *signs.content_open)]
    found = {(begin.group(), end.group()) for core in cores if (begin := _FIRST.match(core)) and (end := _LAST.search(core))}
    whole = bool(cores) and all(_FIRST.match(core) and _LAST.search(core) for core in cores)
    first, last = next(iter(found)) if len(found) == 1 else ("", "")
    return (first, last) if whole and first and first != last else None
