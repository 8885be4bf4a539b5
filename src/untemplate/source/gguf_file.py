"""A GGUF file as a source: templates, special tokens, and its vocabulary when somebody asks."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from untemplate.errors import SourceError
from untemplate.source.gguf_header import ArrayPlace, Cursor, ValueType, read_item, read_pairs
from untemplate.source.gguf_vocabulary import GgufVocabulary
from untemplate.source.model import Contents, SourceKind

TEMPLATE_KEY = "tokenizer.chat_template"
TOKENS_KEY = "tokenizer.ggml.tokens"
TYPES_KEY = "tokenizer.ggml.token_type"
MODEL_KEY = "tokenizer.ggml.model"

_TEXT_HINT = "Give the model's template as a .jinja file, with --vocabulary for this file's tokens."

_TOKEN_IDS = {
    "bos_token": "tokenizer.ggml.bos_token_id",
    "eos_token": "tokenizer.ggml.eos_token_id",
    "unk_token": "tokenizer.ggml.unknown_token_id",
    "sep_token": "tokenizer.ggml.seperator_token_id",  # spelled so by the format
    "pad_token": "tokenizer.ggml.padding_token_id",
    "cls_token": "tokenizer.ggml.cls_token_id",
    "mask_token": "tokenizer.ggml.mask_token_id",
}
_WANTED = frozenset({TEMPLATE_KEY, TOKENS_KEY, TYPES_KEY, MODEL_KEY, "tokenizer.ggml.add_bos_token", *_TOKEN_IDS.values()})
_SPLIT = re.compile(r"-(\d{5})-of-(\d{5})$")


def _is_wanted(key: str) -> bool:
    return key in _WANTED or key.startswith(TEMPLATE_KEY + ".")


def read_gguf(path: Path, given: str) -> Contents:
    """Return what the header of a GGUF file says. Of a split file the first part is read, whichever is given.

    Raises:
        SourceError: when it cannot be read, is cut, lies, or is of a kind that is not read.
    """
    first, notes = _first_part(path)
    with first.open("rb") as stream:
        cursor = Cursor(stream, str(first))
        pairs = read_pairs(cursor, _is_wanted)
        special = _special_tokens(cursor, pairs)
    adds_bos = pairs.get("tokenizer.ggml.add_bos_token")
    tokens = pairs.get(TOKENS_KEY)
    return Contents(
        name=_SPLIT.sub("", first.stem),
        kind=SourceKind.GGUF,
        path=given,
        looked_for=f"{TEMPLATE_KEY} or {TEMPLATE_KEY}.NAME in the header",
        templates=_templates(pairs, str(first)),
        special_tokens=special,
        adds_bos=adds_bos if isinstance(adds_bos, bool) else None,
        load_vocabulary=functools.partial(_load_vocabulary, first, pairs) if isinstance(tokens, ArrayPlace) else None,
        vocabulary_files=(first,),
        hint=f"Give the model's template as a .jinja file, and this file for its tokens: --vocabulary {given}",
        notes=notes,
    )


def _first_part(path: Path) -> tuple[Path, tuple[str, ...]]:
    match = _SPLIT.search(path.stem)
    if match is None or int(match[1]) == 1:
        return path, ()
    first = path.with_name(f"{path.stem[: match.start()]}-00001-of-{match[2]}{path.suffix}")
    if not first.is_file():
        raise SourceError(
            f"this is part {int(match[1])} of {int(match[2])}; the template is in the first part, which is not there",
            code="E101",
            where=str(path),
            hint=f"Put {first.name} beside it.",
        )
    return first, (f"The template was read from the first part of the split file, {first.name}.",)


def _templates(pairs: dict[str, Any], where: str) -> dict[str, str]:
    result = {}
    for key, value in pairs.items():
        if key.startswith(TEMPLATE_KEY) and isinstance(value, bytes):
            name = key.removeprefix(TEMPLATE_KEY).removeprefix(".") or "default"
            try:
                result[name] = value.decode("utf-8")
            except UnicodeDecodeError as error:
                raise SourceError(
                    f"{key} is not UTF-8: {error.reason} at its byte {error.start}", code="E105", where=where, hint=_TEXT_HINT
                ) from error
    return result


def _special_tokens(cursor: Cursor, pairs: dict[str, Any]) -> dict[str, str]:
    tokens = pairs.get(TOKENS_KEY)
    result = {}
    if isinstance(tokens, ArrayPlace) and tokens.type is ValueType.STRING:
        for name, key in _TOKEN_IDS.items():
            number = pairs.get(key)
            text = read_item(cursor, tokens, number) if isinstance(number, int) else None
            if text is not None:
                result[name] = text.decode("utf-8", "replace")
    return result


def _load_vocabulary(path: Path, pairs: dict[str, Any]) -> GgufVocabulary:
    model = pairs.get(MODEL_KEY)
    with path.open("rb") as stream:
        return GgufVocabulary(
            Cursor(stream, str(path)),
            tokens=pairs[TOKENS_KEY],
            types=pairs.get(TYPES_KEY),
            byte_level=model == b"gpt2",
        )
