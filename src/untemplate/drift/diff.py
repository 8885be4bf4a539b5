"""The difference of two compiled templates: raw units, each held against turns, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from untemplate.drift.model import Drift, Finding, Origin, Proof, Severity
from untemplate.drift.proof import Taker, break_of, find_break
from untemplate.drift.samples import Meant, SampleTurn, composed_turns
from untemplate.drift.units import Unit, compare_units, with_unit
from untemplate.drift.words import explain, naming_of
from untemplate.infer.evidence import Evidence
from untemplate.spec.model import Spec
from untemplate.text.split import DiffSplit, split

_AROUND = 40
"""Characters of a prompt that are shown on either side of where it differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One compiled template, with what is known of it beside its spec."""

    spec: Spec
    turns: tuple[SampleTurn, ...] = ()
    """As its template renders them, the shortest first; empty for a side that is a spec alone, which composes its own."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompts that the template rendered, by what was asked; empty for a side that is a spec alone."""
    evidence: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    """What the fields of the spec were read from; empty for a side that is a spec alone."""


def diff(old: Side, new: Side) -> Drift:
    """Return all that differs between two compiled templates, each finding with its severity and, if breaking, its proof."""
    units = compare_units(old.spec, new.spec)
    judge = _Judge.of(old, new)
    findings = [judge.finding(unit) for unit in units]
    if judge.forward is not None and not any(finding.severity is Severity.BREAKING for finding in findings):
        findings.append(_together(judge.forward, shown_by_specs=judge.forward_of_specs() is not None))
    findings += _prompt_findings(old, new, any(finding.kind in ("prompt", "generation_prompt") for finding in findings))
    ranked = sorted(findings, key=lambda finding: -finding.severity.rank)
    return Drift(old=old.spec.template.name, new=new.spec.template.name, findings=tuple(ranked))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Settles what one unit's difference means, by reading turns that have only that difference."""

    old: Taker
    new: Taker
    turns: tuple[SampleTurn, ...]
    """The new one's."""
    forward: Proof | None
    """A new turn that the old parser misreads or the old grammar forbids."""
    backward: Proof | None
    """The same of an old turn."""
    evidence: Mapping[str, tuple[Evidence, ...]]
    """Of the new template."""

    @classmethod
    def of(cls, old: Side, new: Side) -> _Judge:
        before, after = Taker(old.spec), Taker(new.spec)
        olds, news = (side.turns or composed_turns(side.spec) for side in (old, new))
        old_by, new_by = _by_meaning(olds), _by_meaning(news)
        turns = _telling(news, old_by)
        return cls(
            old=before,
            new=after,
            turns=turns,
            forward=find_break(before, after, turns, old_by),
            backward=find_break(after, before, _telling(olds, new_by), new_by),
            evidence=new.evidence,
        )

    def forward_of_specs(self) -> Proof | None:
        """Return the first break among the turns that the new spec lays out itself."""
        return find_break(self.old, self.new, composed_turns(self.new.spec))

    def finding(self, unit: Unit) -> Finding:
        """Return a unit's difference with its severity."""
        proof = self._proof(unit) if unit.steers_turns else None
        severity = Severity.BREAKING if proof else _harmless(unit)
        return Finding(
            kind=naming_of(unit).kind,
            path=unit.name,
            old=unit.old,
            new=unit.new,
            severity=severity,
            explanation=explain(unit, severity, proof, reverse_broken=self.backward is not None),
            proof=proof,
            evidence=_probes(unit, self.evidence),
        )

    def _proof(self, unit: Unit) -> Proof | None:
        """Return a turn that breaks for this unit alone; where it cannot stand alone, one that breaks for all together."""
        if self.forward is None:
            return None
        alone = with_unit(self.old.spec, unit)
        turns = composed_turns(alone) if alone is not None else ()
        if alone is None or not turns:
            return self.forward
        proof = find_break(self.old, Taker(alone), turns)
        return None if proof is None else self._own_proof(unit, proof) or proof

    def _own_proof(self, unit: Unit, composed: Proof) -> Proof | None:
        """Return the shortest turn of the new template itself that breaks, and would for this unit if all else were new already."""
        back = with_unit(self.new.spec, replace(unit, old=unit.new, new=unit.old))
        blamed = Taker(back) if back is not None else None
        return find_break(self.old, self.new, (turn for turn in self.turns if turn.text == composed.turn or self._is_blamed(blamed, turn)))

    def _is_blamed(self, blamed: Taker | None, turn: SampleTurn) -> bool:
        return blamed is not None and break_of(blamed, self.new, turn) is not None


def _by_meaning(turns: tuple[SampleTurn, ...]) -> dict[Meant, SampleTurn]:
    """Return the turns that a side writes and reads by what they mean: of a template those that it renders itself."""
    read = [turn for turn in turns if turn.read]
    rendered = [turn for turn in read if turn.origin is Origin.RENDERED]
    return {turn.meant: turn for turn in rendered or read}


def _telling(turns: tuple[SampleTurn, ...], before: Mapping[Meant, SampleTurn]) -> tuple[SampleTurn, ...]:
    """Return the turns of one side that tell something of the other's parser.

    A turn that its own parser does not read tells nothing, unless the other side writes the same message otherwise and reads that.
    """
    return tuple(turn for turn in turns if turn.read or (turn.meant in before and before[turn.meant].text != turn.text))


def _probes(unit: Unit, evidence: Mapping[str, tuple[Evidence, ...]]) -> tuple[str, ...]:
    """Return the probes that the nearest field around a unit was read from."""
    near = [path for path in evidence if unit.name == path or unit.name.startswith((f"{path}.", f"{path}["))]
    return tuple(dict.fromkeys(entry.probe for entry in evidence[max(near, key=len)])) if near else ()


def _harmless(unit: Unit) -> Severity:
    return Severity.COMPATIBLE if unit.steers_turns or unit.path[0] == "tokens" else Severity.COSMETIC


def _together(proof: Proof, *, shown_by_specs: bool) -> Finding:
    """Return the finding for a turn that breaks where no unit does."""
    taker = "grammar made from the old template forbids" if proof.got is None else "parser made from the old template misreads"
    rendered = f"the new template writes this turn otherwise, which its spec does not say: a {taker} it"
    return Finding(
        kind="turn",
        path="turn",
        old=None,
        new=None,
        severity=Severity.BREAKING,
        explanation="no single change breaks the old parser or grammar, all of them together do" if shown_by_specs else rendered,
        proof=proof,
    )


def _prompt_findings(old: Side, new: Side, told: bool) -> list[Finding]:
    """Return the prompts that two templates write otherwise, unless a finding of the spec tells it already."""
    if told:
        return []
    changed = [name for name in old.prompts if name in new.prompts and old.prompts[name] != new.prompts[name]]
    return [_prompt_finding(name, split(old.prompts[name], new.prompts[name])) for name in changed[:1]]


def _prompt_finding(name: str, parts: DiffSplit) -> Finding:
    before, after = parts.prefix[-_AROUND:], parts.suffix[:_AROUND]
    return Finding(
        kind="prompt",
        path="prompt",
        old=before + parts.left + after,
        new=before + parts.right + after,
        severity=Severity.COSMETIC,
        explanation=f"the prompt {name} is written otherwise, no turn of the model",
    )
