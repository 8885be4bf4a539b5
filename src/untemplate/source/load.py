"""From a path to a template source: what kind of file it is, and which of its templates is used."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

from untemplate.errors import SourceError
from untemplate.source.choose import choose_template
from untemplate.source.files import MAX_TEXT, decode_text, read_bytes, unreadable
from untemplate.source.gguf_file import read_gguf
from untemplate.source.hub import fetch_hub, is_hub, parse_hub
from untemplate.source.model import Contents, SourceKind, TemplateSource
from untemplate.source.tokenizer_files import read_config, read_folder

_FILE_NAMES = frozenset({"chat_template", "tokenizer_config", "tokenizer", "template"})
"""Names of files that say nothing of the model: their folder's name is used instead."""


def load_source(path: str | Path, *, template: str | None = None, vocabulary: str | Path | None = None) -> TemplateSource:
    """Return the template at ``path``, with what is known of its special tokens and vocabulary.

    ``path``: a Jinja file, a ``tokenizer_config.json``, a model's folder, a GGUF file, ``hf:REPO@REVISION`` for a model on the
    hub, or ``-`` for standard input (text or JSON). ``template``: the name of the one to use where there are several.
    ``vocabulary``: another source whose tokens are used with this template.

    Raises:
        SourceError: E100 unreadable, E101 not there, E102 no template, E103 no such template or no default, E104 broken JSON,
            E105 not UTF-8, E110 and E111 GGUF, E120 to E122 the hub.
    """
    contents = _read(str(path))
    notes = contents.notes
    if vocabulary is not None:
        other = _read(str(vocabulary))
        if not other.special_tokens and other.load_vocabulary is None:
            raise SourceError(
                "holds no tokens",
                code="E102",
                where=str(vocabulary),
                hint="Give a GGUF file, a model's folder or its tokenizer_config.json for --vocabulary.",
            )
        # Its name, not its path, which is another on each machine: notes stand in the spec.
        notes += (f"Special tokens and vocabulary are those of {other.name}.",)
        contents = replace(
            contents,
            special_tokens=other.special_tokens,
            adds_bos=other.adds_bos,
            load_vocabulary=other.load_vocabulary,
            vocabulary_files=other.vocabulary_files,
        )
    chosen, note = choose_template(contents, template)
    return TemplateSource(
        name=contents.name,
        kind=contents.kind,
        path=contents.path,
        templates=contents.templates,
        chosen=chosen,
        special_tokens=contents.special_tokens,
        adds_bos=contents.adds_bos,
        load_vocabulary=contents.load_vocabulary,
        vocabulary_files=contents.vocabulary_files,
        notes=notes + note,
    )


def _read(path: str) -> Contents:
    if path == "-":
        return _read_stdin()
    if is_hub(path):
        return replace(_read_at(fetch_hub(path), path), name=name_source(path))
    return _read_at(Path(path), path)


def _read_at(place: Path, path: str) -> Contents:
    """Return what a file or folder says, called ``path`` by the caller."""
    try:
        if place.is_dir():
            return read_folder(place, path)
        if not place.exists():
            hint = "Give a .jinja file, a tokenizer_config.json, a model's folder, a GGUF file, hf:OWNER/NAME, or - for standard input."
            raise SourceError("there is no such file or folder", code="E101", where=path, hint=hint)
        with place.open("rb") as stream:
            magic = stream.read(4)
        if magic == b"GGUF":
            return read_gguf(place, path)
    except OSError as error:
        raise unreadable(place, error) from error
    return _read_text(read_bytes(place), name_source(path), path, place)


def name_source(path: str | Path) -> str:
    """Return what the source at ``path`` is called, whether or not it can be read: the file's or the folder's own name."""
    if str(path) == "-":
        return "stdin"
    if is_hub(str(path)):
        return _name_hub(str(path))
    place = Path(path)
    if place.is_dir():
        return place.resolve().name or "folder"
    name = place.resolve().parent.name if place.stem in _FILE_NAMES else place.stem
    return name or place.stem


def _name_hub(source: str) -> str:
    """Return what a source on the hub is called: as its repository, unless it is a file that has a name of its own."""
    try:
        place = parse_hub(source)
    except SourceError:
        return source.partition(":")[2]
    stem = PurePosixPath(place.file).stem if place.file else ""
    return place.name if not stem or stem in _FILE_NAMES else stem


def _read_stdin() -> Contents:
    raw = sys.stdin.buffer.read(MAX_TEXT + 1)
    if raw[:4] == b"GGUF" or len(raw) > MAX_TEXT:
        what = "a GGUF file" if raw[:4] == b"GGUF" else f"more than {MAX_TEXT:,} bytes"
        raise SourceError(f"{what} cannot be read from standard input", where="standard input", hint="Give its path.")
    return _read_text(raw, name_source("-"), "-", None)


def _read_text(raw: bytes, name: str, given: str, place: Path | None) -> Contents:
    text = decode_text(raw, "standard input" if place is None else given)
    if _is_config(text, place):
        return read_config(text, name, given, place.parent if place else None)
    if not text.strip():
        raise SourceError("the file is empty", code="E102", where=given, hint="Give a file with a chat template.")
    return Contents(
        name=name,
        kind=SourceKind.JINJA,
        path=given,
        looked_for="",
        templates={"default": text.replace("\r\n", "\n").replace("\r", "\n")},
    )


def _is_config(text: str, place: Path | None) -> bool:
    """Return whether the text is a tokenizer's JSON and no Jinja; standard input has no ending to go by."""
    if place is not None:
        return place.suffix.lower() == ".json"
    start = text.lstrip()
    return start.startswith("{") and start[1:].lstrip().startswith('"')
