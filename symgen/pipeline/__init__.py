"""The stages in a row: what the commands run."""

from symgen.pipeline.new import new

__all__ = ["new"]
