"""Many sources compiled: results that are kept from before at once, the others by any executor, each as it comes.

A run that was killed goes on where it was: what it had delivered is kept. Nothing here imports the compiler before there is
something to compile, so that a run whose results are all kept costs little more than reading them.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from importlib import import_module

from untemplate.golden.batch import AHEAD, Failure, Outcome, failure_of, run_batch
from untemplate.golden.cache import Cache
from untemplate.golden.jobs import Compilation, CompileJob
from untemplate.golden.keys import key_of
from untemplate.source import TemplateSource, load_source


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A job with its source, read once: its key and its result are of the same text."""

    job: CompileJob
    source: TemplateSource


def compile_corpus(
    jobs: Iterable[CompileJob],
    *,
    cache: Cache | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    ahead: int = AHEAD,
) -> Iterator[Outcome[Compilation]]:
    """Yield what came of each job, as it comes; ``index`` tells which. A source that fails does not stop the rest.

    Args:
        jobs: sources and what is wanted of them; taken one by one, so that there may be any number.
        cache: where results are looked up, and kept the moment they come.
        workers: processes to use, of this machine.
        executor: used instead of own processes; it stays the caller's.
        ahead: how many jobs an executor is given at once.
    """
    places: dict[int, tuple[str, str | None]] = {}
    prepared = (_prepare(index, job, cache, places, forks=workers > 1 and executor is None) for index, job in enumerate(jobs))
    for outcome in run_batch(_compile, prepared, workers=workers, executor=executor, ahead=ahead):
        path, key = places.pop(outcome.index)
        if cache is not None and key is not None:
            cache.keep(key, _without_place(outcome, path))
        yield outcome


def _prepare(
    index: int, job: CompileJob, cache: Cache | None, places: dict[int, tuple[str, str | None]], *, forks: bool
) -> _Loaded | Outcome[Compilation]:
    """Return what is to be done for a job, or what is known to come of it; note its path and the key to keep that under.

    ``forks``: processes of our own are going to be started; where they are copies of this one, it imports for all of them.
    """
    places[index] = job.source, None
    try:
        source = load_source(job.source, template=job.template, vocabulary=job.vocabulary)
        key = key_of(job, source) if cache is not None else None
    except Exception as error:  # noqa: BLE001 - the rest of the corpus goes on
        return Outcome(index=index, failure=failure_of(error))
    known = cache.find(key) if cache is not None and key is not None else None
    match known:
        case Compilation():
            return Outcome(index=index, result=replace(known, source=job.source))
        case Failure():
            return Outcome(index=index, failure=_moved(known, _PLACE, job.source))
    places[index] = job.source, key
    if forks and "untemplate.golden.compilation" not in sys.modules and _are_copies():
        import_module("untemplate.golden.compilation")
    # What stands for "nothing" in a source need not survive the way to another process.
    return _Loaded(job, replace(source, special_tokens=dict(source.special_tokens), templates=dict(source.templates)))


def _are_copies() -> bool:
    """Return whether a process that is started begins as a copy of this one."""
    from multiprocessing import get_start_method  # which a run with nothing to do can save

    return get_start_method() == "fork"


def _compile(loaded: _Loaded) -> Compilation:
    from untemplate.golden.compilation import compile_loaded  # the whole compiler, and jinja2

    with _seldom_collecting():
        return compile_loaded(loaded.job, loaded.source)


@contextlib.contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Let the garbage collector run seldom: a compilation makes many small things, and hardly any that refer to themselves."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], _ALLOCATIONS) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


_ALLOCATIONS = 50_000
"""Things made between two runs of the garbage collector."""


_PLACE = "\0"
"""Stands in kept results for the path of the source, which is another tomorrow."""


def _without_place(outcome: Outcome[Compilation], path: str) -> Compilation | Failure:
    if outcome.failure is not None:
        return _moved(outcome.failure, path, _PLACE)
    assert outcome.result is not None
    return replace(outcome.result, source="")


def _moved(failure: Failure, old: str, new: str) -> Failure:
    where = failure.where
    return replace(failure, where=new + where.removeprefix(old)) if where and where.startswith(old) else failure
