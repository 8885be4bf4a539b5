"""The options that say where results are kept."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.voice import Voice

if TYPE_CHECKING:
    from untemplate.golden.cache import Cache


def with_cache(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with ``--cache`` and ``--no-cache``, which it gets as ``cache``: a cache or ``None``."""

    @click.option(
        "--cache", "folder", metavar="DIR", help="Keep results in DIR; $UNTEMPLATE_CACHE or the user's cache folder if not given."
    )
    @click.option("--no-cache", is_flag=True, help="Compile anew, keep nothing.")
    @functools.wraps(command)
    def wrapped(*args: Any, folder: str | None, no_cache: bool, **options: Any) -> Any:
        if folder is not None and no_cache:
            raise click.UsageError("`--cache` and `--no-cache` exclude each other")
        return command(*args, cache=None if no_cache else _open_cache(folder), **options)

    return wrapped


def _open_cache(folder: str | None) -> Cache | None:
    from untemplate.golden.cache import Cache, default_folder

    place = Path(folder) if folder is not None else default_folder()
    return None if place is None else Cache(place)


def tell_trouble(cache: Cache | None, voice: Voice) -> None:
    """Say once why results could not be kept, if they could not."""
    if cache is not None and cache.trouble is not None:
        voice.warn(f"results are not kept: {cache.trouble}; `--cache DIR` names another folder")
