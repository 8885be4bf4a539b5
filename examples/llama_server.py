"""Asks a running llama-server and reads its stream with untemplate: reasoning, content and calls as they come.

    llama-server -m MODEL.gguf --port 8080
    untemplate compile MODEL.gguf -o out
    python examples/llama_server.py out/NAME/spec.yaml "What is the weather in Paris?" --tools tools.json

The server renders the prompt (``/apply-template``) and writes raw text under our grammar (``/completion``); the text is read here.
"""

from __future__ import annotations

import argparse
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import untemplate
from untemplate.emit.llama_server import emit_llama_server


def post(url: str, body: dict[str, Any]) -> Any:
    """Return the open response to a JSON request."""
    data = json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(url, data, {"Content-Type": "application/json"}))


def pieces(response: Any) -> Iterator[str]:
    """Yield the text of a stream of server-sent events, piece by piece."""
    for line in response:
        if line.startswith(b"data: ") and not line.startswith(b"data: [DONE]"):
            yield json.loads(line[6:]).get("content", "")


def ask(spec: untemplate.Spec, question: str, tools: list[dict[str, Any]] | None, url: str, **options: Any) -> untemplate.Message:
    """Return the message that the model answers with; print it as it comes."""
    messages = [{"role": "user", "content": question}]
    with post(f"{url}/apply-template", {"messages": messages, **({"tools": tools} if tools else {})}) as response:
        prompt = json.load(response)["prompt"]
    parser = untemplate.build_parser(spec, prompt=prompt, tools=tools, **options)
    request = json.loads(emit_llama_server(parser.spec, parser.request, parser.start).text)
    session = parser.session()
    with post(f"{url}/completion", {"prompt": prompt, "stream": True, "n_predict": 1024, **request}) as response:
        for piece in pieces(response):
            for delta in session.feed(piece):
                print(json.dumps(delta.to_dict(), ensure_ascii=False))
    message, rest = session.finish()
    for delta in rest:
        print(json.dumps(delta.to_dict(), ensure_ascii=False))
    return message


def main() -> None:
    """Read the command line, ask, and print the whole message."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("spec")
    arguments.add_argument("question")
    arguments.add_argument("--tools")
    arguments.add_argument("--tool-choice", default="auto")
    arguments.add_argument("--url", default="http://127.0.0.1:8080")
    given = arguments.parse_args()
    tools = json.loads(Path(given.tools).read_text(encoding="utf-8")) if given.tools else None
    message = ask(untemplate.load_spec(given.spec), given.question, tools, given.url, tool_choice=given.tool_choice)
    print(json.dumps(message.to_dict(), ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
