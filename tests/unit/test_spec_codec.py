from __future__ import annotations

import pytest

from untemplate.errors import SpecError
from untemplate.spec import model
from untemplate.spec.codec import decode, encode
from untemplate.spec.model import Arguments, Encoding, Field, FieldName, Marker, PairList, Text, Value


def test_a_default_is_left_out_unless_it_is_kept() -> None:
    marker = Marker(core="<x>")
    assert encode(marker, lambda _owner, _name: False) == {"core": "<x>"}
    assert encode(marker) == {"core": "<x>", "before": "", "after": ""}
    assert encode(marker, lambda _owner, name: name == "after") == {"core": "<x>", "after": ""}


def test_a_default_that_is_left_out_comes_back() -> None:
    assert decode({"core": "<x>"}, Marker) == Marker(core="<x>")


def test_a_part_is_told_by_its_key() -> None:
    pair = decode({"pair": [{"text": "a"}, {"field": "key"}, {"field": "counter", "start": 1}]}, PairList).pair
    assert pair == (Text(text="a"), Field(field=FieldName.KEY), Field(field=FieldName.COUNTER, start=1))


def test_keys_of_a_mapping_may_be_an_enumeration() -> None:
    arguments = decode({"encoding": "pairs", "values": {"string": {"encoding": "raw"}}}, Arguments)
    assert arguments.values == {model.JsonType.STRING: Value(encoding=Encoding.RAW)}


@pytest.mark.parametrize(
    ("data", "hint", "code", "where", "message"),
    [
        ({"core": "x", "corr": 1}, Marker, "E502", "corr", "unknown key `corr`"),
        ({}, Marker, "E503", "core", "is missing"),
        ({"core": 3}, Marker, "E504", "core", "should be text, is the number 3"),
        ([], Marker, "E504", "", "should be a mapping, is a list"),
        ({"pair": "x"}, PairList, "E504", "pair", "should be a list, is the text 'x'"),
        ({"pair": [{"text": "a"}, {"txt": "a"}]}, PairList, "E503", "pair[1]", "needs `text` or `field`"),
        ({"pair": [{"text": "a", "start": 1}]}, PairList, "E502", "pair[0].start", "unknown key `start`"),
        ({"pair": [7]}, PairList, "E504", "pair[0]", "should be a mapping, is the number 7"),
        ({"field": "nam"}, Field, "E502", "field", "unknown value `nam`"),
        ({"field": None}, Field, "E504", "field", "should be one of name, id, arguments"),
        ({"field": "counter", "start": True}, Field, "E504", "start", "should be a whole number, is true"),
        ({"encoding": "json", "values": {"strng": {}}}, Arguments, "E502", "values.strng", "unknown value `strng`"),
        ({"encoding": "json", "values": {3: {}}}, Arguments, "E504", "values", "the key 3 is not text"),
        ({"open": {"core": ""}, "close": None, "id_parts": [1]}, model.CallForm, "E504", "id_parts", "should have 2 items, has 1"),
        ({"name": "x", "values": [float("nan")]}, model.Switch, "E504", "values[0]", "should be a value that JSON can hold"),
    ],
)
def test_a_complaint_names_the_place(data: object, hint: type, code: str, where: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        decode(data, hint)
    assert (caught.value.code, caught.value.where) == (code, where)
    assert message in caught.value.message


def test_a_near_miss_is_offered() -> None:
    with pytest.raises(SpecError) as caught:
        decode({"core": "x", "befor": ""}, Marker)
    assert caught.value.hint == "did you mean `before`?"


@pytest.mark.parametrize("value", ["\ud800", float("inf"), {1}, {3: "x"}])
def test_what_no_file_can_hold_is_refused_with_its_place(value: object) -> None:
    with pytest.raises(SpecError) as caught:
        encode(model.Switch(name="x", values=(value,)))
    assert caught.value.code == "E506"
    assert str(caught.value.where).startswith("values[0]")


def test_a_decoded_mapping_is_read_only() -> None:
    tokens = decode({"ids": {"<x>": 1}}, model.Tokens)
    with pytest.raises(TypeError):
        tokens.ids["<y>"] = 2  # type: ignore[index]
