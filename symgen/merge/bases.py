"""The last generated text of each definition, kept in `.symgen/` beside the files for three-way merges.

One readable file a module, in the order of the keys: the marker line of each definition, its text below it. Git shows
what the generator changed in it, and merges it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from symgen.model.ownership import fingerprint, parse_marker

FOLDER = ".symgen"
_HEAD = """\
# What symgen last wrote into {name}. It is the base when your edits there are merged with newly generated code:
# commit it, and leave it as it is.
"""


def base_file(package: PurePath, module: PurePath) -> PurePath:
    """Where the texts for a module are kept: in the package that its definitions belong to, also those of its tests."""
    return package / FOLDER / f"{module.stem}.txt"


def format_bases(bases: Mapping[str, str], module_name: str) -> str:
    """The text of the file that keeps them."""
    parts = [_HEAD.format(name=module_name)]
    for key, text in sorted(bases.items()):
        parts.append(f"\n# symgen: {key} {fingerprint(text)}\n{text}")
    return "".join(parts)


def parse_bases(text: str) -> dict[str, str]:
    """Reads what `format_bases` wrote; a text that no longer fits its marker, as after a bad merge, is left out."""
    found: dict[str, str] = {}
    key, wanted, lines = "", "", list[str]()

    def finish() -> None:
        body = "".join(lines).rstrip("\n") + "\n"
        if key and fingerprint(body) == wanted:
            found[key] = body

    for line in text.splitlines(keepends=True):
        marker = parse_marker(line.rstrip("\n"))
        if marker is None:
            lines.append(line)
            continue
        finish()
        key, wanted, lines = marker.key, marker.fingerprint, []
    finish()
    return found
