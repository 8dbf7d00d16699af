"""What the signatures of generated functions have in common, whatever the target."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.lower.arguments import ArgumentForm
from symgen.model.plan import Promotion, PromotionKind


def argument_text(form: ArgumentForm) -> str:
    """A parameter as it stands in the signature."""
    default = f" = {form.default}" if form.default is not None else ""
    return f"{form.name}: {form.annotation}{default}"


def promotion_text(promotion: Promotion | None, names: Mapping[str, str]) -> str:
    """The arguments of `@_promoted`; empty where nothing is promoted. `names` are those that parameters have here."""
    if promotion is None:
        return ""
    arguments = [f'"{names.get(name, name)}"' for name in promotion.parameters]
    if promotion.kind is not PromotionKind.DEFAULT:
        arguments.append(f'kind="{promotion.kind}"')
    if not promotion.widen:
        arguments.append("widen=False")
    if promotion.precise:
        arguments.append("precise=True")
    if promotion.as_float:
        arguments.append(f"as_float={[names.get(name, name) for name in promotion.as_float]}")
    if promotion.unrounded:
        arguments.append(f"unrounded={[names.get(name, name) for name in promotion.unrounded]}")
    return ", ".join(arguments)
