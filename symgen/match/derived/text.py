"""Writes a tree of blocks as one function in the plan language: a name for each step, a call a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symgen.match.derived.branches import Block, Choice, Tree, references_of
from symgen.match.derived.constants import literal
from symgen.match.derived.nouns import NOUNS
from symgen.match.derived.phrases import HELPERS, PASSED_ON, CannotBeSaidError, Words, is_number, said
from symgen.match.derived.vocabulary import EntryHelper, Vocabulary
from symgen.model.traces import Item, Ref, Step

_ORDINALS = ("", "second_", "third_", "fourth_", "fifth_", "sixth_", "seventh_", "eighth_", "ninth_", "tenth_")
_INDENT = "    "


@dataclass
class Written:
    """The lines of a function's body, and what they call."""

    lines: list[str] = field(default_factory=list)
    entries: dict[str, EntryHelper] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The body."""
        return "\n".join(self.lines) + "\n"

    @property
    def helpers(self) -> dict[str, str]:
        """The knowledge's helpers that the lines call, each with its file."""
        return {name: stem for name, stem in HELPERS.items() if re.search(rf"\b{name}\(", self.text)}


class Writer:
    """Writes the body of one function."""

    def __init__(self, op: str, anchor: str, taken: Sequence[str], vocabulary: Vocabulary) -> None:
        """`anchor` names an argument of the dtype that is computed in; the names in `taken` are not for steps."""
        self._op = op
        self._anchor = anchor
        self._taken = frozenset(taken)
        self._vocabulary = vocabulary

    def write(self, tree: Tree) -> Written:
        """The body.

        Raises:
            CannotBeSaidError: where there are no words for a step.
        """
        written = Written()
        written.lines += self._tree(tree, Words(self._anchor), _read_in(tree), written, 1)
        return written

    def _tree(self, tree: Tree, words: Words, read: frozenset[Ref], written: Written, depth: int) -> Iterator[str]:
        indent = _INDENT * depth
        if isinstance(tree, Block):
            yield from (indent + line for line in self._block(tree, words, read, written))
            return
        yield from (indent + line for line in self._steps(tree.shared, words, read, written))
        for test, branch in tree.branches:
            yield f"{indent}if {test}:"
            yield from self._tree(branch, words.copy(), read, written, depth + 1)
        if tree.otherwise is not None:
            yield from self._tree(tree.otherwise, words.copy(), read, written, depth)
        else:
            yield f'{indent}op.fail("{self._op}: another {_spoken(tree)} has no translation")'

    def _block(self, block: Block, words: Words, read: frozenset[Ref], written: Written) -> Iterator[str]:
        lines = list(self._steps(block.steps, words, read, written))
        for name, value in block.assumed:
            if name not in words.mentioned:
                yield f"if {_is_other(name, value)}:"
                yield f'{_INDENT}op.fail("{self._op}: {name} of another value has no translation here")'
        results = [words.text(result) for result in block.results]
        if len(results) > 1:
            yield from (*lines, f"return {', '.join(results)}")
        elif lines and lines[-1].startswith(f"{results[0]} = "):
            yield from (*lines[:-1], f"return {lines[-1].partition(' = ')[2]}")
        else:
            is_argument = Ref(results[0]) == block.results[0] or results[0] in self._taken
            yield from (*lines, f"return op.Identity({results[0]})" if is_argument else f"return {results[0]}")

    def _steps(self, steps: Sequence[Step], words: Words, read: frozenset[Ref], written: Written) -> Iterator[str]:
        names = {ref.name for ref in read}
        for step in steps:
            if step.name not in names:
                continue
            ref = Ref(step.name)
            if is_number(step):
                words.numbers[ref] = words.text(step.arguments[step.target == "full"])
                continue
            text = self._said(step, words, written)
            if step.target in (*PASSED_ON, "copy") or re.fullmatch(r"\w+", text):
                words.is_another_name(ref, text, step.arguments[step.target == "copy"])
                continue
            places = sorted({r.place for r in read if r.name == step.name and r.place is not None})
            if places:
                yield from self._unpacked(step, places[-1] + 1, text, words)
                continue
            words.bind(ref, self._name(step, words), step)
            yield f"{words.names[ref]} = {text}"

    def _unpacked(self, step: Step, count: int, text: str, words: Words) -> Iterator[str]:
        names = []
        for place in range(count):
            names.append(self._free(f"{step.target.strip('_')}_{place}", words))
            words.names[Ref(step.name, place)] = names[-1]
        yield f"{', '.join(names)} = {text}"

    def _said(self, step: Step, words: Words, written: Written) -> str:
        try:
            return said(step, words)
        except (CannotBeSaidError, ValueError, IndexError) as error:
            # An operator may have overloads with other arguments than its phrase knows.
            helper = self._vocabulary.entry_helper(step.target)
            if helper is None:
                raise CannotBeSaidError(step.target) from error
        written.entries[step.target] = helper
        return _call_of(helper, step, words)

    def _name(self, step: Step, words: Words) -> str:
        return self._free(NOUNS.get(step.target, f"{step.target.strip('_')}_result"), words)

    def _free(self, noun: str, words: Words) -> str:
        taken = {*words.names.values(), *self._taken, self._anchor}
        return next(
            (name for ordinal in _ORDINALS if (name := f"{ordinal}{noun}") not in taken), f"{noun}_{len(taken)}"
        )


def _call_of(helper: EntryHelper, step: Step, words: Words) -> str:
    """A call of an entry with the arguments of a step."""
    given: dict[str, Item] = dict(zip((p.name for p in helper.parameters), step.arguments, strict=False))
    given |= dict(step.keywords)
    wanted = helper.function.arguments
    if not set(given) - set(wanted) <= {"dtype", "memory_format", "pin_memory", "layout", "device", "generator"}:
        raise CannotBeSaidError(step.target)
    parts = [f"{name}={words.text(given[name])}" for name in wanted if name in given]
    positional: list[str] = []
    while parts and parts[0].partition("=")[0] == wanted[len(positional)]:
        positional.append(parts.pop(0).partition("=")[2])
        if len(positional) == len(wanted):
            break
    return f"{helper.function.name}({', '.join(['op', *positional, *parts])})"


def _read_in(tree: Tree) -> frozenset[Ref]:
    """What any of the blocks reads or returns."""
    if isinstance(tree, Block):
        return frozenset((*(ref for step in tree.steps for ref in references_of(step)), *tree.results))
    branches = [branch for _, branch in tree.branches] + ([tree.otherwise] if tree.otherwise else [])
    own = frozenset(ref for step in tree.shared for ref in references_of(step))
    return own.union(*map(_read_in, branches))


def _is_other(name: str, value: Item) -> str:
    """The test whether an argument has another value."""
    if value is None:
        return f"{name} is not None"
    if isinstance(value, bool):
        return f"not {name}" if value else name
    return f"{name} != {literal(value)}"


def _spoken(choice: Choice) -> str:
    """What the tests ask about, in words."""
    ranked = re.fullmatch(r"op\.rank\((\w+)\)", choice.about)
    return f"rank of {ranked[1]}" if ranked else choice.about
