"""What models write in Python's calls that no Python reads: quotes inside strings without a backslash; and sets, which JSON has not.

Both are told by what follows, of which a bounded part is looked at.
"""

from __future__ import annotations

import re
from typing import Final

_MOST: Final = 400
"""Further than this nothing is looked at, so that the time stays linear."""
_GAP: Final = rf"\s{{0,{_MOST}}}"
_KEY: Final = rf"[A-Za-z_][\w.-]{{0,{_MOST}}}"
_BLANK: Final = re.compile(_GAP)
_NEXT_KEY: Final = re.compile(rf",{_GAP}(?:{_KEY}{_GAP}=(?!=)|[)\]}}]|\Z)")
_NEXT_KEY_BEGUN: Final = re.compile(rf",{_GAP}(?:{_KEY}{_GAP}=?)?\Z")
_GOES_ON: Final = re.compile(rf"\){_GAP}[)\"'.+\-*/=]")
_PARENTHESIS: Final = re.compile(rf"\){_GAP}\Z")
_SINGLE: Final = rf"'(?:[^'\\]|\\.){{0,{_MOST}}}"
_DOUBLE: Final = rf'"(?:[^"\\]|\\.){{0,{_MOST}}}'
_WORD: Final = rf"[\w.+-]{{1,{_MOST}}}"
_FIRST_MEMBER: Final = re.compile(rf"""\{{{_GAP}(?:{_SINGLE}'|{_DOUBLE}"|{_WORD}){_GAP}(?P<follows>[,:}}])""", re.DOTALL)
_FIRST_MEMBER_BEGUN: Final = re.compile(
    rf"""\{{{_GAP}(?:{_SINGLE}\\?|{_DOUBLE}\\?|(?:{_SINGLE}'|{_DOUBLE}"|{_WORD}){_GAP})?\Z""", re.DOTALL
)


def ends_string(text: str, index: int, ended: bool, *, nested: bool) -> bool | None:
    """Return whether the quote before ``index`` ends its string, ``None`` where more text decides.

    It does where a comma or a closing bracket follows. Behind the value of an argument the comma needs the next argument's key, and
    the bracket nothing that goes on with what stands inside the string.
    """
    match = _BLANK.match(text, index)
    assert match is not None
    at = match.end()
    if at == len(text):
        return True if ended else None
    if nested:
        return text[at] in ",:]})"
    match text[at]:
        case ",":
            if not ended and _NEXT_KEY_BEGUN.match(text, at) is not None:
                return None
            return _NEXT_KEY.match(text, at) is not None
        case ")":
            if not ended and _PARENTHESIS.match(text, at) is not None:
                return None
            return _GOES_ON.match(text, at) is None
        case "]" | "}":
            return True
        case blank if blank.isspace():
            return True
        case "<" if at + 1 == len(text) and not ended:
            return None
        case _:
            return text.startswith(("<|", "</"), at)


def is_set(text: str, index: int, ended: bool) -> bool | None:
    """Return whether the brace at ``index`` opens a set, ``None`` where more text decides: a colon behind the first member tells."""
    match = _FIRST_MEMBER.match(text, index)
    if match is not None:
        return match["follows"] != ":"
    return None if not ended and _FIRST_MEMBER_BEGUN.match(text, index) is not None else False
