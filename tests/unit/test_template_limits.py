"""A template is somebody else's code: whatever it does, it ends soon, in little memory, with a coded error."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from untemplate.errors import TemplateError
from untemplate.template import Limits, Template

SMALL = Limits(seconds=0.3, steps=300_000, output=200_000, value=200_000, total=4_000_000, source=100_000)
GROW = "{% set n = namespace(x=XX, l=[]) %}{% for i in range(64) %}BODY{% endfor %}{{ n.x }}"


def growing(start, body):
    return GROW.replace("XX", start).replace("BODY", body)


TOO_LARGE = {
    "repeated text": "{{ 'x' * 10**9 }}",
    "text repeated from the right": "{{ 10**9 * 'x' }}",
    "repeated list": "{{ [1] * 10**9 }}",
    "power": "{{ 10 ** (10 ** 10) }}",
    "squares": growing("3", "{% set n.x = n.x * n.x %}"),
    "range": "{% for i in range(10**9) %}x{% endfor %}",
    "center filter": "{{ 'x' | center(10**9) }}",
    "center method": "{{ 'x'.center(10**9) }}",
    "center by name": "{{ ('' | attr('center'))(10**9) }}",
    "center in map": "{{ ['x'] | map('center', 10**9) | list }}",
    "zfill": "{{ '1'.zfill(10**9) }}",
    "tabs": "{{ ('\t' * 1000).expandtabs(10**6) }}",
    "percent width": "{{ '%1000000000d' % 1 }}",
    "percent star": "{{ '%*d' % (10**9, 1) }}",
    "percent precision": "{{ '%.1000000000f' % 1.0 }}",
    "format filter": "{{ '%1000000000d' | format(1) }}",
    "format method": "{{ '{:1000000000}'.format(1) }}",
    "format nested": "{{ '{:{}}'.format(1, 10**9) }}",
    "format of many": "{{ ('%s' * 1000) % ((('x' * 100000),) * 1000) }}",
    "join filter": "{{ ('x' * 1000) | list | join('y' * 1000) }}",
    "join method": "{{ ('x' * 1000).join(['a'] * 1000) }}",
    "replace filter": "{{ ('x' * 1000) | replace('x', 'y' * 1000) }}",
    "replace method": "{{ ('x' * 1000).replace('', 'y' * 1000) }}",
    "translate": "{{ ('x' * 1000).translate({120: 'y' * 1000}) }}",
    "indent": "{{ ('x\n' * 1000) | indent(1000) }}",
    "batch": "{{ [1] | batch(10**9, 'x') | list }}",
    "slice": "{{ [1] | slice(10**9) | list }}",
    "tojson indent": "{{ [1] | tojson(indent=10**9) }}",
    "tojson deep indent": growing("[1] * 1000", "{% set n.x = [n.x] %}").replace("{{ n.x }}", "{{ n.x | tojson(indent=64) }}"),
    "round": "{{ 1.5 | round(10**9, 'floor') }}",
    "bytes": "{{ (5).to_bytes(10**9, 'big') }}",
    "slow filter": "{{ ('www.' * 30000) | urlize }}",
    "sum of lists": "{{ ([[1]] * 50000) | sum(start=[]) }}",
    "doubled text": growing("'x'", "{% set n.x = n.x + n.x %}"),
    "doubled by tilde": growing("'x'", "{% set n.x = n.x ~ n.x %}"),
    "doubled by a set block": growing("'x'", "{% set y %}{{ n.x }}{{ n.x }}{% endset %}{% set n.x = y %}"),
    "doubled by a macro": growing("'x'", "{% macro m(a) %}{{ a }}{{ a }}{% endmacro %}{% set n.x = m(n.x) %}"),
    "doubled list": growing("[1]", "{% set n.x = n.x + n.x %}"),
    "doubled by extend": growing("[1]", "{{ n.x.extend(n.x) or '' }}"),
    "shared lists printed": growing("[1]", "{% set n.x = [n.x, n.x] %}"),
    "shared dicts": growing("1", "{% set n.x = dict(a=n.x, b=n.x) %}"),
    "shared tuples": growing("(1,)", "{% set n.x = (n.x, n.x) %}"),
    "shared by append": growing("[1]", "{% set y = [] %}{{ y.append(n.x) }}{{ y.append(n.x) }}{% set n.x = y %}"),
    "kept slices": growing("'x' * 150000", "{% set n.l = n.l + [n.x[1:]] %}"),
    "kept copies": "{{ (['x' * 1000] * 100000) | map('upper') | list }}",
    "escapes": growing("'<'", "{% set n.x = n.x ~ n.x %}").replace("{{ n.x }}", "{{ n.x | escape }}"),
}


@pytest.mark.parametrize("text", TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_value_too_large_is_never_built(text):
    template = Template(text, limits=SMALL)
    template.variables()
    tracemalloc.start()
    try:
        with pytest.raises(TemplateError) as caught:
            template.render([])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.code in ("E206", "E204")
    assert peak < 30_000_000


TOO_LONG = {
    "loops in loops": "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "short loops": "{% for a in range(50) %}" * 8 + "{% endfor %}" * 8,
    "constant loops": "{% for a in [1, 2, 3, 4, 5, 6, 7, 8, 9] %}" * 12 + "{% endfor %}" * 12,
    "a list that grows under its loop": "{% set l = [1] %}{% for i in l %}{{ l.append(1) or '' }}{% endfor %}",
    "a macro that calls itself twice": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "a recursive loop": "{% for x in [1, 2] recursive %}{% if loop.depth < 60 %}{{ loop([1, 2]) }}{% endif %}{% endfor %}",
}


@pytest.mark.parametrize("text", TOO_LONG.values(), ids=TOO_LONG)
def test_a_template_without_an_end_is_stopped(text):
    started = time.thread_time()
    with pytest.raises(TemplateError) as caught:
        Template(text, limits=SMALL).render([])
    assert caught.value.code in ("E204", "E206")
    assert time.thread_time() - started < 5


def test_too_much_output_is_stopped():
    with pytest.raises(TemplateError) as caught:
        Template("{% for i in range(100000) %}" + "x" * 50 + "{% endfor %}", limits=SMALL).render([])
    assert caught.value.code == "E205"


@pytest.mark.parametrize(
    "text",
    [
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% block a %}{{ self.a() }}{% endblock %}",
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ " + "1+" * 20000 + "1 }}",
        "{{ " + "[" * 500 + "]" * 500 + " }}",
    ],
    ids=["macro", "block", "brackets", "sums", "lists"],
)
def test_too_deep_is_stopped(text):
    with pytest.raises(TemplateError) as caught:
        Template(text, limits=SMALL).render([])
    assert caught.value.code == "E207"


def test_a_text_that_is_no_template_is_not_compiled():
    with pytest.raises(TemplateError) as caught:
        Template("x" * 100_001, limits=SMALL).render([])
    assert caught.value.code == "E208"


def test_a_template_that_ran_out_of_time_is_given_up():
    template = Template(
        "{% if x %}{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}{% endif %}ok", limits=SMALL
    )
    assert template.render([]) == "ok"
    with pytest.raises(TemplateError, match="too long"):
        template.render([], x=True)
    started = time.thread_time()
    with pytest.raises(TemplateError, match="too long"):
        template.render([])
    assert time.thread_time() - started < 0.05


def test_one_value_too_large_does_not_end_a_template():
    template = Template("{% if x %}{{ 'x' * 10**9 }}{% endif %}ok", limits=SMALL)
    with pytest.raises(TemplateError, match="too large a value"):
        template.render([], x=True)
    assert template.render([]) == "ok"


def test_limits_do_not_change_what_is_within_them():
    text = (
        "{{ 'a' * 3 }}{{ [1] * 2 }}{{ 2 ** 8 }}{{ '%-5s|%03d' % ('x', 7) }}{{ 7 % 4 }}{{ '{:>4}|{a[0]}'.format('x', a=[5]) }}"
        "{{ 'a,b'.split(',') | join('-') }}{{ 'abc'[1:] }}{{ (1, 2) + (3,) }}{{ 'x' ~ 1 ~ none ~ nosuch }}{{ 'ab'.center(6) }}|"
        "{{ 'a-b'.replace('-', '+') }}{% for k, v in {'a': 1, 'b': [2]} | items %}{{ k }}{{ v }}{{ loop.length }}{% endfor %}"
        "{% for x in range(100) if x > 97 %}{{ x }}{{ loop.index }}{{ loop.last }}{% endfor %}{{ [1, 2] | sum }}"
        "{{ [[1], [2]] | sum(start=[]) }}"
    )
    expected = "aaa[1, 1]256x    |0073   x|5a-bbc(1, 2, 3)x1None  ab  |a+ba12b[2]2981False992True3[1, 2]"
    assert Template(text, limits=SMALL).render([]) == expected
