"""Strategies for what the tests draw at random."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from hypothesis import strategies as st

from untemplate.spec import model
from untemplate.spec.codec import field_types

ODD_CHARACTERS = ("\x85", "\u2028", "\ufeff", "\xa0", "\x00", "\x1b", "\r\n", "\t", "🙂", '"', "\\")
ODD_WORDS = ("no", "null", "1e3", " x ", "a: b", "# c", "<｜tool▁call｜>")
PIECES = st.one_of(st.sampled_from(ODD_CHARACTERS + ODD_WORDS), st.text(st.characters(exclude_categories=("Cs",)), max_size=4))
TEXTS = st.lists(PIECES, max_size=4).map("".join)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=4,
)
SCALARS: Mapping[Any, st.SearchStrategy[Any]] = {
    Any: ANYTHING,
    str: TEXTS,
    int: st.integers(),
    bool: st.booleans(),
    type(None): st.none(),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for every value that a type hint of the model admits."""
    if hint in SCALARS:
        return SCALARS[hint]
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return st.one_of(*(st.deferred(lambda member=member: values(member)) for member in members))
    if origin is tuple and members[-1] is not Ellipsis:
        return st.tuples(*(values(member) for member in members))
    if origin is tuple:
        return st.lists(values(members[0]), max_size=2).map(tuple)
    if origin is Mapping:
        return st.dictionaries(values(members[0]), values(members[1]), max_size=2)
    if issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    assert dataclasses.is_dataclass(hint)
    fields = {each.name: values(each.hint) for each in field_types(hint)}
    if hint is model.Spec:
        fields["format"] = st.just(model.FORMAT)
    return st.builds(hint, **fields)


SPECS = values(model.Spec)
"""Any spec that the types allow, sensible or not."""
