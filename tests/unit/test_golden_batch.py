from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from untemplate.errors import SchemaError, SpecError
from untemplate.golden.batch import Outcome, run_batch


def work(job: int) -> int:
    match job:
        case 13:
            raise SpecError("unlucky", code="E502", where="here", hint="skip it")
        case 14:
            raise SchemaError("unlucky", pointer="/a", keyword="type")
        case 15:
            raise ZeroDivisionError("by our own fault")
        case 16:
            os.kill(os.getpid(), signal.SIGKILL)
    return job * job


def in_order(outcomes: list[Outcome[int]]) -> list[int | str | None]:
    assert [each.index for each in outcomes] == list(range(len(outcomes)))
    return [each.failure.code if each.failure else each.result for each in outcomes]


@pytest.mark.parametrize("workers", [1, 2])
def test_one_bad_source_does_not_stop_the_rest(workers: int) -> None:
    outcomes = sorted(run_batch(work, [1, 13, 14, 15, 2], workers=workers), key=lambda outcome: outcome.index)
    assert in_order(outcomes) == [1, "E502", "E410", "E999", 4]
    unlucky = outcomes[1].failure
    assert unlucky is not None
    assert (unlucky.message, unlucky.where, unlucky.hint) == ("unlucky", "here", "skip it")


def test_a_process_that_dies_costs_one_job_only() -> None:
    outcomes = sorted(run_batch(work, [1, 2, 16, 3, 13, 4], workers=2), key=lambda outcome: outcome.index)
    assert in_order(outcomes) == [1, 4, "E990", 9, "E502", 16]


def test_any_executor_will_do() -> None:
    with ThreadPoolExecutor(2) as pool:
        outcomes = sorted(run_batch(work, list(range(10)), executor=pool), key=lambda outcome: outcome.index)
    assert in_order(outcomes) == [number * number for number in range(10)]
