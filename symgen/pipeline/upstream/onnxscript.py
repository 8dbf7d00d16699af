"""onnxscript's torchlib as a project that operators are contributed to."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from symgen.config import Config
from symgen.introspect.torchlib_functions import torchlib_folder
from symgen.model.location import Location
from symgen.model.result import Status
from symgen.pipeline.decide import Decision
from symgen.pipeline.exporters import Exporter
from symgen.pipeline.resolve import Request
from symgen.pipeline.upstream.drafts import Contents, Draft
from symgen.pipeline.upstream.fit import functions_of, normal_form
from symgen.pipeline.upstream.git import Git
from symgen.pipeline.upstream.options import InCheckout
from symgen.pipeline.upstream.project import StandingError
from symgen.pipeline.upstream.torchlib_checkout import LAYOUT, ROWS, TorchlibCheckout
from symgen.pipeline.upstream.torchlib_draft import draft_torchlib
from symgen.pipeline.upstream.torchlib_exporter import TorchlibUpstreamExporter
from symgen.pipeline.upstream.torchlib_proof import prove_torchlib
from symgen.pipeline.upstream.work_tree import check_python
from symgen.sources import Sources

_FAILS_ALOUD = re.compile(r" is not right: (?!wrong )")
"""What a decision says of a function that is there and gives errors, and no wrong numbers."""
_TESTED = frozenset({"float16", "float32", "bool", "int32", "int64"})
"""The dtypes in which torchlib's suite tests its functions."""


@dataclass(frozen=True)
class Onnxscript:
    """A checkout of onnxscript; the methods are told of in `Project`."""

    checkout: TorchlibCheckout

    @property
    def layout(self) -> str:
        """The folder of torchlib's functions."""
        return str(LAYOUT)

    @property
    def exporters(self) -> Sequence[Exporter]:
        """In torchlib's own style, and where that can't say it with helpers of its own."""
        return TorchlibUpstreamExporter(plain=True), TorchlibUpstreamExporter(plain=False)

    def refuse_unreadable(self) -> None:
        """Reads the functions and the table of tests."""
        assert self.checkout.functions
        if ROWS in self.checkout.paths:
            check_python(self.checkout.read(ROWS), ROWS)

    def standing(self, requests: Sequence[Request], config: Config) -> Collection[str]:
        """Those whose functions are the installed torchlib's, which can be judged; they are replaced where wrong."""
        found = [one.op.qualified for one in requests if one.op.qualified in self.checkout.registered]
        for op in found:
            for path, function in self.checkout.registered[op]:
                location = Location(path, function.line)
                if config.no_verify:
                    message = f"{op} is registered already, and only a verification tells whether it is right"
                    raise StandingError(message, location=location)
                if not self._is_installed(path, function.function):
                    message = f"{op} is registered already, by another function than the installed torchlib has"
                    raise StandingError(message, location=location)
        return found

    def _is_installed(self, path: str, name: str) -> bool:
        folder = torchlib_folder()
        file = folder / PurePosixPath(path).name if folder else None
        if file is None or not file.is_file():
            return False
        theirs, ours = functions_of(file.read_text("utf-8")), functions_of(self.checkout.functions[path])
        return name in theirs and normal_form(theirs[name]) == normal_form(ours[name])

    def suffices(self, decision: Decision) -> bool:
        """What fails in no dtype that the suite tests, and if it is to correct what fails aloud, fails in none."""
        if _FAILS_ALOUD.search(decision.reason):
            return decision.status is Status.VERIFIED
        failed = {dtype for failure in decision.evidence.failures for dtype in failure.dtype.split("/")}
        return decision.status is not Status.FAILED and not failed & _TESTED

    def draft(self, decision: Decision, changed: dict[str, bytes], sources: Sources) -> Draft:
        """Writes the function and its row."""
        return draft_torchlib(decision, Contents(self.checkout, changed), sources)

    def prove(self, drafts: Sequence[Draft], git: Git, last: str) -> Mapping[str, InCheckout]:
        """Runs the checkout's own torchlib and suite."""
        return prove_torchlib(drafts, self.checkout, git, last)
