"""The page about one code: what it means, with a wrong and a right example."""

from __future__ import annotations

from symgen.check.rules import RULES, Rule, rule_of


def explain(code: str) -> str:
    """The page of a code, as plain text.

    Raises:
        UnknownNameError: where there is no such code; with the nearest.
    """
    rule = rule_of(code)
    mends = any(example.fixed for example in rule.wrong)
    last = "`symgen check --fix` mends what is mechanical of it." if mends else "`symgen check --fix` leaves it to you."
    return "\n".join([*_heading(f"{rule.code}: {rule.name}", "="), rule.why.strip(), "", *_examples(rule), last])


def overview() -> str:
    """All codes, a line each."""
    return "\n".join(f"{rule.code}  {rule.name}" for rule in RULES)


def _examples(rule: Rule) -> list[str]:
    lines = []
    for title, examples in (("Wrong", rule.wrong), ("Right", rule.right)):
        lines += _heading(title, "-")
        for example in examples:
            shown = [f"# {example.name}", *example.body.splitlines()]
            lines += [*(f"    {line}".rstrip() for line in shown), ""]
    return lines


def _heading(title: str, underline: str) -> list[str]:
    return [title, underline * len(title), ""]
