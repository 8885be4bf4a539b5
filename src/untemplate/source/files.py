"""Reading files: bytes, text and JSON, with errors that say which file and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from untemplate.errors import SourceError

_OBJECT_HINT = "A tokenizer_config.json is an object; a template alone belongs in a .jinja file."
MAX_TEXT = 64 << 20
"""Bytes of the largest text file that is read whole; a ``tokenizer.json`` has about 10 to 35 million."""


def read_bytes(path: Path) -> bytes:
    """Return the file's bytes.

    Raises:
        SourceError: E100 when it cannot be read or is far too large for text.
    """
    try:
        if path.stat().st_size > MAX_TEXT:
            hint = "Give a .jinja file, a tokenizer_config.json, a model folder or a GGUF file."
            raise SourceError(f"too large for a text file: {path.stat().st_size:,} bytes", where=str(path), hint=hint)
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> SourceError:
    """Return the error for a file or folder that the system does not let us read."""
    reason = error.strerror or str(error)
    return SourceError(f"cannot be read: {reason}", code="E100", where=str(path), hint="Check the path and its permissions.")


def decode_text(raw: bytes, where: str) -> str:
    """Return UTF-8 text without a byte order mark, with line ends as they stand.

    Raises:
        SourceError: E105 when it is not UTF-8.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "Give a .jinja file, a tokenizer_config.json, a model folder or a GGUF file; text must be UTF-8."
        raise SourceError(f"not UTF-8 text: {error.reason} at byte {error.start}", code="E105", where=where, hint=hint) from error


def read_text(path: Path) -> str:
    """Return the file's text. Line ends become ``\\n``, as transformers reads templates.

    Raises:
        SourceError: E100 or E105.
    """
    return decode_text(read_bytes(path), str(path)).replace("\r\n", "\n").replace("\r", "\n")


def parse_object(text: str, where: str) -> dict[str, Any]:
    """Return the JSON object that ``text`` is.

    Raises:
        SourceError: E104 when it is none, with line and column.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = f"{where}:{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else where
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise SourceError(f"broken JSON: {reason}", code="E104", where=place, hint="Correct the file at this place.") from error
    if not isinstance(value, dict):
        raise SourceError(f"expected a JSON object, found {type(value).__name__}", code="E104", where=where, hint=_OBJECT_HINT)
    return value


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file, or an empty one when there is no such file.

    Raises:
        SourceError: E100, E104 or E105.
    """
    return parse_object(decode_text(read_bytes(path), str(path)), str(path)) if path.is_file() else {}
