"""From a path to a template source."""

from __future__ import annotations

from pathlib import Path

from untemplate.errors import SourceError
from untemplate.source.model import SourceKind, TemplateSource


def load_source(path: str | Path) -> TemplateSource:
    """Return the template source at ``path``.

    Raises:
        SourceError: when it cannot be read.
    """
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read: {error}", where=str(path)) from error
    return TemplateSource(name=place.stem, kind=SourceKind.JINJA, path=str(path), templates={"default": text}, chosen="default")
