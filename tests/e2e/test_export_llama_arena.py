"""llama.cpp's own trees in its own server, where its build takes them: it is made to write turns, and takes or refuses them.

``pip install xllamacpp==2026.9.11063`` has such a build; later ones have no member ``chat_parser`` any more, and these tests skip.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.e2e.model_requests import NAMES, fixture
from tests.e2e.model_server import ModelServer
from tests.unit.test_export_llama_arena import IMPOSSIBLE, exported, turns

REFUSED = "does not match the expected"


@pytest.fixture(scope="module")
def trees(server: ModelServer) -> ModelServer:
    """Return a server that reads trees."""
    if "chat_parser" not in said(server, "x", "no tree"):
        pytest.skip("this build of llama.cpp has no chat_parser: pip install xllamacpp==2026.9.11063")
    return server


def said(server: ModelServer, text: str, tree: str) -> str:
    """Return the error of a server that is made to write ``text`` and reads it with a tree; ``""`` where it takes it."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    kept = [marker for marker in server.numbers if marker in text]
    body = {"prompt": "x", "n_predict": 2000, "chat_parser": tree, "grammar": f'root ::= "{quoted}"', "preserved_tokens": kept}
    request = urllib.request.Request(f"{server.address}/completion", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            assert json.load(reply)["content"] == text
    except urllib.error.HTTPError as problem:
        with problem:
            return str(json.load(problem)["error"]["message"])
    return ""


def without_text(tree: dict[str, Any]) -> str:
    """Return a tree that takes no content, so that it takes a turn only where it reads calls in it."""
    nodes = [*tree["parsers"], {"type": "epsilon"}, {"type": "not", "child": len(tree["parsers"])}]
    never = len(nodes) - 1
    shut = [{**node, "child": never} if node.get("tag") == "content" else node for node in nodes]
    return json.dumps({**tree, "parsers": shut})


@pytest.mark.parametrize("name", [name for name in NAMES if name not in IMPOSSIBLE])
def test_the_server_takes_the_tree_and_reads_calls_with_it(name: str, trees: ModelServer) -> None:
    made = exported(fixture(name)).text
    bare = without_text(json.loads(made))
    for kind, text in turns(fixture(name)).items():
        assert said(trees, text, made) == "", kind
        if kind in ("one", "two", "none", "nested"):
            assert said(trees, text, bare) == "", kind
    assert REFUSED in said(trees, "Hi there.", bare)


def test_the_server_refuses_what_is_no_tree(trees: ModelServer) -> None:
    assert "missing or invalid 'parsers'" in said(trees, "x", "{}")
