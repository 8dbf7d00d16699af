"""What `symgen upstream` has to know of a project that it contributes to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from symgen.config import Config
from symgen.errors import SymgenError
from symgen.pipeline.decide import Decision
from symgen.pipeline.exporters import Exporter
from symgen.pipeline.resolve import Request
from symgen.pipeline.upstream.drafts import Draft
from symgen.pipeline.upstream.git import Git
from symgen.pipeline.upstream.options import InCheckout
from symgen.pipeline.upstream.work_tree import WorkTree
from symgen.sources import Sources


class StandingError(SymgenError):
    """The checkout has a function for the operator already."""

    exit_status = 1


class Project(Protocol):
    """A checkout of one project."""

    @property
    def checkout(self) -> WorkTree:
        """The checkout itself."""

    @property
    def layout(self) -> str:
        """The folder with the functions."""

    @property
    def exporters(self) -> Sequence[Exporter]:
        """Ways to write for it: one that fails is followed by the next."""

    def refuse_unreadable(self) -> None:
        """Makes sure that the files that may be changed are Python.

        Raises:
            ParseError: where one is not.
        """

    def standing(self, requests: Sequence[Request], config: Config) -> Collection[str]:
        """The operators that it has already and that are to be corrected where they prove wrong.

        Raises:
            StandingError: where it has one that is not to be touched.
        """

    def suffices(self, decision: Decision) -> bool:
        """Whether a decision is good enough for the project; else the next way to write is tried as well."""

    def draft(self, decision: Decision, changed: dict[str, bytes], sources: Sources) -> Draft:
        """Writes one operator into the files, upon what was changed before.

        Raises:
            UnfitError: where something of the checkout's own is in the way.
            MergeError: where a file can't be merged into at all.
        """

    def prove(self, drafts: Sequence[Draft], git: Git, last: str) -> Mapping[str, InCheckout]:
        """What each operator shows when it is run from the checkout as of the commit `last`; by operator."""
