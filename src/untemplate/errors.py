"""The one root of every error that untemplate raises, and its kinds.

Codes are stable: ``E1xx`` sources, ``E2xx`` templates, ``E3xx`` inference, ``E4xx`` grammars and schemas,
``E5xx`` specs, ``E6xx`` requests and model output (``strict`` parsing only).
"""

from __future__ import annotations


class UntemplateError(Exception):
    """Something untemplate cannot do, with what, where and a way out as data."""

    default_code = "E000"

    def __init__(self, message: str, *, code: str | None = None, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.where = where
        """A path, a JSON pointer or ``file:line``: the place that the message speaks of."""
        self.hint = hint
        """What the reader can do about it, as one sentence."""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class SourceError(UntemplateError):
    """A source cannot be read, holds no template, or holds several."""

    default_code = "E100"


class TemplateError(UntemplateError):
    """A template does not compile, raises, or breaks a limit of the sandbox."""

    default_code = "E200"


class TemplateRefusal(TemplateError):
    """The template itself called ``raise_exception``: it refuses this conversation."""

    default_code = "E210"


class InferenceError(UntemplateError):
    """The renderings do not show what is looked for."""

    default_code = "E300"


class GrammarError(UntemplateError):
    """A tree cannot be written as a grammar, or an engine refuses what was written."""

    default_code = "E400"


class SchemaError(GrammarError):
    """A JSON Schema is unsatisfiable, unresolvable or malformed."""

    default_code = "E410"

    def __init__(
        self,
        message: str,
        *,
        pointer: str,
        keyword: str,
        tool: str | None = None,
        code: str | None = None,
        hint: str | None = None,
    ) -> None:
        where = f"{tool}{pointer or '/'}" if tool else (pointer or "/")
        super().__init__(f"{keyword}: {message}", code=code, where=where, hint=hint)
        self.pointer = pointer
        """JSON pointer of the schema object, from the root of the tool's parameters; ``""`` is the root."""
        self.keyword = keyword
        self.tool = tool


class SpecError(UntemplateError):
    """A spec file is not one: broken YAML, an unknown field, a wrong type, a newer format."""

    default_code = "E500"


class RequestError(UntemplateError):
    """The caller asks for what does not go together, or uses a session after its end."""

    default_code = "E600"


class ParseError(UntemplateError):
    """Model text does not fit the format; raised only where the caller asked for ``strict``."""

    default_code = "E610"

    def __init__(self, message: str, *, position: int, expected: tuple[str, ...] = (), around: str = "") -> None:
        super().__init__(message, where=f"character {position}")
        self.position = position
        """Offset into the turn's text, in characters, from 0."""
        self.expected = expected
        self.around = around
