"""Reads a model's text with transformers and a response template that untemplate wrote (transformers 5.15 or newer, no torch).

untemplate export out/NAME/spec.yaml --to response-template --profile transformers -o response_template.json
python examples/transformers_response.py response_template.json prompt.txt output.txt --tools tools.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from transformers.utils.chat_parsing import parse_response


def main() -> None:
    """Print the message in a model's output."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("template")
    arguments.add_argument("prompt")
    arguments.add_argument("output")
    arguments.add_argument("--tools")
    given = arguments.parse_args()
    template, prompt, output = (Path(path).read_text(encoding="utf-8") for path in (given.template, given.prompt, given.output))
    tools = json.loads(Path(given.tools).read_text(encoding="utf-8")) if given.tools else None
    print(json.dumps(parse_response(output, json.loads(template), prefix=prompt, tools=tools), ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
