"""Spec files: YAML for people, JSON for machines, the same data in both.

``load_spec`` reads either (JSON is YAML), ``dump_spec`` writes what the file's name ends with.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from untemplate.errors import SpecError
from untemplate.spec import model
from untemplate.spec.codec import decode, encode
from untemplate.spec.yaml_text import dump_yaml, find_line, load_yaml

_KEPT: Mapping[type, frozenset[str]] = {
    model.Spec: frozenset(
        ("format", "capabilities", "switches", "prompt", "turn", "tokens", "quirks", "ambiguities", "warnings", "verification")
    ),
    model.Capabilities: frozenset(model.Capabilities.__dataclass_fields__),
    model.Prompt: frozenset(("generation", "roles", "end_of_turn")),
    model.GenerationPrompt: frozenset(("when", "state")),
    model.EndOfTurn: frozenset(("content", "calls")),
    model.Turn: frozenset(("blocks", "reasoning", "content", "calls")),
    model.Reasoning: frozenset(("mode",)),
    model.Content: frozenset(("mode",)),
    model.JsonCall: frozenset(("name", "arguments", "id")),
    model.Switch: frozenset(("default", "changes")),
    model.Tokens: frozenset(("preserved", "triggers", "stops")),
    model.Verification: frozenset(("turns", "read_back")),
}
"""Fields that a reader looks for and that are written even where they have their default."""


def _keep(owner: type, name: str) -> bool:
    return name in _KEPT.get(owner, ())


# --- text <-> spec -----------------------------------------------------------------------------------------------------


def spec_to_data(spec: model.Spec, *, complete: bool = False) -> dict[str, Any]:
    """Return a spec as plain data: what its file holds, or ``complete`` with every default written out."""
    data: dict[str, Any] = encode(spec) if complete else encode(spec, _keep)
    return data


def spec_to_yaml(spec: model.Spec) -> str:
    """Return a spec as the text of its YAML file: ordered, LF, the same spec always the same bytes."""
    return dump_yaml(spec_to_data(spec))


def spec_to_json(spec: model.Spec) -> str:
    """Return a spec as the text of its JSON file; it holds what the YAML file holds."""
    return data_to_json(spec_to_data(spec))


def data_to_json(data: Any) -> str:
    """Return plain data as indented JSON text that ends with one line feed."""
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def spec_from_data(data: Any) -> model.Spec:
    """Return the spec that plain data holds.

    Raises:
        SpecError: E502-E504 for data of another shape, E505 for a newer format; ``where`` is the path in the data.
    """
    if not isinstance(data, dict) or "format" not in data:
        raise SpecError("this is not a spec: it has no `format`", code="E503", hint="`untemplate compile SOURCE` writes a spec")
    version = data["format"]
    if type(version) is int and version > model.FORMAT:
        message = f"format {version} is newer than the {model.FORMAT} that this untemplate reads"
        raise SpecError(message, code="E505", where="format", hint="upgrade untemplate")
    if version != model.FORMAT or type(version) is not int:
        raise SpecError(f"no such format: {version!r}", code="E504", where="format", hint=f"the format is {model.FORMAT}")
    return decode(data, model.Spec)


def spec_from_text(text: str, name: str = "spec") -> model.Spec:
    """Return the spec in YAML or JSON text; ``name`` is what errors call it.

    Raises:
        SpecError: with ``where`` as ``name:line: path``.
    """
    data = load_yaml(text, name)
    try:
        return spec_from_data(data)
    except SpecError as error:
        line = find_line(text, error.where or "")
        where = join_place(f"{name}:{line}" if line else name, error.where)
        raise SpecError(error.message, code=error.code, where=where, hint=error.hint) from error


def join_place(file: str, path: str | None) -> str:
    """Return how an error names a place in a file."""
    return f"{file}: {path}" if path else file


# --- files -------------------------------------------------------------------------------------------------------------


def load_spec(path: str | os.PathLike[str]) -> model.Spec:
    """Return the spec in a YAML or JSON file.

    Raises:
        SpecError: E500 for a file that cannot be read, E501 for broken YAML, E502-E505 for what is not a spec.
    """
    return spec_from_text(read_text(path), os.fspath(path))


def dump_spec(spec: model.Spec, path: str | os.PathLike[str]) -> None:
    """Write a spec, as JSON if the name ends in ``.json`` and as YAML otherwise; whole or not at all."""
    to_text = spec_to_json if Path(path).suffix.lower() == ".json" else spec_to_yaml
    write_text(path, to_text(spec))


def read_text(path: str | os.PathLike[str]) -> str:
    """Return a file's text, UTF-8 with or without a mark.

    Raises:
        SpecError: E500 when it cannot be opened or is not UTF-8.
    """
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror or error}", where=os.fspath(path)) from error
    except UnicodeDecodeError as error:
        hint = "a spec is a text file; `untemplate compile` makes one from a template, folder or GGUF file"
        raise SpecError(f"not UTF-8 text at byte {error.start}", where=os.fspath(path), hint=hint) from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file as UTF-8 with LF, whole or not at all; missing folders are made.

    Raises:
        SpecError: E500 when it cannot be written.
    """
    write_texts({path: text})


def write_texts(texts: Mapping[str | os.PathLike[str], str]) -> None:
    """Write several files, none of them before all are safe on the disk beside their places.

    Raises:
        SpecError: E500 when one cannot be written; then none is.
    """
    staged: dict[Path, Path] = {}
    try:
        for path, text in texts.items():
            target = Path(path)
            with _telling(target):
                staged[target] = _stage(target, text.encode("utf-8"))
        while staged:
            target = next(iter(staged))
            with _telling(target):
                staged[target].replace(target)
            del staged[target]
    finally:
        for scratch in staged.values():
            scratch.unlink(missing_ok=True)


@contextlib.contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "give a file in a folder that can be written, or leave it out for standard output"
        raise SpecError(f"cannot be written: {error.strerror or error}", where=str(path), hint=hint) from error


def _stage(target: Path, data: bytes) -> Path:
    """Write a temporary file beside ``target`` with the permissions that it has or will have."""
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    scratch = Path(name)
    scratch.chmod(mode)
    return scratch


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
