"""The pages about exports, held to what they describe: the table is made anew, every recipe is run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.runtimes_table import BEGIN, END, table
from untemplate.emit.peg_json import NODES, node_name
from untemplate.emit.targets import TARGETS
from untemplate.lower.tags import Kind

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "runtimes.md").read_text(encoding="utf-8")
TREES = (ROOT / "docs" / "peg-json.md").read_text(encoding="utf-8")
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]
OUTPUT = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'


def test_the_table_is_what_the_fixtures_give() -> None:
    written = PAGE.split(BEGIN)[1].split(END)[0].strip()
    assert written == table().strip(), "run `python -m benchmarks.runtimes_table docs/runtimes.md`"


def test_the_page_names_every_target() -> None:
    assert not [target for target in TARGETS if f"| `{target}` |" not in PAGE]


def test_the_page_on_trees_names_every_node_and_every_tag() -> None:
    assert not [node_name(kind) for kind in NODES if f"`{node_name(kind)}`" not in TREES and f"**`{node_name(kind)}`" not in TREES]
    assert not [kind for kind in Kind if f"`{kind.value}`" not in TREES]


def recipes() -> list[str]:
    """Return the commands of the page that need no model, in order."""
    found: list[str] = []
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        found += re.sub(r"\\\n\s*", " ", block).splitlines()
    return found


def test_every_recipe_runs(tmp_path: Path) -> None:
    (tmp_path / "model.jinja").write_text((ROOT / "fixtures" / "hermes_json_tags.jinja").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{\n  "model_max_length": 8192\n}\n', encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    (tmp_path / "prompt.txt").write_text("<|im_start|>assistant\n", encoding="utf-8")
    (tmp_path / "output.txt").write_text(OUTPUT, encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = recipes()
    assert len(commands) > 9
    said: dict[str, str] = {}
    for command in commands:
        if "transformers_response" in command and not _has("transformers"):
            continue
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        said[command] = done.stdout
    assert json.loads((tmp_path / "patched.json").read_text(encoding="utf-8"))["model_max_length"] == 8192
    assert json.loads((tmp_path / "request.json").read_text(encoding="utf-8"))["grammar_lazy"] is False
    assert json.loads((tmp_path / "response_format.json").read_text(encoding="utf-8"))["type"] == "structural_tag"
    assert any("the grammar writes this text" in text for text in said.values())
    if _has("transformers"):
        read = next(json.loads(text) for command, text in said.items() if "transformers_response" in command)
        assert read["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": {"city": "Paris"}}


def _has(package: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(package) is not None


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_an_example_is_python_and_says_how_it_is_run(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    compile(text, example.name, "exec")
    assert f"python examples/{example.name}" in text
