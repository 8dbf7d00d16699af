"""At which opsets each function of a module is called by the exporter, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symgen.check.reading.flow import Body
from symgen.check.reading.opsets import OpsetMask


def reach(served: Mapping[Body, OpsetMask]) -> dict[Body, OpsetMask]:
    """Follows calls from the functions that the exporter calls; `served` says at which opsets it does.

    A function that is only named, not called, counts as called: it may be handed on. Functions that nothing served
    leads to are absent.
    """
    reached: dict[Body, OpsetMask] = {}
    pending = [(body, mask) for body, mask in served.items() if mask]
    while pending:
        body, mask = pending.pop()
        known = reached.get(body, 0)
        if mask | known == known:
            continue
        reached[body] = mask | known
        pending.extend(_called(body, mask | known))
    return reached


def _called(body: Body, mask: OpsetMask) -> Iterable[tuple[Body, OpsetMask]]:
    for name, read in body.names.items():
        if mask & read:
            for target in body.resolve(name):
                yield target, mask & read
    for anonymous in body.nested.get("", ()):
        yield anonymous, mask
