"""How likely each token of the tiny model is: noise, but with markers, so that texts come to their ends."""

from __future__ import annotations

import re

import untemplate
from tests.e2e.model_requests import beginning, closings, markers
from tests.e2e.model_server import ModelServer
from tests.e2e.tiny_model import END_NUMBER, is_control

Chances = list[tuple[int, float | bool]]
"""The number of a token and what is added to its logit; ``False``: it never comes."""


def chances(server: ModelServer, spec: untemplate.Spec, grammar: untemplate.Grammar) -> Chances:
    """Return the chances for turns of one dialect under a grammar.

    A text that names a tool comes only where it wakes the grammar up: a whole call may stand in reasoning, and then it counts.
    Tokens of other dialects come, too, unless the server would leave them out of its text. A word that wakes the grammar up comes
    as its own token where it is one, since an engine looks out for that alone; else as a part of what belongs to this dialect.
    """
    own = {*markers(spec), *closings(spec), *([beginning(spec)] if grammar.lazy else [])}
    given: dict[int, float | bool] = dict.fromkeys(range(128, 256), -4.0) | dict.fromkeys(range(32), -4.0)
    given |= dict.fromkeys(map(ord, '\n"}]'), 3.0) | {END_NUMBER: 0.0 if grammar.lazy else 4.0}
    stops = [stop.strip() for stop in grammar.stops if stop.strip()]
    for text, number in server.numbers.items():
        wakes = grammar.lazy and any(word in text and (word in server.numbers or text not in own) for word in grammar.triggers)
        stray = text not in own and (is_control(text) or "get_weather" in text)
        if stray or (wakes and text not in grammar.triggers) or any(stop in text for stop in stops):
            given[number] = False
        elif text in own:
            given[number] = 4.0 if text in closings(spec) else 2.5
    if grammar.lazy:
        waking = [server.numbers[word] for word in (*grammar.triggers, beginning(spec)) if word in server.numbers]
        given |= dict.fromkeys(waking[:1], 6.0)
    return list(given.items())


def since(grammar: untemplate.Grammar, text: str) -> int:
    """Return where a grammar began to hold in a text that was written under it; the text's end where it never did."""
    if not grammar.lazy:
        return 0
    if grammar.trigger_patterns:
        found = (re.fullmatch(pattern, text) for pattern in grammar.trigger_patterns)
        return min((match.start(1) for match in found if match is not None), default=len(text))
    return min((place for word in grammar.triggers if (place := text.find(word)) >= 0), default=len(text))
