"""Holds text to the grammar of a request with llguidance, byte by byte, without a model.

untemplate grammar out/NAME/spec.yaml --tools tools.json --tool-choice required -o turn.gbnf
python examples/llguidance_grammar.py turn.gbnf output.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path

import llguidance
from llguidance.gbnf_to_lark import any_to_lark


def main() -> None:
    """Say whether the grammar writes the text, and where it stops otherwise."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("grammar")
    arguments.add_argument("text")
    given = arguments.parse_args()
    tokenizer = llguidance.LLTokenizer("byte")
    matcher = llguidance.LLMatcher(tokenizer, any_to_lark(Path(given.grammar).read_text(encoding="utf-8")))
    tokens = tokenizer.tokenize_str(Path(given.text).read_text(encoding="utf-8"))
    fitting = matcher.validate_tokens(tokens)
    matcher.consume_tokens(tokens[:fitting])
    whole = fitting == len(tokens) and matcher.is_accepting()
    print("the grammar writes this text" if whole else f"the grammar stops at byte {fitting}")


if __name__ == "__main__":
    main()
