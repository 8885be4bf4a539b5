"""The list operator: how a template opens, separates and closes the items of a list.

An item's opening is the longest common suffix of every gap before an item; its closing the longest common prefix of what is left
of the gaps between items and of the tail; the rest are the separator and the list's own opening and closing. Cuts fall on marker
edges and shared white space goes to the separator. Source: DESIGN.md section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untemplate.text.edges import common_prefix, common_suffix


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCut:
    """``heads[i] + item + separator… + close``: the pieces of a list, white space of layout at the outside."""

    heads: tuple[str, ...]
    """What stands before the first item's opening, for each way into the list."""
    item_open: str
    item_close: str
    separator: str
    close: str
    """What stands after the last item's closing, to the end of the tail."""


def cut_list(
    heads: Sequence[str],
    betweens: Sequence[str],
    tails: Sequence[str],
    *,
    special: tuple[str, ...] = (),
    heads_after_value: bool = False,
    lead: str = "",
) -> ListCut | None:
    """Return the pieces of a list, or ``None`` when its gaps do not repeat.

    Args:
        heads: the text before the first item, once for each context that was rendered.
        betweens: the text between two neighbouring items; may be empty when only one item could be rendered.
        tails: the text after the last item, once for each context.
        lead: the text with which the outermost structure starts: a mark that also starts that one opens items, it does not close them.
    """
    gaps = [*heads, *betweens]
    item_open = common_suffix(gaps, special=special, after_value=heads_after_value or bool(betweens))
    if betweens:
        whole_close = common_prefix([*betweens, *tails], special=special)
        item_open = _without_overlap(item_open, whole_close, betweens, lead)
    left = [gap[: len(gap) - len(item_open)] for gap in betweens]
    item_close = common_prefix([*left, *tails], special=special)
    separators = {gap[len(item_close) :] for gap in left}
    if len(separators) > 1:
        return None
    separator = separators.pop() if separators else ""
    opening = item_open.lstrip()
    white = item_open[: len(item_open) - len(opening)]
    closing = item_close.rstrip()
    white_after = item_close[len(closing) :]
    return ListCut(
        heads=tuple(head[: len(head) - len(item_open)] + white for head in heads),
        item_open=opening,
        item_close=closing,
        separator=white_after + separator + white if betweens else "",
        close=white_after + tails[0][len(item_close) :],
    )


def _without_overlap(item_open: str, item_close: str, betweens: Sequence[str], lead: str) -> str:
    """Return the opening less what the closing claims too: ``<|sep|>`` that ends both halves of a pair belongs to the closing."""
    over = max(len(item_open) + len(item_close) - len(gap) for gap in betweens)
    if over <= 0 or over >= len(item_open) or not item_open[:over].strip() or lead.lstrip().startswith(item_open[:over].strip()):
        return item_open
    return item_open[over:]
