"""What commands read: specs, templates, tools, schemas and model text, from files or standard input."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untemplate.cli.schema_words import check_keywords
from untemplate.errors import RequestError, SpecError
from untemplate.golden.tools import data_from_text, load_data, tools_from_data
from untemplate.source.hub import is_hub
from untemplate.spec.files import load_spec, read_text, spec_from_text

if TYPE_CHECKING:
    from untemplate.spec.model import Spec

_SPEC_HEAD = re.compile(rb"""\s*(?:format\s*:|\{\s*"format"\s*:)""")
"""How a spec's file begins, written by us."""
_PEEK = 512
SPECS = ("spec.yaml", "spec.json")
"""What ``compile -o`` calls a spec, by its form."""


def looks_like_spec(path: str) -> bool:
    """Return whether ``path`` (``-``: standard input) holds a spec and not a source; nothing is consumed."""
    if path == "-":
        peek = getattr(sys.stdin.buffer, "peek", None)
        return bool(peek and _SPEC_HEAD.match(peek(_PEEK)))
    if is_hub(path):
        return False
    file = Path(path)
    if file.suffix.lower() in (".yaml", ".yml"):
        return True
    if file.is_dir():
        return spec_in(file) is not None
    try:
        with file.open("rb") as stream:
            return bool(_SPEC_HEAD.match(stream.read(_PEEK)))
    except OSError:
        return False


def spec_in(folder: Path) -> Path | None:
    """Return the spec in a folder that ``compile -o`` made; ``None`` where there is none."""
    return next((folder / name for name in SPECS if (folder / name).is_file()), None)


def refuse_spec(path: str) -> None:
    """Refuse a spec where a template is wanted.

    Raises:
        RequestError: E607.
    """
    if looks_like_spec(path):
        message = "this is a spec, and a template is wanted here"
        raise RequestError(
            message, code="E607", where=path, hint="give the .jinja file, model folder or GGUF file that it was compiled from"
        )


def read_spec(path: str) -> Spec:
    """Return the spec in a file, in a folder that ``compile -o`` made, or on standard input.

    Raises:
        SpecError: when it is none; the hint says how to get one where ``path`` is a template.
    """
    if path == "-":
        return spec_from_text(read_stdin(), "standard input")
    file = Path(path)
    found = spec_in(file)
    if found is not None:
        return load_spec(found)
    if not looks_like_spec(path) and file.exists():
        hint = f"make one with `untemplate compile {path} -o out`"
        raise SpecError("this is not a spec", code="E500", where=path, hint=hint)
    if not file.exists():
        hint = "check the path; `untemplate compile SOURCE -o out` makes a spec from a template, folder or GGUF file"
        raise SpecError("there is no such file", code="E500", where=path, hint=hint)
    return load_spec(path)


def read_stdin() -> str:
    """Return all of standard input as text.

    Raises:
        SpecError: E500 when it is not UTF-8.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(f"not UTF-8 text at byte {error.start}", where="standard input") from error


def read_any_text(path: str) -> str:
    """Return the text of a file, or of standard input.

    Raises:
        RequestError: E601 when it cannot be read.
    """
    try:
        return read_stdin() if path == "-" else read_text(path)
    except SpecError as error:
        raise RequestError(error.message, code="E601", where=error.where, hint="check the path; `-` is standard input") from error


def read_data(path: str) -> Any:
    """Return the plain data in a JSON or YAML file, or on standard input.

    Raises:
        RequestError: E601 when it cannot be read or is neither.
    """
    if path != "-":
        return load_data(path)
    try:
        text = read_stdin()
    except SpecError as error:
        raise RequestError(error.message, code="E601", where=error.where, hint="it should be JSON or YAML, in UTF-8") from error
    return data_from_text(text, "standard input")


def read_tools(path: str | None) -> list[dict[str, Any]] | None:
    """Return the tools in a file or on standard input, in OpenAI's shape; ``None`` without a path.

    Raises:
        RequestError: E602 for data of another shape.
    """
    if path is None:
        return None
    tools = tools_from_data(read_data(path), path)
    check_keywords(tools, path)
    return tools


def read_tool_choice(text: str) -> str | dict[str, Any]:
    """Return ``auto``, ``none``, ``required``, or the choice of the function of that name."""
    if text in ("auto", "none", "required"):
        return text
    return {"type": "function", "function": {"name": text}}
