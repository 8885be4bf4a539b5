"""Sources inside installed Python packages: ``pip:PACKAGE:PATH``."""

from __future__ import annotations

import glob
import importlib.util
from pathlib import Path

from untemplate.errors import SpecError


def expand_package(source: str) -> list[Path]:
    """Return the files that ``pip:PACKAGE:PATTERN`` finds in an installed package, sorted; nothing of it is imported.

    Raises:
        SpecError: E522 when it has another shape or the package is not installed.
    """
    _, _, rest = source.partition(":")
    package, _, pattern = rest.partition(":")
    if not package.isidentifier() or not pattern:
        raise SpecError(f"`{source}` should be `pip:PACKAGE:PATH`", code="E522")
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SpecError(f"the package `{package}` is not installed", code="E522", where=source, hint=f"pip install {package}")
    folders = [Path(each) for each in found.submodule_search_locations]
    return sorted(folder / each for folder in folders for each in glob.glob(pattern, root_dir=folder, recursive=True))
