"""Which of several templates is used. Nothing is guessed: what was picked is said, what cannot be picked is an error."""

from __future__ import annotations

import re

from untemplate.errors import SourceError
from untemplate.source.model import Contents

TOOL_USE = "tool_use"
DEFAULT = "default"
_HALVES = re.compile("[\ud800-\udfff]")


def choose_template(contents: Contents, wanted: str | None) -> tuple[str, tuple[str, ...]]:
    """Return the name of the template to use, and notes on the choice.

    Where there are several, the one for tools, as transformers and llama.cpp pick it for a request with tools.

    Raises:
        SourceError: E102 when there is none; E103 when the wanted one is not there, or there are several and none is the default.
    """
    names = list(contents.templates)
    for name, text in contents.templates.items():
        if _HALVES.search(text):
            raise SourceError(
                f"template {name!r} holds half a character (a lone surrogate)",
                code="E105",
                where=contents.path,
                hint="Correct the template.",
            )
    if not names:
        raise SourceError(f"no chat template: looked for {contents.looked_for}", code="E102", where=contents.path, hint=contents.hint)
    listed = ", ".join(sorted(names))
    if wanted is not None:
        if wanted not in names:
            raise SourceError(
                f"no template named {wanted!r}; there are: {listed}",
                code="E103",
                where=contents.path,
                hint="Pick one with --template NAME.",
            )
        return wanted, ()
    if len(names) == 1:
        return names[0], ()
    for name in (TOOL_USE, DEFAULT):
        if name in names:
            why = " (as with tools transformers and llama.cpp do)" if name == TOOL_USE else ""
            return name, (f"Of several templates ({listed}) {name} is used{why}; pick another with --template NAME.",)
    raise SourceError(
        f"several templates and none is the default: {listed}", code="E103", where=contents.path, hint="Pick one with --template NAME."
    )
