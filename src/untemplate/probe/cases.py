"""The cases of a probe: assistant messages made of sentinels, and the tools that they call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from untemplate.text import sentinels


@dataclass(frozen=True, slots=True)
class CallCase:
    """One call of a tool, in the order of its arguments."""

    name: str
    id: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One assistant message; ``None`` means that the block is absent."""

    reasoning: str | None = None
    content: str | None = None
    calls: tuple[CallCase, ...] = ()

    @property
    def label(self) -> str:
        """A stable name for the case: which blocks it has."""
        blocks = [word for word, value in (("reasoning", self.reasoning), ("content", self.content)) if value is not None]
        if self.calls:
            blocks.append(f"calls{len(self.calls)}")
        return "+".join(blocks) or "empty"


def sentinel_call(index: int, items: int = 2) -> CallCase:
    """Return call ``index`` with ``items`` string arguments, all of them sentinels."""
    arguments = {sentinels.key(index, i): sentinels.value(index, i) for i in range(items)}
    return CallCase(sentinels.name(index), sentinels.call_id(index), arguments)


def sentinel_case(*, reasoning: bool = False, content: bool = False, calls: int = 0, items: int = 2) -> Case:
    """Return the case of the presence grid with these blocks."""
    return Case(
        sentinels.REASONING if reasoning else None,
        sentinels.CONTENT if content else None,
        tuple(sentinel_call(i, items) for i in range(calls)),
    )


def tool(name: str, keys: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an OpenAI tool whose parameters may be anything."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": "Does something.",
            "parameters": {
                "type": "object",
                "properties": {key: {"type": "string", "description": "Something."} for key in keys},
                "required": list(keys),
            },
        },
    }


def sentinel_tools(calls: int = 4, items: int = 2) -> list[dict[str, Any]]:
    """Return the tools that the sentinel calls name."""
    return [tool(sentinels.name(c), tuple(sentinels.key(c, i) for i in range(items))) for c in range(calls)]
