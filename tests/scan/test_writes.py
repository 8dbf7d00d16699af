"""A write is reported as dropped exactly where an export gives other numbers than eager torch."""

from __future__ import annotations

import pytest

from scans import Scans, function
from symgen.model.scan import Kind, Severity

KEPT = {
    "add to a row": "y = x * 1\ny[0].add_(1)\nreturn y",
    "augmented assignment": "y = x * 1\ny[:, 0] += 1\nreturn y",
    "assignment to a slice": "y = x * 1\ny[:, 1:3] = x[:, :2]\nreturn y",
    "assignment by a mask": "y = x * 1\ny[y > 0] = 0.0\nreturn y",
    "nested selection": "y = x * 1\ny[0][1] = 4.0\nreturn y",
    "zero a slice": "y = x * 1\ny[:, 1:].zero_()\nreturn y",
    "the view itself is read": "y = x * 1\nv = y.view(-1)\nv.add_(1)\nreturn v",
    "the base is read, not the view": "y = x * 1\nv = y.t()\ny.add_(1)\nreturn y",
    "another part": "y = x * 1\na, b = y.chunk(2, 1)\na.mul_(2)\nreturn a + b",
    "a chain of writes": "y = x * 1\ny.clamp_(0).mul_(2)\nreturn y",
    "relu in place": "y = x * 1\nz = y\nz.relu_()\nreturn y",
    "a copy": "y = x * 1\ny.clone().add_(1)\nreturn y",
    "a slice, an int and an index": "y = x.repeat(2, 1, 1) * 1\ny[0:1, 2, [3, 0]] = 1.0\nreturn y",
    "an index and a slice": "y = x * 1\ny[[2, 0], 1:3] = 1.0\nreturn y",
    "rows one after the other": "y = x * 1\ny[0] = 1.0\ny[1] = y[0] * 2\nreturn y",
}
DROPPED = {
    "through view": "y = x * 1\nv = y.view(-1)\nv.add_(1)\nreturn y",
    "through unsqueeze": "y = x * 1\nv = y.unsqueeze(0)\nv[0] = 1.0\nreturn y",
    "through unsqueeze by a mask": "y = x.sum()\nv = y.unsqueeze(0)\nv[v > -100] = 7.0\nreturn y",
    "through a transpose": "y = x * 1\ny.t()[0] = 1.0\nreturn y",
    "through narrow": "y = x * 1\ny.narrow(1, 0, 2).zero_()\nreturn y",
    "through the diagonal": "y = x * 1\ny.diagonal().copy_(x[0, :3])\nreturn y",
    "through detach": "y = x * 1\ny.detach().add_(1)\nreturn y",
    "through a part": "y = x * 1\na, b = y.chunk(2, 1)\na.mul_(2)\nreturn y",
    "an overlapping slice": "y = x * 1\nv = y[0]\nw = y[0:2]\nv.copy_(x[1])\nreturn w",
    "a view from before": "y = x * 1\nv = y.view(-1)\ny.add_(1)\nreturn v",
    "a row from before": "y = x * 1\nv = y[0]\ny[0] = 1.0\nreturn v",
    "twice through a row": "y = x * 1\na = y[0]\na.add_(1)\na.mul_(2)\nreturn y",
    "the mask of a slice": "y = x * 1\nv = y[1:]\nv[v > 0] = 9.0\nreturn y",
    "the index of a slice": "y = x * 1\ny[1:][[1], :2] = 9.0\nreturn y",
    "an index behind a mask": "y = x.repeat(2, 2, 1, 1) * 1\ny[y[..., 0, 0] < 9, 1:, [1]] = 9.0\nreturn y",
    "a slice of a slice": "y = x * 1\nv = y[1:]\nv[1:, 0] = 9.0\nreturn y",
    "out into a slice": "y = torch.zeros(3, 8)\ntorch.add(x, 1, out=y[:, :4])\nreturn y",
}

LEFT_TO_CHANCE = {
    "the row that was assigned": "y = x * 1\nv = y[0]\nv.copy_(x[1])\nreturn v",
    "the row around": "y = x * 1\nr = y[0]\nr[1] = 5.0\nreturn r",
}
"""What the exporter drops or keeps depends on where its values lie in memory: equal exports differ."""


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_what_the_exporter_keeps_is_no_finding(scans: Scans, body: str) -> None:
    report = scans.scan(function(body))
    assert not [finding for finding in report.findings if finding.kind is Kind.DROPPED_WRITE]
    assert scans.export(function(body)).verdict == "right"


@pytest.mark.parametrize("body", DROPPED.values(), ids=DROPPED)
def test_what_the_exporter_drops_is_named_with_its_line(scans: Scans, body: str) -> None:
    report = scans.scan(function(body))
    (finding,) = (finding for finding in report.findings if finding.kind is Kind.DROPPED_WRITE)
    assert finding.place.line > 7
    assert scans.export(function(body)).verdict in ("wrong value", "export error", "invalid model")


@pytest.mark.parametrize("body", LEFT_TO_CHANCE.values(), ids=LEFT_TO_CHANCE)
def test_what_may_be_dropped_is_named_too(scans: Scans, body: str) -> None:
    (finding,) = scans.scan(function(body)).findings
    assert finding.kind is Kind.DROPPED_WRITE


def test_the_reader_is_named_and_one_line_is_one_finding(scans: Scans) -> None:
    body = "y = x * 1\nfor _ in range(3):\n    y.view(-1).add_(1)\nz = x + 1\nreturn torch.exp(y) + z"
    report = scans.scan(function(body))
    (finding,) = report.findings
    assert "aten::view" in finding.reason
    assert f"read at {finding.place.path}:10" in finding.reason
    assert finding.count == 3
    assert report.exit_status == 1


def test_a_buffer_that_is_written_is_noted(scans: Scans) -> None:
    text = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('seen', torch.zeros(4))\n\n"
        "    def forward(self, x):\n        self.seen[1:3] = x[0, 1:3]\n        return x + self.seen\n\n\n"
        "model, inputs = Net(), (torch.randn(3, 4),)\n"
    )
    (finding,) = scans.scan(text).findings
    assert (finding.kind, finding.severity, finding.op, finding.place.line) == (
        Kind.DROPPED_WRITE, Severity.NOTE, "seen", 12
    )  # fmt: skip


def test_the_statistics_of_a_batch_norm_are_left_alone(scans: Scans) -> None:
    assert not scans.scan("model, inputs = nn.BatchNorm1d(4), (torch.randn(3, 4),)\n").findings
