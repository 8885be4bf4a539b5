"""The same work on many sources: in this process, in several, or on any executor; one bad source does not stop the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Generic, TypeVar

from untemplate.errors import UntemplateError

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error as data, which unlike an exception survives the way from one process to another."""

    code: str
    message: str
    where: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Result]):
    """What came of one job: a result or a failure."""

    index: int
    """Of the job in the list that was given."""
    result: Result | None = None
    failure: Failure | None = None


def failure_of(error: Exception) -> Failure:
    """Return an error as data; one that is not ours is a fault of untemplate and says so."""
    if isinstance(error, UntemplateError):
        return Failure(code=error.code, message=error.message, where=error.where, hint=error.hint)
    hint = "this is a fault of untemplate, not yours; please report it with the source"
    return Failure(code="E999", message=f"untemplate itself failed: {type(error).__name__}: {error}", hint=hint)


def attempt(work: Callable[[Job], Result], index: int, job: Job) -> Outcome[Result]:
    """Return what came of one job; no exception but an interrupt leaves."""
    try:
        return Outcome(index=index, result=work(job))
    except Exception as error:  # noqa: BLE001 - the rest of the batch goes on
        return Outcome(index=index, failure=failure_of(error))


def run_batch(
    work: Callable[[Job], Result], jobs: Sequence[Job], *, workers: int = 1, executor: Executor | None = None
) -> Iterator[Outcome[Result]]:
    """Yield what came of each job, as it comes; ``index`` tells which.

    ``work`` and the jobs must be picklable unless there is one worker and no executor. An executor stays the caller's.
    """
    if executor is not None:
        yield from _collect(executor, work, dict(enumerate(jobs)))
    elif workers <= 1 or len(jobs) <= 1:
        yield from (attempt(work, index, job) for index, job in enumerate(jobs))
    else:
        yield from _run_processes(work, jobs, min(workers, len(jobs)))


def default_workers() -> int:
    """Return how many processes this machine has cores for."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _run_processes(work: Callable[[Job], Result], jobs: Sequence[Job], workers: int) -> Iterator[Outcome[Result]]:
    waiting = dict(enumerate(jobs))
    with ProcessPoolExecutor(workers) as pool:
        for outcome in _collect(pool, work, waiting):
            if outcome.failure is None or outcome.failure.code != _LOST:
                del waiting[outcome.index]
                yield outcome
    # A process that dies takes the whole pool with it: what was not done gets a process of its own, so that one job is to blame.
    for index, job in waiting.items():
        with ProcessPoolExecutor(1) as pool:
            yield from _collect(pool, work, {index: job})


_LOST = "E990"


def _collect(pool: Executor, work: Callable[[Job], Result], jobs: dict[int, Job]) -> Iterator[Outcome[Result]]:
    futures: dict[Future[Outcome[Result]], int] = {}
    try:
        for index, job in jobs.items():
            futures[pool.submit(attempt, work, index, job)] = index
    except BrokenProcessPool:
        yield from (_lost(index) for index in jobs.keys() - futures.values())
    for future in as_completed(futures):
        try:
            yield future.result()
        except BrokenProcessPool:
            yield _lost(futures[future])


def _lost(index: int) -> Outcome[Result]:
    message = "the process that worked on this ended without a word: killed, out of memory, or crashed"
    return Outcome(index=index, failure=Failure(code=_LOST, message=message, hint="try it alone, with `--jobs 1`"))
