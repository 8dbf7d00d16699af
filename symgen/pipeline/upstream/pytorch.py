"""PyTorch as a project that operators are contributed to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from symgen.config import Config
from symgen.model.result import Status
from symgen.pipeline.decide import Decision
from symgen.pipeline.exporters import Exporter
from symgen.pipeline.resolve import Request
from symgen.pipeline.upstream.checkout import Checkout
from symgen.pipeline.upstream.draft import draft
from symgen.pipeline.upstream.drafts import Contents, Draft
from symgen.pipeline.upstream.exporter import CheckoutExporter
from symgen.pipeline.upstream.git import Git
from symgen.pipeline.upstream.options import InCheckout
from symgen.pipeline.upstream.project import StandingError
from symgen.pipeline.upstream.proof import prove
from symgen.pipeline.upstream.suite import CONSISTENCY_TESTS, RUNTIME_TESTS
from symgen.pipeline.upstream.work_tree import check_python
from symgen.sources import Sources


@dataclass(frozen=True)
class PyTorch:
    """A checkout of PyTorch; the methods are told of in `Project`."""

    checkout: Checkout

    @property
    def layout(self) -> str:
        """The folder of the TorchScript exporter."""
        return str(self.checkout.layout)

    @property
    def exporters(self) -> Sequence[Exporter]:
        """The one that writes in the style of the exporter there."""
        return (CheckoutExporter(checkout=self.checkout),)

    def refuse_unreadable(self) -> None:
        """Reads the files of tests; what the exporter registers is read in any case."""
        for path in (RUNTIME_TESTS, CONSISTENCY_TESTS):
            if path in self.checkout.paths:
                check_python(self.checkout.read(path), path)

    def standing(self, requests: Sequence[Request], config: Config) -> Collection[str]:
        """None: whatever is registered stays as it is."""
        for request in requests:
            for function in self.checkout.registered.functions.get(request.op.qualified, ()):
                message = f"{request.op.qualified} is registered already, from opset {function.opset} on"
                raise StandingError(message, location=function.location)
        return ()

    def suffices(self, decision: Decision) -> bool:
        """Whatever is written."""
        return decision.status is not Status.FAILED

    def draft(self, decision: Decision, changed: dict[str, bytes], sources: Sources) -> Draft:
        """Writes the function and its tests."""
        return draft(decision, Contents(self.checkout, changed), sources)

    def prove(self, drafts: Sequence[Draft], git: Git, last: str) -> Mapping[str, InCheckout]:
        """Lays the checkout's exporter over the installed torch."""
        return prove(drafts, self.checkout, git, last)
