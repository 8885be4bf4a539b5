"""Hugging Face's files: ``tokenizer_config.json`` and the folder of a model.

Source: transformers 5.24. A template stands in ``chat_template.jinja`` (wins) with others in
``additional_chat_templates/*.jinja``, in ``tokenizer_config.json``, or, for processors, in ``chat_template.json``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from untemplate.errors import SourceError
from untemplate.source.files import parse_object, read_object, read_text, unreadable
from untemplate.source.json_vocabulary import load_json_vocabulary, vocabulary_files
from untemplate.source.model import Contents, SourceKind

CONFIG = "tokenizer_config.json"
_MAIN = "chat_template.jinja"
_MORE = "additional_chat_templates"
_PROCESSOR = "chat_template.json"
_MAP = "special_tokens_map.json"
_KEY = "chat_template"


def read_config(text: str, name: str, given: str, folder: Path | None) -> Contents:
    """Return what a ``tokenizer_config.json`` (or a ``chat_template.json``) says.

    ``folder``: where its neighbours are, for the vocabulary; ``None`` when it came from standard input.

    Raises:
        SourceError: E104 when it is no JSON object or its template is neither text nor a list of named texts.
    """
    config = parse_object(text, given)
    has_main = folder is not None and (folder / _MAIN).is_file()
    hint = (
        f"The folder holds {_MAIN}: give the folder, {folder}."
        if has_main
        else "Give the template as a .jinja file, or the model's folder."
    )
    return Contents(
        name=name,
        kind=SourceKind.TOKENIZER_CONFIG,
        path=given,
        looked_for=f"the key {_KEY!r}",
        templates=_named_templates(config.get(_KEY), given),
        special_tokens=_special_tokens(config, {}),
        adds_bos=_flag(config, "add_bos_token"),
        load_vocabulary=functools.partial(load_json_vocabulary, folder) if folder else None,
        vocabulary_files=vocabulary_files(folder) if folder else (),
        hint=hint,
    )


def read_folder(folder: Path, given: str) -> Contents:
    """Return what a model's folder says.

    Raises:
        SourceError: when a file in it cannot be read or is broken.
    """
    config = read_object(folder / CONFIG)
    special = _special_tokens(config, read_object(folder / _MAP))
    found = _folder_templates(folder, config)
    notes: list[str] = []
    templates: Mapping[str, str] = {}
    if found:
        (winner, templates), *others = found
        notes = [f"{winner} wins over {other}, which holds another template." for other, texts in others if texts != templates]
    return Contents(
        name=folder.resolve().name or "folder",
        kind=SourceKind.FOLDER,
        path=given,
        looked_for=f"{_MAIN}, {_MORE}/*.jinja, {_KEY!r} in {CONFIG}, {_PROCESSOR}",
        templates=templates,
        special_tokens=special,
        adds_bos=_flag(config, "add_bos_token"),
        load_vocabulary=functools.partial(load_json_vocabulary, folder) if _has_vocabulary(folder) else None,
        vocabulary_files=vocabulary_files(folder),
        hint=_folder_hint(folder),
        notes=tuple(notes),
    )


def _folder_templates(folder: Path, config: Mapping[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """Return the places that hold templates, the one that wins first."""
    found = []
    main = {"default": read_text(folder / _MAIN)} if (folder / _MAIN).is_file() else {}
    try:
        more = {path.stem: read_text(path) for path in sorted((folder / _MORE).glob("*.jinja"))}
    except OSError as error:
        raise unreadable(folder / _MORE, error) from error
    if main or more:
        found.append((_MAIN if main else f"{_MORE}/", {**more, **main}))
    if templates := _named_templates(config.get(_KEY), str(folder / CONFIG)):
        found.append((CONFIG, templates))
    processor = read_object(folder / _PROCESSOR)
    if templates := _named_templates(processor.get(_KEY), str(folder / _PROCESSOR)):
        found.append((_PROCESSOR, templates))
    return found


def _named_templates(value: Any, where: str) -> dict[str, str]:
    """Return the templates in a ``chat_template`` value: a text, a list of ``{name, template}``, or an object of texts."""
    match value:
        case None:
            return {}
        case str():
            return {"default": value}
        case list() if all(isinstance(item, dict) and isinstance(item.get("template"), str) for item in value):
            return {str(item.get("name", "default")): item["template"] for item in value}
        case dict() if all(isinstance(text, str) for text in value.values()):
            return dict(value)
    raise SourceError(
        f"{_KEY!r} is neither a text nor a list of named texts",
        code="E104",
        where=where,
        hint='It must be a string, or a list such as [{"name": "default", "template": "…"}].',
    )


def _special_tokens(config: Mapping[str, Any], mapped: Mapping[str, Any]) -> dict[str, str]:
    """Return the special tokens' texts; ``tokenizer_config.json`` wins over ``special_tokens_map.json``."""
    extra = config.get("extra_special_tokens")
    result: dict[str, str] = {}
    for source in (config, extra if isinstance(extra, dict) else {}, mapped):
        for key, value in source.items():
            text = value.get("content") if isinstance(value, dict) else value
            if key.endswith("_token") and isinstance(text, str) and key not in result:
                result[key] = text
    return result


def _flag(config: Mapping[str, Any], key: str) -> bool | None:
    value = config.get(key)
    return value if isinstance(value, bool) else None


def _has_vocabulary(folder: Path) -> bool:
    return any(path.is_file() for path in vocabulary_files(folder))


def _folder_hint(folder: Path) -> str:
    models = sorted(path.name for path in folder.glob("*.gguf"))
    if models:
        return f"The folder holds GGUF files: give one of them, such as {folder / models[0]}."
    return "Give the template as a .jinja file, and the folder for its tokens: --vocabulary FOLDER."
