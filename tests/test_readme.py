from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.readme import README, ROOT, renewed


def test_the_examples_of_the_readme_give_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fixtures", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    text = README.read_text(encoding="utf-8")
    assert renewed(text) == text, "run `make readme`"
