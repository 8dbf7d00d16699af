def _unpacked_count() -> int | None:
    """How many tensors the model unpacks the operator's list into: this exporter doesn't tell."""
    return None
