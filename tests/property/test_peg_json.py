"""What must hold for the JSON reader with any text."""

from __future__ import annotations

import ast
import json
import re

from hypothesis import example, given
from hypothesis import strategies as st

from tests.peg_trees import cut_text, read_all
from tests.reading import load_strictly
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.nodes import Json, JsonKind

strings = st.text(st.one_of(st.sampled_from("\"'\\\n\t\x00/u<|ab"), st.characters(exclude_categories=("Cs",))), max_size=12)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), strings)
values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(strings, inner, max_size=4)), max_leaves=12
)
sizes = st.lists(st.integers(1, 4), min_size=1, max_size=5)
PIECES = (
    *'{}[](),:"\'\\ \n',
    '"a"', '"b"', "'a'", '"""', "'''", "1", "-2.5e3", "1.", ".5", "+1", "01", "true", "True", "None", "nan", "nul",
    "\\u00e9", "\\ud83d", "\\ude00", "\\x41", "\\q", "\\'", '\\"', "<|", "<|q|>", "key", "é", '{"a": 1', ', "a": ', "[1, ", "(1,)",
    "<", "</", "key=", "==", ";",
)  # fmt: skip
wild = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)
NODES = (Json(), Json(python=True), Json(quotes=(("<|q|>", "<|q|>"),), bare_keys=True), Json(kind=JsonKind.STRING))
AHEAD = (Json(argument=True), Json(argument=True, python=True), Json(argument=True, quotes=(("<|q|>", "<|q|>"),)))
"""Where what follows tells whether a quote ends a string, and a brace opens a set."""
nodes = st.sampled_from((*NODES, *AHEAD))


TOKEN = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|[{}\[\],:]|true|false|null'
)
OPEN_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z')
FOLLOWS = {
    "value": {"scalar": "after", "string": "after", "{": "first key", "[": "first item"},
    "first item": {"scalar": "after", "string": "after", "{": "first key", "[": "first item", "]": "after"},
    "first key": {"string": "colon", "}": "after"},
    "key": {"string": "colon"},
    "colon": {":": "value"},
    "after": {",": "next", "}": "after", "]": "after"},
}  # fmt: skip


def is_json_prefix(text: str) -> bool:
    """Return whether strict JSON may begin so. Independent of the reader: tokens and a table."""
    stack, state, index = "", "value", 0
    while True:
        index += len(text[index:]) - len(text[index:].lstrip(" \t\n\r"))
        if index == len(text):
            return True
        match = TOKEN.match(text, index)
        if match is None:
            return OPEN_STRING.match(text, index) is not None and "string" in FOLLOWS[state]
        token = match.group()
        kind = "string" if token[0] == '"' else token if token in "{}[],:" else "scalar"
        if kind not in FOLLOWS[state] or (state == "after" and not stack):
            return False
        if kind in "}]" and (not stack or "{["["}]".index(kind)] != stack[-1]):
            return False
        state = FOLLOWS[state][kind]
        stack = stack + kind if kind in "{[" else stack[:-1] if kind in "}]" else stack
        if state == "next":
            state = "key" if stack[-1] == "{" else "value"
        index = match.end()


@given(values, st.booleans(), st.sampled_from((None, 0, 2)), sizes)
def test_json_is_given_as_it_stands(value: object, ascii_only: bool, indent: int | None, steps: list[int]) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert read_all(Json(), cut_text(text, steps)) == (True, text, "")


@given(values, sizes)
def test_what_python_writes_is_read_as_the_value_it_is(value: object, steps: list[int]) -> None:
    whole, given_text, rest = read_all(Json(python=True), cut_text(repr(value), steps))
    assert (whole, json.loads(given_text), rest) == (True, value, "")


@given(strings, st.sampled_from(("'", '"', "'''", '"""')), sizes)
def test_a_quoted_string_means_what_python_says(content: str, mark: str, steps: list[int]) -> None:
    inner = content.replace("\x00", "").replace("\\", "\\\\").replace(mark[0], "\\" + mark[0]).replace("\r", "\\r")
    if len(mark) == 1:
        inner = inner.replace("\n", "\\n")
    text = mark + inner.replace("\a", "\\a") + mark
    whole, given_text, _ = read_all(Json(kind=JsonKind.STRING, python=True), cut_text(text + " ", steps))
    assert whole
    assert json.loads(given_text) == ast.literal_eval(text)
    decoded, meaning, _ = read_all(Json(kind=JsonKind.STRING, decoded=True, python=True), cut_text(text + " ", steps))
    assert decoded
    assert meaning == ast.literal_eval(text)


@given(nodes, wild, sizes)
@example(AHEAD[0], '"a"</b', [4])
@example(AHEAD[1], "'a'<|b", [4])
def test_any_cut_of_a_text_gives_the_same(node: Json, text: str, steps: list[int]) -> None:
    assert read_all(node, cut_text(text, steps)) == read_all(node, [text])


@given(nodes, wild)
@example(NODES[0], '{"a": 1, "a": {"b": [')
@example(NODES[0], '["a", (1, nan, {')
def test_what_was_given_is_always_the_beginning_of_valid_json(node: Json, text: str) -> None:
    reader, index, given_text = JsonReader(node), 0, ""
    for end in range(len(text) + 1):
        whole, index = reader.read(text[:end], index, False)
        given_text += "".join(reader.pieces)
        assert is_json_prefix(given_text)
        if whole is not None:
            break


@given(nodes, wild)
@example(NODES[0], '{"a": 1, "a": {"b": 2}, "c": {"d": 1, "d": 2,},}')
def test_a_whole_value_is_valid_and_repeats_no_key(node: Json, text: str) -> None:
    whole, given_text, _ = read_all(node, [text])
    if whole:
        load_strictly(given_text)


@given(st.sampled_from(NODES), wild)
def test_a_failure_stands_before_what_was_not_given(node: Json, text: str) -> None:
    whole, given_text, rest = read_all(node, [text])
    assert text.endswith(rest)
    assert read_all(node, [text[: len(text) - len(rest)]])[:2] == (whole, given_text)


@given(nodes, wild, wild, wild)
def test_a_copied_reader_goes_its_own_way(node: Json, text: str, left: str, right: str) -> None:
    reader = JsonReader(node)
    whole, index = reader.read(text, 0, False)
    if whole is not None:
        return
    before = "".join(reader.pieces)
    other = reader.copy()
    for run, more in ((reader, left), (other, right)):
        run.read(text + more, index, True)
        assert before + "".join(run.pieces) == read_all(node, [text + more])[1]
