"""The same work on many sources: in this process, in several, or on any executor; one bad source does not stop the rest."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from untemplate.errors import UntemplateError

Job = TypeVar("Job")
Result = TypeVar("Result")

AHEAD = 256
"""Jobs that an executor of unknown size is given at once."""
_TOGETHER = 6
"""Neighbouring jobs that a process of our own is given at once: they are often of one family, and what one needs is kept for the next."""


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


def attempt_all(work: Callable[[Job], Result], jobs: Mapping[int, Job]) -> list[Outcome[Result]]:
    """Return what came of several jobs, in order."""
    return [attempt(work, index, job) for index, job in jobs.items()]


def run_batch(
    work: Callable[[Job], Result],
    jobs: Iterable[Job | Outcome[Result]],
    *,
    workers: int = 1,
    executor: Executor | None = None,
    ahead: int = AHEAD,
) -> Iterator[Outcome[Result]]:
    """Yield what came of each job, as it comes; ``index`` tells which. Of results nothing is held back or kept.

    ``work`` and the jobs must be picklable unless there is one worker and no executor.

    Args:
        jobs: taken one by one, as there is room for them. One whose outcome is known already may stand there as that outcome.
        workers: processes to use, of this machine.
        executor: used instead of own processes; it stays the caller's. Any that gives ``concurrent.futures`` futures.
        ahead: how many jobs an executor is given at once.
    """
    numbered: Iterator[tuple[int, Job | Outcome[Result]]] = iter(enumerate(jobs))
    if executor is not None:
        lost: dict[int, Job] = {}
        yield from _collect(executor, work, numbered, ahead, lost)
        yield from (_lost(index) for index in lost)
        yield from (item if isinstance(item, Outcome) else _lost(index) for index, item in numbered)
    elif workers <= 1:
        yield from (item if isinstance(item, Outcome) else attempt(work, index, item) for index, item in numbered)
    else:
        yield from _run_processes(work, numbered, workers)


class Numbered(Protocol):
    """What has a place in a list."""

    @property
    def index(self) -> int: ...


Placed = TypeVar("Placed", bound=Numbered)


def in_order(outcomes: Iterable[Placed]) -> Iterator[Placed]:
    """Yield outcomes in the order of their jobs, each as soon as all before it have come."""
    early: dict[int, Placed] = {}
    due = 0
    for outcome in outcomes:
        early[outcome.index] = outcome
        while due in early:
            yield early.pop(due)
            due += 1


def default_workers() -> int:
    """Return how many processes this machine has cores for."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _run_processes(
    work: Callable[[Job], Result], items: Iterator[tuple[int, Job | Outcome[Result]]], workers: int
) -> Iterator[Outcome[Result]]:
    """Run a pool of processes, and another one when that breaks: a process that dies takes its whole pool with it.

    What such a pool had begun gets a process of its own, job by job, so that only the one to blame is lost.
    """
    from concurrent.futures import ProcessPoolExecutor  # imports multiprocessing, which a run with nothing to do can save

    for first in items:
        lost: dict[int, Job] = {}
        if isinstance(first[1], Outcome):  # a pool is made when there is something to do
            yield first[1]
            continue
        with _closing(ProcessPoolExecutor(workers)) as pool:
            yield from _collect(pool, work, itertools.chain([first], items), workers + 1, lost, together=_TOGETHER)
        for index, job in lost.items():
            with _closing(ProcessPoolExecutor(1)) as pool:
                alone: dict[int, Job] = {}
                yield from _collect(pool, work, iter([(index, job)]), 1, alone)
                yield from (_lost(each) for each in alone)


@contextlib.contextmanager
def _closing(pool: Executor) -> Iterator[Executor]:
    """Give a pool that is not waited for longer than its running jobs take."""
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _collect(
    pool: Executor,
    work: Callable[[Job], Result],
    items: Iterator[tuple[int, Job | Outcome[Result]]],
    ahead: int,
    lost: dict[int, Job],
    *,
    together: int = 1,
) -> Iterator[Outcome[Result]]:
    """Yield outcomes until the jobs end or the pool breaks; what a broken pool had been given is put into ``lost``.

    Args:
        ahead: how often the pool is given something before it is done with the first.
        together: how many jobs it is given each time at most; fewer at first, so that a short list is spread too.
    """
    running: dict[Future[list[Outcome[Result]]], dict[int, Job]] = {}
    ended = False
    given = 0
    try:
        while True:
            while not ended and not lost and len(running) < ahead:
                jobs: dict[int, Job] = {}
                given += 1
                while not ended and len(jobs) < min(together, 1 + given // ahead):
                    index, item = next(items, _END)
                    if isinstance(item, Outcome):
                        yield item
                    elif index is None:
                        ended = True
                    else:
                        jobs[index] = item
                if jobs and not _submit(pool, work, jobs, running):
                    lost.update(jobs)
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                jobs = running.pop(future)
                try:
                    yield from future.result()
                except BrokenExecutor:
                    lost.update(jobs)
                except Exception as error:  # noqa: BLE001 - what an executor raises of its own: the rest of the batch goes on
                    message = f"the executor failed: {type(error).__name__}: {error}"
                    failure = Failure(code="E990", message=message, hint="run it again: what is done is kept")
                    yield from (Outcome(index=index, failure=failure) for index in jobs)
    finally:
        for future in running:
            future.cancel()


_END: tuple[None, Any] = (None, None)


def _submit(
    pool: Executor, work: Callable[[Job], Result], jobs: dict[int, Job], running: dict[Future[list[Outcome[Result]]], dict[int, Job]]
) -> bool:
    """Return whether the pool took the jobs; a broken one takes none."""
    try:
        running[pool.submit(attempt_all, work, jobs)] = jobs
    except BrokenExecutor:
        return False
    return True


def _lost(index: int) -> Outcome[Any]:
    message = "the process that worked on this ended without a word: killed, out of memory, or crashed"
    return Outcome(index=index, failure=Failure(code="E990", message=message, hint="try it alone, with `--jobs 1`"))
