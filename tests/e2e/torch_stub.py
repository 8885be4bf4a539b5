"""Lets xgrammar be imported where torch is not installed: compiling and matching grammars needs none of it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from typing import Any
from unittest.mock import MagicMock

_STANDS_IN = ("torch", "transformers", "triton")


class _Module(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made: Any = MagicMock(name=name) if name in ("cuda", "version", "tensor", "full") else type(name, (), {})
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in _STANDS_IN else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        return


def import_xgrammar() -> Any:
    """Return xgrammar, with an empty torch under it where there is no real one; ``None`` where it is not installed."""
    if importlib.util.find_spec("xgrammar") is None:
        return None
    if importlib.util.find_spec("torch") is None:
        for name in [name for name in sys.modules if name.split(".")[0] in _STANDS_IN]:
            del sys.modules[name]
        finder = _Finder()
        sys.meta_path.insert(0, finder)
        try:
            return importlib.import_module("xgrammar")
        finally:
            sys.meta_path.remove(finder)
            for name in [name for name in sys.modules if name.split(".")[0] in _STANDS_IN]:
                del sys.modules[name]
    return importlib.import_module("xgrammar")
