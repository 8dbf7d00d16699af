"""The page about one code: what it means, with a wrong and a right example."""

from __future__ import annotations

from symgen.check.rules import RULES, Rule
from symgen.errors import UnknownNameError


def explain(code: str) -> str:
    """The page of a code, as plain text.

    Raises:
        UnknownNameError: where there is no such code; with the nearest.
    """
    rule = next((rule for rule in RULES if rule.code == code.upper()), None)
    if rule is None:
        import difflib

        nearest = difflib.get_close_matches(code.upper(), [rule.code for rule in RULES], n=3, cutoff=0.5)
        raise UnknownNameError(f"check has no code {code}", nearest=nearest)
    return _page(rule)


def overview() -> str:
    """All codes, a line each."""
    return "\n".join(f"{rule.code}  {rule.name}" for rule in RULES)


def _page(rule: Rule) -> str:
    title = f"{rule.code}: {rule.name}"
    parts = [title, "=" * len(title), "", rule.why.strip(), ""]
    for heading, examples in (("Wrong", rule.wrong), ("Right", rule.right)):
        parts += [heading, "-" * len(heading)]
        for example in examples:
            parts += ["", f"    # {example.name}", *(f"    {line}".rstrip() for line in example.body.splitlines())]
        parts.append("")
    mends = any(example.fixed for example in rule.wrong)
    parts.append(
        "`symgen check --fix` mends what is mechanical of it." if mends else "There is nothing for --fix to do."
    )
    return "\n".join(parts)
