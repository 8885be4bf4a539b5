"""What the JSON reader takes, what it makes of it, and where it gives up."""

from __future__ import annotations

import json

import pytest

from tests.peg_trees import read_all
from tests.steps import steps
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.nodes import Json, JsonKind

MENDED = {
    '{"a": 1}': '{"a": 1}',
    " [1]": None,
    "{'a': 'it\\'s \"x\"'}": '{"a": "it\'s \\"x\\""}',
    "[True, False, None, nan, NaN, -inf, Infinity]": "[true, false, null, null, null, null, null]",
    "(1, 2,)": "[1, 2]",
    "((), [()])": "[[], [[]]]",
    "[1, 2, ]": "[1, 2]",
    '{"a": 1, }': '{"a": 1}',
    '"""a "b" c"""': '"a \\"b\\" c"',
    "'''a\n'b' c'''": "\"a\\n'b' c\"",
    '""': '""',
    "''": '""',
    '"\\d+\\.\\w"': '"\\\\d+\\\\.\\\\w"',
    '"C:\\new\\Users"': '"C:\\new\\\\Users"',
    '"it\\\'s"': '"it\'s"',
    '"a\nb\tc\x01"': '"a\\nb\\tc\\u0001"',
    '"\\u00e9 \\ud83d\\ude00"': '"\\u00e9 \\ud83d\\ude00"',
    '"\\ud83d x \\ude00"': '"\\ufffd x \\ufffd"',
    '"\\u12 \\uzz"': '"\\\\u12 \\\\uzz"',
    '"\\x41"': '"\\\\x41"',
    "'\\x41\\U0001f600\\a'": '"A😀\\u0007"',
    "{'a': \"it's\\xa0x\"}": '{"a": "it\'s\xa0x"}',
    "[+1, .5, 1., -.5, 1_000, 1e16, 1.5E-3]": "[1, 0.5, 1.0, -0.5, 1000, 1e16, 1.5E-3]",
    "{1: 2}": '{"1": 2}',
    '{"a": 1, "b": 2, "a": 3}': '{"a": 1, "b": 2}',
    '{"a": 1, "\\u0061": {"x": [1, 2]}, "b": 2}': '{"a": 1, "b": 2}',
    '{"o": {"k": 1, "k": [{"k": 2, "k": 3}]}, "k": 4}': '{"o": {"k": 1}, "k": 4}',
    '[{"k": 1}, {"k": 2}]': '[{"k": 1}, {"k": 2}]',
    '{ "a" : [ ] }': '{ "a" : [ ] }',
    "01": None,
    "0x1F": None,
    "1e": None,
    "truely": None,
    "hello": None,
    "[1 2]": None,
    "[1,,2]": None,
    "[,]": None,
    "{,}": None,
    '{"a"}': None,
    '{"a": }': None,
    "{a: 1}": None,
    "[1}": None,
    "(1]": None,
    '"a': None,
    '{"a": 1': None,
    "": None,
    ")": None,
}


@pytest.mark.parametrize(("text", "expected"), MENDED.items())
def test_a_value_becomes_valid_json_or_fails(text: str, expected: str | None) -> None:
    whole, given, _ = read_all(Json(), [text])
    assert (given if whole else None) == expected
    if expected is not None:
        json.loads(expected)
    assert read_all(Json(), list(text)) == read_all(Json(), [text])


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (JsonKind.OBJECT, "{}", "[]"),
        (JsonKind.ARRAY, "[]", "{}"),
        (JsonKind.ARRAY, "()", '"a"'),
        (JsonKind.STRING, '"a"', "1"),
        (JsonKind.NUMBER, "-1.5", "true"),
        (JsonKind.NUMBER, "1", '"1"'),
    ],
)
def test_a_kind_is_kept(kind: JsonKind, good: str, bad: str) -> None:
    assert read_all(Json(kind=kind), [good])[0]
    assert not read_all(Json(kind=kind), [bad])[0]


QUOTED = Json(quotes=(('<|"|>', '<|"|>'), ("<escape>", "<escape>")), bare_keys=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{a:<|"|>x "y" \\n<|"|>,b: 1}', '{"a":"x \\"y\\" \\\\n","b": 1}'),
        ('{<|"|>k<|"|>:<|"|><|"|>}', '{"k":""}'),
        ('[<|"|>a <|"| b<|"|>]', '["a <|\\"| b"]'),
        ("{k:<escape>a\nb<escape>}", '{"k":"a\\nb"}'),
        ("{ some key : 1, some-key2 : true}", '{ "some key" : 1, "some-key2" : true}'),
        ('{a: 1, "a": 2, <|"|>a<|"|>: 3, b: 4}', '{"a": 1, "b": 4}'),
        ('{"a": "b\\"c"}', '{"a": "b\\"c"}'),
    ],
)
def test_own_quotes_and_bare_keys_are_read(text: str, expected: str) -> None:
    assert read_all(QUOTED, [text]) == (True, expected, "")
    assert read_all(QUOTED, list(text)) == (True, expected, "")


def pieces_of(node: Json, *chunks: str) -> list[str]:
    """Return what each chunk gives."""
    reader, text, index, given = JsonReader(node), "", 0, []
    for chunk in chunks:
        text += chunk
        _, index = reader.read(text, index, False)
        given.append("".join(reader.pieces))
    return given


def test_characters_of_a_string_are_given_at_once() -> None:
    assert pieces_of(Json(), '{"a": "x', "y", "z\\", "n", '"') == ['{"a": "x', "y", "z", "\\n", '"']


def test_a_key_is_given_at_its_colon() -> None:
    assert pieces_of(Json(), '{"a', '"', " ", ":", "1", ",", ' "b"', ":") == ["{", "", "", '"a" :', "", "1", "", ', "b":']


def test_a_number_is_given_when_it_has_ended() -> None:
    assert pieces_of(Json(), "[1", "2", ".5", "]") == ["[", "", "", "12.5]"]


def test_a_comma_waits_for_what_it_announces() -> None:
    assert pieces_of(Json(), "[1,", " ", "[", "]", ",", "]") == ["[1", "", ", [", "]", "", "]"]


def test_half_a_surrogate_pair_waits_for_the_other_half() -> None:
    assert pieces_of(Json(kind=JsonKind.STRING, decoded=True), '"a\\ud8', "3d", "\\ude", "00", '"') == ["a", "", "", "😀", ""]


def test_a_word_that_cannot_become_one_fails_at_once() -> None:
    reader = JsonReader(Json())
    assert reader.read("[hel", 0, False) == (False, 1)


def test_ten_thousand_levels_do_not_recur() -> None:
    depth = 10_000
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        assert read_all(Json(), [text]) == (True, text, "")


def test_a_number_is_no_longer_than_python_reads() -> None:
    assert read_all(Json(), ["[" + "9" * 4300 + "]"])[0]
    assert not read_all(Json(), ["[" + "9" * 4301 + "]"])[0]


def test_many_keys_cost_the_same_each() -> None:
    def work(count: int) -> int:
        text = "{" + ", ".join(f'"key{number}": {number}' for number in range(count)) + "}"
        return steps(lambda: read_all(Json(), [text]))

    assert work(20_000) < 11 * work(2_000)
