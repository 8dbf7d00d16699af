"""What `coverage` prints for people: a line for each operator, and the sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from symgen.config import Target
from symgen.model.run import operators
from symgen.model.standing import Chart, Ours, Span, Through, Torch, apart_sentence

if TYPE_CHECKING:
    from symgen.coverage import CoverageRow
    from symgen.pipeline.survey import Judgement

_COLORS = {"torch": "green", "symgen": "cyan", "neither": "yellow"}
_WRONG_COLOR = "red"
_OWN: Mapping[Torch, str] = {
    Torch.RIGHT: "right",
    Torch.WRONG: "wrong for some arguments",
    Torch.REFUSES: "refuses some arguments",
    Torch.UNJUDGED: "unjudged",
}
"""What is known of torch's own function, where there is one."""
_FAULTS: Mapping[Torch, str] = {Torch.WRONG: "wrong", Torch.REFUSES: "refusing"}
"""Those that the sums tell of."""
_THROUGH: Mapping[Through, str] = {
    Through.VERIFIED: "{} of these are right with symgen's for their parts",
    Through.DERIVED: "{} of these may be right with symgen's for their parts, which are verified, but were not run so",
}
"""What the sums say of those that are never asked for."""
_ONLY_AN_EXPORT_TELLS = "only an export tells"
"""Of what torch.export may take apart."""
Charted = tuple["CoverageRow", Chart]


def table_lines(charted: Iterable[Charted], opset: int, judgements: Mapping[str, Judgement]) -> Iterator[str]:
    """A line for each operator: who serves it, from where on, and what is on record of that."""
    charted = list(charted)
    width = max((len(row.op) for row, _ in charted), default=0)
    for row, chart in charted:
        who, span = row.served_by(opset), chart.at(Target.TORCHSCRIPT, opset)
        is_wrong = who == "torch" and span is not None and span.torch in _FAULTS
        styled = click.style(f"{who:<8}", fg=_WRONG_COLOR if is_wrong else _COLORS[who])
        judged = f" [{judgements[row.op].status}]" if row.op in judgements else ""
        remark = _remark(row, span, chart.at(Target.TORCHLIB, opset))
        yield f"{row.op:<{width}}  {styled}{judged} {remark}".rstrip()


def _remark(row: CoverageRow, span: Span | None, dynamo: Span | None) -> str:
    parts = [f"arrives as {row.arrives_as}"] if row.arrives_as != row.op else []
    if row.torch:
        own = _OWN.get(span.torch) if span else None
        parts.append(f"torch's from opset {row.torch[0]}{f', {own}' if own else ''}")
    if row.symgen is not None:
        state = f", {span.ours}" if span and span.ours is not Ours.NONE else ""
        parts.append(f"symgen's from opset {row.symgen} by {row.strategy}{state}")
    if dynamo is not None and (found := _dynamo_remark(dynamo)):
        parts.append(f"dynamo exporter: {found}")
    return "; ".join([*parts, *([row.reason] if row.reason else [])])


def _dynamo_remark(span: Span) -> str:
    """What there is for the dynamo exporter; empty where that is nothing."""
    own = [f"torch's ({_OWN[span.torch]})"] if span.torch in _OWN else []
    apart = [apart_sentence(span.apart)] if span.apart.made else []
    ours = [f"symgen's ({span.ours})"] if span.ours in {Ours.VERIFIED, Ours.UNVERIFIED} else []
    unknown = [_ONLY_AN_EXPORT_TELLS] if span.torch is Torch.UNKNOWN else []
    return ", ".join([*own, *(ours or apart)] or unknown)


def dynamo_line(charted: Iterable[Charted], opset: int) -> str:
    """The sums of the dynamo exporter; empty at an opset that it doesn't reach."""
    served: dict[str, list[Span]] = {"torch": [], "symgen": [], "neither": [], _ONLY_AN_EXPORT_TELLS: []}
    for _, chart in charted:
        if (span := chart.at(Target.TORCHLIB, opset)) is not None:
            served[_server(span)].append(span)
    if not any(served.values()):
        return ""
    parts = _counted(served)
    if unknown := served[_ONLY_AN_EXPORT_TELLS]:
        parts.append(f"of {len(unknown)} {_ONLY_AN_EXPORT_TELLS}")
    return f"in the dynamo exporter: {', '.join(parts)}"


def _server(span: Span) -> str:
    """Who serves an operator in the dynamo exporter."""
    if span.torch in _OWN:
        return "torch"
    if span.ours in {Ours.VERIFIED, Ours.UNVERIFIED} or span.apart.through is Through.VERIFIED:
        return "symgen"
    return _ONLY_AN_EXPORT_TELLS if span.torch is Torch.UNKNOWN else "neither"


def sums_line(charted: Sequence[Charted], opset: int, verified: Mapping[str, int]) -> str:
    """How many operators are served by whom in the TorchScript exporter, and how many of these are wrong, or proven."""
    served: dict[str, list[Span]] = {"torch": [], "symgen": [], "neither": []}
    for row, chart in charted:
        if (span := chart.at(Target.TORCHSCRIPT, opset)) is not None:
            served[row.served_by(opset)].append(span)
    parts = _counted(served)
    parts += [f"{count} {name.replace('_', ' ')}" for name, count in verified.items()]
    return f"{operators(len(charted))} at opset {opset}: {', '.join(parts)}"


def _counted(served: Mapping[str, Sequence[Span]]) -> list[str]:
    """How many each serves, and what is known of these."""
    notes = {"torch": _faults(served["torch"]), "symgen": _proofs(served["symgen"]), "neither": ""}
    return [f"{len(served[who])} by {who}{note}" for who, note in notes.items()]


def _faults(spans: Sequence[Span]) -> str:
    """How many of torch's own are wrong or refuse some arguments, and for how many of these symgen's is proven."""
    faulty = [span for span in spans if span.torch in _FAULTS]
    parts = [f"{count} {how}" for state, how in _FAULTS.items() if (count := sum(one.torch is state for one in faulty))]
    proven = sum(span.ours is Ours.VERIFIED for span in faulty)
    served = f"; symgen's is verified for {proven} of these" if proven else ""
    for through, how in _THROUGH.items():
        count = sum(span.ours is not Ours.VERIFIED and span.apart.through is through for span in faulty)
        served += f"; {how.format(count)}" if count else ""
    return f" ({' and '.join(parts)} for some arguments{served})" if faulty else ""


def _proofs(spans: Sequence[Span]) -> str:
    proven = sum(Ours.VERIFIED is span.ours or span.apart.through is Through.VERIFIED for span in spans)
    return f" ({proven} verified)" if spans else ""
