"""Whatever bytes stand in a file, a source is read or refused with a code: no crash, no hang, no huge allocation."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untemplate.errors import SourceError
from untemplate.source import load_source

STRING, ARRAY, UINT32, INT32, BOOL = 8, 9, 4, 5, 7


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def pair(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


PAIRS = [
    pair("tokenizer.ggml.model", STRING, text("gpt2")),
    pair("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", STRING, 4) + b"".join(map(text, ["<s>", "</s>", "Ġa", "é"]))),
    pair("tokenizer.ggml.token_type", ARRAY, struct.pack("<IQ4i", INT32, 4, 3, 3, 1, 1)),
    pair("numbers", ARRAY, struct.pack("<IQ", ARRAY, 1) + struct.pack("<IQ2I", UINT32, 2, 1, 2)),
    pair("tokenizer.ggml.bos_token_id", UINT32, struct.pack("<I", 0)),
    pair("tokenizer.ggml.add_bos_token", BOOL, b"\x01"),
    pair("tokenizer.chat_template", STRING, text("{{ bos_token }}")),
]
WHOLE = b"GGUF" + struct.pack("<IQQ", 3, 0, len(PAIRS)) + b"".join(PAIRS)
EDITS = st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=8)), min_size=1, max_size=4)


def try_source(path):
    """Read the source and its vocabulary, or get a coded error."""
    code = "E1"
    try:
        source = load_source(path)
        vocabulary = source.load_vocabulary() if source.load_vocabulary else None
        if vocabulary is not None:
            for token in ("<s>", " a", "é", "x"):
                vocabulary.find(token)
        assert isinstance(source.text, str)
    except SourceError as error:
        code = error.code
    assert code.startswith("E1")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("damage") / "model.gguf"


@given(edits=EDITS, cut=st.integers(0, len(WHOLE)))
def test_a_damaged_gguf_header_is_read_or_refused(path, edits, cut):
    data = bytearray(WHOLE)
    for place, piece in edits:
        data[place : place + len(piece)] = piece
    path.write_bytes(b"GGUF" + bytes(data[4 : max(4, cut)]) if cut % 2 else bytes(data))
    try_source(path)


@given(st.binary(max_size=200))
def test_any_bytes_after_the_magic_number_are_read_or_refused(path, tail):
    path.write_bytes(b"GGUF" + tail)
    try_source(path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "template", "content", "id"]), inner, max_size=4),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["chat_template", "bos_token", "eos_token", "extra_special_tokens", "added_tokens_decoder", "add_bos_token", "added_tokens"]
)


@given(st.dictionaries(KEYS, VALUES, max_size=5), st.dictionaries(KEYS, VALUES, max_size=3))
def test_any_json_in_a_models_folder_is_read_or_refused(tmp_path_factory, config, tokenizer):
    folder = tmp_path_factory.mktemp("folder")
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    try_source(folder)
    try_source(folder / "tokenizer_config.json")
