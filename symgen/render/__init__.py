"""From lowered plans to the source of definitions."""
