"""Shaping messages: the caller's stay as they are, and doing it twice changes nothing more."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from untemplate.spec.model import Capabilities, Support
from untemplate.template import prepare_messages

TEXTS = st.sampled_from(["", "a", "b c", "é"])
CONTENTS = st.none() | TEXTS | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}), max_size=2)
ARGUMENTS = st.sampled_from(['{"a": 1}', {"a": [1]}, "", "{", None, {}])
IDS = st.sampled_from(["call_1", "abcdefghi", "x y", "call_2"])
CALLS = st.lists(
    st.fixed_dictionaries(
        {"function": st.fixed_dictionaries({"name": st.just("f"), "arguments": ARGUMENTS})},
        optional={"id": IDS, "type": st.just("function")},
    ),
    max_size=3,
)
MESSAGES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"role": st.sampled_from(["system", "user"]), "content": CONTENTS}),
        st.fixed_dictionaries(
            {"role": st.just("assistant")}, optional={"content": CONTENTS, "tool_calls": CALLS, "reasoning_content": TEXTS}
        ),
        st.fixed_dictionaries({"role": st.just("tool"), "content": CONTENTS}, optional={"tool_call_id": IDS}),
    ),
    max_size=6,
)
SUPPORT = st.sampled_from(list(Support))
CAPABILITIES = st.builds(
    Capabilities,
    system=SUPPORT,
    calls=SUPPORT,
    tool_results=SUPPORT,
    content_with_calls=SUPPORT,
    max_calls=st.sampled_from([None, 1]),
    arguments_as=st.sampled_from(["object", "text"]),
    empty_content=st.sampled_from(["empty", "null", "missing"]),
    content_parts=st.booleans(),
    alternation=st.booleans(),
    id_pattern=st.sampled_from([None, "[A-Za-z0-9]{9}"]),
)


@given(MESSAGES, CAPABILITIES)
def test_the_callers_messages_are_never_changed(messages, capabilities):
    before = copy.deepcopy(messages)
    prepare_messages(messages, capabilities)
    assert messages == before


@given(MESSAGES, CAPABILITIES)
def test_preparing_twice_changes_nothing_more(messages, capabilities):
    once = prepare_messages(messages, capabilities)
    assert prepare_messages(once, capabilities) == once


@given(MESSAGES, CAPABILITIES)
def test_prepared_messages_keep_what_was_demanded(messages, capabilities):
    prepared = prepare_messages(messages, capabilities)
    roles = [message["role"] for message in prepared]
    if capabilities.system is Support.REFUSED:
        assert "system" not in roles
    if capabilities.alternation:
        assert all(not (a["role"] == b["role"] == "user") for a, b in zip(prepared, prepared[1:], strict=False))
    if capabilities.tool_results is not Support.KEPT:
        assert "tool" not in roles
    if capabilities.max_calls == 1:
        assert all(len(message.get("tool_calls") or ()) <= 1 for message in prepared)
