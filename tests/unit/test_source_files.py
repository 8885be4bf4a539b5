"""Templates come from files and folders the way transformers finds them; what is missing or broken is said."""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
from types import SimpleNamespace

import pytest

from untemplate.errors import SourceError
from untemplate.source import SourceKind, TokenType, load_source
from untemplate.template import load_template

TEXT = "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes files into a model's folder and gives the folder."""
    root = tmp_path / "My-Model-7B"
    root.mkdir()

    def write(files):
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline="")
        return root

    return write


def failure(path, **options):
    with pytest.raises(SourceError) as caught:
        load_source(path, **options)
    return caught.value


def test_a_jinja_file_is_its_text(folder):
    source = load_source(folder({"some.model.jinja": TEXT}) / "some.model.jinja")
    assert (source.name, source.kind, source.text, source.chosen) == ("some.model", SourceKind.JINJA, TEXT, "default")
    assert (source.special_tokens, source.load_vocabulary, source.adds_bos) == ({}, None, None)


def test_a_file_whose_name_says_nothing_is_named_after_its_folder(folder):
    root = folder({"chat_template.jinja": TEXT, "tokenizer_config.json": {"chat_template": TEXT}})
    assert load_source(root / "chat_template.jinja").name == "My-Model-7B"
    assert load_source(root / "tokenizer_config.json").name == "My-Model-7B"


def test_line_ends_and_byte_order_marks_do_not_reach_the_template(folder):
    root = folder({"a.jinja": "\ufeffa\r\nb\rc\n"})
    assert load_source(root / "a.jinja").text == "a\nb\nc\n"


def test_a_tokenizer_config_gives_template_and_special_tokens(folder):
    config = {
        "chat_template": TEXT,
        "bos_token": "<s>",
        "eos_token": {"__type": "AddedToken", "content": "</s>", "lstrip": False},
        "pad_token": None,
        "image_token": "<image>",
        "extra_special_tokens": {"call_token": "<call>"},
        "add_bos_token": True,
    }
    source = load_source(folder({"tokenizer_config.json": config}) / "tokenizer_config.json")
    assert source.kind is SourceKind.TOKENIZER_CONFIG
    assert source.special_tokens == {"bos_token": "<s>", "eos_token": "</s>", "image_token": "<image>", "call_token": "<call>"}
    assert source.adds_bos is True
    assert load_template(source).render([{"role": "user", "content": "x"}]) == "<s>x"


NAMED = [{"name": "default", "template": "D"}, {"name": "rag", "template": "R"}, {"name": "tool_use", "template": "T"}]


def test_of_several_templates_the_one_for_tools_is_used_and_said(folder):
    path = folder({"tokenizer_config.json": {"chat_template": NAMED}}) / "tokenizer_config.json"
    source = load_source(path)
    assert (source.text, source.chosen, dict(source.templates)) == ("T", "tool_use", {"default": "D", "rag": "R", "tool_use": "T"})
    assert "default, rag, tool_use" in source.notes[0]
    assert "--template" in source.notes[0]


def test_without_one_for_tools_the_default_is_used_and_said(folder):
    source = load_source(folder({"tokenizer_config.json": {"chat_template": NAMED[:2]}}) / "tokenizer_config.json")
    assert source.chosen == "default"
    assert "default is used" in source.notes[0]


def test_a_template_is_picked_by_name(folder):
    path = folder({"tokenizer_config.json": {"chat_template": NAMED}}) / "tokenizer_config.json"
    source = load_source(path, template="rag")
    assert (source.text, source.notes) == ("R", ())


def test_a_wrong_name_lists_the_right_ones(folder):
    error = failure(folder({"tokenizer_config.json": {"chat_template": NAMED}}) / "tokenizer_config.json", template="tools")
    assert error.code == "E103"
    assert "default, rag, tool_use" in error.message


def test_several_templates_without_a_default_are_not_guessed_among(folder):
    named = [{"name": "a", "template": "A"}, {"name": "b", "template": "B"}]
    error = failure(folder({"tokenizer_config.json": {"chat_template": named}}) / "tokenizer_config.json")
    assert (error.code, "a, b" in error.message, "--template" in error.hint) == ("E103", True, True)


def test_a_tokenizer_config_without_a_template_names_the_key_and_the_way_out(folder):
    root = folder({"tokenizer_config.json": {"bos_token": "<s>"}})
    error = failure(root / "tokenizer_config.json")
    assert error.code == "E102"
    assert "'chat_template'" in error.message
    assert ".jinja" in error.hint
    folder({"chat_template.jinja": TEXT})
    assert "give the folder" in failure(root / "tokenizer_config.json").hint


def test_in_a_folder_the_jinja_file_wins_and_a_difference_is_said(folder):
    root = folder({"chat_template.jinja": "J", "tokenizer_config.json": {"chat_template": "C", "eos_token": "</s>"}})
    source = load_source(root)
    assert (source.kind, source.name, source.text) == (SourceKind.FOLDER, "My-Model-7B", "J")
    assert source.special_tokens == {"eos_token": "</s>"}
    assert "wins over tokenizer_config.json" in source.notes[0]


def test_equal_templates_in_two_places_need_no_note(folder):
    assert load_source(folder({"chat_template.jinja": "J", "tokenizer_config.json": {"chat_template": "J"}})).notes == ()


def test_a_processors_template_is_the_last_resort(folder):
    root = folder({"chat_template.json": {"chat_template": "P"}})
    assert load_source(root).text == "P"
    folder({"tokenizer_config.json": {"chat_template": "C"}})
    assert load_source(root).text == "C"


def test_additional_templates_stand_beside_the_main_one(folder):
    files = {"chat_template.jinja": "D", "additional_chat_templates/tool_use.jinja": "T", "additional_chat_templates/rag.jinja": "R"}
    source = load_source(folder(files))
    assert (dict(source.templates), source.chosen) == ({"default": "D", "rag": "R", "tool_use": "T"}, "tool_use")


def test_special_tokens_come_from_the_map_where_the_config_has_none(folder):
    files = {
        "chat_template.jinja": TEXT,
        "tokenizer_config.json": {"bos_token": "<s>"},
        "special_tokens_map.json": {"bos_token": "<other>", "eos_token": {"content": "</s>"}},
    }
    assert load_source(folder(files)).special_tokens == {"bos_token": "<s>", "eos_token": "</s>"}


def test_a_folder_without_a_template_says_where_it_looked(folder):
    root = folder({"tokenizer_config.json": {}})
    error = failure(root)
    assert error.code == "E102"
    assert all(name in error.message for name in ("chat_template.jinja", "tokenizer_config.json", "chat_template.json"))
    folder({"model.gguf": "GGUF"})
    assert "model.gguf" in failure(root).hint


@pytest.mark.parametrize(
    ("name", "content", "code", "where"),
    [
        ("tokenizer_config.json", '{"a": 1,\n x}', "E104", ":2:2"),
        ("tokenizer_config.json", "[1]", "E104", "tokenizer_config.json"),
        ("tokenizer_config.json", '{"chat_template": 5}', "E104", "tokenizer_config.json"),
        ("tokenizer_config.json", '{"chat_template": [{"name": "a"}]}', "E104", "tokenizer_config.json"),
        ("tokenizer_config.json", '{"chat_template": "\\ud800"}', "E105", "tokenizer_config.json"),
        ("tokenizer_config.json", "[" * 100_000, "E104", "tokenizer_config.json"),
        ("a.jinja", " \n", "E102", "a.jinja"),
    ],
)
def test_a_broken_file_is_an_error_with_its_place(folder, name, content, code, where):
    error = failure(folder({name: content}) / name)
    assert error.code == code
    assert error.where.endswith(where)


def test_bytes_that_are_no_text_are_an_error(tmp_path):
    path = tmp_path / "a.jinja"
    path.write_bytes(b"ab\xff")
    error = failure(path)
    assert (error.code, "byte 2" in error.message) == ("E105", True)


def test_a_path_that_is_not_there_is_an_error(tmp_path):
    error = failure(tmp_path / "none.jinja")
    assert (error.code, error.where) == ("E101", str(tmp_path / "none.jinja"))
    assert "GGUF" in error.hint


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "weights.safetensors"
    with path.open("wb") as stream:
        stream.truncate(10 << 30)
    assert "too large" in failure(path).message


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not stop the superuser")
def test_a_file_that_may_not_be_read_is_an_error(folder):
    path = folder({"a.jinja": "x"}) / "a.jinja"
    path.chmod(0)
    assert failure(path).code == "E100"


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"{% if x %}y{% endif %}", "{% if x %}y{% endif %}"), (b'{"chat_template": "C", "bos_token": "<s>"}', "C"), (b"{{ 1 }}", "{{ 1 }}")],
)
def test_standard_input_holds_a_template_or_a_tokenizers_json(monkeypatch, raw, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    source = load_source("-")
    assert (source.text, source.name, source.path) == (text, "stdin", "-")


def test_a_gguf_file_on_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"GGUF\3\0\0\0")))
    assert "Give its path" in failure("-").hint


TOKENIZER = {
    "added_tokens": [
        {"id": 7, "content": "<think>", "special": False},
        {"id": 8, "content": "<|im_end|>", "special": True},
        {"id": 9, "content": '{"x"}', "special": False},
        {"id": 10, "content": "]}", "special": True},
    ],
    "model": {"type": "BPE", "vocab": {"a": 0, "Ġ<b>": 1, 'é"': 2, "ĠĊ": 3}, "merges": ["a b", ["<c>", "d"]]},
}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_folders_vocabulary_knows_which_texts_are_one_token(folder, indent, ascii_only):
    text = json.dumps(TOKENIZER, indent=indent, ensure_ascii=ascii_only)
    vocabulary = load_source(folder({"chat_template.jinja": TEXT, "tokenizer.json": text})).load_vocabulary()
    found = {text: vocabulary.find(text) for text in ("<think>", "<|im_end|>", '{"x"}', "]}", " <b>", 'é"', " \n", "<c>", "d")}
    assert {text: (token.id, token.type) for text, token in found.items() if token} == {
        "<think>": (7, TokenType.USER_DEFINED),
        "<|im_end|>": (8, TokenType.CONTROL),
        '{"x"}': (9, TokenType.USER_DEFINED),
        "]}": (10, TokenType.CONTROL),
        " <b>": (1, TokenType.NORMAL),
        'é"': (2, TokenType.NORMAL),
        " \n": (3, TokenType.NORMAL),
    }
    assert vocabulary.complete


def test_without_tokenizer_json_only_added_tokens_are_known(folder):
    config = {"added_tokens_decoder": {"5": {"content": "<a>", "special": True}}}
    files = {"chat_template.jinja": TEXT, "tokenizer_config.json": config, "added_tokens.json": {"<b>": 6}}
    vocabulary = load_source(folder(files)).load_vocabulary()
    assert (vocabulary.find("<a>").id, vocabulary.find("<b>").id, vocabulary.find("x")) == (5, 6, None)
    assert not vocabulary.complete


def test_another_sources_tokens_go_with_a_template(folder):
    root = folder({"tokenizer_config.json": {"bos_token": "<s>", "add_bos_token": False, "chat_template": "C"}, "mine.jinja": TEXT})
    source = load_source(root / "mine.jinja", vocabulary=root)
    assert (source.text, source.special_tokens, source.adds_bos, source.name) == (TEXT, {"bos_token": "<s>"}, False, "mine")
    assert root.name in source.notes[0]
    assert str(root) not in source.notes[0], "notes stand in specs, which are the same on every machine"
    assert root / "tokenizer_config.json" in source.vocabulary_files
    assert source.load_vocabulary() is not None


def test_a_vocabulary_without_tokens_is_an_error(folder):
    root = folder({"a.jinja": "A", "b.jinja": "B"})
    error = failure(root / "a.jinja", vocabulary=root / "b.jinja")
    assert (error.code, error.where) == ("E102", str(root / "b.jinja"))


def test_only_a_bos_that_the_tokenizer_adds_is_stripped(folder):  # fault report gguf-double-bos
    for adds, expected in ((True, "<sop>hi"), (False, "[gMASK]<sop>hi")):
        config = {"chat_template": "x", "bos_token": "[gMASK]", "add_bos_token": adds}
        source = load_source(folder({"tokenizer_config.json": config}))
        assert source.strip_added_bos("[gMASK]<sop>hi") == expected


def test_a_source_can_be_sent_to_another_process(folder):
    source = load_source(folder({"chat_template.jinja": TEXT, "tokenizer.json": TOKENIZER}))
    assert pickle.loads(pickle.dumps(source)).load_vocabulary().find("<think>").id == 7
