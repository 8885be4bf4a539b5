"""The options that say which template of a source is meant, and compiling it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from untemplate.compiler import Compiled
    from untemplate.source import TemplateSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """What a user said about a source beside its path."""

    template: str | None = None
    vocabulary: str | None = None
    overlays: tuple[str, ...] = ()


def with_source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of a source, which it gets as ``chosen``."""

    @click.option("--template", metavar="NAME", help="Which of several templates in the source.")
    @click.option("--vocabulary", metavar="SOURCE", help="Take special tokens and token ids from this folder or GGUF file.")
    @click.option("--overlay", "overlays", metavar="FILE", multiple=True, help="Facts about the model that its template does not show.")
    @functools.wraps(command)
    def wrapped(*args: Any, template: str | None, vocabulary: str | None, overlays: tuple[str, ...], **options: Any) -> Any:
        return command(*args, chosen=SourceOptions(template=template, vocabulary=vocabulary, overlays=overlays), **options)

    return wrapped


def compile_at(path: str, chosen: SourceOptions, *, verify: bool = True) -> tuple[TemplateSource, Compiled]:
    """Return the source at a path and what its template compiles to.

    Raises:
        UntemplateError: whatever is wrong with it.
    """
    from untemplate.compiler import compile_source
    from untemplate.infer.quirks import load_overlay
    from untemplate.source import load_source

    overlays = [quirk for each in chosen.overlays for quirk in load_overlay(each)]
    source = load_source(path, template=chosen.template, vocabulary=chosen.vocabulary)
    return source, compile_source(source, overlays=overlays, verify=verify)
