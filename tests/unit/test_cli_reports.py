from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from untemplate.cli.reports import FORMATS, Item, Level, ReportText, to_format

NASTY = 'a\x1b[31m"<&>```%\n::error::x\x00'
ITEMS = (
    Item(level=Level.ERROR, rule="call_marker", file="a,b:c.jinja", place="turn.calls", message=NASTY, details=(("turn", NASTY),)),
    Item(level=Level.NOTE, rule="prompt", file="x", place="prompt", message="only the prompt"),
)
REPORT = ReportText(title="untemplate diff", verdict="breaking", items=ITEMS)
EMPTY = ReportText(title="untemplate diff", verdict="same", items=())


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("report", [REPORT, EMPTY], ids=["findings", "none"])
def test_no_format_lets_a_control_character_through(form: str, report: ReportText) -> None:
    text = to_format(report, form)
    assert text.endswith("\n")
    assert not {character for character in text if ord(character) < 32 and character != "\n"}


def test_sarif_has_a_result_for_each_finding_and_a_rule_for_each_kind() -> None:
    (run,) = json.loads(to_format(REPORT, "sarif"))["runs"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [("call_marker", "error"), ("prompt", "note")]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {"call_marker", "prompt"}
    assert json.loads(to_format(EMPTY, "sarif"))["runs"][0]["results"] == []


def test_junit_is_xml_in_which_an_error_is_a_failure() -> None:
    suite = ElementTree.fromstring(to_format(REPORT, "junit"))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    first, second = suite.findall("testcase")
    assert first.find("failure") is not None
    assert second.find("failure") is None
    assert ElementTree.fromstring(to_format(EMPTY, "junit")).get("failures") == "0"


def test_a_github_annotation_is_one_line_that_no_text_can_leave() -> None:
    lines = to_format(REPORT, "github").splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::notice"]
    assert "file=a%2Cb%3Ac.jinja" in lines[0]
    assert "%0A::error::x" in lines[0]


def test_a_markdown_fence_is_longer_than_any_in_the_text() -> None:
    assert "\n````\n" in to_format(REPORT, "markdown")
