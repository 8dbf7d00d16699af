"""Shapes that go together, said with letters: `n m` and `m p` share a size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Shape = tuple[int, ...]
Pattern = dict[str, str]
"""What a shape looks like, by the name of the tensor argument."""

SIZES: Mapping[str, int] = {"b": 2, "n": 3, "m": 4, "p": 2, "k": 5, "c": 4, "d": 3, "h": 6, "w": 5}

ABSENT = "-"
"""Stands for an absent tensor in a list."""

OPTIONAL = "m|n m|n|c||b"
"""Shapes of a tensor that may be absent, where nothing is known of it."""

GUESSES: tuple[tuple[str, ...], ...] = (
    ("n m", "n m"), ("n m", "m"), ("m", "n m"), ("n m", ""), ("", "n m"), ("", ""), ("b n m", "n 1"), ("n 1", "b n m"),
    ("b n m", "b n m"), ("n", "n"), ("b c n m", "b c n m"), ("n n", "n n"), ("n m", "m p"), ("b n m", "b m p"),
    ("b c h w", "c"), ("b n n", "b n n"), ("b c d h w", "c"), ("n m", "k"),
)  # fmt: skip
"""Shapes of the first and the further tensors of an operator of which nothing is known, the likeliest first."""


def shape_of(pattern: str, sizes: Mapping[str, int]) -> Shape:
    """The shape that a pattern stands for: `n 2` with n=3 is (3, 2)."""
    return tuple(int(part) if part.isdecimal() else sizes[part] for part in pattern.partition("@")[0].split())


def dtype_of(pattern: str) -> str:
    """The dtype that a pattern names (`n m@bool`), empty where it names none."""
    return pattern.partition("@")[2].strip()


def patterns_of(names: Sequence[str], known: Mapping[str, str]) -> Iterator[Pattern]:
    """The patterns to try for these tensor arguments: from the alternatives that are known, else the guesses.

    Alternatives that stand at the same place go together; then one argument after the other takes each of its own. An
    argument whose shape is `=self` always has that of `self`.
    """
    alternatives = {name: known[name].split("|") for name in names if not known.get(name, "=").startswith("=")}
    twins = {name: known[name][1:] for name in names if known.get(name, "").startswith("=")}
    free = [name for name in names if name not in known]
    for guess in GUESSES if free else (("", ""),):
        guessed = {name: guess[0] if name == names[0] else guess[1] for name in free}
        for choice in _choices(alternatives):
            found = {**choice, **guessed}
            yield {**found, **{name: found[twin] for name, twin in twins.items()}}


def _choices(alternatives: Mapping[str, Sequence[str]]) -> Iterator[Pattern]:
    first = {name: options[0] for name, options in alternatives.items()}
    yield first
    for place in range(1, max(map(len, alternatives.values()), default=1)):
        yield {name: options[min(place, len(options) - 1)] for name, options in alternatives.items()}
    for name, options in alternatives.items():
        for option in options[1:]:
            yield {**first, name: option}


def size_variations(patterns: Sequence[str]) -> Iterator[Mapping[str, int]]:
    """The usual sizes, then each letter that occurs as one and as zero, then all of them one."""
    letters = sorted({part for pattern in patterns for part in pattern.replace("@", " ").split() if part in SIZES})
    for size in (0, 1):
        for letter in letters:
            yield {**SIZES, letter: size}
    yield dict.fromkeys(SIZES, 1)


def grown(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """The same shapes with every size above one made larger, equal ones alike."""
    return tuple(tuple(size + 2 if size > 1 else size for size in shape) for shape in shapes)
