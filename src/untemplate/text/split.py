"""The diff split: two renderings cut into common prefix, left, right and common suffix."""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.text.edges import common_prefix, common_suffix


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSplit:
    """Two texts, ``prefix + left + suffix`` and ``prefix + right + suffix``."""

    prefix: str
    left: str
    right: str
    suffix: str


def split(left: str, right: str, *, special: tuple[str, ...] = ()) -> DiffSplit:
    """Return the diff split of two renderings, its cuts moved to marker edges (never into a tag, a word or a special token)."""
    prefix = common_prefix([left, right], special=special, after_value=False)
    left_rest, right_rest = left[len(prefix) :], right[len(prefix) :]
    suffix = common_suffix([left_rest, right_rest], special=special, after_value=False, before_value=False)
    size = len(suffix)
    return DiffSplit(prefix=prefix, left=left_rest[: len(left_rest) - size], right=right_rest[: len(right_rest) - size], suffix=suffix)
