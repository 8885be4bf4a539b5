"""The vocabulary of a model's folder: ``tokenizer.json``, and the added tokens that other files list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from untemplate.source.files import read_bytes, read_object
from untemplate.source.vocabulary import Token, TokenType, spell_bytes

_ADDED = re.compile(rb'"added_tokens"\s*:\s*\[')
_MODEL_VOCABULARY = re.compile(rb'"vocab"\s*:\s*([\[{])')


class JsonVocabulary:
    """Finds tokens by their text. The large file is searched as it stands, and never parsed as a whole."""

    def __init__(self, added: Mapping[str, Token], data: bytes) -> None:
        self._added = added
        self._data = data
        start = _MODEL_VOCABULARY.search(data)
        self._start = start.end() if start else len(data)
        self.complete = start is not None and start[1] == b"{"

    def find(self, text: str) -> Token | None:
        """Return the token whose text this is: an added one first."""
        if text in self._added:
            return self._added[text]
        if self.complete:
            for spelling in dict.fromkeys((text, spell_bytes(text), text.replace(" ", "▁"), "▁" + text.replace(" ", "▁"))):
                number = self._find_key(spelling)
                if number is not None:
                    return Token(text=text, id=number, type=TokenType.NORMAL)
        return None

    def _find_key(self, spelling: str) -> int | None:
        for ascii_only in (False, True):
            key = json.dumps(spelling, ensure_ascii=ascii_only).encode("utf-8")
            found = re.compile(re.escape(key) + rb"\s*:\s*(\d+)").search(self._data, self._start)
            if found:
                return int(found[1])
        return None


def vocabulary_files(folder: Path) -> tuple[Path, ...]:
    """Return where a model's folder may list tokens; a file need not be there."""
    return (folder / "tokenizer.json", folder / "added_tokens.json", folder / "tokenizer_config.json")


def load_json_vocabulary(folder: Path) -> JsonVocabulary:
    """Return the vocabulary of a model's folder. Without ``tokenizer.json`` only the added tokens are known.

    Raises:
        SourceError: when a file cannot be read or is broken.
    """
    tokenizer, more, config = vocabulary_files(folder)
    data = read_bytes(tokenizer) if tokenizer.is_file() else b""
    added: dict[str, Token] = {}
    for text, number in read_object(more).items():
        if isinstance(number, int):
            added[text] = Token(text=text, id=number, type=TokenType.USER_DEFINED)
    decoder = read_object(config).get("added_tokens_decoder")
    for number, entry in (decoder if isinstance(decoder, dict) else {}).items():
        if isinstance(entry, dict):
            _note(added, {**entry, "id": number})
    for entry in _added_entries(data):
        _note(added, entry)
    return JsonVocabulary(added, data)


def _note(added: dict[str, Token], entry: Mapping[str, Any]) -> None:
    text, number = entry.get("content"), entry.get("id")
    if isinstance(text, str) and str(number).isdigit():
        kind = TokenType.CONTROL if entry.get("special") else TokenType.USER_DEFINED
        added[text] = Token(text=text, id=int(str(number)), type=kind)


def _added_entries(data: bytes) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of ``added_tokens``, decoding one object after the other up to the end of the list."""
    start = _ADDED.search(data)
    if start is None:
        return
    place = start.end()
    while (begin := data.find(b"{", place)) >= 0 and not data[place:begin].strip(b", \t\r\n"):
        end = data.find(b"}", begin)
        while end >= 0:
            try:
                entry = json.loads(data[begin : end + 1])
                break
            except ValueError:  # a brace inside the token's own text
                end = data.find(b"}", end + 1)
        else:
            return
        yield entry
        place = end + 1
