"""The commands that the README promises, in code blocks after `<!-- run: NAME -->`; as a script, prints one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
_BLOCK = re.compile(
    r"^<!-- run: (?P<name>[\w-]+) -->\n```(?:bash|console|python|yaml|toml)\n(?P<text>.*?)^```$", re.M | re.S
)


def parse_blocks(text: str) -> dict[str, str]:
    """The marked code blocks by name."""
    return {match["name"]: match["text"] for match in _BLOCK.finditer(text)}


def load_block(name: str) -> str:
    """One block of the project's README."""
    return parse_blocks(README.read_text("utf-8"))[name]


if __name__ == "__main__":
    print(load_block(sys.argv[1]), end="")
