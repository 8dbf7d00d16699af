"""Runs a checkout's own torchlib, and the rows of its suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.config import Target
from symgen.pipeline.upstream.drafts import Draft
from symgen.pipeline.upstream.git import Git
from symgen.pipeline.upstream.options import InCheckout
from symgen.pipeline.upstream.proof import Stand, prove_on
from symgen.pipeline.upstream.torchlib_checkout import SUITE, TorchlibCheckout

_STAND = Stand(
    paths=("onnxscript", "tests"),
    suite=SUITE,
    folder=".",
    module=SUITE.removesuffix(".py").replace("/", "."),
    pattern="*.{name}_*",
    opsets=Target.TORCHLIB.opsets,
    target=Target.TORCHLIB,
    exporter="torchlib",
)


def prove_torchlib(
    drafts: Sequence[Draft], checkout: TorchlibCheckout, git: Git, last: str
) -> Mapping[str, InCheckout]:
    """What each operator shows when torchlib is the checkout's as of the commit `last`; by operator."""
    return prove_on(_STAND, drafts, checkout.version, git, last)
