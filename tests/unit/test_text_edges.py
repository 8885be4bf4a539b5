"""Cuts that respect markers, and the diff split made with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untemplate.text.align import Token, align
from untemplate.text.edges import boundaries, common_prefix, common_suffix, marker_atoms, split_white
from untemplate.text.literals import decode_at, outermost
from untemplate.text.split import split

TEXTISH = st.text(alphabet='<>|/[]TAGab \n"=', max_size=24)


def test_a_suffix_never_starts_inside_a_tag_that_a_value_cut_in_two() -> None:
    assert common_suffix([">\n<parameter=", "\n</parameter>\n<parameter="]) == "\n<parameter="


def test_a_prefix_never_ends_inside_a_word() -> None:
    assert common_prefix(["call true>", "call trust>"], after_value=False) == "call "


def test_a_special_token_is_one_atom_however_it_is_spelled() -> None:
    assert 2 not in boundaries("]~b]ai", special=("]~b]",))
    assert 2 in boundaries("]~b]ai")


@pytest.mark.parametrize("text", ["<|im_end|>", "<tool_call|>", "[TOOL_CALLS]", "</function>", "<｜User｜>"])
def test_markers_of_every_family_are_atoms(text: str) -> None:
    assert marker_atoms(f"x {text} y") == (text,)


def test_white_space_alone_is_layout_without_a_core() -> None:
    assert split_white(" \n") == (" \n", "", "")
    assert split_white("\n</think>\n\n") == ("\n", "</think>", "\n\n")


@given(TEXTISH, TEXTISH)
def test_a_split_rebuilds_both_inputs(left: str, right: str) -> None:
    found = split(left, right)
    assert found.prefix + found.left + found.suffix == left
    assert found.prefix + found.right + found.suffix == right


@given(st.lists(TEXTISH, min_size=1, max_size=4))
def test_what_is_common_is_common_to_all(texts: list[str]) -> None:
    assert all(text.startswith(common_prefix(texts)) for text in texts)
    assert all(text.endswith(common_suffix(texts)) for text in texts)


def test_alignment_gives_literals_and_tokens_by_turns() -> None:
    pieces = align("<a>NAME</a>NAME", {"NAME": Token("name")})
    assert pieces == ("<a>", Token("name"), "</a>", Token("name"), "")


def test_a_python_literal_is_read_where_json_is_not() -> None:
    found = decode_at("x {'a': True, 'b': None} y", 2)
    assert found is not None
    assert found.value == {"a": True, "b": None}
    assert found.python


def test_the_outermost_literal_that_holds_every_mark_is_found() -> None:
    found = outermost('see {"not": 1} [{"name": "f", "arguments": {"k": "v"}}] end', ("f", "v"))
    assert found is not None
    assert isinstance(found.value, list)


def test_no_literal_is_found_where_a_mark_is_missing() -> None:
    assert outermost('{"name": "f"}', ("f", "absent")) is None
