"""The stages in a row: what the commands run."""
