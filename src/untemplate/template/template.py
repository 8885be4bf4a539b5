"""A chat template that can be rendered: compiled once, run within limits, errors with line numbers."""

from __future__ import annotations

import marshal
import re
import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Any

import jinja2
from jinja2.exceptions import SecurityError, TemplateSyntaxError, UndefinedError

from untemplate.errors import TemplateError
from untemplate.template.environment import ImmutableSandbox, Sandbox
from untemplate.template.helpers import Clock, frozen_clock
from untemplate.template.limits import Limits, Shared
from untemplate.template.questions import STANDING, Answers
from untemplate.template.values import copy_messages, copy_plain

_NOTHING: Mapping[str, str] = MappingProxyType({})
_TOKEN = re.compile(r"'(\w+_token)' is undefined")
_CHANGES = re.compile(
    r"attribute '(add|append|clear|discard|extend|insert|pop|popitem|remove|reverse|setdefault|sort|update)' of '(list|dict)'"
)
_PLAIN_SANDBOX = (
    "The template changes lists or dicts (list.append and the like), which transformers' sandbox refuses; "
    "it is run in the plain sandbox instead."
)
_LIMITS = frozenset({"E204", "E205", "E206"})
_STRIKES = 3
"""Renderings that may break a limit before a template is given up; one that runs out of time is given up at once."""


class Template:
    """A Jinja text with its special tokens, rendered as transformers renders it. Safe to share between threads."""

    def __init__(
        self,
        text: str,
        name: str = "template",
        special_tokens: Mapping[str, str] = _NOTHING,
        *,
        place: str | None = None,
        clock: Clock = frozen_clock,
        limits: Limits | None = None,
    ) -> None:
        self.text = text
        self.name = name
        self.place = place or name
        """What errors name, before the line: a path, or a path and the template's name in it."""
        self.special_tokens = dict(special_tokens)
        """Variables such as ``bos_token``, with their texts."""
        self.limits = limits or Limits()
        self._clock = clock
        self._lock = threading.Lock()
        self._sandbox: Sandbox | None = None
        self._code: jinja2.Template | None = None
        self._lines: list[tuple[int, int]] | None = None
        """Of the template and of its code, the last first."""
        self._asked: dict[str, Answers | None] = {}
        self._notes: tuple[str, ...] = ()
        self._blank: dict[str, str] = {}
        self._tools: bytes | None = None
        self._strikes = 0
        self._given_up: TemplateError | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of how the template is run, such as a weaker sandbox that it needs."""
        return self._notes

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        **variables: Any,
    ) -> str:
        """Return the text that the template writes for a conversation.

        ``messages`` and ``tools`` are OpenAI's dicts and are never changed; other variables (``enable_thinking``,
        ``documents``, ``bos_token``) are passed on and win over the special tokens.

        Raises:
            TemplateRefusal: E210 when the template calls ``raise_exception``.
            TemplateError: E201 syntax, E203 forbidden, E204 to E208 limits, E200 anything else that fails. A template
                that keeps breaking limits is given up: the same error again, at once.
        """
        names: dict[str, Any] = {"documents": None, **self.special_tokens}
        for key, value in variables.items():
            names[key] = copy_plain(value)
        names["tools"] = self._copied(tools)
        names["add_generation_prompt"] = add_generation_prompt
        with self._lock:
            self._check_given_up()
            if self._sandbox is not None:
                self._sandbox.unmet.clear()
            nulls = False
            while True:
                try:
                    return self._run({**self._blank, **names}, messages, nulls=nulls)
                except (SecurityError, UndefinedError) as error:
                    if not nulls and _wants_null(error, messages):
                        nulls = True
                    elif not self._relax(error, names):
                        raise self._explain(error) from error
                except Exception as error:
                    raise self._explain(error) from error

    def variables(self) -> frozenset[str]:
        """Return the names that the template reads before it has given them a value: what a caller can set.

        Raises:
            TemplateError: when it does not compile.
        """
        findings = self._compiled_sandbox().findings
        return frozenset(findings.undeclared & findings.read)

    def string_constants(self) -> tuple[str, ...]:
        """Return the string literals of the source, each once, in order of appearance.

        Raises:
            TemplateError: when it does not compile.
        """
        return tuple(dict.fromkeys(self._compiled_sandbox().findings.strings))

    def texts(self) -> tuple[str, ...]:
        """Return the pieces of plain text between the source's tags, each once, in order of appearance.

        Raises:
            TemplateError: when it does not compile.
        """
        return tuple(dict.fromkeys(self._compiled_sandbox().findings.texts))

    @property
    def unmet(self) -> frozenset[str]:
        """Names that the last rendering looked for and was not given, and those of Jinja's own that stand in where nothing is given.

        No value of any other name can change that rendering, or how it failed.
        """
        sandbox = self._sandbox
        return frozenset(sandbox.unmet.union(sandbox.globals)) if sandbox is not None else frozenset()

    def telling(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the template can tell of plain values of its variables: where that is equal, so are the renderings.

        A variable of which it cannot tell that it is given at all is left out.

        Raises:
            TemplateError: when it does not compile.
        """
        found: dict[str, Any] = {}
        for name, value in variables.items():
            answers = self._answers(name)
            told = value if answers is None else answers.of(value)
            if answers is None or told != answers.of_nothing():
                found[name] = told
        return found

    def _answers(self, name: str) -> Answers | None:
        sandbox = self._compiled_sandbox()
        # Something else may stand in the place of a value that is not given.
        if name in STANDING or name in self.special_tokens or name in sandbox.globals:
            return None
        if name not in self._asked:
            questions = sandbox.findings.questions
            self._asked[name] = Answers(()) if questions is None else questions.find(name)
        return self._asked[name]

    def _copied(self, tools: Any) -> Any:
        """Return a plain copy of the tools, the one made before where they are the same and the template cannot change it."""
        if not isinstance(self._sandbox, ImmutableSandbox):
            return copy_plain(tools)
        try:
            stamp = marshal.dumps(tools, 2)  # exact: unlike an equality it tells 1 from True
        except ValueError:
            return copy_plain(tools)
        if self._tools != stamp:
            self._tools = stamp
            self._sandbox.budget.shared = Shared(copy_plain(tools))
        return self._sandbox.budget.shared.value

    def _check_given_up(self) -> None:
        if (old := self._given_up) is not None:
            raise TemplateError(old.message, code=old.code, where=old.where, hint=old.hint)

    def _compiled_sandbox(self) -> Sandbox:
        with self._lock:
            self._check_given_up()
            try:
                return self._compile()
            except Exception as error:
                raise self._explain(error) from error

    def _compile(self) -> Sandbox:
        if self._sandbox is None:
            self._load(ImmutableSandbox(self.limits, self._clock))
        assert self._sandbox is not None
        return self._sandbox

    def _load(self, sandbox: Sandbox) -> None:
        if len(self.text) > self.limits.source:
            raise TemplateError(
                f"the template is too large: {len(self.text):,} characters",
                code="E208",
                where=self.place,
                hint=f"At most {self.limits.source:,} are read; is this file a chat template?",
            )
        self._code = sandbox.from_string(self.text)
        self._code.globals = dict(self._code.globals)  # a copy to look into; Jinja's chain of mappings is slow to copy for each rendering
        self._lines = None
        self._sandbox = sandbox

    def _relax(self, error: Exception, names: Mapping[str, Any]) -> bool:
        """Return whether another try makes sense, now that what ``error`` complains of is allowed and noted."""
        text = str(error)
        if isinstance(self._sandbox, ImmutableSandbox) and _CHANGES.search(text):
            self._load(Sandbox(self.limits, self._clock))
            self._notes += (_PLAIN_SANDBOX,)
            return True
        token = _TOKEN.match(text)
        if token is None or token[1] in names or token[1] in self._blank:
            return False
        self._blank[token[1]] = ""
        self._notes += (f"The template needs {token[1]}, which the source does not name; it is left empty.",)
        return True

    def _run(self, names: dict[str, Any], messages: Sequence[Mapping[str, Any]], *, nulls: bool) -> str:
        budget = self._compile().budget
        code = self._code
        assert code is not None
        names["messages"] = copy_messages(messages, nulls=nulls)
        budget.start()
        pieces: list[str] = []
        size = 0
        limit = self.limits.output
        for piece in code.root_render_func(code.new_context(names)):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                budget.check_output(size)
            if not len(pieces) & 63:
                budget.tick(64)
        return "".join(pieces)

    def _explain(self, error: Exception) -> TemplateError:
        """Return the error that a caller sees for one raised while compiling or running; count what ends a template."""
        explained = self._translate(error)
        if explained.code in _LIMITS:
            self._strikes += 1
        if self._code is None or explained.code == "E204" or self._strikes == _STRIKES:
            self._given_up = explained
        return explained

    def _translate(self, error: Exception) -> TemplateError:
        if isinstance(error, TemplateSyntaxError):
            return TemplateError(
                f"not a Jinja template: {error.message}",
                code="E201",
                where=f"{self.place}:{error.lineno}",
                hint="Correct the template at this line.",
            )
        line = self._line(error.__traceback__)
        where = f"{self.place}:{line}" if line else self.place
        match error:
            case TemplateError():
                error.where = error.where or where
                return error
            case SecurityError():
                return TemplateError(str(error), code="E203", where=where, hint="The sandbox does not allow this.")
            case RecursionError():
                hint = "Look for a macro without an end, or for very deep brackets."
                return TemplateError("the template is nested, or calls itself, too deeply", code="E207", where=where, hint=hint)
            case SyntaxError():
                return TemplateError(f"not a Jinja template: {error.msg}", code="E201", where=where, hint="Nest fewer blocks.")
            case MemoryError() | OverflowError():
                hint = "Look for a value that grows without bound."
                return TemplateError(f"the template builds too large a value: {error}", code="E206", where=where, hint=hint)
        hint = "The template cannot handle what it was given here; the line is its own."
        return TemplateError(f"the template fails: {str(error) or type(error).__name__}", code="E200", where=where, hint=hint)

    def _line(self, trace: TracebackType | None) -> int | None:
        """Return the template's line that was running when an error was raised."""
        line = None
        while trace is not None:
            if self._code is not None and trace.tb_frame.f_code.co_filename == "<template>":
                if self._lines is None:
                    self._lines = self._code.debug_info[::-1]
                line = next((mine for mine, its in self._lines if its <= trace.tb_lineno), 1)
            trace = trace.tb_next
        return line


def _wants_null(error: Exception, messages: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a template misses the content of a message, and one has ``None`` for it, which was dropped."""
    return "has no attribute 'content'" in str(error) and any(message.get("content", "") is None for message in messages)
