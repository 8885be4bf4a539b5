"""What all tests share: hypothesis profiles, and which slow tests run when."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev")
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

os.environ["UNTEMPLATE_CACHE"] = "off"  # no test reads or leaves results in the user's cache; those about it name a folder

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=True, suppress_health_check=CALM)
settings.register_profile("dev", deadline=None, max_examples=60, suppress_health_check=CALM)
settings.register_profile("deep", deadline=None, max_examples=3000, print_blob=True, suppress_health_check=CALM)
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is marked ``deep`` unless it is asked for by ``-m``."""
    if "deep" in str(config.getoption("-m")):
        return
    skip = pytest.mark.skip(reason="deep: run `make deep`")
    for item in items:
        if item.get_closest_marker("deep"):
            item.add_marker(skip)
