"""What `coverage` says of every opset of both exporters: in the JSON, as CSV, and of two coverages the differences."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from symgen.coverage import CoverageRow
    from symgen.model.standing import Chart
    from symgen.pipeline.coverage_changes import CoverageChange
    from symgen.sources import Sources

_CSV_COLUMNS = (
    "op", "arrives_as", "family", "exporter", "opset", "standing", "torch", "symgen", "strategy", "reason", "link",
    "never_asked", "in_parts", "parts",
)  # fmt: skip
_COLORS = {"lost": "red", "gained": "green", "changed": "yellow"}


def standing_record(row: CoverageRow, chart: Chart, sources: Sources) -> dict[str, object]:
    """What stands in the JSON beside who serves the operator; the keys stand in the README."""
    from symgen.pipeline.coverage_links import signature, what_would_change

    return {
        "link": what_would_change(row, sources),
        "signature": list(signature(row, sources)),
        "dtypes": list(chart.dtypes),
        "standings": [
            {
                "exporter": span.exporter,
                "first": span.first,
                "last": span.last,
                "standing": span.standing,
                "torch": span.torch,
                "symgen": span.ours,
                "strategy": chart.strategy(span.exporter),
                "never_asked": span.apart.made,
                "in_parts": span.apart.through,
                "parts": list(span.apart.right),
            }
            for span in chart.spans
        ],
    }


def to_csv(charted: Iterable[tuple[CoverageRow, Chart, str]]) -> str:
    """A line for each operator, exporter and opset; each comes with the link of its operator.

    The strategy is that of the exporter, for which an operator may arrive under another name.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for row, chart, link in charted:
        for span in chart.spans:
            stands = (span.standing, span.torch, span.ours, chart.strategy(span.exporter), row.reason, link)
            apart = (span.apart.made, span.apart.through, " ".join(span.apart.right))
            for opset in range(span.first, span.last + 1):
                writer.writerow((row.op, row.arrives_as, row.family, span.exporter, opset, *stands, *apart))
    return file.getvalue()


def changes_record(changes: Sequence[CoverageChange]) -> dict[str, object]:
    """The differences by kind, as the JSON has them."""
    from symgen.pipeline.coverage_changes import Kind

    return {
        kind: [
            {
                "op": change.op,
                "exporter": change.exporter,
                "first": change.first,
                "last": change.last,
                "before": change.before,
                "after": change.after,
            }
            for change in changes
            if change.kind is kind
        ]
        for kind in Kind
    }


def change_line(change: CoverageChange) -> str:
    """One difference as people read it."""
    where = f"{change.exporter}, opset {change.first} to {change.last}: " if change.exporter else ""
    kind = click.style(change.kind, fg=_COLORS[change.kind])
    return f"{kind} {change.op}: {where}{change.before or 'nothing'}, now {change.after or 'nothing'}"
