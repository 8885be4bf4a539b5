"""Texts that depend on how a spec reads turns, and not on which template it is of: templates of one dialect share them.

Public templates are mostly copies of each other with another system prompt; of a corpus, every second grammar was made before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from untemplate.spec.files import spec_to_data
from untemplate.spec.model import Spec, TemplateInfo

MOST = 512
"""Texts that a process keeps."""
_NOBODY = TemplateInfo(name="", sha256="", source="")


class Alike:
    """Texts by what they were made of, the newest ``MOST``."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], str] = {}

    def text(self, kind: str, reading: str, tools: Sequence[dict[str, Any]], make: Callable[[], str]) -> str:
        """Return what ``make`` makes of a spec that reads like this one with these tools; made now if it never was."""
        key = (kind, reading, json.dumps(tools))
        if key not in self._made:
            if len(self._made) >= MOST:
                del self._made[next(iter(self._made))]
            self._made[key] = make()
        return self._made[key]


def reading_of(spec: Spec) -> str:
    """Return all that decides how turns are read and written: the spec without its template's name and what was found wrong with it."""
    bare = replace(spec, template=_NOBODY, warnings=(), ambiguities=(), quirks=(), verification=None)
    return json.dumps(spec_to_data(bare))
