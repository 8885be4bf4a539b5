"""One request bound to a spec: reads turns whole or as they are written, and hands out the grammar.

This is the second half of the pipeline (spec, lowering, machine, message) in one place.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from untemplate.errors import ParseError, RequestError
from untemplate.lower.request import Request, read_tool_choice, read_tools
from untemplate.lower.signs import call_openings, marker_texts, read_signs
from untemplate.lower.start import Start, start_of_continuation, start_of_prompt, start_of_request
from untemplate.lower.turn import lower_turn
from untemplate.peg.program import Program, compile_program
from untemplate.runtime.call_reader import Reading
from untemplate.runtime.message import Message
from untemplate.runtime.session import Plan, Session
from untemplate.runtime.tokens import break_markers
from untemplate.spec.model import Spec

if TYPE_CHECKING:
    from untemplate.emit.grammar import Grammar

_ID_CHARACTERS = string.ascii_letters + string.digits
_ID_LENGTH = 24


def random_id() -> str:
    """Return 24 random letters and digits: the id of a call for which the model writes none."""
    return "".join(secrets.choice(_ID_CHARACTERS) for _ in range(_ID_LENGTH))


def build_parser(
    spec: Spec,
    *,
    prompt: str | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    tool_choice: Any = "auto",
    parallel_tool_calls: bool = True,
    extract_reasoning: bool = True,
    enable_thinking: bool = True,
    response_schema: Any = None,
    messages: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = True,
    continue_final_message: str | None = None,
    grammar: str | None = None,
    new_id: Callable[[], str] | None = None,
) -> Parser:
    """Return the parser for one request.

    Args:
        prompt: the prompt's text, or its tail: decides where the turn starts (reasoning open, closed, prefilled by the client).
        tools: OpenAI tool dicts.
        tool_choice: ``"auto"``, ``"none"``, ``"required"`` or ``{"type": "function", "function": {"name": …}}``.
        extract_reasoning: ``False``: reasoning and its markers stay in content.
        enable_thinking: which generation prompt the request used, where ``prompt`` is not given.
        response_schema: a JSON Schema: the turn is one JSON value. It wins over tools.
        messages: the conversation, for ``continue_final_message``.
        add_generation_prompt: ``False``: the prompt ends without an assistant's header.
        continue_final_message: ``"content"`` or ``"reasoning"``: the last message is an assistant's, to be continued there; the
            result includes what it already had.
        grammar: the caller's own grammar in GBNF.
        new_id: makes the id of a call for which the model writes none.

    Raises:
        RequestError: tools together with ``grammar``, an unknown ``tool_choice``, a message that cannot be continued.
    """
    if grammar is not None and tools:
        raise RequestError("tools and a grammar of your own do not go together", where="grammar", hint="Leave one of them out.")
    declared = read_tools(tools)
    mode, named = read_tool_choice(tool_choice, declared)
    request = Request(
        tools=declared,
        tool_choice=mode,
        named=named,
        parallel=parallel_tool_calls,
        extract_reasoning=extract_reasoning,
        response_schema=response_schema,
        has_schema=response_schema is not None,
        grammar=grammar,
    )
    if continue_final_message is not None:
        start = start_of_continuation(spec, messages, continue_final_message, extract_reasoning=extract_reasoning)
    elif prompt is not None:
        start = start_of_prompt(spec, prompt, extract_reasoning=extract_reasoning)
    elif add_generation_prompt:
        start = start_of_request(spec, enable_thinking=enable_thinking, tools=bool(declared), extract_reasoning=extract_reasoning)
    else:
        start = Start()
    return Parser(spec, request, start, new_id or random_id)


class _Wanted:
    """A spec and a request, equal to another where all that the reading of a turn depends on is."""

    __slots__ = ("request", "spec", "text")

    def __init__(self, spec: Spec, request: Request) -> None:
        self.spec = spec
        self.request = request
        self.text = repr((read_signs(spec, with_calls=bool(request.callable_tools)), spec.turn, request))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Wanted) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@lru_cache(maxsize=64)
def _compiled(wanted: _Wanted) -> Program:
    """Return the program for a request. Servers ask for the same tools again and again, and many templates share a layout."""
    return compile_program(lower_turn(wanted.spec, wanted.request), checked=True)


class Parser:
    """Reads the turns of one request. It holds no state of a turn: parse and stream as many as you like."""

    def __init__(self, spec: Spec, request: Request, start: Start, new_id: Callable[[], str]) -> None:
        self.spec = spec
        self.request = request
        self.start = start
        self._new_id = new_id

    def after(self, prompt: str) -> Parser:
        """Return a parser of the same request for a turn that follows another prompt; what is compiled is shared."""
        start = start_of_prompt(self.spec, prompt, extract_reasoning=self.request.extract_reasoning)
        other = Parser(self.spec, self.request, start, self._new_id)
        other._program = self._program
        return other

    @cached_property
    def _program(self) -> Program:
        return _compiled(_Wanted(self.spec, self.request))

    @cached_property
    def _plan(self) -> Plan:
        signs = read_signs(self.spec, with_calls=bool(self.request.callable_tools))
        prefill = break_markers(self.start.prefill, self.start.own, marker_texts(signs)) if self.start.own else self.start.prefill
        return Plan(
            program=self._program,
            reading=Reading(
                schemas={tool.name: tool.parameters for tool in self.request.tools},
                new_id=self._new_id,
                base=len(prefill),
                keep=self.start.keep,
                most_calls=None if self.request.parallel else 1,
                named=self.request.named,
            ),
            prefill=prefill,
            markers=marker_texts(signs),
            openings=call_openings(signs),
            token_texts={number: text for text, number in self.spec.tokens.ids.items()},
            ends=frozenset(end.core for end in signs.ends),
            prompt_problem=self.start.problem,
            reasoning_closes=signs.reasoning_close,
        )

    def grammar(self) -> Grammar:
        """Return the grammar of the turn: lazy with ``tool_choice="auto"``, else from the first character.

        Raises:
            SchemaError: a schema is malformed, refers to nothing, or nothing fits it.
            GrammarError: the caller's own grammar cannot be read.
        """
        from untemplate.emit.turn_grammar import turn_grammar  # reading a turn needs no grammar

        return turn_grammar(self.spec, self.request, self.start)

    def session(self) -> Session:
        """Return a new session, for one turn as it is written."""
        return Session(self._plan)

    def parse(self, text: str, *, partial: bool = False, truncated: bool = False, strict: bool = False) -> Message:
        """Return the message of a whole turn.

        Args:
            partial: the turn is still being written: nothing is decided that more text may decide otherwise.
            truncated: the token limit cut it.
            strict: text that does not fit is an error.

        Raises:
            ParseError: with ``strict``, for the first thing that does not fit.
        """
        session = self.session()
        session.feed(text)
        message = session.message() if partial else session.finish(truncated=truncated)[0]
        if strict and message.diagnostics:
            first = message.diagnostics[0]
            about = f" ({first.message})" if first.message else ""
            raise ParseError(f"{first.code}{about}", position=first.position, expected=first.expected, around=first.around)
        return message
