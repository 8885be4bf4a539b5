"""GGUF headers: read without tensors, arrays hopped over, and every lie in a length found before it costs anything."""

from __future__ import annotations

import pickle
import resource
import struct
import subprocess
import sys
import tracemalloc

import pytest

from untemplate.errors import SourceError
from untemplate.source import SourceKind, TokenType, load_source

STRING, ARRAY, UINT32, INT32, BOOL = 8, 9, 4, 5, 7


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def pair(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


def strings(items, count=None):
    return struct.pack("<IQ", STRING, len(items) if count is None else count) + b"".join(map(text, items))


TOKENS = ["<s>", "</s>", "<tool_call>", "hello", "Ġ<b>", "<|im_end|>"]
PAIRS = [
    pair("general.architecture", STRING, text("llama")),
    pair("tokenizer.ggml.model", STRING, text("gpt2")),
    pair("tokenizer.ggml.tokens", ARRAY, strings(TOKENS)),
    pair("tokenizer.ggml.token_type", ARRAY, struct.pack("<IQ6i", INT32, 6, 3, 3, 4, 1, 1, 3)),
    pair("tokenizer.ggml.merges", ARRAY, strings(["a b"] * 3000)),
    pair("nested", ARRAY, struct.pack("<IQ", ARRAY, 2) + strings(["a"]) + strings(["b", "c"])),
    pair("tokenizer.ggml.bos_token_id", UINT32, struct.pack("<I", 0)),
    pair("tokenizer.ggml.eos_token_id", UINT32, struct.pack("<I", 5)),
    pair("tokenizer.ggml.padding_token_id", UINT32, struct.pack("<I", 4_000_000_000)),
    pair("tokenizer.ggml.add_bos_token", BOOL, b"\x01"),
]
TEMPLATE = pair("tokenizer.chat_template", STRING, text("<|im_start|>{{ messages[0].role }}"))


def header(pairs, version=3, tensors=0, count=None):
    return b"GGUF" + struct.pack("<IQQ", version, tensors, len(pairs) if count is None else count) + b"".join(pairs)


@pytest.fixture
def gguf_file(tmp_path):
    def write(data, name="model-Q4.gguf"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def failure(path):
    with pytest.raises(SourceError) as caught:
        load_source(path)
    return caught.value


@pytest.mark.parametrize("version", [2, 3])
def test_template_and_tokens_come_from_the_header(gguf_file, version):  # fault report gguf-template-not-loaded
    source = load_source(gguf_file(header([*PAIRS, TEMPLATE], version, tensors=7) + b"tensors"))
    assert (source.kind, source.name, source.text) == (SourceKind.GGUF, "model-Q4", "<|im_start|>{{ messages[0].role }}")
    assert source.special_tokens == {"bos_token": "<s>", "eos_token": "<|im_end|>"}
    assert (source.adds_bos, source.notes) == (True, ())


def test_the_order_of_keys_does_not_matter(gguf_file):
    assert load_source(gguf_file(header([TEMPLATE, *PAIRS[::-1]]))).special_tokens["eos_token"] == "<|im_end|>"


def test_named_templates_are_found_and_the_one_for_tools_is_used(gguf_file):
    names = pair("tokenizer.chat_templates", ARRAY, strings(["tool_use"]))
    named = pair("tokenizer.chat_template.tool_use", STRING, text("T"))
    source = load_source(gguf_file(header([names, named, *PAIRS, TEMPLATE])))
    assert (source.chosen, source.text, sorted(source.templates)) == ("tool_use", "T", ["default", "tool_use"])
    assert "tool_use is used" in source.notes[0]


def test_no_template_names_the_key_and_the_way_out(gguf_file):  # fault reports gguf-no-template, gguf-template-not-loaded
    path = gguf_file(header(PAIRS))
    error = failure(path)
    assert error.code == "E102"
    assert "tokenizer.chat_template" in error.message
    assert f"--vocabulary {path}" in error.hint


def test_the_vocabulary_tells_tokens_from_texts(gguf_file):
    vocabulary = load_source(gguf_file(header([*PAIRS, TEMPLATE]))).load_vocabulary()
    found = {name: vocabulary.find(name) for name in ("<s>", "<tool_call>", "hello", " <b>", "tool_call", "<|im_end|>", "ello", "")}
    assert {name: (token.id, token.type) for name, token in found.items() if token} == {
        "<s>": (0, TokenType.CONTROL),
        "<tool_call>": (2, TokenType.USER_DEFINED),
        "hello": (3, TokenType.NORMAL),
        " <b>": (4, TokenType.NORMAL),
        "<|im_end|>": (5, TokenType.CONTROL),
    }
    assert vocabulary.complete


def test_a_token_that_looks_like_another_tokens_record_is_not_confused_with_it(gguf_file):
    inner = struct.pack("<Q", 3).decode() + "abc"
    tokens = pair("tokenizer.ggml.tokens", ARRAY, strings([inner, "x", "abc"]))
    assert load_source(gguf_file(header([tokens, TEMPLATE]))).load_vocabulary().find("abc").id == 2


def test_a_sentencepiece_vocabulary_spells_spaces_its_own_way(gguf_file):
    pairs = [pair("tokenizer.ggml.model", STRING, text("llama")), pair("tokenizer.ggml.tokens", ARRAY, strings(["▁a▁b", "[INST]"]))]
    vocabulary = load_source(gguf_file(header([*pairs, TEMPLATE]))).load_vocabulary()
    assert (vocabulary.find("a b").id, vocabulary.find("[INST]").id) == (0, 1)


def test_a_template_beside_takes_the_files_tokens(gguf_file, tmp_path):
    (tmp_path / "mine.jinja").write_text("{{ bos_token }}")
    source = load_source(tmp_path / "mine.jinja", vocabulary=gguf_file(header(PAIRS)))
    assert (source.special_tokens["bos_token"], source.adds_bos) == ("<s>", True)
    assert source.load_vocabulary().find("hello").id == 3


def test_of_a_split_file_the_first_part_is_read(gguf_file):
    gguf_file(header([*PAIRS, TEMPLATE]), "big-00001-of-00003.gguf")
    second = gguf_file(header([]), "big-00002-of-00003.gguf")
    source = load_source(second)
    assert (source.name, source.text) == ("big", "<|im_start|>{{ messages[0].role }}")
    assert "big-00001-of-00003.gguf" in source.notes[0]
    lonely = gguf_file(header([]), "other-00002-of-00003.gguf")
    assert "other-00001-of-00003.gguf" in failure(lonely).hint


WHOLE = header([*PAIRS, TEMPLATE])
LENGTHS = [*range(4, 200, 7), *range(200, len(WHOLE), 997), len(WHOLE) - 1]


@pytest.mark.parametrize("length", LENGTHS)
def test_a_header_cut_anywhere_is_an_error(gguf_file, length):
    error = failure(gguf_file(WHOLE[:length]))
    assert error.code == "E110"
    assert "cut or lies" in error.message
    assert "byte" in error.where


HUGE = 1 << 60
LIES = {
    "number of keys": (header(PAIRS, count=HUGE), "E110"),
    "one key too many": (header(PAIRS, count=len(PAIRS) + 1), "E110"),
    "length of a key": (header([struct.pack("<Q", HUGE) + b"x" * 40]), "E110"),
    "key of a megabyte": (header([text("k" * 1_000_000) + b"x" * 40]), "E111"),
    "length of a string": (header([text("k") + struct.pack("<IQ", STRING, HUGE) + b"x"]), "E110"),
    "template of 2^63 bytes": (header([text("tokenizer.chat_template") + struct.pack("<IQ", STRING, 1 << 63) + b"x"]), "E110"),
    "template of 20 MB": (header([pair("tokenizer.chat_template", STRING, text("x" * 20_000_000))]), "E111"),
    "number of strings": (header([pair("tokenizer.ggml.tokens", ARRAY, strings(["a"], HUGE))]), "E110"),
    "one string too many": (header([pair("tokenizer.ggml.tokens", ARRAY, strings(["a" * 30], 2))]), "E110"),
    "string in an array": (
        header([pair("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQQ", STRING, 1, HUGE) + b"x" * 40)]),
        "E110",
    ),
    "string of 2^63 bytes in an array": (
        header([pair("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQQ", STRING, 2, 1 << 63) + b"x" * 40)]),
        "E110",
    ),
    "number of numbers": (header([pair("k", ARRAY, struct.pack("<IQ", UINT32, HUGE))]), "E110"),
    "number of arrays": (header([pair("k", ARRAY, struct.pack("<IQ", ARRAY, HUGE))]), "E110"),
    "deep arrays": (header([pair("k", ARRAY, struct.pack("<IQ", ARRAY, 1) * 2000 + struct.pack("<IQ", UINT32, 0))]), "E111"),
    "unknown type": (header([text("k") + struct.pack("<I", 99) + b"x" * 40]), "E111"),
    "unknown type in an array": (header([pair("k", ARRAY, struct.pack("<IQ", 77, 1) + b"x" * 40)]), "E111"),
    "version 1": (header(PAIRS, version=1), "E111"),
    "version 4": (header(PAIRS, version=4), "E111"),
    "template that is no text": (header([pair("tokenizer.chat_template", STRING, struct.pack("<Q", 2) + b"\xff\xfe")]), "E105"),
}


@pytest.mark.parametrize(("data", "code"), LIES.values(), ids=LIES)
def test_a_lying_header_is_an_error_and_never_a_huge_allocation(gguf_file, data, code):
    path = gguf_file(data)
    tracemalloc.start()
    try:
        error = failure(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.code == code
    assert str(path) in error.where
    assert peak < 8_000_000


def test_a_big_endian_file_is_refused_with_a_way_out(gguf_file):
    error = failure(gguf_file(b"GGUF" + struct.pack(">IQQ", 3, 0, 0)))
    assert "big-endian" in error.message
    assert "gguf_convert_endian" in error.hint


def test_token_ids_outside_the_vocabulary_are_left_out(gguf_file):
    pairs = [PAIRS[2], pair("tokenizer.ggml.bos_token_id", UINT32, struct.pack("<I", 6)), TEMPLATE]
    assert load_source(gguf_file(header(pairs))).special_tokens == {}


def test_a_source_can_be_sent_to_another_process(gguf_file):
    source = load_source(gguf_file(header([*PAIRS, TEMPLATE])))
    assert pickle.loads(pickle.dumps(source)).load_vocabulary().find("hello").id == 3


MEASURE = """
import resource, sys
from untemplate.source import load_source
source = load_source(sys.argv[1])
vocabulary = source.load_vocabulary()
assert source.text == "T {{ x }}" and source.special_tokens["bos_token"] == "<|im_start|>"
assert vocabulary.find("<|im_end|>").id == 149_999 and vocabulary.find("nothing") is None
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(status["VmHWM"].split()[0], resource.getrusage(resource.RUSAGE_SELF).ru_utime)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process's own memory is read from /proc")
def test_a_vocabulary_of_150_000_tokens_costs_little(tmp_path):
    gguf = pytest.importorskip("gguf")
    path = tmp_path / "big.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"Ġtoken{number}" for number in range(149_998)] + ["<|im_start|>", "<|im_end|>"])
    writer.add_token_types([1] * 149_998 + [3, 3])
    writer.add_token_merges([f"Ġto{number} ken{number}" for number in range(150_000)])
    writer.add_bos_token_id(149_998)
    writer.add_chat_template("T {{ x }}")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    kilobytes, seconds = done.stdout.split()
    assert int(kilobytes) < 40_000
    assert float(seconds) < 3


def test_a_tensor_region_of_any_size_is_never_read(tmp_path):
    path = tmp_path / "large.gguf"
    with path.open("wb") as stream:
        stream.write(header([*PAIRS, TEMPLATE], tensors=300))
        stream.truncate(200 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert load_source(path).text.startswith("<|im_start|>")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
