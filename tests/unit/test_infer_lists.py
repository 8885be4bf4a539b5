"""The list operator."""

from __future__ import annotations

from untemplate.infer.lists import cut_list


def test_an_item_opens_with_what_every_gap_before_an_item_ends_in() -> None:
    cut = cut_list(["<tool_call>\n<f=", "\n<tool_call>\n<f="], ["</f>\n</tool_call>\n<tool_call>\n<f="], ["</f>\n</tool_call>"])
    assert cut is not None
    assert (cut.item_open, cut.item_close, cut.separator, cut.close) == ("<tool_call>\n<f=", "</f>\n</tool_call>", "\n", "")
    assert cut.heads == ("", "\n")


def test_shared_white_space_goes_to_the_separator() -> None:
    cut = cut_list(["<calls>\n<invoke name="], ["</invoke>\n<invoke name="], ["</invoke>\n</calls>"])
    assert cut is not None
    assert (cut.heads, cut.item_open, cut.separator, cut.close) == (("<calls>\n",), "<invoke name=", "\n", "\n</calls>")


def test_a_mark_that_ends_both_halves_of_a_pair_belongs_to_the_closing() -> None:
    cut = cut_list(['" i="1"<|sep|><|open|>arg k="'], ['<|close|>arg<|sep|><|open|>arg k="'], ["<|close|>arg<|sep|><|close|>call<|sep|>"])
    assert cut is not None
    assert (cut.item_open, cut.item_close) == ('<|open|>arg k="', "<|close|>arg<|sep|>")


def test_a_mark_that_starts_the_whole_structure_belongs_to_the_opening() -> None:
    cut = cut_list(['">]<]mm[>[<'], ["]<]mm[>[</a>]<]mm[>[<"], ["]<]mm[>[</a>]<]mm[>[</call>"], lead="]<]mm[>[<calls>")
    assert cut is not None
    assert cut.item_open == "]<]mm[>[<"


def test_gaps_that_do_not_repeat_are_no_list() -> None:
    assert cut_list(["[a "], ["] x [a ", "] y [a "], ["] z"]) is None


def test_a_single_item_takes_the_whole_head_as_its_opening() -> None:
    cut = cut_list(["<call>"], [], ["</call>"])
    assert cut is not None
    assert (cut.item_open, cut.item_close) == ("<call>", "</call>")
