"""Any spec survives its files, whatever characters its markers hold."""

from __future__ import annotations

import yaml
from hypothesis import given

from tests.strategies import SPECS, TEXTS
from untemplate.spec import model
from untemplate.spec.files import spec_from_text, spec_to_json, spec_to_yaml


@given(SPECS)
def test_a_spec_survives_yaml(spec: model.Spec) -> None:
    text = spec_to_yaml(spec)
    assert spec_from_text(text) == spec
    assert spec_to_yaml(spec_from_text(text)) == text


@given(SPECS)
def test_a_spec_survives_json(spec: model.Spec) -> None:
    text = spec_to_json(spec)
    assert spec_from_text(text) == spec
    assert spec_to_json(spec_from_text(text)) == text


@given(TEXTS)
def test_a_marker_survives_any_yaml_reader(marker: str) -> None:
    spec = model.Spec(template=model.TemplateInfo(name=marker, sha256="", source="jinja", special_tokens={marker: marker}))
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        template = yaml.load(spec_to_yaml(spec), Loader=loader)["template"]
        assert template["name"] == marker
        assert template["special_tokens"] == {marker: marker}
