"""Cuts that respect markers: where a common prefix or suffix of texts may end.

A cut never falls inside ``<...>``, ``[TAG]``, a word or a special token; nor inside a tag that a neighbouring value cuts in two
(the ``>`` right after a sentinel, the ``<name=`` right before one). Cuts only ever *shrink* what is common, and they are
checked in every text that takes part. Source: INFERENCE.md, "How to".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from os.path import commonprefix

_ATOM = (
    r"<\|[^|<>\n]{1,64}\|?>"  # <|im_end|>, <|turn>
    r"|<[^<>\n]{1,80}\|>"  # <tool_call|>
    r"|</?[A-Za-z_|｜\]\[][^<>\n]{0,80}>"  # <tag attr="x">, </tag>
    r"|\[/?[A-Z][A-Z_0-9]+\]"  # [TOOL_CALLS]
    r"|\w+"
)
_TAIL_OF_TAG = re.compile(r"[\w\s\"'/=.:-]{0,40}>(?!>)")
_OPEN_TAG_AT_END = re.compile(r"<[^<>\n]{0,80}$")


@lru_cache(maxsize=64)
def _atoms(special: tuple[str, ...]) -> re.Pattern[str]:
    literals = sorted((re.escape(token) for token in special if token), key=len, reverse=True)
    return re.compile("|".join([*literals, _ATOM]))


@lru_cache(maxsize=4096)
def boundaries(text: str, *, special: tuple[str, ...] = (), after_value: bool = False, before_value: bool = False) -> frozenset[int]:
    """Return the offsets at which ``text`` may be cut, 0 and its length included.

    ``after_value`` and ``before_value`` say that a value (a sentinel) stands directly before or after the text, so that its ends may
    be halves of a tag.
    """
    inside: set[int] = set()
    for match in _atoms(special).finditer(text):
        inside.update(range(match.start() + 1, match.end()))
    if after_value and (tail := _TAIL_OF_TAG.match(text)):
        inside.update(range(1, tail.end()))
    if before_value and (head := _OPEN_TAG_AT_END.search(text)):
        inside.update(range(head.start() + 1, len(text)))
    return frozenset(i for i in range(len(text) + 1) if i not in inside)


def common_prefix(texts: Sequence[str], *, special: tuple[str, ...] = (), after_value: bool = True, before_value: bool = False) -> str:
    """Return the longest common prefix of ``texts`` that ends at a marker edge in each of them."""
    if not texts:
        return ""
    size = len(commonprefix(list(texts)))
    allowed = [boundaries(text, special=special, after_value=after_value, before_value=before_value) for text in texts]
    while size and not all(size in edges for edges in allowed):
        size -= 1
    return texts[0][:size]


def common_suffix(texts: Sequence[str], *, special: tuple[str, ...] = (), after_value: bool = True, before_value: bool = True) -> str:
    """Return the longest common suffix of ``texts`` that starts at a marker edge in each of them."""
    if not texts:
        return ""
    size = len(commonprefix([text[::-1] for text in texts]))
    allowed = [boundaries(text, special=special, after_value=after_value, before_value=before_value) for text in texts]
    while size and not all(len(text) - size in edges for text, edges in zip(texts, allowed, strict=True)):
        size -= 1
    return texts[0][len(texts[0]) - size :] if size else ""


def split_white(text: str) -> tuple[str, str, str]:
    """Return ``text`` as leading white space, core, trailing white space; all-white text is all leading."""
    core = text.strip()
    if not core:
        return text, "", ""
    start = len(text) - len(text.lstrip())
    return text[:start], core, text[start + len(core) :]


def marker_atoms(text: str, *, special: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the tags, bracket tags and special tokens that stand in ``text``, in order, words left out."""
    return tuple(match.group() for match in _atoms(special).finditer(text) if not match.group()[0].isalnum() and match.group()[0] != "_")


def longest(texts: Iterable[str]) -> str:
    """Return the longest of ``texts``, ``""`` when there are none."""
    return max(texts, key=len, default="")
