"""Turns literal text into markers: core and layout white space."""

from __future__ import annotations

import re

from untemplate.spec.model import Marker
from untemplate.text.edges import split_white

_FIRST_ATOM = re.compile(r"(<\|[^|<>\n]{1,64}\|?>|<[^<>\n]{1,80}>|\[/?[A-Z][A-Z_0-9]+\])(\s*)(?=\S)")
_LAST_ATOM = re.compile(r"(?<=[>}\)\w\"'`])(\s*)(<\|[^|<>\n]{1,64}\|?>|<[^<>\n]{1,80}>|\[/?[A-Z][A-Z_0-9]+\])\Z")


def marker(text: str) -> Marker | None:
    """Return ``text`` as a marker, ``None`` for no text; white space alone is a marker without a core."""
    if not text:
        return None
    before, core, after = split_white(text)
    return Marker(core=core, before=before, after=after)


def split_first(text: str, turn: str) -> tuple[Marker, str]:
    """Return the first tag of an opening as its marker, and what follows it: ``<tool_call>\\n<function=`` opens with ``<tool_call>``.

    A tag that stands more than once in the ``turn`` of one call decides nothing by itself and is not split off.
    """
    found = _FIRST_ATOM.match(text)
    if found is None or turn.count(found.group(1)) > 1:
        return marker(text) or Marker(core=""), ""
    return Marker(core=found.group(1), after=found.group(2)), text[found.end() :]


def split_last(text: str, turn: str) -> tuple[str, Marker | None]:
    """Return what precedes the last tag of a closing, and that tag as its marker."""
    found = _LAST_ATOM.search(text)
    if found is None or turn.count(found.group(2)) > 1:
        return "", marker(text)
    return text[: found.start()], Marker(core=found.group(2), before=found.group(1))
